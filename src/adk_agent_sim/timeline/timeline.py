"""The timeline: sessions whose events are checked, committed, then published, in that order.

    append / ask / decide --> check --> Store.append (committed) --> followers and waiters wake

Pending turns, states and histories are read from the log; nothing of them lives here only.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from uuid import uuid4

from adk_agent_sim.errors import (
    BlocksMissing,
    EventExists,
    SessionClosed,
    SessionNotFound,
    TurnAbandoned,
    TurnNotFound,
)
from adk_agent_sim.timeline import decision_checks as decisions
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.canonical_json import Json, decode_json
from adk_agent_sim.timeline.clock import Clock, WallClock
from adk_agent_sim.timeline.events import (
    CancelAsked,
    Closed,
    Event,
    Payload,
    Player,
    Session,
    TurnAsked,
    TurnDecided,
    TurnRevived,
    TurnWithdrawn,
)
from adk_agent_sim.timeline.model_request import (
    ModelRequest,
    RequestBlocks,
    build_turn_asked,
    get_turn_asked,
    reassemble_request,
)
from adk_agent_sim.timeline.session_progress import SessionCursor, SessionProgress, SessionSummary, StatusSnapshot
from adk_agent_sim.timeline.session_tracker import SessionTracker
from adk_agent_sim.timeline.store import MemoryStore, Store


class Timeline:
    """The sessions of one store. Use it from one event loop."""

    def __init__(self, store: Store | None = None, clock: Clock | None = None) -> None:
        """Open the timeline that rests in `store`; by default a new one in memory."""
        self._store = store or MemoryStore()
        self.clock = clock or WallClock()
        self._trackers: dict[str, SessionTracker] = {}
        self._watchers: set[Callable[[str], object]] = set()

    def watch_sessions(self, watcher: Callable[[str], object]) -> Callable[[], None]:
        """Call `watcher` with the id of each session that is new or has new events; what this returns ends it."""
        self._watchers.add(watcher)
        return lambda: self._watchers.discard(watcher)

    async def create_session(self, description: str = "", session_id: str = "") -> Session:
        """Open a new session; SessionExists if there is one of the id."""
        session = Session(session_id=session_id or str(uuid4()), created_at=self.clock.now(), description=description)
        await self._store.create_session(session)
        self._notify_watchers(session.session_id)
        return session

    async def list_sessions(self) -> Sequence[Session]:
        """All sessions, oldest first."""
        return await self._store.list_sessions()

    async def get_session(self, session_id: str) -> Session:
        """One session; SessionNotFound if there is none of the id."""
        found = await self._store.find_session(session_id)
        if found is None:
            raise SessionNotFound(session_id)
        return found

    async def list_summaries(
        self, *, before: SessionCursor | None = None, limit: int | None = None
    ) -> Sequence[SessionSummary]:
        """Sessions and where they stand, newest first, page by page; no log is read for it."""
        return await self._store.list_summaries(before=before, limit=limit)

    async def get_turn_queue(self) -> Sequence[Event]:
        """The turns that wait for a person in all sessions, oldest first."""
        found = await self._store.list_summaries(waiting_only=True)
        waiting = [asked for summary in found for asked in await self.get_pending_turns(summary.session.session_id)]
        return sorted(waiting, key=lambda asked: asked.timestamp)

    async def get_session_sizes(self) -> Mapping[str, int]:
        """How many bytes each session takes."""
        return await self._store.get_session_sizes()

    async def rename_session(self, session_id: str, description: str) -> None:
        """Give a session another description."""
        await self._store.rename_session(session_id, description)

    async def delete_session(self, session_id: str) -> None:
        """Take a session away, with all that belongs to it: who waits in it or follows it gets SessionNotFound."""
        live = await self._get_tracker(session_id)
        async with live.write_lock:
            await self._store.delete_session(session_id)
            live.is_deleted = True
            self._trackers.pop(session_id, None)
            live.wake_waiters()

    async def delete_idle_sessions(self, idle_since: float) -> Sequence[Session]:
        """Delete the sessions in which nothing has happened since `moment` and nothing waits; which they were."""
        old = [
            summary.session
            for summary in await self._store.list_summaries()
            if summary.last_event_at < idle_since and not summary.snapshot.pending_count
        ]
        for session in old:
            await self.delete_session(session.session_id)
        return old

    async def close_session(self, session_id: str, reason: str, *, cancelled: bool = False) -> Event:
        """End a session: who waits in it stops waiting. Closing twice is closing once; gives what closed it."""
        live = await self._get_tracker(session_id)
        async with live.write_lock:
            if not live.turns.is_closed:
                closed = Closed(reason=reason, cancelled=cancelled)
                (event,) = await self._commit(
                    live, [self._build_draft(session_id, closed, turn_id="", agent_name="")], ()
                )
                return event
        return (await self._store.read_events(session_id, live.last_seq - 1))[0]

    async def listen(self, session_id: str, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Call `listener` with each event of a session from now on; calling what is returned ends that."""
        live = await self._get_tracker(session_id)
        live.listeners.append(listener)
        return lambda: live.listeners.remove(listener)

    async def cancel_call(self, session_id: str, call_id: str) -> None:
        """Ask for the end of a running tool call, wherever the agent runs."""
        await self.append(session_id, CancelAsked(call_id=call_id), player=Player.HUMAN)

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
        drafts = [
            self._build_draft(session_id, payload, turn_id=turn_id, agent_name=agent_name, player=player)
            for payload in payloads
        ]
        return await self.append_drafts(session_id, drafts, blocks)

    async def append_drafts(
        self, session_id: str, drafts: Sequence[Event], blocks: Iterable[Block] = ()
    ) -> Sequence[Event]:
        """Add facts that have ids already; those that are here, because they were sent twice, are not added again."""
        live = await self._get_tracker(session_id)
        async with live.write_lock:
            dated = [replace(draft, timestamp=self.clock.now()) for draft in drafts]
            try:
                return await self._commit(live, dated, blocks)
            except EventExists:
                return ()

    async def ask(
        self,
        session_id: str,
        *,
        turn_id: str,
        invocation_id: str,
        agent_name: str,
        request: RequestBlocks,
        player: Player = Player.HUMAN,
    ) -> Event:
        """Put a model call up for decision. Asking the same turn again changes nothing, but revives it.

        Args:
            session_id: The session that asks.
            turn_id: Made by the caller.
            invocation_id: The invocation that asks.
            agent_name: The agent that asks.
            request: What the model would read.
            player: Who will answer; only a person's turns are in the queue.
        """
        live = await self._get_tracker(session_id)
        asked, blocks = build_turn_asked(request, invocation_id, live.known_block_ids)
        return await self.ask_by_reference(
            session_id, asked, blocks, turn_id=turn_id, agent_name=agent_name, player=player
        )

    async def ask_by_reference(
        self,
        session_id: str,
        asked: TurnAsked,
        blocks: Sequence[Block],
        *,
        turn_id: str,
        agent_name: str,
        player: Player = Player.HUMAN,
    ) -> Event:
        """As `ask`, for a request that is references; BlocksMissing if it refers to what the session does not have."""
        live = await self._get_tracker(session_id)
        async with live.write_lock:
            if already := live.turns.find_asked_event(turn_id):
                await self._revive(live, already)
                return already
            await self._check_blocks(live, session_id, asked, blocks)
            draft = self._build_draft(
                session_id, asked, turn_id=turn_id, agent_name=agent_name, player=_player_unless_human(player)
            )
            committed = await self._commit(
                live, [draft], [one for one in blocks if one.block_id not in live.known_block_ids]
            )
            live.known_block_ids.update(block.block_id for block in blocks)
            return committed[0]

    async def _revive(self, tracker: SessionTracker, asked: Event) -> None:
        turn_id = asked.turn_id
        if tracker.turns.is_waiting(turn_id) or tracker.turns.find_decided_event(turn_id) or tracker.turns.is_closed:
            return
        revived = TurnRevived(invocation_id=get_turn_asked(asked).invocation_id)
        draft = self._build_draft(asked.session_id, revived, turn_id=turn_id, agent_name=asked.agent_name)
        await self._commit(tracker, [draft], ())

    async def _check_blocks(
        self, tracker: SessionTracker, session_id: str, asked: TurnAsked, sent_blocks: Sequence[Block]
    ) -> None:
        """See that what a request refers to is there: a reader must be able to reassemble it."""
        here = tracker.known_block_ids | {block.block_id for block in sent_blocks}
        named = {asked.tools, asked.instruction, asked.config, *(one for level in asked.contents for one in level)}
        unknown = [block_id for block_id in named if block_id not in here]
        if unknown:
            found = await self._store.read_blocks(session_id, unknown)
            tracker.known_block_ids.update(found)
            if len(found) < len(unknown):
                raise BlocksMissing(session_id, len(unknown) - len(found))

    async def withdraw(self, session_id: str, turn_id: str, *, abandoned: bool = False) -> None:
        """Nobody waits for a turn any longer; one that is decided, or does not wait, stays as it is."""
        live = await self._get_tracker(session_id)
        async with live.write_lock:
            asked = live.turns.find_asked_event(turn_id)
            if asked is not None and live.turns.is_waiting(turn_id):
                withdrawn = TurnWithdrawn(abandoned=abandoned)
                draft = self._build_draft(session_id, withdrawn, turn_id=turn_id, agent_name=asked.agent_name)
                await self._commit(live, [draft], ())

    async def decide(
        self,
        session_id: str,
        turn_id: str,
        response: Json,
        *,
        decision_id: str | None = None,
        player: Player = Player.HUMAN,
        anyway: bool = False,
        duration_ms: float | None = None,
    ) -> Event:
        """Answer a turn, once.

        Args:
            session_id: The session that asks.
            turn_id: The turn; of a session's waiting turns, the oldest.
            response: The model's answer, an `LlmResponse` as JSON.
            decision_id: Made by the caller; a retry with the same one returns the same event.
            player: Who decides. Only what a person says is checked.
            anyway: Send it although a tool is not offered or arguments do not fit.
            duration_ms: How long the model took, where that was measured.
        """
        live = await self._get_tracker(session_id)
        decision_id = decision_id or str(uuid4())
        async with live.write_lock:
            before = live.turns.find_decided_event(turn_id)
            if before and isinstance(before.payload, TurnDecided) and before.payload.decision_id == decision_id:
                return before
            if live.turns.is_closed:
                raise SessionClosed(session_id)
            asked = live.turns.require_undecided(turn_id)
            if player is Player.HUMAN:
                live.turns.check_next(asked)
                decisions.check_not_empty(turn_id, response)
                if not anyway:
                    decisions.check_matches_request(await self._read_request_without_contents(asked), response)
            decided = TurnDecided(decision_id=decision_id, response=response, anyway=anyway, duration_ms=duration_ms)
            draft = self._build_draft(session_id, decided, turn_id=turn_id, agent_name=asked.agent_name, player=player)
            return (await self._commit(live, [draft], ()))[0]

    async def wait_for_decision(self, session_id: str, turn_id: str) -> Event:
        """Wait until a turn is decided. Ends with SessionClosed or TurnAbandoned if it never will be."""
        live = await self._get_tracker(session_id)
        if live.turns.find_asked_event(turn_id) is None:
            raise TurnNotFound(session_id, turn_id)
        await live.wait_until(lambda: live.is_deleted or not live.turns.is_waiting(turn_id))
        if decided := live.turns.find_decided_event(turn_id):
            return decided
        if live.is_deleted:
            raise SessionNotFound(session_id)
        if live.turns.is_closed:
            raise SessionClosed(session_id)
        raise TurnAbandoned(turn_id)

    def peek_pending_turns(self, session_id: str) -> Sequence[Event]:
        """As `pending`, for a session that this process has written to or read from."""
        live = self._trackers.get(session_id)
        return live.turns.pending_turns if live else ()

    async def get_pending_turns(self, session_id: str) -> Sequence[Event]:
        """The turns that wait for a decision, oldest first."""
        return (await self._get_tracker(session_id)).turns.pending_turns

    async def read_request(self, asked_event: Event) -> ModelRequest:
        """The whole request of a `TurnAsked` event, reassembled."""
        return await reassemble_request(asked_event, lambda ids: self._store.read_blocks(asked_event.session_id, ids))

    async def _read_request_without_contents(self, asked: Event) -> ModelRequest:
        """The request without its conversation, which grows, and which no decision is checked against."""
        payload = get_turn_asked(asked)
        data = await self._store.read_blocks(asked.session_id, [payload.tools, payload.config])
        return ModelRequest(
            contents=(),
            tools=decode_json(data[payload.tools]),
            instruction=None,
            config=decode_json(data[payload.config]),
        )

    async def read_block(self, session_id: str, block_id: str) -> bytes:
        """The data of one block, such as an artifact's bytes."""
        return (await self._store.read_blocks(session_id, [block_id]))[block_id]

    async def read_blocks(self, session_id: str, block_ids: Sequence[str]) -> Mapping[str, bytes]:
        """The data of blocks of a session, by id; those it does not have are left out."""
        return await self._store.read_blocks(session_id, block_ids)

    async def get_last_seq(self, session_id: str) -> int:
        """The `seq` of the newest event; 0 while there is none."""
        return (await self._get_tracker(session_id)).last_seq

    async def get_progress(self, session_id: str) -> SessionProgress:
        """Where a session stands."""
        return (await self._get_tracker(session_id)).turns.progress

    async def read_events(self, session_id: str, after_seq: int = 0, limit: int | None = None) -> Sequence[Event]:
        """What has happened so far, behind `after_seq`; at most `limit` of it."""
        return await self._store.read_events(session_id, max(after_seq, 0), limit)

    async def follow(self, session_id: str, after_seq: int = 0) -> AsyncGenerator[Event]:
        """All events behind `after_seq`, then each new one, no gap and no repeat; ends when the session is closed."""
        live = await self._get_tracker(session_id)
        seq = max(after_seq, 0)
        while True:
            for event in await self._store.read_events(session_id, seq):
                seq = event.seq
                yield event
            if seq >= live.last_seq and live.turns.is_closed:
                return
            await live.wait_until(lambda: live.last_seq > seq or live.turns.is_closed or live.is_deleted)  # noqa: B023 - awaited here

    async def _get_tracker(self, session_id: str) -> SessionTracker:
        live = self._trackers.get(session_id)
        if live is None:
            live = SessionTracker(session_id)
            for event in await self._store.read_events(session_id):
                live.apply(event)
            live = self._trackers.setdefault(session_id, live)
        return live

    def _build_draft(
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

    async def _commit(
        self, tracker: SessionTracker, drafts: Sequence[Event], blocks: Iterable[Block]
    ) -> Sequence[Event]:
        """Make events durable, then let followers see them. The caller holds the session's writing lock."""
        if tracker.turns.is_closed:
            raise SessionClosed(drafts[0].session_id)
        if tracker.is_deleted:
            raise SessionNotFound(drafts[0].session_id)
        dated = [replace(draft, timestamp=max(draft.timestamp, tracker.last_timestamp)) for draft in drafts]
        standing = StatusSnapshot.from_progress(tracker.turns.progress.with_events(dated))
        writing = asyncio.ensure_future(self._store.append(dated, blocks, standing))
        try:
            return self._publish(tracker, await asyncio.shield(writing))
        except asyncio.CancelledError:
            # Who asked is gone, but what is being written may be durable already: nobody must miss it.
            self._publish(tracker, await writing)
            raise

    def _publish(self, tracker: SessionTracker, committed: Sequence[Event]) -> Sequence[Event]:
        for event in committed:
            tracker.apply(event)
            for listener in list(tracker.listeners):
                listener(event)
        tracker.wake_waiters()
        self._notify_watchers(committed[0].session_id)
        return committed

    def _notify_watchers(self, session_id: str) -> None:
        for watcher in list(self._watchers):
            watcher(session_id)


def _player_unless_human(player: Player) -> Player | None:
    """A person is who answers unless said."""
    return None if player is Player.HUMAN else player
