"""The sessions that this process has in memory: loaded when they are used, dropped when nobody uses them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from adk_agent_sim.timeline.session_tracker import SessionTracker
from adk_agent_sim.timeline.store import Store

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
