"""Where a database is unless somebody says otherwise: in the user's data directory, found from any folder."""

from __future__ import annotations

import os
import sys
from pathlib import Path

NAME = "simulator.db"


def default_database() -> Path:
    """The path of the user's own database; its folder is made, for the user alone."""
    folder = _data_home() / "adksim"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder / NAME


def _data_home() -> Path:
    if stated := os.environ.get("XDG_DATA_HOME"):
        return Path(stated)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    return Path.home() / ".local" / "share"
