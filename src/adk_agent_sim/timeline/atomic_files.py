"""Atomic file writes: after a crash at any moment, a file has either its old or its new content.

write a temporary file beside it --> fsync --> rename over it --> fsync the directory
"""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO
from uuid import uuid4

from adk_agent_sim.text.surrogates import replace_lone_surrogates


def prepare_path(path: str | Path) -> Path:
    """Return the path with symbolic links resolved, and create its folder if needed."""
    # Renaming over a symbolic link would replace the link itself.
    target = Path(os.path.realpath(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    return target


@contextmanager
def atomic_write(path: str | Path) -> Generator[TextIO, None, None]:
    """Open a temporary file that replaces `path` when the block ends without an error; keeps the permissions."""
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
    """Replace the content of `path` atomically."""
    with atomic_write(path) as file:
        file.write(replace_lone_surrogates(text))


def _sync_directory(directory: Path) -> None:
    """Make the rename durable; other systems than POSIX cannot sync a directory."""
    if os.name == "posix":
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
