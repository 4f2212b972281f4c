"""The default paths of databases, in the user's data directory."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

from adk_agent_sim.timeline.file_names import to_file_stem

DATABASE_NAME = "simulator.db"


def get_default_database_path() -> Path:
    """Return the path of the user's database; creates its folder, which only the user can access."""
    folder = get_data_folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder / DATABASE_NAME


def get_run_database_path(agent_dir: Path) -> Path:
    """Return the path of the database of the sessions that `adksim run --web` keeps of a folder; it may not exist.

    Each folder has its own, so that servers of different agents can run side by side, and agents of the same name in
    different projects are not taken for each other.
    """
    path = agent_dir.resolve()
    # fsencode also takes paths whose bytes are not UTF-8.
    digest = hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
    return _get_runs_folder() / f"{to_file_stem(path.name)}-{digest}.db"


def is_run_database(url_or_path: str) -> bool:
    """Return whether a database is one of those in which `adksim run --web` keeps sessions."""
    return Path(url_or_path).parent == _get_runs_folder()


def _get_runs_folder() -> Path:
    return get_data_folder() / "runs"


def get_data_folder() -> Path:
    """Return the folder of the user's data; it may not exist."""
    return _get_data_directory() / "adksim"


def _get_data_directory() -> Path:
    if data_home := os.environ.get("XDG_DATA_HOME"):
        return Path(data_home)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    return Path.home() / ".local" / "share"
