"""A session, and what can be reached of it from here: the operations in a session work on this."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from adk_agent_sim.adk.players.session_player import SessionPlayer
from adk_agent_sim.adk.runs.agent_run import AgentRun
from adk_agent_sim.adk.worlds.world_run import WorldRun
from adk_agent_sim.errors import AgentNotLocal
from adk_agent_sim.link.agent_restarts import RestartConnection
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import AgentEvent
from adk_agent_sim.timeline.read_model.pending_requests import PendingRequest, find_pause_arguments
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.use_cases.record import OperationResult

CreateAgentRun: TypeAlias = Callable[[SessionPlayer, str | None], AgentRun]
"""Creates a run of an agent, which is not opened, with a player of its models and an ADK user id, if one is known."""

_WORLD_FORK = "A session in a scenario's world is forked in the browser: run the scenario with --web."


class OpenSession:
    """A session of a timeline whose agent, if it runs, runs in this process; a server knows more of its sessions."""

    def __init__(
        self,
        timeline: Timeline,
        session_id: str,
        run: AgentRun | None = None,
        *,
        create_run: CreateAgentRun | None = None,
        world_run: WorldRun | None = None,
    ) -> None:
        """Open a session.

        Args:
            timeline: Where it is.
            session_id: The session.
            run: Its run in this process.
            create_run: Creates another run of its agent, for a fork; by default a copy of `run`.
            world_run: The run in a scenario's world, if the session is one.
        """
        self.timeline = timeline
        self.session_id = session_id
        self._run = run
        self._create_run = create_run
        self._world_run = world_run

    @property
    def run(self) -> AgentRun | None:
        """The run in this process, which an undo replaces; None if there is none."""
        return self._run

    @property
    def process(self) -> RestartConnection | None:
        """The other process that the agent runs in, if it takes orders."""
        return None

    @property
    def world_run(self) -> WorldRun | None:
        """The run in a scenario's world, if the session is one whose world is kept here."""
        return self._world_run

    @property
    def may_be_remote(self) -> bool:
        """Whether the agent may run in another process."""
        return False

    @property
    def is_playable(self) -> bool:
        """Whether the session can go on."""
        return self.may_be_remote or self.run is not None

    @property
    def answer_problem(self) -> str:
        """Why nobody can answer the agent's requests from here; empty if somebody can."""
        return "" if self.run else str(AgentNotLocal(self.session_id, "answer a request"))

    def require_run(self, operation: str) -> AgentRun:
        """Return the run; raise AgentNotLocal, which names the `operation` that needs one, if it is not here."""
        if self.run is None:
            raise AgentNotLocal(self.session_id, operation)
        return self.run

    async def find_time_travel_problem(self, *, is_fork: bool) -> str:
        """Return why the session cannot be forked, or continue from another point of it; empty if it can."""
        return _WORLD_FORK if is_fork and self.world_run is not None else ""

    async def load_agent(self, *, is_fork: bool) -> CreateAgentRun | None:
        """Return what creates another run of the agent, for a fork with its code as it is now; None if it is not here.

        Raises:
            AgentLoadFailed: The agent's code cannot be loaded.
        """
        run = self._run
        return self._create_run or (None if run is None else lambda player, _: run.create_copy(player))

    def keep_run(self, run: AgentRun) -> None:
        """Keep the run that continues the session, or a fork of it."""
        self._run = run

    def keep_world_run(self, run: WorldRun) -> None:
        """Let the fork of a run in a world go on."""
        raise NotImplementedError

    async def require_playable(self, operation: str) -> None:
        """Raise AgentNotLocal if the session cannot go on; one that is closed gets the timeline's own error later."""
        if not self.is_playable and not (await self.timeline.get_summary(self.session_id)).is_closed:
            raise AgentNotLocal(self.session_id, operation)

    async def read_request_arguments(self, request: PendingRequest) -> Mapping[str, Json]:
        """Return the arguments of the call by which ADK asks the user."""
        (event,) = await self.timeline.read_events(self.session_id, request.seq - 1, 1)
        return find_pause_arguments(event.payload, request.request_id) if isinstance(event.payload, AgentEvent) else {}

    async def build_result(self) -> OperationResult:
        """Return the answer of an operation that has just changed the session."""
        return OperationResult(session_id=self.session_id, revision=await self.timeline.get_last_seq(self.session_id))
