"""Commits the events of sessions to the store, then publishes them to followers, in that order; and reads them.

The read model (summary and rows) is folded from the events before they are committed, and committed with them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence

from adk_agent_sim.errors import EventExists, LogChanged, SeqOutOfRange, SessionClosed, SessionNotFound
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.clock import Clock, WallClock
from adk_agent_sim.timeline.event_validation import MAX_SEQ, validate_event
from adk_agent_sim.timeline.events import REMARK_CLASSES, Event
from adk_agent_sim.timeline.read_model.session_read_model import SessionReadModel
from adk_agent_sim.timeline.read_model.session_summary import SessionSummary
from adk_agent_sim.timeline.read_model.timeline_row import TimelineRow
from adk_agent_sim.timeline.session_tracker import SessionTracker, SessionTrackers
from adk_agent_sim.timeline.store import MemoryStore, Store, fold_events, number_events
from adk_agent_sim.timeline.submissions import EventBatch

_MAX_FUTILE_ATTEMPTS = 100
"""How often a commit may find the log changed although nobody has appended to it."""

EVENTS_PER_PAGE = 500
"""How many events a follower reads from the store at a time."""


class CommittedEvents:
    """The events of the sessions of one store. Use it from one event loop."""

    def __init__(self, store: Store | None = None, clock: Clock | None = None) -> None:
        """Open the timeline of `store`; by default a new one in memory."""
        self.store: Store = store or MemoryStore()
        """Where the sessions are kept."""
        self.clock = clock or WallClock()
        self._trackers = SessionTrackers(self.store)
        self._watchers: set[Callable[[str], object]] = set()

    def watch_sessions(self, watcher: Callable[[str], object]) -> Callable[[], None]:
        """Call `watcher` with the id of each session that changes: it is created, gets events, is renamed or deleted.

        Returns:
            A function that stops it.
        """
        self._watchers.add(watcher)
        return lambda: self._watchers.discard(watcher)

    def announce_change(self, session_id: str) -> None:
        """Tell those who watch sessions that something about one has changed, on its timeline or elsewhere."""
        # A copy, because a watcher may stop itself while it is called.
        for watcher in list(self._watchers):
            watcher(session_id)

    async def get_summary(self, session_id: str) -> SessionSummary:
        """Return the summary of a session; raise SessionNotFound if it does not exist."""
        if tracker := self._trackers.find(session_id):
            return tracker.summary
        summary = await self.store.find_summary(session_id)
        if summary is None:
            raise SessionNotFound(session_id)
        return summary

    async def listen(self, session_id: str, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Call `listener` with every new event of a session; returns a function that unsubscribes it."""
        async with self._trackers.use(session_id) as tracker:
            tracker.listeners.append(listener)
            return lambda: tracker.listeners.remove(listener)

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
                    # A write is refused as a whole, so what is new is written again without what is stored.
                    remaining = [draft for draft in remaining if draft.event_id not in error.session_ids]
            return ()

    async def get_last_seq(self, session_id: str) -> int:
        """Return the `seq` of the last event; 0 if there is none."""
        return (await self.get_summary(session_id)).last_seq

    async def read_rows(self, session_id: str, start: int, count: int) -> Sequence[TimelineRow]:
        """Return up to `count` rows of a session from index `start` on."""
        return await self.store.read_rows(session_id, start, count)

    async def read_changed_rows(self, session_id: str, after_seq: int) -> Sequence[TimelineRow]:
        """Return the rows that are new or have changed after an event, by index."""
        return await self.store.read_changed_rows(session_id, after_seq)

    async def read_events(self, session_id: str, after_seq: int = 0, limit: int | None = None) -> Sequence[Event]:
        """Return the events after `after_seq`, at most `limit`."""
        return await self.store.read_events(session_id, max(after_seq, 0), limit)

    async def read_block(self, session_id: str, block_id: str) -> bytes:
        """Return the data of one block, such as the bytes of an artifact."""
        return (await self.store.read_blocks(session_id, [block_id]))[block_id]

    async def read_blocks(self, session_id: str, block_ids: Sequence[str]) -> Mapping[str, bytes]:
        """Return the data of a session's blocks by id; blocks that it does not have are left out."""
        return await self.store.read_blocks(session_id, block_ids)

    async def require_seq(self, session_id: str, seq: int) -> None:
        """Raise SeqOutOfRange if a session has no event `seq`; 0 is before the first one."""
        last_seq = await self.get_last_seq(session_id)
        # Another process may have appended events that this one has not seen.
        if seq > last_seq and (seq > MAX_SEQ or not await self.store.read_events(session_id, seq - 1, 1)):
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
                    page = await self.store.read_events(session_id, seq, EVENTS_PER_PAGE)
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

    async def _commit_batch(self, tracker: SessionTracker, batch: EventBatch) -> Sequence[Event]:
        return await self._commit(tracker, batch.build_drafts(), batch.blocks)

    async def _commit(
        self, tracker: SessionTracker, drafts: Sequence[Event], blocks: Iterable[Block]
    ) -> Sequence[Event]:
        """Write events to the store, then publish them. The caller must hold the session's write lock."""
        futile_attempts = 0
        while True:
            last_seq = tracker.summary.last_seq
            try:
                return await self._commit_once(tracker, drafts, blocks)
            except LogChanged:
                tracker.reset(await self.store.load_read_model(drafts[0].session_id))
                # Where others were first, the log has grown: however many they are, this one's turn comes.
                futile_attempts = 0 if tracker.summary.last_seq > last_seq else futile_attempts + 1
                if futile_attempts == _MAX_FUTILE_ATTEMPTS:
                    raise

    async def _commit_once(
        self, tracker: SessionTracker, drafts: Sequence[Event], blocks: Iterable[Block]
    ) -> Sequence[Event]:
        summary = tracker.summary
        if summary.is_closed and not all(isinstance(draft.payload, REMARK_CLASSES) for draft in drafts):
            raise SessionClosed(drafts[0].session_id)
        if tracker.is_deleted:
            raise SessionNotFound(drafts[0].session_id)
        # The wall clock can be set back, but timestamps must not decrease within a session.
        now = max(self.clock.now(), summary.last_event_at)
        events = number_events(drafts, summary.last_seq, now)
        read_model = await fold_events(self.store, tracker.read_model, events)
        writing = asyncio.ensure_future(self.store.append(events, blocks, read_model))
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
        self.announce_change(committed[0].session_id)
