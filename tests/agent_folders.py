"""Folders of agents on disk, as people write them, and what importing them leaves behind."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

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
    """Forget the agents that the block imports from temporary folders, as if another process had imported them."""
    path, modules = list(sys.path), set(sys.modules)
    try:
        yield
    finally:
        sys.path[:] = path
        for name in [name for name in sys.modules if name not in modules]:
            origin = getattr(sys.modules[name], "__file__", None)
            if origin and Path(origin).is_relative_to(tempfile.gettempdir()):
                del sys.modules[name]
