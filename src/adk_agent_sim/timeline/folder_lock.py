"""Lets one process at a time change the files of a folder, without leaving a lock file there."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from filelock import FileLock, Timeout

if sys.platform != "win32":
    import fcntl


@contextmanager
def lock_folder(folder: Path, *, waits: bool = True) -> Generator[None]:
    """Wait until no other process or thread holds the lock of the folder, and hold it inside the context.

    The folder itself is locked. A lock file cannot be deleted safely: another process may be waiting for it already.

    Args:
        folder: The folder.
        waits: Whether to wait.

    Raises:
        BlockingIOError: Somebody holds the lock, and `waits` is false.
    """
    if sys.platform == "win32":  # no folder can be locked there
        name = sha256(os.path.normcase(folder).encode()).hexdigest()
        lock = FileLock(Path(tempfile.gettempdir()) / f"adksim-{name}.lock", timeout=-1 if waits else 0)
        try:
            lock.acquire()
        except Timeout as error:
            raise BlockingIOError(str(error)) from error
        with lock:
            lock.release()  # `with` has taken it a second time
            yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if waits else fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)
