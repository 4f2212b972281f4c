"""The syntax trees of the package's modules, for tests of the code itself.

They are not kept: the garbage collector would go through millions of nodes for the rest of the process.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "adk_agent_sim"


def parse_modules() -> Mapping[str, ast.Module]:
    """Return the trees by their path in the package, without generated modules."""
    paths = (path for path in sorted(PACKAGE.rglob("*.py")) if "generated" not in path.parts)
    return {path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in paths}
