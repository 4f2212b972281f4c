"""The agent runs of this process, by session. A session without a run is read-only, unless remote agents may play."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection

from adk_agent_sim.adk.agent_run import AgentRun
from adk_agent_sim.errors import AgentNotLocal
from adk_agent_sim.server.agent_catalog import AgentCatalog, PlayableAgent
from adk_agent_sim.timeline.read_model.session_summary import SessionSummary
from adk_agent_sim.timeline.session_queries import AgentSessions
from adk_agent_sim.timeline.timeline import Timeline


class SessionRuns:
    """Starts, finds and closes the runs of agents whose code is in this process."""

    def __init__(self, agents: AgentCatalog, timeline: Timeline, *, allow_remote_agents: bool = False) -> None:
        self.allow_remote_agents = allow_remote_agents
        """Whether agents in other processes play on the same timeline."""
        self._agents = agents
        self._timeline = timeline
        self._runs: dict[str, tuple[PlayableAgent, AgentRun]] = {}

    def __contains__(self, session_id: str) -> bool:
        return session_id in self._runs

    async def start(self, agent_key: str) -> str:
        """Start a run of an agent, with a new session; returns the session's id."""
        agent = self._agents[agent_key]
        run = agent.create_run(self._timeline)
        await run.open()
        session_id = run.recorded_session.session_id
        self._runs[session_id] = (agent, run)
        return session_id

    def find(self, session_id: str) -> AgentRun | None:
        """Returns the run of a session, or None if its agent does not run in this process."""
        return self._runs[session_id][1] if session_id in self._runs else None

    def require(self, session_id: str, operation: str) -> AgentRun:
        """Returns the run of a session.

        Raises:
            AgentNotLocal: The session has no run here; the message names the `operation` that needs one.
        """
        run = self.find(session_id)
        if run is None:
            raise AgentNotLocal(session_id, operation)
        return run

    def find_agent(self, summary: SessionSummary) -> PlayableAgent | None:
        """Returns the agent of a session: of its run, or for an earlier process's session, the app of that name."""
        if summary.session.session_id in self._runs:
            return self._runs[summary.session.session_id][0]
        return self._agents.find_by_app_name(summary.app_name) if summary.has_joined else None

    def select_sessions(self, is_selected: Callable[[str], bool]) -> AgentSessions | None:
        """Returns the sessions of the agents with a selected display name; None if there is no such agent."""
        selected = [agent for agent in self._agents if is_selected(agent.config.name)]
        if not selected:
            return None
        own_ids = {session_id for session_id, (agent, _) in self._runs.items() if agent in selected}
        return AgentSessions(
            session_ids=own_ids,
            # Of several agents with one app, the first has the sessions of earlier processes.
            app_names=[agent.app_name for agent in selected if self._agents.find_by_app_name(agent.app_name) is agent],
            other_ids=self._runs.keys() - own_ids,
        )

    @property
    def live_ids(self) -> Collection[str] | None:
        """The sessions that can go on here; None if all can, because agents may run in other processes."""
        return None if self.allow_remote_agents else self._runs.keys()

    def is_playable(self, session_id: str) -> bool:
        """Whether a session can go on: its agent runs here, or may run in another process."""
        return self.allow_remote_agents or session_id in self._runs

    async def close_run(self, session_id: str) -> bool:
        """Close the run of a session, if it has one; returns whether it had."""
        if session_id not in self._runs:
            return False
        agent, run = self._runs.pop(session_id)
        # Runs of one agent share its toolsets and connections: only the last run may release them.
        is_shared = any(other is agent for other, _ in self._runs.values())
        await run.close(release=not is_shared)
        return True

    async def close(self) -> None:
        """Close all runs and release the agents' resources."""
        runs = [run for _, run in self._runs.values()]
        self._runs.clear()
        await asyncio.gather(*(run.close() for run in runs))
