"""The agents that can be played on this server, with what the browser lists about them."""

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
"""How long a failure to load tools is cached: every page load asks, and an unreachable MCP server is slow to fail."""


@dataclass(frozen=True)
class PlayableAgent:
    """An agent and the key by which the API addresses it."""

    key: str
    config: SimulatedAgentConfig

    @property
    def app_name(self) -> str:
        """The name of its ADK app, which is in the sessions on the timeline."""
        return (self.config.app or self.config.agent).name

    def create_run(self, timeline: Timeline) -> AgentRun:
        """Returns a new run of the agent, not opened yet."""
        return AgentRun(self.config.app or self.config.agent, timeline)


class AgentCatalog:
    """The agents of this server by key."""

    def __init__(self, configs: Sequence[SimulatedAgentConfig]) -> None:
        names = [config.name for config in configs]
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise ValueError(f"Two agents are named {repeated[0]!r}: give each SimulatedAgentConfig a unique name.")
        self._agents: dict[str, PlayableAgent] = {}
        for config in configs:
            key = find_free_key(to_snake_case(config.name), self._agents)
            self._agents[key] = PlayableAgent(key, config)
        self._briefings: dict[str, tuple[AgentBriefing, float]] = {}

    def __iter__(self) -> Iterator[PlayableAgent]:
        return iter(self._agents.values())

    def __getitem__(self, key: str) -> PlayableAgent:
        if key not in self._agents:
            raise NotFound(f"There is no agent {key[:100]!r}. Agents: {', '.join(self._agents)}.")
        return self._agents[key]

    def find_by_app_name(self, app_name: str) -> PlayableAgent | None:
        """Returns the agent whose app has this name, or None."""
        return next((agent for agent in self if agent.app_name == app_name), None)

    async def list_agents(self) -> list[AgentInfo]:
        """Returns the agents with their tools, which are loaded on first use, and again later if that failed."""
        return list(await asyncio.gather(*(self._build_agent_info(agent) for agent in self)))

    async def _build_agent_info(self, agent: PlayableAgent) -> AgentInfo:
        briefing = await self._get_briefing(agent)
        config = agent.config
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
        )

    async def _get_briefing(self, agent: PlayableAgent) -> AgentBriefing:
        now = asyncio.get_running_loop().time()
        briefing, loaded_at = self._briefings.get(agent.key, (None, 0.0))
        if briefing is None or (briefing.problem and now > loaded_at + _FAILURE_RETRY_SECONDS):
            briefing = await _load_agent_briefing(agent)
            self._briefings[agent.key] = briefing, asyncio.get_running_loop().time()
        return briefing


async def load_briefing_with_timeout(run: AgentRun) -> AgentBriefing:
    """Returns the briefing of a run; if its tools do not load in time, the briefing's `problem` says so."""
    try:
        async with asyncio.timeout(BRIEFING_TIMEOUT_SECONDS):
            return await run.get_briefing()
    except TimeoutError:
        return AgentBriefing(
            agent_name=run.name, problem=f"The tools did not load within {BRIEFING_TIMEOUT_SECONDS:.0f} seconds."
        )


async def _load_agent_briefing(agent: PlayableAgent) -> AgentBriefing:
    """Returns the briefing of an agent, from a run on a timeline of its own that is not listed."""
    run = agent.create_run(Timeline())
    await run.open()
    return await load_briefing_with_timeout(run)


def _count_eval_cases(config: SimulatedAgentConfig) -> tuple[int | None, str]:
    try:
        return count_cases(config.resolve_eval_set_path()), ""
    except (NotAnEvalSet, OSError) as error:
        return None, str(error)
