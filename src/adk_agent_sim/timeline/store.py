"""The storage interface of a timeline, and its in-memory implementation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from adk_agent_sim.errors import EventExists, SessionExists, SessionNotFound
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.events import Event, Session
from adk_agent_sim.timeline.session_progress import SessionCursor, SessionSummary, StatusSnapshot


class Store(Protocol):
    """Stores sessions, events and blocks. Events are durable when `append` returns."""

    async def create_session(self, session: Session) -> None:
        """Add an empty session; raise SessionExists if its id is taken."""
        ...

    async def list_sessions(self) -> Sequence[Session]:
        """Return all sessions, oldest first."""
        ...

    async def find_session(self, session_id: str) -> Session | None:
        """Return the session, or None if it does not exist."""
        ...

    async def list_summaries(
        self, *, before: SessionCursor | None = None, limit: int | None = None, waiting_only: bool = False
    ) -> Sequence[SessionSummary]:
        """Return session summaries, newest first.

        Args:
            before: The cursor of the last summary of the previous page; later pages omit sessions created since.
            limit: The maximum number of summaries.
            waiting_only: Whether to return only sessions with a turn that waits for a person.
        """
        ...

    async def append(
        self, events: Sequence[Event], blocks: Iterable[Block], snapshot: StatusSnapshot | None = None
    ) -> Sequence[Event]:
        """Append events of one session and their blocks atomically; returns the events with their `seq`.

        Args:
            events: The events, all of one session.
            blocks: The blocks that they refer to.
            snapshot: The status of the session after the events; None leaves the stored one unchanged.

        Raises:
            EventExists: One of the event ids is taken.
        """
        ...

    async def read_events(self, session_id: str, after_seq: int = 0, limit: int | None = None) -> Sequence[Event]:
        """Return the events after `after_seq`, at most `limit`; raise SessionNotFound if the session does not exist."""
        ...

    async def read_blocks(self, session_id: str, block_ids: Sequence[str]) -> Mapping[str, bytes]:
        """Return the data of a session's blocks by id; blocks that it does not have are left out."""
        ...

    async def rename_session(self, session_id: str, description: str) -> None:
        """Change the description of a session."""
        ...

    async def delete_session(self, session_id: str) -> None:
        """Delete a session with its events and blocks."""
        ...

    async def get_session_sizes(self) -> Mapping[str, int]:
        """Return the stored size of each session in bytes."""
        ...


class MemoryStore:
    """A store in memory; its data is lost when the process ends."""

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
        """Return all sessions, oldest first."""
        return list(self._sessions.values())

    async def find_session(self, session_id: str) -> Session | None:
        """Return the session, or None if it does not exist."""
        return self._sessions.get(session_id)

    async def list_summaries(
        self, *, before: SessionCursor | None = None, limit: int | None = None, waiting_only: bool = False
    ) -> Sequence[SessionSummary]:
        """Return session summaries, newest first."""
        summaries = sorted(
            map(self._build_summary, self._sessions.values()), key=lambda summary: summary.cursor, reverse=True
        )
        return [
            summary
            for summary in summaries
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
        """Append events of one session and their blocks; returns the events with their `seq`."""
        log = self._require_log(events[0].session_id)
        for event in events:
            if event.event_id in self._event_ids:
                raise EventExists(event.event_id)
        self._event_ids.update(event.event_id for event in events)
        self._snapshots[events[0].session_id] = snapshot or self._snapshots[events[0].session_id]
        stored = self._blocks[events[0].session_id]
        for block in blocks:
            stored.setdefault(block.block_id, block.data)
        numbered = [replace(event, seq=len(log) + offset) for offset, event in enumerate(events, start=1)]
        log.extend(numbered)
        return numbered

    async def read_events(self, session_id: str, after_seq: int = 0, limit: int | None = None) -> Sequence[Event]:
        """Return the events after `after_seq`, at most `limit`."""
        return self.get_log(session_id)[after_seq : None if limit is None else after_seq + limit]

    async def read_blocks(self, session_id: str, block_ids: Sequence[str]) -> Mapping[str, bytes]:
        """Return the data of a session's blocks by id."""
        self._require_log(session_id)
        stored = self._blocks[session_id]
        return {block_id: stored[block_id] for block_id in block_ids if block_id in stored}

    async def rename_session(self, session_id: str, description: str) -> None:
        """Change the description of a session."""
        self._require_log(session_id)
        self._sessions[session_id] = replace(self._sessions[session_id], description=description)

    async def delete_session(self, session_id: str) -> None:
        """Delete a session with its events and blocks."""
        self._event_ids.difference_update(event.event_id for event in self._require_log(session_id))
        for stored in (self._sessions, self._events, self._blocks, self._snapshots):
            del stored[session_id]

    async def get_session_sizes(self) -> Mapping[str, int]:
        """Return the size of each session's blocks in bytes."""
        return {session_id: self.count_stored_bytes(session_id) for session_id in self._sessions}

    def count_stored_bytes(self, session_id: str) -> int:
        """Return the size of a session's blocks in bytes."""
        return sum(len(data) for data in self._blocks[session_id].values())

    def get_log(self, session_id: str) -> Sequence[Event]:
        """Return all events of a session."""
        return self._require_log(session_id)

    def _require_log(self, session_id: str) -> list[Event]:
        try:
            return self._events[session_id]
        except KeyError:
            raise SessionNotFound(session_id) from None
