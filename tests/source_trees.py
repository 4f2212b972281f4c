"""The syntax trees of the package's modules, for tests of the code itself.

They are not kept: the garbage collector would go through millions of nodes for the rest of the process.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).parents[1] / "src" / "adk_agent_sim"


class Definition(NamedTuple):
    """A class or function of the package."""

    path: str
    name: str
    is_class: bool
    is_property: bool
    line: int
    length: int


def list_modules() -> list[str]:
    """Return the paths of all modules in the package, without generated ones."""
    paths = (path for path in sorted(PACKAGE.rglob("*.py")) if "generated" not in path.parts)
    return [path.relative_to(PACKAGE).as_posix() for path in paths]


def parse_modules(containing: str = "") -> Iterator[tuple[str, ast.Module]]:
    """Yield the path and the tree of each module whose text the regular expression finds something in."""
    for path in list_modules():
        text = (PACKAGE / path).read_text(encoding="utf-8")
        if re.search(containing, text):
            yield path, ast.parse(text)


@cache
def list_definitions() -> tuple[Definition, ...]:
    """Return all classes and functions, those within others too."""
    return tuple(
        Definition(
            path,
            node.name,
            isinstance(node, ast.ClassDef),
            any("property" in ast.unparse(decorator) for decorator in node.decorator_list),
            node.lineno,
            (node.end_lineno or 0) - node.lineno + 1,
        )
        for path, tree in parse_modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    )


def list_type_aliases() -> Iterator[tuple[str, str]]:
    """Yield the path and the name of each public type alias of a module, a CapWords name that it assigns."""
    for path, tree in parse_modules():
        for node in tree.body:
            target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
            if isinstance(target, ast.Name) and re.fullmatch("[A-Z][A-Za-z]*[a-z][A-Za-z]*", target.id):
                yield path, target.id
