"""Loads an agent anew for each of many runs in one process, so that no run sees what another one has left behind.

Python keeps modules, and two agents may have folders of the same name; ADK reads an agent's `.env` into the environment
of the process. Both are undone before an agent is loaded again.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from google.adk.apps import App

from adk_agent_sim.adk.agent_loader import load_app


class AgentReloader:
    """Loads agents, each time from the beginning."""

    def __init__(self) -> None:
        self._environment = dict(os.environ)
        self._prefixes: set[str] = set()
        self._other_modules = set(sys.modules)
        """Those that belong to no agent."""

    def load(self, folder: Path) -> App:
        """Execute the modules of an agent's folder and return its app; raise AgentLoadFailed if it has none."""
        path = folder.resolve()
        self._prefixes.add(f"{path}{os.sep}")
        self._forget_modules()
        self._restore_environment()
        parent = str(path.parent)
        # ADK does not move a folder to the front that is already there, and another one may have the same name.
        sys.path[:] = [parent, *(each for each in sys.path if each != parent)]
        return load_app(folder)

    def _forget_modules(self) -> None:
        prefixes = tuple(self._prefixes)
        # There are thousands of modules, and all but a few of them were there before any agent.
        for name in sys.modules.keys() - self._other_modules:
            module = sys.modules[name]
            # A folder without __init__.py is a package without a file.
            folders = [f"{each}{os.sep}" for each in getattr(module, "__path__", ())]
            places = [getattr(module, "__file__", None), *folders]
            if any(isinstance(each, str) and each.startswith(prefixes) for each in places):
                del sys.modules[name]
            else:
                self._other_modules.add(name)

    def _restore_environment(self) -> None:
        for name in os.environ.keys() - self._environment.keys():
            del os.environ[name]
        os.environ.update(self._environment)
