"""Everything that the web API does with sessions, wired in one place.

SessionRuns  (agents in this process) --+--> use_cases.sessions   list, describe, rename, note, close, delete
Timeline     (summaries and rows)     --+--> SessionDirectory     a session with what can be done in it; new ones
                                        +--> ServedSession        what the use cases act in
                                        +--> SessionReader        rows, briefing, request, state
                                        +--> EnvironmentControls  rules and faults
                                        +--> SessionExporter      golden traces
                                        +--> TimeTravelRequests   undo, redo, go back, fork
                                        +--> PlayerChoice         who plays the models
"""

from __future__ import annotations

from adk_agent_sim.link.agent_restarts import AgentRestarts
from adk_agent_sim.server.agents.agent_catalog import AgentCatalog
from adk_agent_sim.server.evals.eval_catalog import EvalCatalog
from adk_agent_sim.server.exports.session_exporter import SessionExporter
from adk_agent_sim.server.sessions.environment_controls import EnvironmentControls
from adk_agent_sim.server.sessions.live_updates import LiveUpdates
from adk_agent_sim.server.sessions.player_choice import PlayerChoice
from adk_agent_sim.server.sessions.served_session import ServedSession, ServedSessions
from adk_agent_sim.server.sessions.session_directory import SessionDirectory
from adk_agent_sim.server.sessions.session_reader import SessionReader
from adk_agent_sim.server.sessions.session_runs import SessionRuns
from adk_agent_sim.server.time_travel.time_travel_requests import TimeTravelRequests
from adk_agent_sim.timeline.timeline import Timeline


class SessionServices:
    """The services for the sessions of one timeline."""

    def __init__(
        self,
        agents: AgentCatalog,
        timeline: Timeline,
        *,
        allow_remote_agents: bool = False,
        restarts: AgentRestarts | None = None,
        evals: EvalCatalog | None = None,
    ) -> None:
        """Wire the services.

        Args:
            agents: The agents of this process.
            timeline: The sessions.
            allow_remote_agents: Whether agents in other processes may play on the timeline too.
            restarts: The sessions that these processes can restart.
            evals: The files of eval cases, among which exports are found.
        """
        self.agents = agents
        self.timeline = timeline
        restarts = restarts or AgentRestarts(timeline)
        self.runs = runs = SessionRuns(agents, timeline, allow_remote_agents=allow_remote_agents)
        self._sessions = ServedSessions(timeline, runs, restarts)
        self.directory = SessionDirectory(timeline, runs, self._sessions)
        self.reader = SessionReader(timeline, runs)
        self.environment = EnvironmentControls(timeline, runs)
        self.exporter = SessionExporter(timeline, runs, evals)
        self.worlds = self._sessions.worlds
        self.time_travel = TimeTravelRequests()
        self.players = PlayerChoice(timeline, runs, self._sessions.describer)
        self.live_updates = LiveUpdates(self.directory, agents)

    async def open_session(self, session_id: str) -> ServedSession:
        """Return a session, for the operations in it; raise SessionNotFound if there is none."""
        await self.timeline.get_summary(session_id)
        return self._sessions.open(session_id)

    async def delete_untouched_sessions(self) -> None:
        """Delete the sessions in which nothing happened before their server was killed."""
        await self.runs.delete_untouched_sessions()

    async def close(self) -> None:
        """Close all runs and release the agents' resources."""
        await self.agents.close()
        await self.worlds.close()
        await self.runs.close()
