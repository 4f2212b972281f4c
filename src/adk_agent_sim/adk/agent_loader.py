"""Finds agents: folders as `adk run` takes them, and the demos that come with the package."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

from google.adk.agents import BaseAgent
from google.adk.apps import App
from google.adk.cli.utils.agent_loader import AgentLoader

from adk_agent_sim.adk import demo
from adk_agent_sim.errors import AgentLoadFailed

__all__ = ["DEMO_AGENTS", "App", "create_placeholder_agent", "get_demo_folder", "load_app", "load_demo_app"]

DEMO_AGENTS = ("math_agent", "shop_agent")
"""The demo agents; each is a folder as `adk run` takes it."""

_EXPECTED_FILES = "`app` or `root_agent` in agent.py or __init__.py, or a root_agent.yaml"


def load_app(folder: Path) -> App:
    """The app of an agent folder: its `app`, or its `root_agent` in an app of the folder's name."""
    path = folder.resolve()
    if not path.is_dir():
        raise AgentLoadFailed(str(folder), "there is no such folder" if not path.exists() else "it is not a folder")
    try:
        loaded = AgentLoader(str(path.parent)).load_agent(path.name)
    except Exception as error:
        raise AgentLoadFailed(str(folder), _describe_load_failure(path, error)) from error
    if isinstance(loaded, App):
        return loaded
    try:
        return App(name=path.name, root_agent=loaded)
    except ValueError:  # a folder's name need not be an app's
        return App(name=loaded.name, root_agent=loaded)


def create_placeholder_agent(name: str) -> BaseAgent:
    """An agent of which no more than its name is known, because it ran elsewhere."""
    return BaseAgent(name=name if name.isidentifier() else "agent_" + re.sub(r"[^0-9A-Za-z]", "_", name))


def load_demo_app(name: str) -> App:
    """The app of a demo agent."""
    if name not in DEMO_AGENTS:
        raise AgentLoadFailed(name, f"there is no such demo agent; there are: {', '.join(DEMO_AGENTS)}")
    return import_module(f"{demo.__name__}.{name}.agent").app


def get_demo_folder(name: str) -> Path:
    """The folder of a demo agent."""
    return Path(demo.__path__[0]) / name


def _describe_load_failure(path: Path, error: Exception) -> str:
    """What was looked for and found; what ADK says where there was something to load."""
    agents = sorted(one.name for one in path.iterdir() if (one / "agent.py").exists())
    if any((path / name).exists() for name in ("agent.py", "root_agent.yaml")) or (
        (path / "__init__.py").exists() and not agents
    ):
        return f"{type(error).__name__}: {str(error).split(chr(10) * 2, maxsplit=1)[0]}".rstrip(".")
    if agents:
        return f"it holds agents but is none itself; give one of them: {', '.join(agents)}"
    found = ", ".join(sorted(one.name for one in path.iterdir())[:10]) or "nothing"
    return f"looked for {_EXPECTED_FILES}; found: {found}"
