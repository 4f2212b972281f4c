"""The id of a server, stored beside its database, so that the cookies of open tabs stay valid after a restart."""

from __future__ import annotations

import json
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from secrets import token_hex

from adk_agent_sim.persistence.database_engine import format_url, parse_database_url
from adk_agent_sim.persistence.default_path import get_default_database_path
from adk_agent_sim.timeline.private_files import read_private_file, write_private_file


def load_or_create_server_id(database: str | Path) -> str:
    """Return the id of the server of a database; create one if there is none.

    It is part of the cookie's name: cookies ignore ports, so the names of two servers on one host must differ.

    Raises:
        InsecureFile: The file could have been written or read by others.
    """
    path = _find_key_file(database)
    # A file that is damaged is replaced: people open a new address once more.
    with suppress(FileNotFoundError, TypeError, ValueError, KeyError):
        keys = json.loads(read_private_file(path))
        server_id = str(keys["server_id"])
        if "token" in keys:  # of an older release, whose token is not valid any more
            write_private_file(path, json.dumps({"server_id": server_id}))
        return server_id
    server_id = token_hex(8)
    write_private_file(path, json.dumps({"server_id": server_id}))
    return server_id


def _find_key_file(database: str | Path) -> Path:
    url = parse_database_url(database)
    if url.get_backend_name() == "sqlite":
        return Path(f"{url.database}.key")
    name = blake2b(format_url(url).encode(), digest_size=8).hexdigest()
    return get_default_database_path().with_name(f"{name}.key")
