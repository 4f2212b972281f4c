"""Private files: only their owner can read them, and only such files are trusted.

On Windows, which has no such modes, the rules of the folder apply.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from uuid import uuid4

from adk_agent_sim.errors import InsecureFile
from adk_agent_sim.text.escaped_logging import get_logger

PRIVATE_MODE = 0o600
"""Readable and writable by the owner only."""

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)  # Windows has none
_MAX_BYTES = 64 * 1024

_log = get_logger(__name__)


def create_private_file(path: str | Path) -> int:
    """Create a file that must not exist yet and return its descriptor; the mode is set before anyone can open it."""
    # Another user who can write to the folder could put a file or a link there first: O_EXCL refuses both.
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | _NO_FOLLOW, PRIVATE_MODE)


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


def read_private_file(path: Path) -> str:
    """Return the text of a file that nobody else can have written or read.

    On Windows the permissions of the folder decide, so only the type of the file is checked.

    Raises:
        FileNotFoundError: There is no such file.
        InsecureFile: It is a symbolic link, or of another user, or others may read or write it.
    """
    try:
        # Without O_NONBLOCK, opening a named pipe would wait for somebody who writes to it.
        descriptor = os.open(path, os.O_RDONLY | _NO_FOLLOW | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK) or os.path.islink(path):
            raise InsecureFile(path, "it is a symbolic link", f"Delete it: rm {path}") from None
        raise
    # Checked on the open file: the name could get another file in between.
    with os.fdopen(descriptor, "r", encoding="utf-8") as file:
        _check_owner_and_mode(path, os.fstat(file.fileno()))
        return file.read(_MAX_BYTES)


def _check_owner_and_mode(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise InsecureFile(path, "it is not a regular file", f"Delete it: rm {path}")
    if os.name != "posix":
        return
    if status.st_uid != os.geteuid():
        raise InsecureFile(path, "it belongs to another user", f"Delete it, or have it deleted: rm {path}")
    if status.st_mode & _OTHERS:
        mode = f"{stat.S_IMODE(status.st_mode):04o}"
        advice = f"If nobody has changed it, make it private: chmod 600 {path}. Otherwise delete it."
        raise InsecureFile(path, f"other users may read or change it (mode {mode})", advice)


def write_private_file(path: Path, text: str) -> None:
    """Replace the content of a file atomically; it has mode 0600 from the beginning."""
    # Beside the file, because a rename is atomic only within one file system.
    temporary = path.with_name(f".{path.name}.{uuid4().hex}.tmp")
    descriptor = create_private_file(temporary)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def create_private_folder(path: Path) -> Path:
    """Create a folder that only its owner can enter, unless there is one; returns its path.

    Raises:
        InsecureFile: There is one that belongs to another user, or that others can write to.
    """
    # The mode is that of the last folder only, and of none that exists already, so it is checked below.
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    if os.name == "posix":
        status = path.stat()
        if status.st_uid != os.geteuid():
            raise InsecureFile(path, "the folder belongs to another user", "Set XDG_DATA_HOME to a folder of your own.")
        if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise InsecureFile(path, "other users may change the folder", f"Make it private: chmod 700 {path}.")
    return path
