"""The timeline: validates events, commits them to the store, then publishes them to followers, in that order.

    append / ask / decide --> validate --> Store.append (committed) --> followers and waiters wake

Pending turns, states and histories are derived from the log; no state exists only in memory.
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
from adk_agent_sim.timeline import decision_checks
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.canonical_json import decode_json
from adk_agent_sim.timeline.clock import Clock, WallClock
from adk_agent_sim.timeline.events import (
    AgentPath,
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
    build_turn_asked,
    get_turn_asked,
    reassemble_request,
)
from adk_agent_sim.timeline.session_progress import SessionCursor, SessionProgress, SessionSummary, StatusSnapshot
from adk_agent_sim.timeline.session_tracker import SessionTracker
from adk_agent_sim.timeline.store import MemoryStore, Store
from adk_agent_sim.timeline.submissions import EventBatch, TurnDecision, TurnRequest


class Timeline:
    """The sessions of one store. Use it from one event loop."""

    def __init__(self, store: Store | None = None, clock: Clock | None = None) -> None:
        """Open the timeline of `store`; by default a new one in memory."""
        self._store = store or MemoryStore()
        self.clock = clock or WallClock()
        self._trackers: dict[str, SessionTracker] = {}
        self._watchers: set[Callable[[str], object]] = set()

    def watch_sessions(self, watcher: Callable[[str], object]) -> Callable[[], None]:
        """Call `watcher` with the id of each session that is created or gets events; returns a function to stop."""
        self._watchers.add(watcher)
        return lambda: self._watchers.discard(watcher)

    async def create_session(self, description: str = "", session_id: str = "") -> Session:
        """Create a session; raise SessionExists if the id is taken."""
        session = Session(session_id=session_id or str(uuid4()), created_at=self.clock.now(), description=description)
        await self._store.create_session(session)
        self._notify_watchers(session.session_id)
        return session

    async def list_sessions(self) -> Sequence[Session]:
        """Return all sessions, oldest first."""
        return await self._store.list_sessions()

    async def get_session(self, session_id: str) -> Session:
        """Return a session; raise SessionNotFound if it does not exist."""
        session = await self._store.find_session(session_id)
        if session is None:
            raise SessionNotFound(session_id)
        return session

    async def list_summaries(
        self, *, before: SessionCursor | None = None, limit: int | None = None
    ) -> Sequence[SessionSummary]:
        """Return a page of session summaries, newest first; reads no logs."""
        return await self._store.list_summaries(before=before, limit=limit)

    async def get_turn_queue(self) -> Sequence[Event]:
        """Return the `TurnAsked` events that wait for a person in all sessions, oldest first."""
        summaries = await self._store.list_summaries(waiting_only=True)
        pending = [asked for summary in summaries for asked in await self.get_pending_turns(summary.session.session_id)]
        return sorted(pending, key=lambda asked: asked.timestamp)

    async def get_session_sizes(self) -> Mapping[str, int]:
        """Return the stored size of each session in bytes, by session id."""
        return await self._store.get_session_sizes()

    async def rename_session(self, session_id: str, description: str) -> None:
        """Change the description of a session."""
        await self._store.rename_session(session_id, description)

    async def delete_session(self, session_id: str) -> None:
        """Delete a session and its data; calls that wait for it or follow it raise SessionNotFound."""
        tracker = await self._get_tracker(session_id)
        async with tracker.write_lock:
            await self._store.delete_session(session_id)
            tracker.is_deleted = True
            self._trackers.pop(session_id, None)
            tracker.wake_waiters()

    async def delete_idle_sessions(self, idle_since: float) -> Sequence[Session]:
        """Delete sessions without pending turns whose last event is before `idle_since`; returns the deleted ones."""
        idle = [
            summary.session
            for summary in await self._store.list_summaries()
            if summary.last_event_at < idle_since and not summary.snapshot.pending_count
        ]
        for session in idle:
            await self.delete_session(session.session_id)
        return idle

    async def close_session(self, session_id: str, reason: str, *, cancelled: bool = False) -> Event:
        """Close a session, which ends all waits in it, and return the `Closed` event; closing twice has no effect."""
        tracker = await self._get_tracker(session_id)
        async with tracker.write_lock:
            if not tracker.turns.is_closed:
                closed = Closed(reason=reason, cancelled=cancelled)
                return (await self._commit_batch(tracker, EventBatch(session_id, [closed])))[0]
        # A closed session takes no more events, so its last one is what closed it.
        return (await self._store.read_events(session_id, tracker.last_seq - 1))[0]

    async def listen(self, session_id: str, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Call `listener` with every new event of a session; returns a function that unsubscribes it."""
        tracker = await self._get_tracker(session_id)
        tracker.listeners.append(listener)
        return lambda: tracker.listeners.remove(listener)

    async def cancel_call(self, session_id: str, call_id: str) -> None:
        """Request the cancellation of a running tool call; the process that runs the agent listens for it."""
        await self.append(EventBatch(session_id, [CancelAsked(call_id=call_id)], player=Player.HUMAN))

    async def append(self, batch: EventBatch) -> Sequence[Event]:
        """Append events and return them with their `seq`; they are durable and visible to followers by then."""
        return await self.append_drafts(batch.session_id, batch.build_drafts(), batch.blocks)

    async def append_drafts(
        self, session_id: str, drafts: Sequence[Event], blocks: Iterable[Block] = ()
    ) -> Sequence[Event]:
        """Append events that already have ids; appends nothing if they were appended before, as after a retry."""
        tracker = await self._get_tracker(session_id)
        async with tracker.write_lock:
            try:
                return await self._commit(tracker, drafts, blocks)
            except EventExists:
                return ()

    async def ask(self, turn: TurnRequest) -> Event:
        """Submit a model call that a player must decide, and return its event.

        Submitting the same turn again returns the same event, and makes a withdrawn turn pending again.
        """
        tracker = await self._get_tracker(turn.session_id)
        asked, blocks = build_turn_asked(turn.request, turn.invocation_id, tracker.known_block_ids)
        return await self.ask_by_reference(
            turn.session_id,
            asked,
            blocks,
            turn_id=turn.turn_id,
            agent_name=turn.agent_name,
            player=turn.player,
            agent_path=turn.agent_path,
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
        agent_path: AgentPath | None = None,
    ) -> Event:
        """Submit a turn whose request is block references; raise BlocksMissing if the session lacks a block."""
        tracker = await self._get_tracker(session_id)
        async with tracker.write_lock:
            if already := tracker.turns.find_asked_event(turn_id):
                await self._revive(tracker, already)
                return already
            await self._check_blocks(tracker, session_id, asked, blocks)
            batch = EventBatch(
                session_id,
                [asked],
                turn_id=turn_id,
                agent_name=agent_name,
                # A person is the default and is left out of the event.
                player=None if player is Player.HUMAN else player,
                agent_path=agent_path,
                blocks=[block for block in blocks if block.block_id not in tracker.known_block_ids],
            )
            (event,) = await self._commit_batch(tracker, batch)
            tracker.known_block_ids.update(block.block_id for block in blocks)
            return event

    async def _revive(self, tracker: SessionTracker, asked: Event) -> None:
        turn_id = asked.turn_id
        if tracker.turns.is_waiting(turn_id) or tracker.turns.find_decided_event(turn_id) or tracker.turns.is_closed:
            return
        payload = get_turn_asked(asked)
        revived = TurnRevived(invocation_id=payload.invocation_id, client_id=payload.client_id)
        batch = _build_turn_batch(asked, revived)
        await self._commit_batch(tracker, batch)

    async def _check_blocks(
        self, tracker: SessionTracker, session_id: str, asked: TurnAsked, sent_blocks: Sequence[Block]
    ) -> None:
        """Raise BlocksMissing if a block of the request is not stored: readers could not reassemble the request."""
        available = tracker.known_block_ids | {block.block_id for block in sent_blocks}
        content_ids = (block_id for level in asked.contents for block_id in level)
        referenced = {asked.tools, asked.instruction, asked.config, *content_ids}
        unknown = [block_id for block_id in referenced if block_id not in available]
        if unknown:
            stored = await self._store.read_blocks(session_id, unknown)
            tracker.known_block_ids.update(stored)
            if len(stored) < len(unknown):
                raise BlocksMissing(session_id, len(unknown) - len(stored))

    async def withdraw(self, session_id: str, turn_id: str, *, abandoned: bool = False) -> None:
        """Withdraw a turn; has no effect if the turn is not pending.

        Args:
            session_id: The session of the turn.
            turn_id: The turn.
            abandoned: Whether the agent's process went away, rather than cancelled its model call.
        """
        tracker = await self._get_tracker(session_id)
        async with tracker.write_lock:
            asked = tracker.turns.find_asked_event(turn_id)
            if asked is not None and tracker.turns.is_waiting(turn_id):
                batch = _build_turn_batch(asked, TurnWithdrawn(abandoned=abandoned))
                await self._commit_batch(tracker, batch)

    async def decide(self, decision: TurnDecision) -> Event:
        """Record the decision of a turn and return its event; a retry with the same `decision_id` returns it again.

        Raises:
            SessionClosed: The session takes no more events.
            DecisionRefused: The turn is not pending or not next, or the decision does not match its request.
        """
        session_id, turn_id = decision.session_id, decision.turn_id
        tracker = await self._get_tracker(session_id)
        async with tracker.write_lock:
            previous = tracker.turns.find_decided_event(turn_id)
            if previous and _get_decision_id(previous) == decision.decision_id:
                return previous
            if tracker.turns.is_closed:
                raise SessionClosed(session_id)
            asked = tracker.turns.require_undecided(turn_id)
            if decision.player is Player.HUMAN:
                tracker.turns.check_next(asked)
                decision_checks.check_not_empty(turn_id, decision.response)
                if not decision.anyway:
                    request = await self._read_request_without_contents(asked)
                    decision_checks.check_matches_request(request, decision.response)
            decided = TurnDecided(
                decision_id=decision.decision_id,
                response=decision.response,
                anyway=decision.anyway,
                duration_ms=decision.duration_ms,
                decided_by=decision.decided_by,
            )
            return (await self._commit_batch(tracker, _build_turn_batch(asked, decided, decision.player)))[0]

    async def wait_for_decision(self, session_id: str, turn_id: str) -> Event:
        """Wait for the decision of a turn and return its event.

        Raises:
            SessionClosed: The session was closed first.
            SessionNotFound: The session was deleted first.
            TurnAbandoned: The turn was withdrawn first.
            TurnNotFound: The session has no such turn.
        """
        tracker = await self._get_tracker(session_id)
        if tracker.turns.find_asked_event(turn_id) is None:
            raise TurnNotFound(session_id, turn_id)
        await tracker.wait_until(lambda: tracker.is_deleted or not tracker.turns.is_waiting(turn_id))
        if decided := tracker.turns.find_decided_event(turn_id):
            return decided
        if tracker.is_deleted:
            raise SessionNotFound(session_id)
        if tracker.turns.is_closed:
            raise SessionClosed(session_id)
        raise TurnAbandoned(turn_id)

    def peek_pending_turns(self, session_id: str) -> Sequence[Event]:
        """Return the pending turns without reading the store; empty for a session that this process has not used."""
        tracker = self._trackers.get(session_id)
        return tracker.turns.pending_turns if tracker else ()

    async def get_pending_turns(self, session_id: str) -> Sequence[Event]:
        """Return the `TurnAsked` events that wait for a person, oldest first."""
        return (await self._get_tracker(session_id)).turns.pending_turns

    async def read_request(self, asked_event: Event) -> ModelRequest:
        """Return the complete model request of a `TurnAsked` event."""
        return await reassemble_request(asked_event, lambda ids: self._store.read_blocks(asked_event.session_id, ids))

    async def _read_request_without_contents(self, asked: Event) -> ModelRequest:
        """Read a request without its conversation, which grows and is not needed to validate a decision."""
        payload = get_turn_asked(asked)
        data = await self._store.read_blocks(asked.session_id, [payload.tools, payload.config])
        return ModelRequest(
            contents=(),
            tools=decode_json(data[payload.tools]),
            instruction=None,
            config=decode_json(data[payload.config]),
        )

    async def read_block(self, session_id: str, block_id: str) -> bytes:
        """Return the data of one block, such as the bytes of an artifact."""
        return (await self._store.read_blocks(session_id, [block_id]))[block_id]

    async def read_blocks(self, session_id: str, block_ids: Sequence[str]) -> Mapping[str, bytes]:
        """Return the data of a session's blocks by id; blocks that it does not have are left out."""
        return await self._store.read_blocks(session_id, block_ids)

    async def get_last_seq(self, session_id: str) -> int:
        """Return the `seq` of the last event; 0 if there is none."""
        return (await self._get_tracker(session_id)).last_seq

    async def get_progress(self, session_id: str) -> SessionProgress:
        """Return the progress of a session."""
        return (await self._get_tracker(session_id)).turns.progress

    async def read_events(self, session_id: str, after_seq: int = 0, limit: int | None = None) -> Sequence[Event]:
        """Return the events after `after_seq`, at most `limit`."""
        return await self._store.read_events(session_id, max(after_seq, 0), limit)

    async def follow(self, session_id: str, after_seq: int = 0) -> AsyncGenerator[Event]:
        """Yield all events after `after_seq`, then each new one, without gaps or repeats, until the session closes."""
        tracker = await self._get_tracker(session_id)
        seq = max(after_seq, 0)
        while True:
            for event in await self._store.read_events(session_id, seq):
                seq = event.seq
                yield event
            if seq >= tracker.last_seq and tracker.turns.is_closed:
                return
            await tracker.wait_until(lambda: tracker.last_seq > seq or tracker.turns.is_closed or tracker.is_deleted)  # noqa: B023 - awaited here

    async def _get_tracker(self, session_id: str) -> SessionTracker:
        tracker = self._trackers.get(session_id)
        if tracker is None:
            tracker = SessionTracker(session_id)
            for event in await self._store.read_events(session_id):
                tracker.apply(event)
            # Another task may have loaded the session during the read: all must share the tracker stored first.
            tracker = self._trackers.setdefault(session_id, tracker)
        return tracker

    async def _commit_batch(self, tracker: SessionTracker, batch: EventBatch) -> Sequence[Event]:
        return await self._commit(tracker, batch.build_drafts(), batch.blocks)

    async def _commit(
        self, tracker: SessionTracker, drafts: Sequence[Event], blocks: Iterable[Block]
    ) -> Sequence[Event]:
        """Write events to the store, then publish them. The caller must hold the session's write lock."""
        if tracker.turns.is_closed:
            raise SessionClosed(drafts[0].session_id)
        if tracker.is_deleted:
            raise SessionNotFound(drafts[0].session_id)
        # The wall clock can be set back, but timestamps must not decrease within a session.
        dated = [replace(draft, timestamp=max(self.clock.now(), tracker.last_timestamp)) for draft in drafts]
        snapshot = StatusSnapshot.from_progress(tracker.turns.progress.with_events(dated))
        writing = asyncio.ensure_future(self._store.append(dated, blocks, snapshot))
        try:
            return self._publish(tracker, await asyncio.shield(writing))
        except asyncio.CancelledError:
            # The caller was cancelled, but the events may already be durable: followers must not miss them.
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


def _build_turn_batch(asked: Event, payload: Payload, player: Player | None = None) -> EventBatch:
    """Build the batch of an event that belongs to the same turn and agent as the `TurnAsked` event."""
    return EventBatch(
        asked.session_id,
        [payload],
        turn_id=asked.turn_id,
        agent_name=asked.agent_name,
        player=player,
        agent_path=asked.agent_path,
    )


def _get_decision_id(event: Event) -> str:
    return event.payload.decision_id if isinstance(event.payload, TurnDecided) else ""
