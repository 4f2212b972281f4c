"""What a browser must know to talk to a server, kept beside its database: a restart does not lock out open tabs."""

from __future__ import annotations

import json
import os
from hashlib import blake2b
from pathlib import Path
from secrets import token_hex, token_urlsafe
from typing import NamedTuple

from adk_agent_sim.persistence.engine import address, shown
from adk_agent_sim.persistence.place import default_database


class Keys(NamedTuple):
    """Of one database."""

    token: str
    server_id: str
    """Tells its cookie from those of other servers, since cookies ignore ports."""


def kept_keys(database: str | Path) -> Keys:
    """The keys of a database; made if there are none, in a file that only its owner reads."""
    path = _path(database)
    try:
        return Keys(**json.loads(path.read_text(encoding="ascii")))
    except FileNotFoundError:
        pass
    except (TypeError, ValueError):  # not ours, or torn: new keys cost one click on the printed address
        path.unlink()
    made = Keys(token=token_urlsafe(32), server_id=token_hex(8))
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
        json.dump(made._asdict(), file)
    return made


def _path(database: str | Path) -> Path:
    url = address(database)
    if url.get_backend_name() == "sqlite":
        return Path(f"{url.database}.key")
    name = blake2b(shown(url).encode(), digest_size=8).hexdigest()
    return default_database().with_name(f"{name}.key")
