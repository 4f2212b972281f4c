"""What a browser must know to talk to a server, kept beside its database: a restart does not lock out open tabs."""

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
    """Of one database."""

    token: str
    server_id: str
    """Tells its cookie from those of other servers, since cookies ignore ports."""


def load_or_create_keys(database: str | Path) -> ServerKeys:
    """The keys of a database; made if there are none, in a file that only its owner reads."""
    path = _find_key_file(database)
    try:
        return ServerKeys(**json.loads(path.read_text(encoding="ascii")))
    except FileNotFoundError:
        pass
    except (TypeError, ValueError):  # not ours, or torn: new keys cost one click on the printed address
        path.unlink()
    made = ServerKeys(token=token_urlsafe(32), server_id=token_hex(8))
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
        json.dump(made._asdict(), file)
    return made


def _find_key_file(database: str | Path) -> Path:
    url = parse_database_url(database)
    if url.get_backend_name() == "sqlite":
        return Path(f"{url.database}.key")
    name = blake2b(format_url(url).encode(), digest_size=8).hexdigest()
    return get_default_database_path().with_name(f"{name}.key")
