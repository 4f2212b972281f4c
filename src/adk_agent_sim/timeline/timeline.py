"""The timeline: validates events, commits them to the store, then publishes them to followers, in that order.

    append / ask / decide --> validate --> fold --> Store.append (events and read model) --> followers and waiters wake

The read model (summary and rows) is folded from the events before they are committed, and committed with them. No state
exists only in memory: a session that nobody uses is dropped from memory, and loaded again when it is needed.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from uuid import uuid4

from adk_agent_sim.errors import (
    BlocksMissing,
    EventExists,
    LogChanged,
    SeqOutOfRange,
    SessionClosed,
    SessionNotFound,
    TurnAbandoned,
    TurnAlreadyDecided,
    TurnHasOtherPlayer,
    TurnNotFound,
    TurnNotNext,
)
from adk_agent_sim.timeline import decision_checks
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.clock import Clock, WallClock
from adk_agent_sim.timeline.event_validation import MAX_SEQ, validate_event, validate_payload
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
    RequestSettings,
    RequestSettingsReader,
    build_turn_asked,
    get_turn_asked,
    reassemble_request,
)
from adk_agent_sim.timeline.read_model.pending_requests import RequestKind
from adk_agent_sim.timeline.read_model.session_read_model import SessionReadModel
from adk_agent_sim.timeline.read_model.session_summary import ExportEntry, QueueCursor, SessionSummary
from adk_agent_sim.timeline.read_model.timeline_row import TimelineRow
from adk_agent_sim.timeline.session_queries import QueueEntry, SessionFilter
from adk_agent_sim.timeline.session_tracker import SessionTracker
from adk_agent_sim.timeline.session_trackers import SessionTrackers
from adk_agent_sim.timeline.store import EVERY_SESSION, MemoryStore, Store, number_events
from adk_agent_sim.timeline.submissions import EventBatch, TurnDecision, TurnRequest

_MAX_COMMIT_ATTEMPTS = 100
"""How often events are folded again because another process was faster."""

EVENTS_PER_PAGE = 500
"""How many events a follower reads from the store at a time."""


class Timeline:
    """The sessions of one store. Use it from one event loop."""

    def __init__(self, store: Store | None = None, clock: Clock | None = None) -> None:
        """Open the timeline of `store`; by default a new one in memory."""
        self._store = store or MemoryStore()
        self.clock = clock or WallClock()
        self._trackers = SessionTrackers(self._store)
        self._request_settings = RequestSettingsReader()
        self._watchers: set[Callable[[str], object]] = set()

    def watch_sessions(self, watcher: Callable[[str], object]) -> Callable[[], None]:
        """Call `watcher` with the id of each session that changes: it is created, gets events, is renamed or deleted.

        Returns:
            A function that stops it.
        """
        self._watchers.add(watcher)
        return lambda: self._watchers.discard(watcher)

    async def create_session(self, description: str = "", session_id: str = "") -> Session:
        """Create a session; raise SessionExists if the id is taken."""
        session = Session(session_id=session_id or str(uuid4()), created_at=self.clock.now(), description=description)
        await self._store.create_session(session)
        self._notify_watchers(session.session_id)
        return session

    async def get_session(self, session_id: str) -> Session:
        """Return a session; raise SessionNotFound if it does not exist."""
        return (await self.get_summary(session_id)).session

    async def get_summary(self, session_id: str) -> SessionSummary:
        """Return the summary of a session; raise SessionNotFound if it does not exist."""
        if tracker := self._trackers.find(session_id):
            return tracker.summary
        summary = await self._store.find_summary(session_id)
        if summary is None:
            raise SessionNotFound(session_id)
        return summary

    async def list_summaries(
        self, wanted: SessionFilter = EVERY_SESSION, limit: int | None = None
    ) -> Sequence[SessionSummary]:
        """Return a page of session summaries, newest first; reads no logs."""
        return await self._store.list_summaries(wanted, limit)

    async def list_pending(
        self,
        after: QueueCursor | None = None,
        limit: int | None = None,
        session_ids: Collection[str] | None = None,
    ) -> Sequence[QueueEntry]:
        """Return a page of the requests that wait for a person, oldest first; reads no logs.

        Args:
            after: The cursor of the last entry of the previous page.
            limit: The maximum number of entries.
            session_ids: Only those of these sessions; None: of all.
        """
        return await self._store.list_pending(after, limit, session_ids)

    async def count_pending(self, session_ids: Collection[str] | None = None) -> int:
        """Return how many requests wait for a person, in these sessions or in all."""
        return await self._store.count_pending(session_ids)

    async def get_session_sizes(self, session_ids: Sequence[str] | None = None) -> Mapping[str, int]:
        """Return the stored size in bytes of these sessions, or of all, by session id."""
        return await self._store.get_session_sizes(session_ids)

    async def rename_session(self, session_id: str, name: str) -> None:
        """Give a session a name, which is its description too."""
        await self._change_summary(
            session_id,
            lambda summary: replace(summary, given_name=name, session=replace(summary.session, description=name)),
        )

    async def record_export(self, session_id: str, entry: ExportEntry) -> None:
        """Remember that a golden trace was written of a session."""
        await self._change_summary(session_id, lambda summary: replace(summary, exports=(*summary.exports, entry)))

    async def _change_summary(self, session_id: str, change: Callable[[SessionSummary], SessionSummary]) -> None:
        async with self._trackers.use(session_id) as tracker, tracker.write_lock:
            changed = change(tracker.summary)
            await self._store.save_summary(changed)
            tracker.read_model = tracker.read_model.with_summary(changed)
        self._notify_watchers(session_id)

    async def delete_session(self, session_id: str) -> None:
        """Delete a session and its data; calls that wait for it or follow it raise SessionNotFound."""
        async with self._trackers.use(session_id) as tracker, tracker.write_lock:
            await self._store.delete_session(session_id)
            tracker.is_deleted = True
            self._trackers.remove(session_id)
            tracker.wake_waiters()
        self._notify_watchers(session_id)

    async def delete_idle_sessions(self, idle_since: float) -> Sequence[Session]:
        """Delete sessions without pending turns whose last event is before `idle_since`; returns the deleted ones."""
        idle = [
            summary.session
            for summary in await self._store.list_summaries()
            if summary.last_event_at < idle_since and not summary.pending
        ]
        for session in idle:
            await self.delete_session(session.session_id)
        return idle

    async def close_session(self, session_id: str, reason: str, *, cancelled: bool = False) -> Event:
        """Close a session, which ends all waits in it, and return the `Closed` event; closing twice has no effect."""
        async with self._trackers.use(session_id) as tracker:
            async with tracker.write_lock:
                if not tracker.summary.is_closed:
                    closed = Closed(reason=reason, cancelled=cancelled)
                    batch = EventBatch(session_id, [closed], agent_path=AgentPath())
                    return (await self._commit_batch(tracker, batch))[0]
            # A closed session takes no more events, so its last one is what closed it.
            return (await self._store.read_events(session_id, tracker.summary.last_seq - 1))[0]

    async def listen(self, session_id: str, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Call `listener` with every new event of a session; returns a function that unsubscribes it."""
        async with self._trackers.use(session_id) as tracker:
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
        """Append events that already have ids, and return those that were not appended before, as they are by a retry.

        Raises:
            InvalidField: An event is invalid; nothing was appended.
            EventExists: An event id is taken by another session; nothing was appended.
        """
        for draft in drafts:
            validate_event(draft)
        async with self._trackers.use(session_id) as tracker, tracker.write_lock:
            remaining = list({draft.event_id: draft for draft in drafts}.values())  # an id may be repeated here too
            while remaining:
                try:
                    return await self._commit(tracker, remaining, blocks)
                except EventExists as error:
                    elsewhere = {key: found for key, found in error.session_ids.items() if found != session_id}
                    if elsewhere:
                        raise EventExists(elsewhere) from None
                    remaining = [draft for draft in remaining if draft.event_id not in error.session_ids]
            return ()

    async def ask(self, turn: TurnRequest) -> Event:
        """Submit a model call that a player must decide, and return its event.

        Submitting the same turn again returns the same event, and makes a withdrawn turn pending again.
        """
        async with self._trackers.use(turn.session_id) as tracker:
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
        async with self._trackers.use(session_id) as tracker, tracker.write_lock:
            if already := await self._find_turn_event(tracker, session_id, turn_id, TurnAsked):
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
        if tracker.summary.is_waiting(turn_id) or tracker.summary.is_closed:
            return
        if await self._find_turn_event(tracker, asked.session_id, turn_id, TurnDecided):
            return
        payload = get_turn_asked(asked)
        revived = TurnRevived(invocation_id=payload.invocation_id, client_id=payload.client_id)
        batch = _build_turn_batch(asked, revived)
        await self._commit_batch(tracker, batch)

    async def _check_blocks(
        self, tracker: SessionTracker, session_id: str, asked: TurnAsked, sent_blocks: Sequence[Block]
    ) -> None:
        """Raise BlocksMissing if a block of the request is not stored: readers could not reassemble the request."""
        sent_ids = {block.block_id for block in sent_blocks}
        content_ids = (block_id for level in asked.contents for block_id in level)
        referenced = {asked.tools, asked.instruction, asked.config, *content_ids}
        unknown = [block_id for block_id in referenced - sent_ids if block_id not in tracker.known_block_ids]
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
        async with self._trackers.use(session_id) as tracker, tracker.write_lock:
            asked = await self._find_turn_event(tracker, session_id, turn_id, TurnAsked)
            if asked is not None and tracker.summary.is_waiting(turn_id):
                batch = _build_turn_batch(asked, TurnWithdrawn(abandoned=abandoned))
                await self._commit_batch(tracker, batch)

    async def decide(self, decision: TurnDecision) -> Event:
        """Record the decision of a turn and return its event; a retry with the same `decision_id` returns it again.

        Raises:
            SessionClosed: The session takes no more events.
            InvalidField: The response is not an `LlmResponse`, or the duration is invalid.
            DecisionRefused: The turn is not pending or not next, or the decision does not match its request.
        """
        session_id, turn_id = decision.session_id, decision.turn_id
        decided = TurnDecided(
            decision_id=decision.decision_id,
            response=decision.response,
            anyway=decision.anyway,
            duration_ms=decision.duration_ms,
            decided_by=decision.decided_by,
        )
        validate_payload(decided, "")
        async with self._trackers.use(session_id) as tracker, tracker.write_lock:
            previous = await self._find_turn_event(tracker, session_id, turn_id, TurnDecided)
            if previous and _get_decision_id(previous) == decision.decision_id:
                return previous
            if tracker.summary.is_closed:
                raise SessionClosed(session_id)
            asked = await self._find_turn_event(tracker, session_id, turn_id, TurnAsked)
            if asked is None:
                raise TurnNotFound(session_id, turn_id)
            if previous:
                raise TurnAlreadyDecided(turn_id, previous.event_id)
            if not tracker.summary.is_waiting(turn_id):
                raise TurnAbandoned(turn_id)
            if decision.player is Player.HUMAN:
                _check_next(tracker.summary, asked)
                decision_checks.check_not_empty(turn_id, decision.response)
                if not decision.anyway:
                    settings = await self.read_request_settings(asked)
                    decision_checks.check_matches_request(settings, decision.response)
            return (await self._commit_batch(tracker, _build_turn_batch(asked, decided, decision.player)))[0]

    async def wait_for_decision(self, session_id: str, turn_id: str) -> Event:
        """Wait for the decision of a turn and return its event.

        Raises:
            SessionClosed: The session was closed first.
            SessionNotFound: The session was deleted first.
            TurnAbandoned: The turn was withdrawn first.
            TurnNotFound: The session has no such turn.
        """
        async with self._trackers.use(session_id) as tracker:
            async with tracker.write_lock:  # as in get_turn
                asked = await self._find_turn_event(tracker, session_id, turn_id, TurnAsked)
            if asked is None:
                raise TurnNotFound(session_id, turn_id)
            await tracker.wait_until(lambda: tracker.is_deleted or not tracker.summary.is_waiting(turn_id))
            if tracker.is_deleted:
                raise SessionNotFound(session_id)
            if decided := await self._find_turn_event(tracker, session_id, turn_id, TurnDecided):
                return decided
            if tracker.summary.is_closed:
                raise SessionClosed(session_id)
            raise TurnAbandoned(turn_id)

    def peek_pending_turns(self, session_id: str) -> Sequence[Event]:
        """Return the pending turns without reading the store; empty for a session that this process has not used."""
        tracker = self._trackers.find(session_id)
        if tracker is None:
            return ()
        pending = (tracker.find_cached_event(turn_id, TurnAsked) for turn_id in _list_pending_turns(tracker.summary))
        return [asked for asked in pending if asked]

    async def get_pending_turns(self, session_id: str) -> Sequence[Event]:
        """Return the `TurnAsked` events that wait for a person, oldest first."""
        async with self._trackers.use(session_id) as tracker:
            pending = [
                await self._find_turn_event(tracker, session_id, turn_id, TurnAsked)
                for turn_id in _list_pending_turns(tracker.summary)
            ]
            return [asked for asked in pending if asked]

    async def get_turn(self, session_id: str, turn_id: str) -> Event:
        """Return the `TurnAsked` event of a turn; raise TurnNotFound if the session has no such turn."""
        # The lock waits for a commit that is going on: a list may show its turn already.
        async with self._trackers.use(session_id) as tracker, tracker.write_lock:
            asked = await self._find_turn_event(tracker, session_id, turn_id, TurnAsked)
        if asked is None:
            raise TurnNotFound(session_id, turn_id)
        return asked

    async def read_request(self, asked_event: Event) -> ModelRequest:
        """Return the complete model request of a `TurnAsked` event."""
        return await reassemble_request(asked_event, lambda ids: self._store.read_blocks(asked_event.session_id, ids))

    async def read_request_settings(self, asked_event: Event) -> RequestSettings:
        """Return the model request of a `TurnAsked` event without the conversation, which grows with the session."""
        return await self._request_settings.read(
            asked_event, lambda ids: self._store.read_blocks(asked_event.session_id, ids)
        )

    async def read_block(self, session_id: str, block_id: str) -> bytes:
        """Return the data of one block, such as the bytes of an artifact."""
        return (await self._store.read_blocks(session_id, [block_id]))[block_id]

    async def read_blocks(self, session_id: str, block_ids: Sequence[str]) -> Mapping[str, bytes]:
        """Return the data of a session's blocks by id; blocks that it does not have are left out."""
        return await self._store.read_blocks(session_id, block_ids)

    async def get_last_seq(self, session_id: str) -> int:
        """Return the `seq` of the last event; 0 if there is none."""
        return (await self.get_summary(session_id)).last_seq

    async def read_rows(self, session_id: str, start: int, count: int) -> Sequence[TimelineRow]:
        """Return up to `count` rows of a session from index `start` on."""
        return await self._store.read_rows(session_id, start, count)

    async def read_changed_rows(self, session_id: str, after_seq: int) -> Sequence[TimelineRow]:
        """Return the rows that are new or have changed after an event, by index."""
        return await self._store.read_changed_rows(session_id, after_seq)

    async def read_events(self, session_id: str, after_seq: int = 0, limit: int | None = None) -> Sequence[Event]:
        """Return the events after `after_seq`, at most `limit`."""
        return await self._store.read_events(session_id, max(after_seq, 0), limit)

    async def require_seq(self, session_id: str, seq: int) -> None:
        """Raise SeqOutOfRange if a session has no event `seq`; 0 is before the first one."""
        last_seq = await self.get_last_seq(session_id)
        # Another process may have appended events that this one has not seen.
        if seq > last_seq and (seq > MAX_SEQ or not await self._store.read_events(session_id, seq - 1, 1)):
            raise SeqOutOfRange(session_id, seq, last_seq)

    async def follow(self, session_id: str, after_seq: int = 0) -> AsyncGenerator[Event]:
        """Yield all events after `after_seq`, then each new one, without gaps or repeats, until the session closes.

        Raises:
            SeqOutOfRange: The session has no event `after_seq`.
        """
        seq = max(after_seq, 0)
        await self.require_seq(session_id, seq)
        async with self._trackers.use(session_id) as tracker:
            page: Sequence[Event] | None = None  # first from the store: another process may have appended events
            while True:
                if page is None:
                    # In pages, so that a follower of a long log never holds all of it.
                    page = await self._store.read_events(session_id, seq, EVENTS_PER_PAGE)
                for event in page:
                    seq = event.seq
                    yield event
                if len(page) == EVENTS_PER_PAGE:
                    page = None
                    continue
                if seq >= tracker.summary.last_seq and tracker.summary.is_closed:
                    return
                await tracker.wait_until(
                    lambda: tracker.summary.last_seq > seq or tracker.summary.is_closed or tracker.is_deleted  # noqa: B023 - awaited here
                )
                page = tracker.get_events_after(seq)

    async def _find_turn_event(
        self, tracker: SessionTracker, session_id: str, turn_id: str, kind: type[TurnAsked] | type[TurnDecided]
    ) -> Event | None:
        """Return the request or the decision of a turn; None if the session has none."""
        if not tracker.knows_turn(turn_id):
            tracker.cache_turn_events(await self._store.read_turn_events(session_id, turn_id))
        return tracker.find_cached_event(turn_id, kind)

    async def _commit_batch(self, tracker: SessionTracker, batch: EventBatch) -> Sequence[Event]:
        return await self._commit(tracker, batch.build_drafts(), batch.blocks)

    async def _commit(
        self, tracker: SessionTracker, drafts: Sequence[Event], blocks: Iterable[Block]
    ) -> Sequence[Event]:
        """Write events to the store, then publish them. The caller must hold the session's write lock."""
        for _ in range(_MAX_COMMIT_ATTEMPTS - 1):
            try:
                return await self._commit_once(tracker, drafts, blocks)
            except LogChanged:
                tracker.reset(await self._store.load_read_model(drafts[0].session_id))
        return await self._commit_once(tracker, drafts, blocks)

    async def _commit_once(
        self, tracker: SessionTracker, drafts: Sequence[Event], blocks: Iterable[Block]
    ) -> Sequence[Event]:
        summary = tracker.summary
        if summary.is_closed:
            raise SessionClosed(drafts[0].session_id)
        if tracker.is_deleted:
            raise SessionNotFound(drafts[0].session_id)
        # The wall clock can be set back, but timestamps must not decrease within a session.
        now = max(self.clock.now(), summary.last_event_at)
        events = number_events((replace(draft, timestamp=now) for draft in drafts), summary.last_seq)
        read_model = tracker.read_model.with_events(events)
        writing = asyncio.ensure_future(self._store.append(events, blocks, read_model))
        try:
            await asyncio.shield(writing)
        except asyncio.CancelledError:
            # The caller was cancelled, but the events may already be durable: followers must not miss them.
            await writing
            self._publish(tracker, events, read_model)
            raise
        self._publish(tracker, events, read_model)
        return events

    def _publish(self, tracker: SessionTracker, committed: Sequence[Event], read_model: SessionReadModel) -> None:
        tracker.publish(committed, read_model)
        self._notify_watchers(committed[0].session_id)

    def _notify_watchers(self, session_id: str) -> None:
        for watcher in list(self._watchers):
            watcher(session_id)


def _list_pending_turns(summary: SessionSummary) -> list[str]:
    """Return the ids of the model turns that wait for a person, oldest first."""
    return [request.request_id for request in summary.pending.values() if request.kind is RequestKind.MODEL]


def _check_next(summary: SessionSummary, asked: Event) -> None:
    """Raise DecisionRefused unless the turn is the session's oldest one that waits for a person."""
    if asked.turn_id in summary.delegated:
        raise TurnHasOtherPlayer(asked.turn_id, asked.player or "")
    head = summary.pending[_list_pending_turns(summary)[0]]
    if head.request_id != asked.turn_id:
        raise TurnNotNext(asked.turn_id, head.request_id, head.agent_name)


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
