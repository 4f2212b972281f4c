"""The agents that can be played here, as the browser lists them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from adk_agent_sim.adk.agent_run import AgentRun
from adk_agent_sim.adk.briefing import AgentBriefing
from adk_agent_sim.errors import NotAnEvalSet, NotFound
from adk_agent_sim.golden.eval_set import count_cases
from adk_agent_sim.golden.golden_trace_builder import to_snake_case
from adk_agent_sim.golden.session import SimulatedAgentConfig
from adk_agent_sim.server.api_models import AgentInfo
from adk_agent_sim.server.catalog_keys import find_free_key
from adk_agent_sim.timeline.timeline import Timeline

BRIEFING_TIMEOUT_SECONDS = 20.0
"""How long an agent's tools may take to load."""

_FAILURE_RETRY_SECONDS = 10.0
"""How long tools that did not load are not tried again: pages are loaded more often than servers are repaired."""


@dataclass(frozen=True)
class PlayableAgent:
    """An agent with the name that the API calls it by."""

    key: str
    config: SimulatedAgentConfig

    def create_run(self, timeline: Timeline) -> AgentRun:
        """A new run of the agent, not yet open."""
        return AgentRun(self.config.app or self.config.agent, timeline)


class AgentCatalog:
    """All of them, by key."""

    def __init__(self, configs: Sequence[SimulatedAgentConfig]) -> None:
        names = [config.name for config in configs]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"Two agents are called {twice[0]!r}: give each SimulatedAgentConfig a name of its own.")
        self._agents: dict[str, PlayableAgent] = {}
        for config in configs:
            key = find_free_key(to_snake_case(config.name), self._agents)
            self._agents[key] = PlayableAgent(key, config)
        self._briefings: dict[str, tuple[AgentBriefing, float]] = {}

    def __iter__(self) -> Iterator[PlayableAgent]:
        return iter(self._agents.values())

    def __getitem__(self, key: str) -> PlayableAgent:
        if key not in self._agents:
            raise NotFound(f"There is no agent {key[:100]!r}; there are: {', '.join(self._agents)}.")
        return self._agents[key]

    def find_by_app_name(self, app_name: str) -> PlayableAgent | None:
        """The agent that an app's name belongs to."""
        return next((one for one in self if (one.config.app or one.config.agent).name == app_name), None)

    async def list_agents(self) -> list[AgentInfo]:
        """The agents with their tools, loaded when first asked for, and again after a while if that failed."""
        return list(await asyncio.gather(*(self._build_agent_info(agent) for agent in self)))

    async def _build_agent_info(self, agent: PlayableAgent) -> AgentInfo:
        found = await self._get_briefing(agent)
        config = agent.config
        cases, problem = await asyncio.to_thread(_count_eval_cases, config)
        return AgentInfo(
            key=agent.key,
            name=config.name,
            description=config.agent.description or "",
            model=found.model,
            tools=[declaration.get("name") or "" for declaration in found.declarations],
            sub_agents=[child.name for child in getattr(config.agent, "sub_agents", ())],
            eval_set_path=str(config.eval_set_path),
            eval_case_count=cases,
            eval_set_problem=problem,
            problem=found.problem,
        )

    async def _get_briefing(self, agent: PlayableAgent) -> AgentBriefing:
        now = asyncio.get_running_loop().time()
        known, at = self._briefings.get(agent.key, (None, 0.0))
        if known is None or (known.problem and now > at + _FAILURE_RETRY_SECONDS):
            known = await _load_agent_briefing(agent)
            self._briefings[agent.key] = known, asyncio.get_running_loop().time()
        return known


async def load_briefing_with_timeout(run: AgentRun) -> AgentBriefing:
    """A run's briefing; tools that hang are its problem, as those that fail."""
    try:
        async with asyncio.timeout(BRIEFING_TIMEOUT_SECONDS):
            return await run.get_briefing()
    except TimeoutError:
        return AgentBriefing(
            agent_name=run.name, problem=f"Its tools did not load within {BRIEFING_TIMEOUT_SECONDS:.0f} seconds."
        )


async def _load_agent_briefing(agent: PlayableAgent) -> AgentBriefing:
    """Ask a run that nobody sees."""
    run = agent.create_run(Timeline())
    await run.open()
    return await load_briefing_with_timeout(run)


def _count_eval_cases(config: SimulatedAgentConfig) -> tuple[int | None, str]:
    try:
        return count_cases(config.resolve_eval_set_path()), ""
    except (NotAnEvalSet, OSError) as error:
        return None, str(error)
