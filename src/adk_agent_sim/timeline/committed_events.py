"""Commits the events of sessions to the store, then publishes them to followers, in that order; and reads them.

Sessions that are used are in memory: read model, pending turns, waiters and listeners of each.

The read model (summary and rows) is folded from the events before they are committed, and committed with them.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager

from adk_agent_sim.errors import EventExists, LogChanged, SeqOutOfRange, SessionClosed, SessionNotFound
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.clock import Clock, WallClock
from adk_agent_sim.timeline.event_validation import MAX_SEQ, validate_event
from adk_agent_sim.timeline.events import REMARK_CLASSES, Event, TurnAsked, TurnDecided
from adk_agent_sim.timeline.read_model.session_read_model import SessionReadModel
from adk_agent_sim.timeline.read_model.session_summary import SessionSummary
from adk_agent_sim.timeline.read_model.timeline_row import TimelineRow
from adk_agent_sim.timeline.store import MemoryStore, Store, fold_events, number_events
from adk_agent_sim.timeline.submissions import EventBatch

_MAX_CACHED_TURNS = 16
"""How many decided turns are kept: those that a client may still ask about."""

_MAX_RECENT_EVENTS = 16
"""How many of the last events are kept, so that followers get them without reading the store."""


class SessionTracker:
    """A session that is played or followed in this process. It holds nothing that is not in the store."""

    def __init__(self, read_model: SessionReadModel) -> None:
        self.read_model = read_model
        self.known_block_ids: set[str] = set()
        self.write_lock = asyncio.Lock()
        self.waiters: set[asyncio.Future[None]] = set()
        self.listeners: list[Callable[[Event], None]] = []
        self.is_deleted = False
        self.user_count = 0
        """How many calls are using the tracker."""
        self._recent_events: deque[Event] = deque(maxlen=_MAX_RECENT_EVENTS)
        """The last events that this process has committed, without gaps."""
        self._turns: OrderedDict[str, dict[type, Event]] = OrderedDict()
        # Of a session without turns, all turns will be seen here; of another, some are only in the store.
        self._turn_ids: set[str] | None = None if read_model.summary.turn_count else set()

    @property
    def summary(self) -> SessionSummary:
        """The summary of the session after its last event."""
        return self.read_model.summary

    @property
    def is_idle(self) -> bool:
        """Whether nobody uses the session, so that it can be dropped and loaded again later."""
        return not (
            self.user_count
            or self.waiters
            or self.listeners
            or self.write_lock.locked()
            # Sessions with pending turns stay in memory, because `peek_pending_turns` does not read the store.
            or self.summary.pending
            or self.summary.delegated
        )

    def publish(self, events: Sequence[Event], read_model: SessionReadModel) -> None:
        """Take over committed events and the read model after them, and tell everybody who waits or listens."""
        # First of all, because listeners and waiters look at it when they are called.
        self.read_model = read_model
        self._recent_events.extend(events)
        self.cache_turn_events(events)
        for event in events:
            # A copy, because a listener may unsubscribe itself while it is called.
            for listener in list(self.listeners):
                listener(event)
        self.wake_waiters()

    def get_events_after(self, seq: int) -> Sequence[Event] | None:
        """Return the events after `seq` if they are all kept in memory; None if only the store can tell."""
        # The caller then reads the store, which raises SessionNotFound.
        if self.is_deleted:
            return None
        if seq >= self.summary.last_seq:
            return ()
        # There would be a gap between `seq` and the oldest event that is kept.
        if not self._recent_events or self._recent_events[0].seq > seq + 1:
            return None
        return [event for event in self._recent_events if event.seq > seq]

    def cache_turn_events(self, events: Iterable[Event]) -> None:
        """Keep the requests and decisions of turns; those that need a decision are kept until they have one."""
        for event in events:
            if isinstance(event.payload, TurnAsked) and self._turn_ids is not None:
                self._turn_ids.add(event.turn_id)
            if isinstance(event.payload, TurnAsked | TurnDecided):
                self._turns.setdefault(event.turn_id, {})[type(event.payload)] = event
        for turn_id in list(self._turns)[:-_MAX_CACHED_TURNS]:
            if not self.summary.is_waiting(turn_id):
                del self._turns[turn_id]

    def find_cached_event(self, turn_id: str, kind: type[TurnAsked] | type[TurnDecided]) -> Event | None:
        """Return the request or the decision of a turn if it is kept in memory."""
        return self._turns.get(turn_id, {}).get(kind)

    def knows_turn(self, turn_id: str) -> bool:
        """Return whether the events of a turn are kept in memory, or it is certain that there are none."""
        if self._turn_ids is not None and turn_id not in self._turn_ids:
            return True
        return TurnAsked in self._turns.get(turn_id, {})

    def reset(self, read_model: SessionReadModel) -> None:
        """Take over a read model with events that another process has appended."""
        self.read_model = read_model
        # The events in between are known to the store only.
        self._recent_events.clear()
        self._turns.clear()
        self._turn_ids = None

    def wake_waiters(self) -> None:
        """Make all waiters check their condition again."""
        for waiter in self.waiters:
            if not waiter.done():
                waiter.set_result(None)
        self.waiters.clear()

    async def wait_until(self, condition: Callable[[], bool]) -> None:
        """Wait until the condition is true; it is checked after every commit."""
        while not condition():
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self.waiters.add(waiter)
            try:
                await waiter
            finally:
                self.waiters.discard(waiter)


_MAX_IDLE_SESSIONS = 32
"""How many sessions that nobody uses are kept in memory."""


class SessionTrackers:
    """The trackers of sessions by id; all users of a session share one."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._trackers: OrderedDict[str, SessionTracker] = OrderedDict()

    def find(self, session_id: str) -> SessionTracker | None:
        """Return the tracker of a session if it is in memory."""
        return self._trackers.get(session_id)

    def remove(self, session_id: str) -> None:
        """Drop a session that was deleted."""
        self._trackers.pop(session_id, None)

    @asynccontextmanager
    async def use(self, session_id: str) -> AsyncGenerator[SessionTracker]:
        """Keep a session in memory while it is used; raise SessionNotFound if it does not exist."""
        tracker = self._trackers.get(session_id)
        if tracker is None:
            loaded = SessionTracker(await self._store.load_read_model(session_id))
            # Another task may have loaded the session during the read: all must share the tracker stored first.
            tracker = self._trackers.setdefault(session_id, loaded)
        self._trackers.move_to_end(session_id)
        tracker.user_count += 1
        try:
            yield tracker
        finally:
            tracker.user_count -= 1
            self._drop_idle()

    def _drop_idle(self) -> None:
        """Drop the sessions that were used longest ago, so that memory does not grow with every session opened."""
        if len(self._trackers) <= _MAX_IDLE_SESSIONS:
            return
        idle = [session_id for session_id, tracker in self._trackers.items() if tracker.is_idle]
        for session_id in idle[:-_MAX_IDLE_SESSIONS]:
            del self._trackers[session_id]


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
