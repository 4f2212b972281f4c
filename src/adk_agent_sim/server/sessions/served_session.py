"""The sessions of a server, opened for the operations in them: their agents are here or in other processes."""

from __future__ import annotations

from adk_agent_sim.adk.runs.agent_run import AgentRun
from adk_agent_sim.adk.worlds.world_run import WorldRun
from adk_agent_sim.errors import AgentNotLocal
from adk_agent_sim.link.agent_restarts import AgentRestarts, RestartConnection
from adk_agent_sim.server.agents.playable_agent import PlayableAgent
from adk_agent_sim.server.scenarios.world_runs import WorldRuns
from adk_agent_sim.server.sessions.session_runs import HUMAN, SessionRuns
from adk_agent_sim.server.time_travel.time_travel_describer import TimeTravelDescriber
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.use_cases.open_session import CreateAgentRun, OpenSession

_CANNOT_CONTINUE = (
    "The agent of this session runs in another process, which cannot continue it from here. Pass `restart=` to its "
    "SimulatorPlugin, or answer in the program that runs the agent."
)
_PROCESS_GONE = (
    "The process of this session's agent could continue it and has ended. Start it again with its SimulatorPlugin."
)


class ServedSession(OpenSession):
    """A session of a server."""

    def __init__(self, server: ServedSessions, session_id: str) -> None:
        super().__init__(server.timeline, session_id)
        self._server = server
        self._agent: PlayableAgent | None = None

    @property
    def run(self) -> AgentRun | None:
        """The run on this server; None if there is none."""
        return self._server.runs.find(self.session_id)

    @property
    def process(self) -> RestartConnection | None:
        """The process that can continue the session."""
        return self._server.restarts.find(self.session_id)

    @property
    def may_be_remote(self) -> bool:
        """Whether the agent may run in another process."""
        return self._server.runs.allow_remote_agents

    @property
    def is_playable(self) -> bool:
        """Whether the session can go on, here or in another process."""
        return self._server.runs.is_playable(self.session_id)

    @property
    def answer_problem(self) -> str:
        """Why nobody can answer the agent's requests from here; empty if somebody can."""
        if self.run is not None or self.process is not None:
            return ""
        if not self.may_be_remote:
            return str(AgentNotLocal(self.session_id, "answer a request"))
        return _PROCESS_GONE if self._server.restarts.was_offered(self.session_id) else _CANNOT_CONTINUE

    @property
    def world_run(self) -> WorldRun | None:
        """The run in a scenario's world that is kept here."""
        return self._server.runs.worlds.get(self.session_id)

    @property
    def is_played_by_person(self) -> bool:
        """Whether a person plays the agent in a scenario's world, and its run has not ended."""
        return self._server.runs.is_played_by_person(self.session_id)

    async def find_time_travel_problem(self, *, is_fork: bool) -> str:
        """Return why the session cannot be forked, or continue from another point of it; empty if it can."""
        find_problem = (
            self._server.describer.find_fork_problem if is_fork else self._server.describer.find_rewind_problem
        )
        return find_problem(await self.timeline.get_summary(self.session_id))

    async def load_agent(self, *, is_fork: bool) -> CreateAgentRun | None:
        """Return what creates another run of the version of the agent that continues: for a fork, as its code is now.

        Raises:
            AgentLoadFailed: The agent's code cannot be loaded.
        """
        summary, run = await self.timeline.get_summary(self.session_id), self.run
        agent = self._agent = (
            await self._server.runs.load_agent(summary) if is_fork else self._server.runs.find_agent(summary)
        )
        if run is not None and agent is not None and self._server.runs.find_revision(self.session_id) == agent.revision:
            return lambda player, _: run.create_copy(player)
        if agent is None:
            return None
        return lambda player, user_id: agent.create_run(self.timeline, player=player, user_id=user_id)

    def keep_run(self, run: AgentRun) -> None:
        """Keep the run that continues the session, or a fork of it."""
        assert self._agent is not None  # noqa: S101 - `load_agent` has returned what created the run
        self._server.runs.set_player(self._server.runs.add(self._agent, run), HUMAN)

    def keep_world_run(self, run: WorldRun) -> None:
        """Let the fork of a run in a world go on."""
        self._server.worlds.add_fork(run)


class ServedSessions:
    """Opens the sessions of a server."""

    def __init__(self, timeline: Timeline, runs: SessionRuns, restarts: AgentRestarts) -> None:
        self.describer = TimeTravelDescriber(timeline, runs, restarts)
        self.worlds = WorldRuns(timeline, runs)
        self.timeline = timeline
        self.runs = runs
        self.restarts = restarts

    def open(self, session_id: str) -> ServedSession:
        """Return a session, which need not exist."""
        return ServedSession(self, session_id)
