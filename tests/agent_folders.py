"""Folders of agents on disk, as people write them, and what importing them leaves behind."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from adk_agent_sim.adk.loading.folder_modules import is_module_of

_PROJECT = Path(__file__).parents[1]

PLAIN_AGENT = """
from google.adk.agents import LlmAgent


def greet(name: str) -> str:
    '''Greet somebody.'''
    return "{greeting} " + name


root_agent = LlmAgent(name="{name}", model="gemini-2.5-flash", description="{description}", tools=[greet])
"""


def write_agent(
    root: Path, name: str, code: str = PLAIN_AGENT, *, greeting: str = "Hello", description: str = "Greets."
) -> Path:
    """Write an agent's folder; `{name}`, `{greeting}` and `{description}` in the code are replaced."""
    folder = root / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "__init__.py").write_text("from . import agent\n")
    for word, value in (("name", name), ("greeting", greeting), ("description", description)):
        code = code.replace(f"{{{word}}}", value)
    (folder / "agent.py").write_text(code)
    return folder


@contextmanager
def forget_imports() -> Generator[None]:
    """Forget the agents that the block imports from temporary folders, and their settings, as another process would."""
    path, (state, modules), environment = list(sys.path), _copy_modules(), _copy_environment()
    try:
        yield
    finally:
        sys.path[:] = path
        after = _copy_environment()
        if after != environment:
            for name in after.keys() - environment.keys():
                del os.environb[name]
            os.environb.update(environment)
        if _get_modules_state() != state:
            for name, module in list(sys.modules.items()):
                if modules.get(name) is not module and _is_temporary(module):
                    del sys.modules[name]
            for name in modules.keys() - sys.modules.keys():
                sys.modules[name] = modules[name]


_copied: tuple[tuple[int, str], Mapping[str, ModuleType]] = ((0, ""), {})
"""The modules that were loaded last time: there are thousands, and few tests import others."""


def _copy_modules() -> tuple[tuple[int, str], Mapping[str, ModuleType]]:
    global _copied  # noqa: PLW0603 - one per process
    state = _get_modules_state()
    if _copied[0] != state:
        _copied = state, sys.modules.copy()
    return _copied


def _get_modules_state() -> tuple[int, str]:
    """Return what changes when modules are imported, forgotten or imported again."""
    return len(sys.modules), next(reversed(sys.modules))


def _copy_environment() -> dict[bytes, bytes]:
    """Return the environment without the variable that pytest changes within each test."""
    return {name: value for name, value in os.environb.items() if name != b"PYTEST_CURRENT_TEST"}


def _is_temporary(module: ModuleType) -> bool:
    # The project itself may be in a temporary folder.
    return is_module_of(Path(tempfile.gettempdir()), module) and not is_module_of(_PROJECT, module)
