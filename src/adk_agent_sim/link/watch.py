"""What an agent's process waits for in one session of a server: decisions of its turns, and what it listens for.

One stream serves them all. It is open while somebody waits or listens, and resumes where it was.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Protocol

from adk_agent_sim.errors import SessionClosed, SimulatorError, TurnAbandoned
from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.timeline.events import Event, TurnDecided, TurnWithdrawn


class Follow(Protocol):
    """Follows a session, see `RemoteLink.follow`."""

    def __call__(
        self, session_id: str, after_seq: int, *, requests: bool, on_connected: Callable[[], object]
    ) -> AsyncGenerator[Event]:
        """The events of a session."""
        ...


@dataclass(kw_only=True)
class _Turn:
    """A turn that waits."""

    ours: bool
    """Whether it is asked from here."""

    submission: v1.SubmitRequestRequest | None = None
    """How to ask it again; None until the server has it, and with it the blocks that it refers to."""

    given_up: bool = False

    decided: asyncio.Future[Event] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Watch:
    """The waits of one session."""

    def __init__(
        self, session_id: str, follow: Follow, resubmit: Callable[[v1.SubmitRequestRequest], Awaitable[None]]
    ) -> None:
        self.session_id = session_id
        self.blocks: set[str] = set[str]()
        """The blocks that the server has."""
        self._follow = follow
        self._resubmit = resubmit
        self._turns: dict[str, _Turn] = {}
        self._listeners: list[Callable[[Event], None]] = []
        self._seen = 0
        self._task: asyncio.Task[None] | None = None
        self._again: asyncio.Task[None] | None = None

    def expect(self, turn_id: str) -> None:
        """A turn is about to be submitted."""
        self._turns.setdefault(turn_id, _Turn(ours=True))

    def submitted(self, submission: v1.SubmitRequestRequest, seq: int) -> None:
        """The server has a turn: what happened before concerns nobody here."""
        if turn := self._turns.get(submission.turn_id):
            turn.submission = submission
        if self._task is None:
            self._seen = max(self._seen, seq)

    def forget(self, turn_id: str) -> None:
        """A turn is not asked again."""
        if turn := self._turns.get(turn_id):
            turn.given_up = True

    async def settled(self) -> None:
        """Wait until no turn is being asked again: one that is withdrawn meanwhile would wait again."""
        if self._again is not None:
            await asyncio.wait({self._again})

    def refused(self, turn_id: str) -> None:
        """A turn could not be submitted."""
        self._turns.pop(turn_id, None)

    async def decision(self, turn_id: str) -> Event:
        """Wait for a turn's decision."""
        turn = self._turns.setdefault(turn_id, _Turn(ours=False))
        self._wake()
        try:
            return await turn.decided
        finally:
            del self._turns[turn_id]
            self._rest()

    def listen(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Hear each event from now on."""
        self._listeners.append(listener)
        self._wake()

        def stop() -> None:
            self._listeners.remove(listener)
            self._rest()

        return stop

    async def stop(self) -> None:
        """End the stream."""
        tasks = [task for task in (self._task, self._again) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _wake(self) -> None:
        if self._task is None:
            self._task = asyncio.create_task(self._watch(), name=f"adksim-watch-{self.session_id}")

    def _rest(self) -> None:
        if not self._turns and not self._listeners and self._task is not None:
            self._task.cancel()
            self._task = None

    async def _watch(self) -> None:
        try:
            events = self._follow(self.session_id, self._seen, requests=False, on_connected=self._connected)
            async with aclosing(events):
                async for event in events:
                    self._seen = event.seq
                    self._hear(event)
            self._end(SessionClosed(self.session_id))
        except SimulatorError as error:
            self._end(error)

    def _connected(self) -> None:
        """Ask what waits again: the server may have given it up, or never have had it."""
        waiting = [turn for turn in self._turns.values() if not turn.given_up]
        self._ask_again([turn.submission for turn in waiting if turn.submission is not None])

    def _ask_again(self, submissions: list[v1.SubmitRequestRequest]) -> None:
        before = self._again

        async def submit() -> None:
            if before is not None:
                await asyncio.wait({before})
            for submission in submissions:
                turn = self._turns.get(submission.turn_id)
                if turn is not None and not turn.given_up:  # it may have been given up since the connection came back
                    try:
                        await self._resubmit(submission)
                    except SimulatorError as error:
                        self._fail(submission.turn_id, error)

        if submissions:
            self._again = asyncio.create_task(submit(), name=f"adksim-again-{self.session_id}")

    def _hear(self, event: Event) -> None:
        turn = self._turns.get(event.turn_id)
        match event.payload:
            case TurnDecided() if turn is not None and not turn.decided.done():
                turn.decided.set_result(event)
            case TurnWithdrawn() if turn is not None and (turn.given_up or not turn.ours):
                self._fail(event.turn_id, TurnAbandoned(event.turn_id))
            case TurnWithdrawn() if turn is not None and turn.submission is not None:
                self._ask_again([turn.submission])
            case _:
                pass
        for listener in list(self._listeners):
            listener(event)

    def _end(self, error: SimulatorError) -> None:
        """The stream is over for good: nobody waits any longer."""
        self._task = None
        for turn_id in list(self._turns):
            self._fail(turn_id, error)

    def _fail(self, turn_id: str, error: SimulatorError) -> None:
        turn = self._turns.get(turn_id)
        if turn is not None and not turn.decided.done():
            turn.decided.set_exception(error)
