"""Where a timeline rests: the interface that memory and databases implement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from adk_agent_sim.errors import EventExists, SessionExists, SessionNotFound
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.events import Event, Session
from adk_agent_sim.timeline.session_progress import SessionCursor, SessionSummary, StatusSnapshot


class Store(Protocol):
    """Keeps sessions, events and blocks. What `append` returned is durable."""

    async def create_session(self, session: Session) -> None:
        """Add an empty session; SessionExists if there is one of its id."""
        ...

    async def list_sessions(self) -> Sequence[Session]:
        """All sessions, oldest first."""
        ...

    async def find_session(self, session_id: str) -> Session | None:
        """The session of an id, if there is one."""
        ...

    async def list_summaries(
        self, *, before: SessionCursor | None = None, limit: int | None = None, waiting_only: bool = False
    ) -> Sequence[SessionSummary]:
        """Sessions and where they stand, newest first.

        Args:
            before: The place of the last one of the page before; a session that is added later is on no later page.
            limit: How many at most.
            waiting_only: Only those in which a turn waits for a person.
        """
        ...

    async def append(
        self, events: Sequence[Event], blocks: Iterable[Block], snapshot: StatusSnapshot | None = None
    ) -> Sequence[Event]:
        """Add events of one session and the blocks they refer to, all or nothing; gives the events their `seq`.

        EventExists if an event of such an id is there. `standing` is where the session stands after them.
        """
        ...

    async def read_events(self, session_id: str, after_seq: int = 0, limit: int | None = None) -> Sequence[Event]:
        """The events of a session behind `after_seq`, in order, at most `limit`; SessionNotFound if there is none."""
        ...

    async def read_blocks(self, session_id: str, block_ids: Sequence[str]) -> Mapping[str, bytes]:
        """The data of blocks of a session, by id; those it does not have are left out."""
        ...

    async def rename_session(self, session_id: str, description: str) -> None:
        """Give a session another description."""
        ...

    async def delete_session(self, session_id: str) -> None:
        """Take a session away, with all that belongs to it."""
        ...

    async def get_session_sizes(self) -> Mapping[str, int]:
        """How many bytes each session takes."""
        ...


class MemoryStore:
    """Keeps everything in this process: it ends with it."""

    def __init__(self) -> None:
        self._sessions: dict[str, Session] = {}
        self._events: dict[str, list[Event]] = {}
        self._blocks: dict[str, dict[str, bytes]] = {}
        self._snapshots: dict[str, StatusSnapshot] = {}
        self._event_ids: set[str] = set()

    async def create_session(self, session: Session) -> None:
        """Add an empty session."""
        if session.session_id in self._sessions:
            raise SessionExists(session.session_id)
        self._sessions[session.session_id] = session
        self._events[session.session_id] = []
        self._blocks[session.session_id] = {}
        self._snapshots[session.session_id] = StatusSnapshot()

    async def list_sessions(self) -> Sequence[Session]:
        """All sessions, oldest first."""
        return list(self._sessions.values())

    async def find_session(self, session_id: str) -> Session | None:
        """The session of an id, if there is one."""
        return self._sessions.get(session_id)

    async def list_summaries(
        self, *, before: SessionCursor | None = None, limit: int | None = None, waiting_only: bool = False
    ) -> Sequence[SessionSummary]:
        """Sessions and where they stand, newest first."""
        found = sorted(
            map(self._build_summary, self._sessions.values()), key=lambda summary: summary.cursor, reverse=True
        )
        return [
            summary
            for summary in found
            if (before is None or summary.cursor < before) and (summary.snapshot.pending_count or not waiting_only)
        ][:limit]

    def _build_summary(self, session: Session) -> SessionSummary:
        log = self._events[session.session_id]
        return SessionSummary(
            session=session,
            snapshot=self._snapshots[session.session_id],
            last_seq=len(log),
            last_event_at=log[-1].timestamp if log else session.created_at,
        )

    async def append(
        self, events: Sequence[Event], blocks: Iterable[Block], snapshot: StatusSnapshot | None = None
    ) -> Sequence[Event]:
        """Add events of one session and the blocks they refer to; gives the events their `seq`."""
        log = self._require_log(events[0].session_id)
        for event in events:
            if event.event_id in self._event_ids:
                raise EventExists(event.event_id)
        self._event_ids.update(event.event_id for event in events)
        self._snapshots[events[0].session_id] = snapshot or self._snapshots[events[0].session_id]
        kept = self._blocks[events[0].session_id]
        for block in blocks:
            kept.setdefault(block.block_id, block.data)
        numbered = [replace(event, seq=len(log) + place) for place, event in enumerate(events, start=1)]
        log.extend(numbered)
        return numbered

    async def read_events(self, session_id: str, after_seq: int = 0, limit: int | None = None) -> Sequence[Event]:
        """The events of a session behind `after_seq`, in order, at most `limit`."""
        return self.get_log(session_id)[after_seq : None if limit is None else after_seq + limit]

    async def read_blocks(self, session_id: str, block_ids: Sequence[str]) -> Mapping[str, bytes]:
        """The data of blocks of a session, by id."""
        self._require_log(session_id)
        kept = self._blocks[session_id]
        return {block_id: kept[block_id] for block_id in block_ids if block_id in kept}

    async def rename_session(self, session_id: str, description: str) -> None:
        """Give a session another description."""
        self._require_log(session_id)
        self._sessions[session_id] = replace(self._sessions[session_id], description=description)

    async def delete_session(self, session_id: str) -> None:
        """Take a session away, with all that belongs to it."""
        self._event_ids.difference_update(event.event_id for event in self._require_log(session_id))
        for kept in (self._sessions, self._events, self._blocks, self._snapshots):
            del kept[session_id]

    async def get_session_sizes(self) -> Mapping[str, int]:
        """How many bytes the blocks of each session take."""
        return {session_id: self.count_stored_bytes(session_id) for session_id in self._sessions}

    def count_stored_bytes(self, session_id: str) -> int:
        """How many bytes the blocks of a session take."""
        return sum(len(data) for data in self._blocks[session_id].values())

    def get_log(self, session_id: str) -> Sequence[Event]:
        """All events of a session, at once."""
        return self._require_log(session_id)

    def _require_log(self, session_id: str) -> list[Event]:
        try:
            return self._events[session_id]
        except KeyError:
            raise SessionNotFound(session_id) from None
