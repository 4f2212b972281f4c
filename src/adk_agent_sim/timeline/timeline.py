"""The timeline: sessions whose events are checked, committed, then published, in that order.

    append / ask / decide --> check --> Store.append (committed) --> followers and waiters wake

Pending turns, states and histories are read from the log; nothing of them lives here only.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import replace
from uuid import uuid4

from adk_agent_sim.errors import SessionClosed, TurnAbandoned, TurnNotFound
from adk_agent_sim.timeline import decision as decisions
from adk_agent_sim.timeline.blocks import Block, pack, unpack
from adk_agent_sim.timeline.canonical import Json, decode
from adk_agent_sim.timeline.clock import Clock, WallClock
from adk_agent_sim.timeline.events import Closed, Event, Payload, Player, Session, TurnAsked, TurnDecided
from adk_agent_sim.timeline.request import ModelRequest, RequestBlocks
from adk_agent_sim.timeline.store import MemoryStore, Store
from adk_agent_sim.timeline.turns import Turns


class _Live:
    """What this process remembers of a session's log: its turns, its end, who waits for more."""

    def __init__(self, session_id: str) -> None:
        self.turns = Turns(session_id)
        self.last_seq = 0
        self.last_timestamp = 0.0
        self.blocks: set[str] = set()
        self.writing = asyncio.Lock()
        self.waiters: set[asyncio.Future[None]] = set()

    def apply(self, event: Event) -> None:
        self.turns.apply(event)
        self.last_seq = event.seq
        self.last_timestamp = event.timestamp

    def wake(self) -> None:
        for waiter in self.waiters:
            if not waiter.done():
                waiter.set_result(None)
        self.waiters.clear()


class Timeline:
    """The sessions of one store. Use it from one event loop."""

    def __init__(self, store: Store | None = None, clock: Clock | None = None) -> None:
        """Open the timeline that rests in `store`; by default a new one in memory."""
        self._store = store or MemoryStore()
        self.clock = clock or WallClock()
        self._lives: dict[str, _Live] = {}
        self._watchers: set[Callable[[str], object]] = set()

    def watch(self, watcher: Callable[[str], object]) -> Callable[[], None]:
        """Call `watcher` with the id of each session that is new or has new events; what this returns ends it."""
        self._watchers.add(watcher)
        return lambda: self._watchers.discard(watcher)

    async def create_session(self, description: str = "") -> Session:
        """Open a new session."""
        session = Session(session_id=str(uuid4()), created_at=self.clock.now(), description=description)
        await self._store.create_session(session)
        self._tell(session.session_id)
        return session

    async def sessions(self) -> Sequence[Session]:
        """All sessions, oldest first."""
        return await self._store.sessions()

    async def close_session(self, session_id: str, reason: str) -> None:
        """End a session: who waits in it stops waiting. Closing twice is closing once."""
        if not (await self._live(session_id)).turns.closed:
            await self.append(session_id, Closed(reason=reason))

    async def append(
        self,
        session_id: str,
        *payloads: Payload,
        turn_id: str = "",
        agent_name: str = "",
        player: Player | None = None,
        blocks: Iterable[Block] = (),
    ) -> Sequence[Event]:
        """Add facts; they are durable and visible to followers when this returns."""
        live = await self._live(session_id)
        async with live.writing:
            drafts = [
                self._draft(session_id, payload, turn_id=turn_id, agent_name=agent_name, player=player)
                for payload in payloads
            ]
            return await self._commit(live, drafts, blocks)

    async def ask(
        self, session_id: str, *, turn_id: str, invocation_id: str, agent_name: str, request: RequestBlocks
    ) -> Event:
        """Put a model call up for decision. Asking the same turn again changes nothing."""
        live = await self._live(session_id)
        async with live.writing:
            if already := live.turns.asked(turn_id):
                return already
            new: dict[str, Block] = {}

            def keep(block: Block) -> None:
                if block.block_id not in live.blocks:
                    new[block.block_id] = block

            for block in (*request.contents, request.tools, request.instruction, request.config):
                keep(block)
            asked = TurnAsked(
                invocation_id=invocation_id,
                contents=pack([block.block_id for block in request.contents], keep),
                tools=request.tools.block_id,
                instruction=request.instruction.block_id,
                config=request.config.block_id,
            )
            draft = self._draft(session_id, asked, turn_id=turn_id, agent_name=agent_name)
            committed = await self._commit(live, [draft], new.values())
            live.blocks.update(new)
            return committed[0]

    async def decide(
        self,
        session_id: str,
        turn_id: str,
        response: Json,
        *,
        decision_id: str | None = None,
        player: Player = Player.HUMAN,
        anyway: bool = False,
    ) -> Event:
        """Answer a turn, once.

        Args:
            session_id: The session that asks.
            turn_id: The turn; of a session's waiting turns, the oldest.
            response: The model's answer, an `LlmResponse` as JSON.
            decision_id: Made by the caller; a retry with the same one returns the same event.
            player: Who decides. Only what a person says is checked.
            anyway: Send it although a tool is not offered or arguments do not fit.
        """
        live = await self._live(session_id)
        decision_id = decision_id or str(uuid4())
        async with live.writing:
            before = live.turns.decided(turn_id)
            if before and isinstance(before.payload, TurnDecided) and before.payload.decision_id == decision_id:
                return before
            if live.turns.closed:
                raise SessionClosed(session_id)
            asked = live.turns.undecided(turn_id)
            if player is Player.HUMAN:
                live.turns.check_next(asked)
                decisions.check_not_empty(turn_id, response)
                if not anyway:
                    decisions.check_fits(await self._offer(asked), response)
            decided = TurnDecided(decision_id=decision_id, response=response, anyway=anyway)
            draft = self._draft(session_id, decided, turn_id=turn_id, agent_name=asked.agent_name, player=player)
            return (await self._commit(live, [draft], ()))[0]

    async def decision(self, session_id: str, turn_id: str) -> Event:
        """Wait until a turn is decided. Ends with SessionClosed or TurnAbandoned if it never will be."""
        live = await self._live(session_id)
        if live.turns.asked(turn_id) is None:
            raise TurnNotFound(session_id, turn_id)
        await self._until(live, lambda: not live.turns.waits(turn_id))
        if decided := live.turns.decided(turn_id):
            return decided
        if live.turns.closed:
            raise SessionClosed(session_id)
        raise TurnAbandoned(turn_id)

    def waiting(self, session_id: str) -> Sequence[Event]:
        """As `pending`, for a session that this process has written to or read from."""
        live = self._lives.get(session_id)
        return live.turns.waiting if live else ()

    async def pending(self, session_id: str) -> Sequence[Event]:
        """The turns that wait for a decision, oldest first."""
        return (await self._live(session_id)).turns.waiting

    async def request(self, asked: Event) -> ModelRequest:
        """The whole request of a `TurnAsked` event, reassembled."""
        payload = _asked(asked)
        content_ids = await unpack(payload.contents, lambda ids: self._store.blocks(asked.session_id, ids))
        once = {*content_ids, payload.tools, payload.instruction, payload.config}
        data = await self._store.blocks(asked.session_id, list(once))
        return ModelRequest(
            contents=[decode(data[block_id]) for block_id in content_ids],
            tools=decode(data[payload.tools]),
            instruction=decode(data[payload.instruction]),
            config=decode(data[payload.config]),
        )

    async def _offer(self, asked: Event) -> ModelRequest:
        """The request without its conversation, which grows, and which no decision is checked against."""
        payload = _asked(asked)
        data = await self._store.blocks(asked.session_id, [payload.tools, payload.config])
        return ModelRequest(
            contents=(), tools=decode(data[payload.tools]), instruction=None, config=decode(data[payload.config])
        )

    async def block(self, session_id: str, block_id: str) -> bytes:
        """The data of one block, such as an artifact's bytes."""
        return (await self._store.blocks(session_id, [block_id]))[block_id]

    async def events(self, session_id: str, after_seq: int = 0, limit: int | None = None) -> Sequence[Event]:
        """What has happened so far, behind `after_seq`; at most `limit` of it."""
        return await self._store.read(session_id, max(after_seq, 0), limit)

    async def follow(self, session_id: str, after_seq: int = 0) -> AsyncIterator[Event]:
        """All events behind `after_seq`, then each new one, no gap and no repeat; ends when the session is closed."""
        live = await self._live(session_id)
        seq = max(after_seq, 0)
        while True:
            for event in await self._store.read(session_id, seq):
                seq = event.seq
                yield event
            if seq >= live.last_seq and live.turns.closed:
                return
            await self._until(live, lambda: live.last_seq > seq or live.turns.closed)  # noqa: B023 - awaited here

    async def _live(self, session_id: str) -> _Live:
        live = self._lives.get(session_id)
        if live is None:
            events = await self._store.read(session_id)
            live = self._lives.setdefault(session_id, _Live(session_id))
            for event in events[live.last_seq :]:
                live.apply(event)
        return live

    def _draft(
        self, session_id: str, payload: Payload, *, turn_id: str, agent_name: str, player: Player | None = None
    ) -> Event:
        return Event(
            event_id=str(uuid4()),
            session_id=session_id,
            seq=0,
            timestamp=self.clock.now(),
            payload=payload,
            turn_id=turn_id,
            agent_name=agent_name,
            player=player,
        )

    async def _commit(self, live: _Live, drafts: Sequence[Event], blocks: Iterable[Block]) -> Sequence[Event]:
        """Make events durable, then let followers see them. The caller holds the session's writing lock."""
        if live.turns.closed:
            raise SessionClosed(drafts[0].session_id)
        dated = [replace(draft, timestamp=max(draft.timestamp, live.last_timestamp)) for draft in drafts]
        writing = asyncio.ensure_future(self._store.append(dated, blocks))
        try:
            return self._published(live, await asyncio.shield(writing))
        except asyncio.CancelledError:
            # Who asked is gone, but what is being written may be durable already: nobody must miss it.
            self._published(live, await writing)
            raise

    def _published(self, live: _Live, committed: Sequence[Event]) -> Sequence[Event]:
        for event in committed:
            live.apply(event)
        live.wake()
        self._tell(committed[0].session_id)
        return committed

    def _tell(self, session_id: str) -> None:
        for watcher in list(self._watchers):
            watcher(session_id)

    async def _until(self, live: _Live, condition: Callable[[], bool]) -> None:
        while not condition():
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            live.waiters.add(waiter)
            try:
                await waiter
            finally:
                live.waiters.discard(waiter)


def _asked(event: Event) -> TurnAsked:
    if not isinstance(event.payload, TurnAsked):
        kind = type(event.payload).__name__
        raise TypeError(f"Only a TurnAsked event holds a request; event {event.event_id} is {kind}.")
    return event.payload
