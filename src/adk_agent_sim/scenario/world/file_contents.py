"""Contents of scenario files: the scenario has their names, a folder next to it has their contents."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path


def make_content_reader(directory: str | Path | None) -> Callable[[str], bytes | None]:
    """Return a function from a file's path in the scenario to its bytes, or None if there is no such file.

    Files outside the folder are never read, not even through a symbolic link inside it.
    """
    if directory is None:
        return lambda path: None
    root = Path(directory).resolve()

    def read_content(path: str) -> bytes | None:
        try:
            file = (root / path.lstrip("/")).resolve()
            return file.read_bytes() if file.is_relative_to(root) and file.is_file() else None
        # ValueError: the path contains a null character.
        except (OSError, ValueError):
            return None

    return read_content
