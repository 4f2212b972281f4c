"""The token and id of a server, stored beside its database so that open tabs stay valid after a restart."""

from __future__ import annotations

import json
import os
from hashlib import blake2b
from pathlib import Path
from secrets import token_hex, token_urlsafe
from typing import NamedTuple

from adk_agent_sim.persistence.database_engine import format_url, parse_database_url
from adk_agent_sim.persistence.default_path import get_default_database_path


class ServerKeys(NamedTuple):
    """The keys for one database."""

    token: str
    server_id: str
    """Part of the cookie's name: cookies ignore ports, so the names of two servers on one host must differ."""


def load_or_create_keys(database: str | Path) -> ServerKeys:
    """Returns the keys of a database; creates them if there are none, in a file that only its owner can read."""
    path = _find_key_file(database)
    try:
        return ServerKeys(**json.loads(path.read_text(encoding="ascii")))
    except FileNotFoundError:
        pass
    except (TypeError, ValueError):  # damaged or not ours: with new keys, people open the printed address once more
        path.unlink()
    keys = ServerKeys(token=token_urlsafe(32), server_id=token_hex(8))
    # The mode is set at creation: between open() and chmod() others could read the token.
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
        json.dump(keys._asdict(), file)
    return keys


def _find_key_file(database: str | Path) -> Path:
    url = parse_database_url(database)
    if url.get_backend_name() == "sqlite":
        return Path(f"{url.database}.key")
    name = blake2b(format_url(url).encode(), digest_size=8).hexdigest()
    return get_default_database_path().with_name(f"{name}.key")
