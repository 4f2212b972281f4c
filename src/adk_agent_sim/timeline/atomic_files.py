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
