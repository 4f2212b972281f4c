"""The Python modules that were imported from a folder of agents: which agents use them, and how they are forgotten.

    changed files --> units (an agent's folder, or a module or package beside it) --> units that import them --> agents

Modules are shared by the agents that import them, as in `adk web`. After a change, they and all that import them are
forgotten together, so that the next import runs the new code once. Objects of the old modules keep working: a session
that is going on has the code that it began with.
"""

from __future__ import annotations

import ast
import importlib
import linecache
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path
from threading import Lock
from types import ModuleType

from adk_agent_sim.adk.compat import is_being_imported

_NOT_OWN = frozenset({"site-packages", "dist-packages", "node_modules", "__pycache__"})
"""Folders whose files are not the user's code."""

_WATCHED_SUFFIXES = frozenset({".py", ".yaml", ".yml", ".md", ".txt"})
"""Files that agents are made of; an EvalSet or a database beside them is none."""

_WATCHED_NAMES = frozenset({".env"})

Fingerprint = tuple[int, int]
"""When a file was changed, and its size."""


class FolderModules:
    """The modules of one folder. Agents are loaded and watched in several threads."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._foreign = dict(sys.modules)
        """What was there before: modules of the simulator are never forgotten, wherever they are installed."""
        self._lock = Lock()

    def read_fingerprints(self, agent_names: Iterable[str]) -> dict[Path, Fingerprint]:
        """Return the files of agents, and of the modules beside them that were imported."""
        with self._lock:
            units = {*agent_names, *(get_unit(name) for name in self._list_modules())}
            found: dict[Path, Fingerprint] = {}
            for path in self._iter_files(units):
                with suppress(OSError):
                    status = path.stat()
                    found[path] = (status.st_mtime_ns, status.st_size)
            return found

    def find_affected_units(self, changed: Collection[Path], agent_names: Collection[str]) -> set[str]:
        """Return the agents and modules whose code depends on changed files."""
        with self._lock:
            parts = [path.relative_to(self._root).parts for path in changed]
            # ADK looks for .env in the agent's folder and then in those above it, so this one may apply to every agent.
            if any(len(each) == 1 and each[0] in _WATCHED_NAMES for each in parts):
                return {*agent_names, *(get_unit(name) for name in self._list_modules())}
            affected = {each[0].removesuffix(".py") for each in parts}
            imports = self._read_imports(agent_names)
            while more := {unit for unit, used in imports.items() if unit not in affected and used & affected}:
                affected |= more
            return affected

    def forget(self, units: Collection[str], changed: Iterable[Path] = ()) -> None:
        """Make the next import of these units run their code again."""
        with self._lock:
            for name in self._list_modules():
                if get_unit(name) in units:
                    sys.modules.pop(name, None)
            for path in changed:
                # Tracebacks would show lines of the old file otherwise.
                linecache.checkcache(str(path))
                # Python takes compiled code for current if the source has the same size and changed in the same second.
                with suppress(OSError, NotImplementedError):
                    Path(cache_from_source(str(path))).unlink()
            # Python's finders remember what is in a folder, and would not find a file that was just added.
            importlib.invalidate_caches()

    def _list_modules(self) -> Mapping[str, ModuleType]:
        """Return the modules that were imported from the folder and are completely loaded."""
        return {
            name: module
            # A copy, because other threads may import modules at the same time.
            for name, module in list(sys.modules.items())
            if self._foreign.get(name) is not module
            and is_module_of(self._root, module)
            and not is_being_imported(module)
        }

    def _iter_files(self, units: Iterable[str]) -> Iterator[Path]:
        for unit in units:
            yield from _iter_watched_files(self._root / unit)
            yield from (each for each in [self._root / f"{unit}.py"] if each.is_file())
        yield from (each for each in (self._root / name for name in _WATCHED_NAMES) if each.is_file())

    def _read_imports(self, agent_names: Iterable[str]) -> Mapping[str, Set[str]]:
        """Return which units the code of each unit imports."""
        units = {*agent_names, *(get_unit(name) for name in self._list_modules())}
        return {unit: _find_imported_units(self._iter_files([unit]), units - {unit}) for unit in units}


def is_module_of(root: Path, module: ModuleType) -> bool:
    """Return whether a module is the user's code in a folder; packages that are installed in it are not."""
    if get_unit(module.__name__) == get_unit(__name__):  # the simulator, in a checkout of it
        return False
    return any(_is_own_path(root, place) for place in list_places(module))


def _is_own_path(root: Path, path: Path) -> bool:
    if not path.is_relative_to(root):
        return False
    parts = path.relative_to(root).parts
    return bool(parts) and not any(part in _NOT_OWN or part.startswith(".") for part in parts)


def list_places(module: ModuleType) -> Sequence[Path]:
    """Return where a module is; a folder without __init__.py is a package without a file."""
    file = getattr(module, "__file__", None)
    if isinstance(file, str):
        return [Path(file)]
    with suppress(KeyError):  # part of a package that is not imported any more
        return [Path(each) for each in getattr(module, "__path__", ()) if isinstance(each, str)]
    return []


def get_unit(module_name: str) -> str:
    """Return the agent or module of a folder that a module belongs to."""
    return module_name.split(".", maxsplit=1)[0]


def _iter_watched_files(folder: Path) -> Iterator[Path]:
    try:
        children = sorted(folder.iterdir())
    except OSError:
        return
    # It is a virtual environment, whose packages are not the user's code.
    if any(child.name == "pyvenv.cfg" for child in children):
        return
    for child in children:
        if child.name in _WATCHED_NAMES or (child.suffix in _WATCHED_SUFFIXES and child.is_file()):
            yield child
        elif _is_own_folder(child):
            yield from _iter_watched_files(child)


def _is_own_folder(path: Path) -> bool:
    # A link may lead back to a folder above it.
    return path.name not in _NOT_OWN and not path.name.startswith(".") and path.is_dir() and not path.is_symlink()


def _find_imported_units(files: Iterable[Path], units: Set[str]) -> set[str]:
    found: set[str] = set()
    for path in files:
        if not units - found:
            break
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        found |= _find_python_imports(text) & units if path.suffix == ".py" else _find_named_units(text, units)
    return found


def _find_python_imports(text: str) -> set[str]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return set()
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {get_unit(alias.name) for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(get_unit(node.module))
    return found


def _find_named_units(text: str, units: Set[str]) -> set[str]:
    """Return the units that a YAML file names, as in `name: my_tools.search`."""
    return {word for word in re.findall(r"(\w+)\.", text) if word in units}
