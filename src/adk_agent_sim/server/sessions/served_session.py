"""The sessions of a server, opened for the operations in them: their agents are here or in other processes."""

from __future__ import annotations

from adk_agent_sim.adk.runs.agent_run import AgentRun
from adk_agent_sim.errors import AgentNotLocal
from adk_agent_sim.server.remote.agent_restarts import AgentRestarts, RestartConnection
from adk_agent_sim.server.sessions.session_runs import SessionRuns
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.use_cases.open_session import OpenSession

_CANNOT_CONTINUE = (
    "The agent of this session runs in another process, which cannot continue it from here. Pass `restart=` to its "
    "SimulatorPlugin, or answer in the program that runs the agent."
)
_PROCESS_GONE = (
    "The process of this session's agent could continue it and has ended. Start it again with its SimulatorPlugin."
)


class ServedSession(OpenSession):
    """A session of a server."""

    def __init__(self, timeline: Timeline, session_id: str, runs: SessionRuns, restarts: AgentRestarts) -> None:
        super().__init__(timeline, session_id)
        self._runs = runs
        self._restarts = restarts

    @property
    def run(self) -> AgentRun | None:
        """The run on this server; None if there is none."""
        return self._runs.find(self.session_id)

    @property
    def process(self) -> RestartConnection | None:
        """The process that can continue the session."""
        return self._restarts.find(self.session_id)

    @property
    def may_be_remote(self) -> bool:
        """Whether the agent may run in another process."""
        return self._runs.allow_remote_agents

    @property
    def is_playable(self) -> bool:
        """Whether the session can go on, here or in another process."""
        return self._runs.is_playable(self.session_id)

    @property
    def answer_problem(self) -> str:
        """Why nobody can answer the agent's requests from here; empty if somebody can."""
        if self.run is not None or self.process is not None:
            return ""
        if not self.may_be_remote:
            return str(AgentNotLocal(self.session_id, "answer a request"))
        return _PROCESS_GONE if self._restarts.was_offered(self.session_id) else _CANNOT_CONTINUE


class ServedSessions:
    """Opens the sessions of a server."""

    def __init__(self, timeline: Timeline, runs: SessionRuns, restarts: AgentRestarts) -> None:
        self._timeline = timeline
        self._runs = runs
        self._restarts = restarts

    def open(self, session_id: str) -> ServedSession:
        """Return a session, which need not exist."""
        return ServedSession(self._timeline, session_id, self._runs, self._restarts)
