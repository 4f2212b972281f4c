"""The agents that can be played on this server, with what the browser lists about them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from adk_agent_sim.adk.loading.agent_folder import AgentFolder
from adk_agent_sim.adk.runs.agent_run import AgentRun
from adk_agent_sim.adk.runs.briefing import AgentBriefing, find_instruction_keys
from adk_agent_sim.adk.runs.session_storage import RunnerServices
from adk_agent_sim.errors import NotAnEvalSet, NotFound
from adk_agent_sim.golden.eval_set import count_cases
from adk_agent_sim.golden.session import SimulatedAgentConfig
from adk_agent_sim.server.agents.api_models import AgentInfo
from adk_agent_sim.server.agents.catalog_keys import find_free_key
from adk_agent_sim.server.agents.folder_agents import FolderAgents
from adk_agent_sim.server.agents.playable_agent import CatalogEntry, PlayableAgent
from adk_agent_sim.timeline.file_names import to_snake_case

BRIEFING_TIMEOUT_SECONDS = 20.0
"""How long an agent's tools may take to load."""

_MEMORY_SERVICES = RunnerServices()

_FAILURE_RETRY_SECONDS = 10.0
"""How long a failure to load tools is cached: every page load asks, and an unreachable MCP server is slow to fail."""


@dataclass(frozen=True, kw_only=True)
class EvalLocation:
    """Where the eval cases of an agent are."""

    agent_key: str
    folder: Path | None
    """The agent's folder; None if it has none."""
    eval_set: Path | None
    """The file that its sessions are exported to; None if that is known only when its code is loaded."""


class AgentCatalog:
    """The agents of this server by key: those that were passed, and those of a folder."""

    def __init__(
        self,
        configs: Sequence[SimulatedAgentConfig],
        services: RunnerServices = _MEMORY_SERVICES,
        *,
        folder: AgentFolder | None = None,
    ) -> None:
        names = [config.name for config in configs]
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise ValueError(f"Two agents are named {repeated[0]!r}: give each SimulatedAgentConfig a unique name.")
        self._fixed: dict[str, CatalogEntry] = {}
        for config in configs:
            key = find_free_key(to_snake_case(config.name), self._fixed)
            agent = PlayableAgent.of_config(key, config, services)
            self._fixed[key] = CatalogEntry(key=key, label=config.name, agent=agent)
        self._briefings: dict[str, tuple[AgentBriefing, int, float]] = {}
        self.change_count = 0
        """How often an agent was loaded or has changed; a page that knows an earlier number asks again."""
        self._watchers: list[Callable[[], object]] = []
        self.folder_agents = (
            FolderAgents(folder, services, self._announce_change, taken_keys=self._fixed)
            if folder is not None
            else None
        )
        if self.folder_agents is not None:
            self.folder_agents.update_names(self.folder_agents.folder.list_names())

    def __iter__(self) -> Iterator[PlayableAgent]:
        """Iterate over the agents whose code is loaded."""
        return (entry.agent for entry in self._list_entries() if entry.agent is not None)

    def watch(self, watcher: Callable[[], object]) -> None:
        """Call a function whenever `change_count` changes."""
        self._watchers.append(watcher)

    async def load(self, key: str) -> PlayableAgent:
        """Return the version of an agent that new sessions use; load it first if that is needed.

        Raises:
            NotFound: There is no such agent.
            AgentLoadFailed: Its code cannot be loaded.
        """
        return await self._load_entry(self._get_entry(key))

    async def load_by_app_name(self, app_name: str) -> PlayableAgent | None:
        """Return the agent whose app has this name, loaded now; None if there is none.

        If no folder has the name, agents are loaded until one has such an app: nothing else tells what apps are named.

        Raises:
            AgentLoadFailed: The code of the agent whose folder has this name cannot be loaded.
        """
        entry = self.find_entry(app_name)
        agent = await self._load_entry(entry) if entry is not None else None
        if agent is not None and agent.app_name == app_name:
            return agent
        return await self.folder_agents.search_app(app_name) if self.folder_agents is not None else None

    def has_unopened_agents(self) -> bool:
        """Return whether the folder has agents that nobody has opened, so that the names of their apps are unknown."""
        return any(not entry.was_opened for entry in self._list_entries())

    def list_failed_labels(self) -> list[str]:
        """Return the names of the agents whose code could not be loaded."""
        return [entry.label for entry in self._list_entries() if entry.failure is not None]

    def find_entry(self, app_name: str) -> CatalogEntry | None:
        """Return the entry of the agent whose app has this name, loaded or not; None if there is none."""
        return next((entry for entry in self._list_entries() if entry.app_name == app_name), None)

    def find_by_app_name(self, app_name: str) -> PlayableAgent | None:
        """Return the agent whose app has this name, if it is loaded, or None."""
        entry = self.find_entry(app_name)
        return entry.agent if entry is not None else None

    def list_eval_locations(self) -> list[EvalLocation]:
        """Return where the eval cases of each agent are; nothing is loaded for it."""
        return [self._find_eval_location(entry) for entry in self._list_entries()]

    async def list_agents(self) -> list[AgentInfo]:
        """Return the agents; if their code is loaded, with their tools, which are asked for on first use."""
        if self.folder_agents is not None:
            self.folder_agents.update_names(await asyncio.to_thread(self.folder_agents.folder.list_names))
        return list(await asyncio.gather(*(self._build_agent_info(entry) for entry in self._list_entries())))

    async def load_info(self, key: str) -> AgentInfo:
        """Load an agent if it is not loaded, and return what is listed about it.

        Raises:
            NotFound: There is no such agent.
            AgentLoadFailed: Its code cannot be loaded.
        """
        await self.load(key)
        return await self._build_agent_info(self._get_entry(key))

    async def close(self) -> None:
        """Stop waiting for agents that are being loaded."""
        if self.folder_agents is not None:
            await self.folder_agents.close()

    def _list_entries(self) -> list[CatalogEntry]:
        return [*self._fixed.values(), *(self.folder_agents.entries.values() if self.folder_agents else ())]

    def _find_eval_location(self, entry: CatalogEntry) -> EvalLocation:
        config = entry.agent.config if entry.agent is not None else None
        eval_set = config.resolve_eval_set_path() if config is not None else None
        folder = Path(config.folder) if config is not None and config.folder is not None else None
        if entry.folder_name and self.folder_agents is not None:
            agent_folder = self.folder_agents.folder
            folder = agent_folder.root / entry.folder_name
            eval_set = eval_set or agent_folder.find_eval_set(entry.folder_name)
        return EvalLocation(agent_key=entry.key, folder=folder, eval_set=eval_set and Path.cwd() / eval_set)

    def _get_entry(self, key: str) -> CatalogEntry:
        entries = {entry.key: entry for entry in self._list_entries()}
        if key not in entries:
            raise NotFound(f"There is no agent {key[:100]!r}. Agents: {', '.join(entries)}.")
        return entries[key]

    async def _load_entry(self, entry: CatalogEntry) -> PlayableAgent:
        if entry.agent is not None and not entry.folder_name:
            return entry.agent
        assert self.folder_agents is not None  # noqa: S101 - only its entries are loaded later
        return await self.folder_agents.load(entry)

    def _announce_change(self) -> None:
        self.change_count += 1
        for watcher in self._watchers:
            watcher()

    async def _build_agent_info(self, entry: CatalogEntry) -> AgentInfo:
        if entry.agent is None or entry.failure is not None:
            return _describe_unloaded(entry)
        agent, config = entry.agent, entry.agent.config
        briefing = await self._get_briefing(agent)
        cases, problem = await asyncio.to_thread(_count_eval_cases, config)
        return AgentInfo(
            key=agent.key,
            name=config.name,
            description=config.agent.description or "",
            model=briefing.model,
            tools=[declaration.get("name") or "" for declaration in briefing.declarations],
            sub_agents=[child.name for child in getattr(config.agent, "sub_agents", ())],
            eval_set_path=str(config.eval_set_path),
            eval_case_count=cases,
            eval_set_problem=problem,
            problem=briefing.problem,
            state_keys=list(find_instruction_keys(config.agent)),
            load_status=entry.status,
            revision=entry.revision,
        )

    async def _get_briefing(self, agent: PlayableAgent) -> AgentBriefing:
        now = asyncio.get_running_loop().time()
        briefing, revision, loaded_at = self._briefings.get(agent.key, (None, 0, 0.0))
        is_due = briefing is not None and briefing.problem and now > loaded_at + _FAILURE_RETRY_SECONDS
        if briefing is None or revision != agent.revision or is_due:
            briefing = await _load_agent_briefing(agent)
            self._briefings[agent.key] = briefing, agent.revision, asyncio.get_running_loop().time()
        return briefing


def _describe_unloaded(entry: CatalogEntry) -> AgentInfo:
    """Return what can be said about an agent whose code is not loaded, or not any more."""
    failure = entry.failure
    return AgentInfo(
        key=entry.key,
        name=entry.label,
        description="",
        model="",
        tools=[],
        sub_agents=[],
        eval_set_path="",
        eval_case_count=None,
        load_status=entry.status,
        load_problem=failure.problem if failure else "",
        load_advice=failure.advice if failure else "",
        load_trace=failure.trace if failure else "",
        revision=entry.revision,
    )


async def load_briefing_with_timeout(run: AgentRun) -> AgentBriefing:
    """Return the briefing of a run; if its tools do not load in time, the briefing's `problem` says so."""
    try:
        async with asyncio.timeout(BRIEFING_TIMEOUT_SECONDS):
            return await run.get_briefing()
    except TimeoutError:
        return AgentBriefing(
            agent_name=run.name, problem=f"The tools did not load within {BRIEFING_TIMEOUT_SECONDS:.0f} seconds."
        )


async def _load_agent_briefing(agent: PlayableAgent) -> AgentBriefing:
    """Return the briefing of an agent, from a run on a timeline of its own that is not listed."""
    run = agent.create_unlisted_run()
    await run.open()
    return await load_briefing_with_timeout(run)


def _count_eval_cases(config: SimulatedAgentConfig) -> tuple[int | None, str]:
    try:
        return count_cases(config.resolve_eval_set_path()), ""
    except (NotAnEvalSet, OSError) as error:
        return None, str(error)
