"""The waits and listeners of an agent's process in one session of a server.

All of them share one event stream, which is open only while it is needed and resumes after the last event received.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Protocol

from adk_agent_sim.errors import SeqOutOfRange, SessionClosed, SimulatorError, TurnAbandoned
from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.timeline.events import Event, ToolAnswered, ToolWithdrawn, TurnDecided, TurnWithdrawn
from adk_agent_sim.timeline.submissions import ToolRequest

_log = get_logger(__name__)


class SessionFollower(Protocol):
    """The signature of `RemoteLink.follow`."""

    def __call__(
        self, session_id: str, after_seq: int, *, with_requests: bool, on_connected: Callable[[], object]
    ) -> AsyncGenerator[Event]:
        """Yield the events of a session."""
        ...


@dataclass(kw_only=True)
class _WatchedTurn:
    """A turn, or a tool call, whose answer is waited for."""

    is_ours: bool
    """Whether this process submitted the turn."""

    submission: v1.SubmitRequestRequest | None = None
    """The message to submit it again; None until the server has the turn and the blocks that it refers to."""

    tool_request: ToolRequest | None = None
    """What is submitted again if the server has given the tool call up; None for a turn."""

    is_withdrawn: bool = False

    decision: asyncio.Future[Event] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class SessionWatch:
    """The waits and listeners of one session."""

    def __init__(
        self,
        session_id: str,
        follow: SessionFollower,
        resubmit: Callable[[v1.SubmitRequestRequest], Awaitable[None]],
        ask_tool: Callable[[ToolRequest], Awaitable[None]],
    ) -> None:
        self.session_id = session_id
        self.known_block_ids: set[str] = set[str]()
        """The ids of the blocks that the server has."""
        self._follow = follow
        self._resubmit = resubmit
        self._ask_tool = ask_tool
        self._turns: dict[str, _WatchedTurn] = {}
        self._listeners: list[Callable[[Event], None]] = []
        self._last_seq = 0
        self._task: asyncio.Task[None] | None = None
        self._resubmit_task: asyncio.Task[None] | None = None

    def expect_turn(self, turn_id: str) -> None:
        """Register a turn that is about to be submitted."""
        self._turns.setdefault(turn_id, _WatchedTurn(is_ours=True))

    def expect_tool_response(self, request: ToolRequest) -> None:
        """Register a tool call that is about to be submitted."""
        self._turns.setdefault(request.asked.request_id, _WatchedTurn(is_ours=True, tool_request=request))

    def record_submission(self, submission: v1.SubmitRequestRequest, seq: int) -> None:
        """Record that the server has the turn; a stream that opens later starts after `seq`."""
        if turn := self._turns.get(submission.turn_id):
            turn.submission = submission
        # An open stream counts by itself: it may not have received all events before `seq` yet.
        if self._task is None:
            self._last_seq = max(self._last_seq, seq)

    def stop_resubmitting(self, turn_id: str) -> None:
        """Mark a turn as withdrawn, so that it is not submitted again."""
        if turn := self._turns.get(turn_id):
            turn.is_withdrawn = True

    async def wait_for_resubmissions(self) -> None:
        """Wait until no turn is being resubmitted: one that is withdrawn meanwhile would be pending again."""
        if self._resubmit_task is not None:
            await asyncio.wait({self._resubmit_task})

    def discard_turn(self, turn_id: str) -> None:
        """Forget a turn that could not be submitted."""
        self._turns.pop(turn_id, None)

    async def wait_for_decision(self, turn_id: str) -> Event:
        """Wait for the decision of a turn and return its event."""
        turn = self._turns.setdefault(turn_id, _WatchedTurn(is_ours=False))
        self._start_stream()
        try:
            return await turn.decision
        finally:
            del self._turns[turn_id]
            self._stop_stream_if_idle()

    def listen(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Call `listener` with every new event; returns a function that unsubscribes it."""
        self._listeners.append(listener)
        self._start_stream()

        def stop() -> None:
            self._listeners.remove(listener)
            self._stop_stream_if_idle()

        return stop

    async def stop(self) -> None:
        """Close the stream."""
        tasks = [task for task in (self._task, self._resubmit_task) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _start_stream(self) -> None:
        if self._task is None:
            self._task = asyncio.create_task(self._run_stream(), name=f"adksim-watch-{self.session_id}")

    def _stop_stream_if_idle(self) -> None:
        if not self._turns and not self._listeners and self._task is not None:
            self._task.cancel()
            self._task = None

    async def _run_stream(self) -> None:
        try:
            try:
                await self._handle_all_events()
            except SeqOutOfRange as error:
                # The server's log is shorter than it was, as after the restore of a backup: what is left is read again.
                _log.warning("%s", error)
                self._last_seq = 0
                await self._handle_all_events()
            self._fail_all_turns(SessionClosed(self.session_id))
        except SimulatorError as error:
            self._fail_all_turns(error)

    async def _handle_all_events(self) -> None:
        events = self._follow(
            self.session_id, self._last_seq, with_requests=False, on_connected=self._resubmit_waiting_turns
        )
        async with aclosing(events):
            async for event in events:
                self._last_seq = event.seq
                self._handle_event(event)

    def _resubmit_waiting_turns(self) -> None:
        """Submit pending turns again: the server may have marked them as abandoned, or lost them."""
        waiting = [turn for turn in self._turns.values() if not turn.is_withdrawn]
        self._resubmit_all([turn.submission for turn in waiting if turn.submission is not None])

    def _resubmit_all(self, submissions: list[v1.SubmitRequestRequest]) -> None:
        previous = self._resubmit_task

        async def submit() -> None:
            # Turns must reach the server in their original order, even if two reconnects follow each other closely.
            if previous is not None:
                await asyncio.wait({previous})
            for submission in submissions:
                turn = self._turns.get(submission.turn_id)
                # It may have been withdrawn since the connection came back.
                if turn is not None and not turn.is_withdrawn:
                    try:
                        await self._resubmit(submission)
                    except SimulatorError as error:
                        self._fail_turn(submission.turn_id, error)

        if submissions:
            self._resubmit_task = asyncio.create_task(submit(), name=f"adksim-again-{self.session_id}")

    def _handle_event(self, event: Event) -> None:
        turn = self._turns.get(event.turn_id)
        match event.payload:
            case TurnDecided() if turn is not None and not turn.decision.done():
                turn.decision.set_result(event)
            case TurnWithdrawn() if turn is not None and (turn.is_withdrawn or not turn.is_ours):
                self._fail_turn(event.turn_id, TurnAbandoned(event.turn_id))
            case TurnWithdrawn() if turn is not None and turn.submission is not None:
                # The server abandoned the turn because it believed this process was gone.
                self._resubmit_all([turn.submission])
            case ToolAnswered(request_id=request_id):
                asking = self._turns.get(request_id)
                if asking is not None and not asking.decision.done():
                    asking.decision.set_result(event)
            case ToolWithdrawn(request_id=request_id):
                # As for a turn: the server believed that this process was gone.
                self._ask_tool_again(request_id)
            case _:
                pass
        # A copy, because a listener may unsubscribe itself while it is called.
        for listener in list(self._listeners):
            listener(event)

    def _ask_tool_again(self, request_id: str) -> None:
        previous, asking = self._resubmit_task, self._turns.get(request_id)
        request = asking.tool_request if asking is not None else None

        async def submit(request: ToolRequest) -> None:
            if previous is not None:
                await asyncio.wait({previous})
            try:
                await self._ask_tool(request)
            except SimulatorError as error:
                self._fail_turn(request_id, error)

        if request is not None:
            self._resubmit_task = asyncio.create_task(submit(request), name=f"adksim-again-{self.session_id}")

    def _fail_all_turns(self, error: SimulatorError) -> None:
        """Fail all waits, because the stream has ended permanently."""
        self._task = None
        for turn_id in list(self._turns):
            self._fail_turn(turn_id, error)

    def _fail_turn(self, turn_id: str, error: SimulatorError) -> None:
        turn = self._turns.get(turn_id)
        if turn is not None and not turn.decision.done():
            turn.decision.set_exception(error)
            turn.decision.exception()  # read here, because an agent that is cancelled may never wait for the decision
