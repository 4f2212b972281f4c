"""Copies of the package with changed code, which other processes import instead of the original."""

from __future__ import annotations

from pathlib import Path

from source_trees import PACKAGE

_LEFT_OUT = ("cli", "server", "adk", "bench", "scenario", "golden", "environment", "mocks", "link")
"""What no store needs."""


def copy_package(folder: Path, *changes: tuple[str, str, str]) -> Path:
    """Copy what stores need of the package to a folder; each change is a module's path, the old text and the new."""
    copied = PACKAGE.rglob("*.py*")
    for source in copied:
        path = source.relative_to(PACKAGE)
        if path.parts[0] not in _LEFT_OUT and source.suffix in (".py", ".pyi"):
            copy = folder / PACKAGE.name / path
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(source.read_bytes())
    for module, old, new in changes:
        path = folder / PACKAGE.name / module
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{module} has changed: adapt the change of {old!r}"
        path.write_text(text.replace(old, new), encoding="utf-8")
    return folder
