"""The agents that can be played here, as the browser lists them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from adk_agent_sim.adk.briefing import AgentBriefing
from adk_agent_sim.adk.run import AgentRun
from adk_agent_sim.errors import NotAnEvalSet, NothingSuch
from adk_agent_sim.golden.builder import snake_case
from adk_agent_sim.golden.eval_set import count_cases
from adk_agent_sim.golden.session import SimulatedAgentConfig
from adk_agent_sim.server.shapes import AgentShape
from adk_agent_sim.timeline.timeline import Timeline

SECONDS = 20.0
"""How long an agent's tools may take to load."""

_SECONDS_A_FAILURE_HOLDS = 10.0
"""How long tools that did not load are not tried again: pages are loaded more often than servers are repaired."""


@dataclass(frozen=True)
class Agent:
    """An agent with the name that the API calls it by."""

    key: str
    config: SimulatedAgentConfig

    def run(self, timeline: Timeline) -> AgentRun:
        """A new run of the agent, not yet open."""
        return AgentRun(self.config.app or self.config.agent, timeline)


class Agents:
    """All of them, by key."""

    def __init__(self, configs: Sequence[SimulatedAgentConfig]) -> None:
        names = [config.name for config in configs]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"Two agents are called {twice[0]!r}: give each SimulatedAgentConfig a name of its own.")
        self._agents: dict[str, Agent] = {}
        for config in configs:
            key = _free(snake_case(config.name), self._agents)
            self._agents[key] = Agent(key, config)
        self._briefings: dict[str, tuple[AgentBriefing, float]] = {}

    def __iter__(self) -> Iterator[Agent]:
        return iter(self._agents.values())

    def __getitem__(self, key: str) -> Agent:
        if key not in self._agents:
            raise NothingSuch(f"There is no agent {key[:100]!r}; there are: {', '.join(self._agents)}.")
        return self._agents[key]

    def of_app(self, app_name: str) -> Agent | None:
        """The agent that an app's name belongs to."""
        return next((one for one in self if (one.config.app or one.config.agent).name == app_name), None)

    async def shapes(self) -> list[AgentShape]:
        """The agents with their tools, loaded when first asked for, and again after a while if that failed."""
        return list(await asyncio.gather(*(self._shape(agent) for agent in self)))

    async def _shape(self, agent: Agent) -> AgentShape:
        found = await self._briefing(agent)
        config = agent.config
        cases, problem = await asyncio.to_thread(_cases, config)
        return AgentShape(
            key=agent.key,
            name=config.name,
            description=config.agent.description or "",
            model=found.model,
            tools=[declaration.get("name") or "" for declaration in found.declarations],
            agents=[child.name for child in getattr(config.agent, "sub_agents", ())],
            eval_set_path=str(config.eval_set_path),
            eval_cases=cases,
            eval_problem=problem,
            problem=found.problem,
        )

    async def _briefing(self, agent: Agent) -> AgentBriefing:
        now = asyncio.get_running_loop().time()
        known, at = self._briefings.get(agent.key, (None, 0.0))
        if known is None or (known.problem and now > at + _SECONDS_A_FAILURE_HOLDS):
            known = await _brief(agent)
            self._briefings[agent.key] = known, asyncio.get_running_loop().time()
        return known


async def bounded_briefing(run: AgentRun) -> AgentBriefing:
    """A run's briefing; tools that hang are its problem, as those that fail."""
    try:
        async with asyncio.timeout(SECONDS):
            return await run.briefing()
    except TimeoutError:
        return AgentBriefing(agent_name=run.name, problem=f"Its tools did not load within {SECONDS:.0f} seconds.")


async def _brief(agent: Agent) -> AgentBriefing:
    """Ask a run that nobody sees."""
    run = agent.run(Timeline())
    await run.open()
    return await bounded_briefing(run)


def _cases(config: SimulatedAgentConfig) -> tuple[int | None, str]:
    try:
        return count_cases(config.resolve_eval_set_path()), ""
    except (NotAnEvalSet, OSError) as error:
        return None, str(error)


def _free(wanted: str, taken: dict[str, Agent]) -> str:
    key, number = wanted, 1
    while key in taken:
        number += 1
        key = f"{wanted}_{number}"
    return key
