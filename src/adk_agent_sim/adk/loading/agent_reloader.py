"""Loads an agent again for each of many runs in one process, so that no run sees what another one has left behind.

Python keeps modules, and two agents may have folders of the same name, or modules of the same name beside them; ADK
reads an agent's `.env` into the environment of the process. Both are undone before an agent is loaded again.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from google.adk.apps import App

from adk_agent_sim.adk.loading.agent_loader import load_app
from adk_agent_sim.adk.loading.folder_modules import is_module_of


class AgentReloader:
    """Loads agents, each time from the beginning."""

    def __init__(self) -> None:
        self._environment = dict(os.environ)
        self._roots: set[Path] = set()
        self._other_modules = dict(sys.modules)
        """Those that belong to no agent."""

    def load(self, folder: Path) -> App:
        """Execute the modules of an agent's folder and return its app; raise AgentLoadFailed if it has none."""
        self._roots.add(folder.resolve().parent)
        self._forget_modules()
        self._restore_environment()
        return load_app(folder)

    def _forget_modules(self) -> None:
        # There are thousands of modules, and all but a few of them were there before any agent.
        for name, module in list(sys.modules.items()):
            if self._other_modules.get(name) is module:
                continue
            if any(is_module_of(root, module) for root in self._roots):
                del sys.modules[name]
            else:
                self._other_modules[name] = module

    def _restore_environment(self) -> None:
        for name in os.environ.keys() - self._environment.keys():
            del os.environ[name]
        os.environ.update(self._environment)
