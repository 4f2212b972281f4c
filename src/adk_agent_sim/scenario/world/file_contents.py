"""What is in the files of a scenario: a scenario holds their names, a directory beside it their contents."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path


def make_content_reader(directory: str | Path | None) -> Callable[[str], bytes | None]:
    """A function from a file's path in the scenario to its bytes; None where the directory has no such file.

    What lies outside the directory, also by a link inside it, is not there.
    """
    if directory is None:
        return lambda path: None
    root = Path(directory).resolve()

    def read_content(path: str) -> bytes | None:
        try:
            file = (root / path.lstrip("/")).resolve()
            return file.read_bytes() if file.is_relative_to(root) and file.is_file() else None
        except (OSError, ValueError):
            return None

    return read_content
