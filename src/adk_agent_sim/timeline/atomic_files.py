"""How files of people are written: one process at a time changes a folder, a failure is explained in words, and after a
crash at any moment a file has either its old or its new content.

write a temporary file beside it --> fsync --> rename over it --> fsync the directory
"""

from __future__ import annotations

import errno
import os
import sys
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TextIO
from uuid import uuid4

from filelock import FileLock, Timeout

from adk_agent_sim.errors import ExportRefused
from adk_agent_sim.text.surrogates import replace_lone_surrogates
from adk_agent_sim.timeline.private_files import PRIVATE_MODE, create_private_file


def prepare_path(path: str | Path, inside: str | Path | None = None) -> Path:
    """Return the path with symbolic links resolved, and create its folder if needed.

    Args:
        path: The file.
        inside: The folder that the file must be in; by default the one that the path names.

    Raises:
        ExportRefused: A symbolic link leads out of the folder.
    """
    # Renaming over a symbolic link would replace the link itself.
    target = Path(os.path.realpath(path))
    folder = Path(os.path.realpath(Path(path).parent if inside is None else inside))
    if not target.is_relative_to(folder):
        raise ExportRefused(
            f"Nothing was written: {path} leads through a link to {target}, outside of {folder}. "
            "Give the path of the file itself, or remove the link."
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    return target


@contextmanager
def atomic_write(
    path: str | Path, *, inside: str | Path | None = None, keep_mode: bool = False
) -> Generator[TextIO, None, None]:
    """Open a temporary file that replaces `path` when the block ends without an error.

    Only the owner can read the result, unless `keep_mode` keeps the permissions of the file that it replaces. `inside`
    is the folder that no link may lead out of, as in `prepare_path`.
    """
    target = prepare_path(path, inside)
    # Beside the target, because a rename is atomic only within one file system.
    temporary = target.with_name(f".{target.name}.{uuid4().hex}.tmp")
    try:
        with os.fdopen(create_private_file(temporary), "w", encoding="utf-8", newline="\n") as file:
            yield file
            file.flush()
            # Without it, some file systems write the rename before the data: a power failure would leave an empty file.
            os.fsync(file.fileno())
        temporary.chmod(target.stat().st_mode & 0o777 if keep_mode and target.exists() else PRIVATE_MODE)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_directory(target.parent)


def atomic_write_text(
    path: str | Path, text: str, *, inside: str | Path | None = None, keep_mode: bool = False
) -> None:
    """Replace the content of `path` atomically, as `atomic_write`."""
    with atomic_write(path, inside=inside, keep_mode=keep_mode) as file:
        file.write(replace_lone_surrogates(text))


def _sync_directory(directory: Path) -> None:
    """Make the rename durable; other systems than POSIX cannot sync a directory."""
    if os.name == "posix":
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


_REASONS: Mapping[int, str] = {
    errno.ENOSPC: "the disk is full. Free some space, then try again",
    errno.EFBIG: "the file would be larger than the system allows. Choose another file",
    errno.EDQUOT: "the disk quota is used up. Free some space, then try again",
    errno.EACCES: "permission denied. Choose another folder, or allow writing to this one",
    errno.EPERM: "permission denied. Choose another folder, or allow writing to this one",
    errno.EROFS: "the file system is read-only. Choose another folder",
    errno.EISDIR: "it is a folder. Choose the path of a file",
    errno.ENOTDIR: "a part of the path is a file, not a folder. Choose another path",
    errno.EEXIST: "a part of the path is a file, not a folder. Choose another path",
    errno.ENAMETOOLONG: "the name is too long. Choose a shorter one",
    errno.ENOENT: "the folder does not exist and could not be created. Choose another folder",
    errno.EIO: "the disk reports an error. Choose another disk",
    errno.ELOOP: "its symbolic links form a circle. Choose another path",
}


@contextmanager
def explain_write_errors(path: str | Path) -> Generator[None]:
    """Raise ExportRefused with the reason in words if the file cannot be written or read inside the context."""
    try:
        yield
    except OSError as error:
        raise ExportRefused(f"{path} was not written: {describe_os_error(error)}.") from error


def describe_os_error(error: OSError) -> str:
    """Return the reason of an error in words, without its number."""
    reason = _REASONS.get(error.errno or 0)
    return reason or error.strerror or (os.strerror(error.errno) if error.errno else str(error))


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
