"""Replays eval cases on the tools of one agent, whose code may not be loaded yet."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from adk_agent_sim.adk.loading.agent_loader import App
from adk_agent_sim.adk.loading.tool_catalog import build_tool_catalog
from adk_agent_sim.adk.runs.run_app import to_app
from adk_agent_sim.errors import EditRefused, SimulatorError
from adk_agent_sim.golden.eval_file import EvalFile, OpenedCase
from adk_agent_sim.server.agents.agent_catalog import AgentCatalog
from adk_agent_sim.server.agents.playable_agent import PlayableAgent
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.use_cases.cases import CheckedCase, check_case

_log = get_logger(__name__)


class CaseReplays:
    """Replays cases on the tools of one agent, one at a time: its tools may share what they change."""

    def __init__(self, app: App | None, ignored_paths: Sequence[str] = ()) -> None:
        """Replay on the tools of an agent.

        Args:
            app: The agent; None if nothing can be replayed.
            ignored_paths: The values in results that may differ.
        """
        self._app = app
        self._ignored_paths = ignored_paths
        self._lock = asyncio.Lock()
        self._schemas: tuple[App, Mapping[str, Mapping[str, Any]]] | None = None

    @property
    def has_agent(self) -> bool:
        """Whether there is an agent."""
        return self._app is not None

    def find_app(self) -> App | None:
        """Return the agent, if its code is loaded: to look at a case is no reason to run code."""
        return self._app

    async def load_app(self) -> App:
        """Return the agent; raise AgentLoadFailed if its code cannot be loaded, EditRefused if there is none."""
        if self._app is None:
            raise EditRefused("No agent was named, so nothing can be replayed. Start again with --agent DIR.")
        return self._app

    async def load_schemas(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the schemas of the arguments of the agent's tools, by name; none if they cannot be loaded."""
        if (app := self.find_app()) is None:
            return {}
        if self._schemas is None or self._schemas[0] is not app:
            try:
                self._schemas = app, (await build_tool_catalog(app)).tools
            except SimulatorError as error:  # a replay says it again; the values can be corrected as JSON
                _log.warning("The tools of the agent cannot be listed: %s", error)
                self._schemas = app, {}
        return self._schemas[1]

    async def check(self, file: EvalFile, case: OpenedCase) -> CheckedCase:
        """Replay a case and return what that found."""
        async with self._lock:
            return await check_case(await self.load_app(), file, case, self._ignored_paths)


class CatalogReplays(CaseReplays):
    """Replays on the tools of an agent of the catalog, as its code is now."""

    def __init__(self, agents: AgentCatalog, key: str) -> None:
        super().__init__(None)
        self._agents = agents
        self._key = key
        self._last: tuple[PlayableAgent, App] | None = None

    @property
    def has_agent(self) -> bool:
        """Whether there is an agent."""
        return True

    def find_app(self) -> App | None:
        """Return the app of the agent, if its code is loaded."""
        agent = next((each for each in self._agents if each.key == self._key), None)
        return None if agent is None else self._get_app(agent)

    async def load_app(self) -> App:
        """Return the app of the agent; raise AgentLoadFailed if its code cannot be loaded."""
        return self._get_app(await self._agents.load(self._key))

    def _get_app(self, agent: PlayableAgent) -> App:
        # The same object for the same code: it tells whether the schemas are still valid.
        if self._last is None or self._last[0] is not agent:
            self._last = agent, to_app(agent.config.app or agent.config.agent)
        return self._last[1]
