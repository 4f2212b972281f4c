"""The sessions in memory: read model, pending turns, waiters and listeners of each; dropped when nobody uses them."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager

from adk_agent_sim.timeline.events import Event, TurnAsked, TurnDecided
from adk_agent_sim.timeline.read_model.session_read_model import SessionReadModel
from adk_agent_sim.timeline.read_model.session_summary import SessionSummary
from adk_agent_sim.timeline.store import Store

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
