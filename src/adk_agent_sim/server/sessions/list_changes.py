"""Which sessions look different in a list, since which revision."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from adk_agent_sim.errors import SessionNotFound
from adk_agent_sim.timeline.clock import WallClock
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.use_cases.session_host import SessionHost
from adk_agent_sim.use_cases.session_record import SessionRecord

_MAX_REMEMBERED = 1_000
"""How many sessions are remembered with their last change; a tab that has missed more reloads what it shows."""


_LISTED_FIELDS = [name for name, column in SessionRecord.list_columns() if column.format != "age"]
"""What lists show, without ages: with every event the last one is another one."""


class ListChanges:
    """Numbers the changes of the list of sessions. What no list shows, such as one more call, is not a change."""

    def __init__(self, timeline: Timeline, runs: SessionHost) -> None:
        # Numbers of an earlier server must not be taken for ours when its tabs reconnect: they are all smaller.
        self.revision = int(WallClock().now() * 1_000)
        """The number of the last change."""
        self._timeline = timeline
        self._runs = runs
        self._unread: dict[str, None] = {}
        self._entries: OrderedDict[str, tuple[object, ...]] = OrderedDict()
        self._revisions: OrderedDict[str, int] = OrderedDict()
        self._first_known = self.revision
        """Later changes are all remembered."""

    def add(self, session_id: str) -> None:
        """Note that a session has changed; whether a list shows that is found out by `refresh`."""
        self._unread[session_id] = None

    @property
    def has_unread(self) -> bool:
        """Whether `refresh` has something to do."""
        return bool(self._unread)

    async def refresh(self) -> None:
        """Compare what lists show of the changed sessions with what they showed before."""
        while self._unread:
            session_id = next(iter(self._unread))
            # Removed before the read: a change during it must be read again.
            del self._unread[session_id]
            try:
                entry = await self._read_entry(session_id)
            except BaseException:  # this tab has disconnected, or the database has failed: another tab must read it
                self.add(session_id)
                raise
            if self._entries.get(session_id) != entry:
                self.revision += 1
                self._remember(session_id, entry)

    def list_changed_after(self, revision: int | None) -> Sequence[str] | None:
        """Return the sessions that have changed after a revision; None if that is not known any more."""
        if revision is None or not self._first_known <= revision <= self.revision:
            return None
        return [session_id for session_id, changed in self._revisions.items() if changed > revision]

    async def _read_entry(self, session_id: str) -> tuple[object, ...]:
        """Return what a list shows of a session; an empty tuple if it was deleted."""
        try:
            record = self._runs.describe(await self._timeline.get_summary(session_id))
        except SessionNotFound:
            return ()
        pending = tuple((request.request_id, request.claimed_by) for request in record.pending)
        return (*(getattr(record, name) for name in _LISTED_FIELDS), pending, len(record.exports))

    def _remember(self, session_id: str, entry: tuple[object, ...]) -> None:
        self._entries[session_id], self._revisions[session_id] = entry, self.revision
        self._revisions.move_to_end(session_id)
        self._entries.move_to_end(session_id)
        while len(self._revisions) > _MAX_REMEMBERED:
            _, self._first_known = self._revisions.popitem(last=False)
        # A session that was forgotten counts as changed at its next event, which is harmless.
        while len(self._entries) > _MAX_REMEMBERED:
            self._entries.popitem(last=False)
