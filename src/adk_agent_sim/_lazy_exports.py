"""Lets a package export names of its modules without importing them: each is resolved on first use.

What a package exports is written once, in its `__init__.pyi`, which type checkers read too.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any


def export_lazily(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package.

    Args:
        package: Its full name.
    """

    def resolve_name(name: str) -> Any:
        if name == "__all__":
            return sorted(list_exports(package))
        # Whoever imports a package looks up other special names, which are no reason to read its stub.
        home = None if name.startswith("__") else list_exports(package).get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(home, package), name)
        # The next use does not come here.
        setattr(sys.modules[package], name, value)
        return value

    return resolve_name, lambda: sorted({*vars(sys.modules[package]), *list_exports(package)})


# Parsed here and not by `ast`, which fails in Python 3.11 if another thread parses at the same time.
_EXPORT = re.compile(r"^from (\S+) import (\w+) as \2$", re.MULTILINE)


@cache
def list_exports(package: str) -> Mapping[str, str]:
    """Return the module of each name that a package exports, relative to it if it is inside."""
    stub = Path(str(sys.modules[package].__file__)).with_suffix(".pyi")
    return {name: module for module, name in _EXPORT.findall(stub.read_text(encoding="utf-8"))}
