"""Permissions of files that hold recorded data: only their owner can read them. On Windows the folder's rules apply."""

from __future__ import annotations

import os
from pathlib import Path

from adk_agent_sim.text.escaped_logging import get_logger

PRIVATE_MODE = 0o600
"""Readable and writable by the owner only."""

_log = get_logger(__name__)


def create_private_file(path: str | Path) -> int:
    """Create a file that must not exist yet and return its descriptor; the mode is set before anyone can open it."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, PRIVATE_MODE)


def make_file_private(path: str | Path) -> None:
    """Take the permissions of others away from an existing file, or log why that is impossible."""
    if os.name != "posix":
        return
    try:
        mode = os.stat(path).st_mode & 0o777
        if mode & 0o077:
            os.chmod(path, mode & 0o700)
            _log.warning("%s could be read by other users; now only its owner can.", path)
    except FileNotFoundError:
        return
    except OSError as error:
        _log.warning("Other users may read %s, and this cannot be changed (%s). Use chmod 600.", path, error.strerror)
