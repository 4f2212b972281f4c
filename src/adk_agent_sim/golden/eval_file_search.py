"""Finds the EvalSet files in the folder of an agent, by their names and without reading them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

EVAL_FILE_SUFFIXES = (".evalset.json", ".test.json")
"""How the names of the files end that `adk web` and ADK's AgentEvaluator look for."""

MAX_EVAL_FILES = 200
"""How many files are listed for one agent."""

_MAX_DEPTH = 3
"""How many folders deep it looks, such as eval/data in ADK's samples."""

_MAX_VISITED = 20_000
"""How many names it looks at: the folder may be anything."""

_NOT_OWN = frozenset({"site-packages", "dist-packages", "node_modules", "__pycache__"})


def find_eval_files(folder: Path) -> Sequence[Path]:
    """Return the EvalSet files in a folder and the folders in it, sorted.

    Hidden files and links are left out: a link could lead to any file of the machine.
    """
    found: list[Path] = []
    for visited, path in enumerate(_walk(folder, _MAX_DEPTH)):
        if path.name.endswith(EVAL_FILE_SUFFIXES):
            found.append(path)
        if visited >= _MAX_VISITED or len(found) >= MAX_EVAL_FILES:
            break
    return sorted(found)


def _walk(folder: Path, depth: int) -> Iterator[Path]:
    """Return the files of a folder before those of the folders in it; one that cannot be read has none."""
    try:
        children = sorted(child for child in folder.iterdir() if not child.name.startswith("."))
    except OSError:
        return
    folders: list[Path] = []
    for child in children:
        try:
            if child.is_symlink():
                continue
            if child.is_dir():
                folders.append(child)
            elif child.is_file():
                yield child
        except OSError:
            continue
    if depth > 0:
        for each in folders:
            if each.name not in _NOT_OWN:
                yield from _walk(each, depth - 1)
