"""A session, and what can be reached of it from here: the operations in a session work on this."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol

from adk_agent_sim.adk.runs.agent_run import AgentRun
from adk_agent_sim.errors import AgentNotLocal
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import AgentEvent
from adk_agent_sim.timeline.read_model.pause_requests import find_pause_arguments
from adk_agent_sim.timeline.read_model.pending_requests import PendingRequest
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.timeline.turn_prefix import TurnPrefix
from adk_agent_sim.use_cases.record import Answer


class AgentProcess(Protocol):
    """The process of an agent that takes orders; each raises ForkRefused if the process cannot carry it out."""

    async def plan(self, session_id: str, prefix: TurnPrefix) -> Sequence[str]:
        """Return what would run again up to a point."""
        ...

    async def restart(
        self,
        session_id: str,
        target_session_id: str,
        prefix: TurnPrefix,
        activate: Callable[[], Awaitable[None]],
        *,
        on_wait: Callable[[str], object],
        is_lenient: bool = False,
    ) -> str:
        """Replay a session up to a point, and continue it from there; returns how the replay differs."""
        ...

    async def resume(self, session_id: str, message: str) -> None:
        """Continue a paused run with the user's answer, a content as JSON text."""
        ...

    async def edit_state(self, session_id: str, changes: str) -> None:
        """Set keys of the session state, a JSON object as text."""
        ...


class OpenSession:
    """A session of a timeline whose agent, if it runs, runs in this process; a server knows more of its sessions."""

    def __init__(self, timeline: Timeline, session_id: str, run: AgentRun | None = None) -> None:
        self.timeline = timeline
        self.session_id = session_id
        self._run = run

    @property
    def run(self) -> AgentRun | None:
        """The run in this process, which an undo replaces; None if there is none."""
        return self._run

    @property
    def process(self) -> AgentProcess | None:
        """The other process that the agent runs in, if it takes orders."""
        return None

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

    async def require_playable(self, operation: str) -> None:
        """Raise AgentNotLocal if the session cannot go on; one that is closed gets the timeline's own error later."""
        if not self.is_playable and not (await self.timeline.get_summary(self.session_id)).is_closed:
            raise AgentNotLocal(self.session_id, operation)

    async def read_request_arguments(self, request: PendingRequest) -> Mapping[str, Json]:
        """Return the arguments of the call by which ADK asks the user."""
        (event,) = await self.timeline.read_events(self.session_id, request.seq - 1, 1)
        return find_pause_arguments(event.payload, request.request_id) if isinstance(event.payload, AgentEvent) else {}

    async def build_answer(self) -> Answer:
        """Return the answer of an operation that has just changed the session."""
        return Answer(session_id=self.session_id, revision=await self.timeline.get_last_seq(self.session_id))
