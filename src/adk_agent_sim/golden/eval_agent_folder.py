"""Tells whether `adk eval` can load the agent in a folder, without importing it, and what to add if it cannot.

Other commands of ADK look into agent.py and root_agent.yaml too; `adk eval` reads only the folder's `__init__.py`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

_AGENT_NAMES = frozenset({"agent", "app", "root_agent", "get_agent_async"})
"""The names of an `__init__.py` by which `adk eval` finds the agent."""

_MAX_CHARACTERS = 200_000
"""A longer file is not parsed: it is not one that only forgot to import the agent."""

_IMPORT_LINE = "from . import agent"
_YAML_LINES = (
    "`from google.adk.agents.config_agent_utils import from_config` and "
    '`root_agent = from_config(__file__.replace("__init__.py", "root_agent.yaml"))`'
)


def describe_unloadable_folder(folder: str | Path | None) -> list[str]:
    """Return what to add to an agent's folder so that `adk eval` can load it; nothing if it can, or may be able to.

    Args:
        folder: The agent's folder; None if it is not known.
    """
    if folder is None or not Path(folder).is_dir():
        return []
    package_file = Path(folder) / "__init__.py"
    has_code = any((Path(folder) / name).exists() for name in ("agent.py", "agent"))
    has_yaml = not has_code and (Path(folder) / "root_agent.yaml").is_file()
    addition = f"the lines {_YAML_LINES}" if has_yaml else f"the line `{_IMPORT_LINE}`"
    try:
        code = package_file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return [f"`adk eval` cannot load this agent: {folder} has no __init__.py. Add one with {addition}."]
    except (OSError, UnicodeDecodeError):
        return []
    if _may_hold_agent(code):
        return []
    return [f"`adk eval` cannot load this agent: {package_file} does not import it. Add {addition} to it."]


def _may_hold_agent(code: str) -> bool:
    if len(code) > _MAX_CHARACTERS:
        return True
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True  # whoever imports the file says what is wrong with it
    return any(name in _AGENT_NAMES or name in ("*", "__getattr__") for name in _iter_bound_names(tree))


def _iter_bound_names(tree: ast.AST) -> Iterator[str]:
    """Iterate over the names that code binds, in functions too: too many names are better than a wrong warning."""
    for node in ast.walk(tree):
        match node:
            case ast.Import():
                yield from (part for alias in node.names for part in (alias.asname or alias.name).split("."))
            case ast.ImportFrom():
                # An import from the module `agent` makes it an attribute of its package.
                yield from (node.module or "").split(".")
                yield from (alias.asname or alias.name for alias in node.names)
            case ast.Name(ctx=ast.Store()):
                yield node.id
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case _:
                pass
