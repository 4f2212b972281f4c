"""Says in words why a file could not be written, and what to do, instead of an error number."""

from __future__ import annotations

import errno
import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from adk_agent_sim.errors import ExportRefused

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
