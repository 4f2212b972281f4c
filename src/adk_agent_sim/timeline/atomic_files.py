"""Files that are never torn: a reader finds the old content or the new one, whole, whatever happens meanwhile.

write a temporary file beside it --> fsync --> rename over it --> fsync the directory
"""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO
from uuid import uuid4


def prepare_path(path: str | Path) -> Path:
    """Where a file really is, links followed; its folder is made if there is none."""
    found = Path(os.path.realpath(path))
    found.parent.mkdir(parents=True, exist_ok=True)
    return found


@contextmanager
def atomic_write(path: str | Path) -> Generator[TextIO, None, None]:
    """A file to write to, put in the place of `path` in one step at the end; it has the old one's permissions."""
    target = prepare_path(path)
    temporary = target.with_name(f".{target.name}.{uuid4().hex}.tmp")
    try:
        with temporary.open("x", encoding="utf-8", newline="\n") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            temporary.chmod(target.stat().st_mode & 0o777)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_directory(target.parent)


def atomic_write_text(path: str | Path, text: str) -> None:
    """Put a text in the place of `path`."""
    with atomic_write(path) as file:
        file.write(replace_lone_surrogates(text))


def replace_lone_surrogates(text: str) -> str:
    """Half surrogate pairs cannot be written as UTF-8, and ADK refuses them escaped: each becomes U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _sync_directory(directory: Path) -> None:
    """Make the rename itself durable, where the system can."""
    if os.name == "posix":
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
