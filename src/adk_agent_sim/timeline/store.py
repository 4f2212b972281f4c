"""The storage interface of a timeline, and its in-memory implementation."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol
from uuid import uuid4

from adk_agent_sim.errors import EventExists, LogChanged, SessionExists, SessionNotFound
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.events import REMARK_CLASSES, Event, Session, UserSpoke
from adk_agent_sim.timeline.read_model.session_read_model import SessionReadModel, create_read_model
from adk_agent_sim.timeline.read_model.session_summary import QueueCursor, SessionSummary
from adk_agent_sim.timeline.read_model.timeline_row import TimelineRow
from adk_agent_sim.timeline.session_queries import QueueEntry, SessionFilter

EVERY_SESSION = SessionFilter()


class Store(Protocol):
    """Stores sessions, events, blocks and the read model. Events are durable when `append` returns."""

    async def create_session(self, session: Session) -> None:
        """Add an empty session; raise SessionExists if its id is taken."""
        ...

    async def find_summary(self, session_id: str) -> SessionSummary | None:
        """Return the summary of a session, or None if it does not exist."""
        ...

    async def list_summaries(
        self, wanted: SessionFilter = EVERY_SESSION, limit: int | None = None
    ) -> Sequence[SessionSummary]:
        """Return session summaries, newest first; reads no logs."""
        ...

    async def list_pending(
        self,
        after: QueueCursor | None = None,
        limit: int | None = None,
        session_ids: Collection[str] | None = None,
    ) -> Sequence[QueueEntry]:
        """Return the requests that wait for a person, oldest first; reads no logs.

        Args:
            after: The cursor of the last entry of the previous page.
            limit: The maximum number of entries.
            session_ids: Only those of these sessions; None: of all.
        """
        ...

    async def count_pending(self, session_ids: Collection[str] | None = None) -> int:
        """Return how many requests wait for a person, in these sessions or in all."""
        ...

    async def load_read_model(self, session_id: str) -> SessionReadModel:
        """Return the read model of a session, to be continued; raise SessionNotFound if it does not exist."""
        ...

    async def append(
        self, events: Sequence[Event], blocks: Iterable[Block], read_model: SessionReadModel
    ) -> Sequence[Event]:
        """Append events of one session, their blocks and the read model after them atomically.

        Args:
            events: The events, all of one session, with their `seq`.
            blocks: The blocks that they refer to.
            read_model: The read model of the session after the events.

        Raises:
            EventExists: Some event ids are taken; the error lists all of them.
            LogChanged: The `seq` of the first event is not the next one: another process has appended events.
        """
        ...

    async def branch_session(self, source_id: str, session: Session, until_seq: int) -> bool:
        """Create a session that begins with the events of another one, if that takes no longer for more of them.

        Returns:
            False if it would; nothing was created, and the events have to be copied.
        """
        ...

    async def read_events(self, session_id: str, after_seq: int = 0, limit: int | None = None) -> Sequence[Event]:
        """Return the events after `after_seq`, at most `limit`; raise SessionNotFound if the session does not exist."""
        ...

    async def read_turn_events(self, session_id: str, turn_id: str) -> Sequence[Event]:
        """Return the events of a model turn, oldest first."""
        ...

    async def read_blocks(self, session_id: str, block_ids: Sequence[str]) -> Mapping[str, bytes]:
        """Return the data of a session's blocks by id; blocks that it does not have are left out."""
        ...

    async def read_rows(self, session_id: str, start: int, count: int) -> Sequence[TimelineRow]:
        """Return up to `count` rows of a session from index `start` on."""
        ...

    async def read_changed_rows(self, session_id: str, after_seq: int) -> Sequence[TimelineRow]:
        """Return the rows that are new or have changed after an event, by index."""
        ...

    async def save_summary(self, summary: SessionSummary) -> None:
        """Replace the description, the name and the exports of a session; the log stays as it is."""
        ...

    async def delete_session(self, session_id: str) -> None:
        """Delete a session with all that belongs to it."""
        ...

    async def get_session_sizes(self, session_ids: Sequence[str] | None = None) -> Mapping[str, int]:
        """Return the stored size in bytes of these sessions, or of all; sessions that do not exist are left out."""
        ...


class MemoryStore:
    """A store in memory; its data is lost when the process ends."""

    def __init__(self) -> None:
        self._read_models: dict[str, SessionReadModel] = {}
        self._events: dict[str, list[Event]] = {}
        self._rows: dict[str, dict[int, TimelineRow]] = {}
        self._blocks: dict[str, dict[str, bytes]] = {}
        self._event_sessions: dict[str, str] = {}
        self._run_starts: dict[str, dict[int, SessionReadModel]] = {}
        """The read models before each user message, by session and by the number of events until then."""
        self._borrowed_counts: dict[str, int] = {}
        """How many events a session still shares with the one that it was branched from."""
        self._noted_sessions: set[str] = set()
        """The sessions with a note."""

    async def create_session(self, session: Session) -> None:
        """Add an empty session."""
        session_id = session.session_id
        if session_id in self._read_models:
            raise SessionExists(session_id)
        self._read_models[session_id] = create_read_model(session)
        self._events[session_id] = []
        self._rows[session_id] = {}
        self._blocks[session_id] = {}

    async def find_summary(self, session_id: str) -> SessionSummary | None:
        """Return the summary of a session, or None if it does not exist."""
        read_model = self._read_models.get(session_id)
        return read_model.summary if read_model else None

    async def list_summaries(
        self, wanted: SessionFilter = EVERY_SESSION, limit: int | None = None
    ) -> Sequence[SessionSummary]:
        """Return session summaries, newest first."""
        summaries = (read_model.summary for read_model in self._read_models.values())
        return sorted(filter(wanted.matches, summaries), key=lambda summary: summary.cursor, reverse=True)[:limit]

    async def list_pending(
        self,
        after: QueueCursor | None = None,
        limit: int | None = None,
        session_ids: Collection[str] | None = None,
    ) -> Sequence[QueueEntry]:
        """Return the requests that wait for a person, oldest first."""
        entries = [
            QueueEntry(read_model.summary, request)
            for session_id, read_model in self._read_models.items()
            if session_ids is None or session_id in session_ids
            for request in read_model.summary.pending.values()
        ]
        return sorted(
            (entry for entry in entries if after is None or entry.cursor > after), key=lambda entry: entry.cursor
        )[:limit]

    async def count_pending(self, session_ids: Collection[str] | None = None) -> int:
        """Return how many requests wait for a person, in these sessions or in all."""
        return len(await self.list_pending(session_ids=session_ids))

    async def load_read_model(self, session_id: str) -> SessionReadModel:
        """Return the read model of a session, to be continued."""
        self._find_log(session_id)
        return self._read_models[session_id]

    async def append(
        self, events: Sequence[Event], blocks: Iterable[Block], read_model: SessionReadModel
    ) -> Sequence[Event]:
        """Append events of one session, their blocks and the read model after them."""
        session_id = events[0].session_id
        log = self._find_log(session_id)
        taken = {event.event_id: self._event_sessions.get(event.event_id) for event in events}
        if stored_ids := {event_id: found for event_id, found in taken.items() if found is not None}:
            raise EventExists(stored_ids)
        if events[0].seq != len(log) + 1:
            raise LogChanged(session_id)
        self._event_sessions.update(dict.fromkeys(taken, session_id))
        stored = self._blocks[session_id]
        for block in blocks:
            stored.setdefault(block.block_id, block.data)
        # Kept before it is replaced below: a branch before this message continues from here.
        if isinstance(events[0].payload, UserSpoke):
            self._run_starts.setdefault(session_id, {})[len(log)] = self._read_models[session_id]
        if any(isinstance(event.payload, REMARK_CLASSES) for event in events):
            self._noted_sessions.add(session_id)
        log.extend(events)
        self._read_models[session_id] = read_model
        self._rows[session_id].update((row.index, row) for row in read_model.changed_rows)
        return events

    async def branch_session(self, source_id: str, session: Session, until_seq: int) -> bool:
        """Create a session that begins with the events of another one; they are shared until somebody reads them.

        That needs the read model after the last of them, which is known where the user spoke next, and at the end. A
        session with notes is copied: they may have changed its rows since, and a branch does not take them over.
        """
        log = self._require_log(source_id)
        at_end = until_seq == len(log)
        source = self._read_models[source_id] if at_end else self._run_starts.get(source_id, {}).get(until_seq)
        if source is None or source.summary.is_closed or source_id in self._noted_sessions:
            return False
        await self.create_session(session)
        session_id = session.session_id
        summary = replace(source.summary, session=session, given_name="", exports=())
        self._read_models[session_id] = SessionReadModel(summary, source.rows.copy())
        self._events[session_id] = log[:until_seq]
        self._borrowed_counts[session_id] = until_seq
        rows = self._rows[source_id]
        shared = rows if at_end else {index: rows[index] for index in range(source.rows.row_count)}
        # Rows that could still change then may have changed since.
        self._rows[session_id] = {**shared, **source.rows.rows}
        self._blocks[session_id] = dict(self._blocks[source_id])
        self._run_starts[session_id] = {}
        return True

    async def read_events(self, session_id: str, after_seq: int = 0, limit: int | None = None) -> Sequence[Event]:
        """Return the events after `after_seq`, at most `limit`."""
        log = self._require_log(session_id)
        return log[after_seq:] if limit is None else log[after_seq : after_seq + limit]

    async def read_turn_events(self, session_id: str, turn_id: str) -> Sequence[Event]:
        """Return the events of a model turn, oldest first."""
        return [event for event in self._require_log(session_id) if event.turn_id == turn_id]

    async def read_blocks(self, session_id: str, block_ids: Sequence[str]) -> Mapping[str, bytes]:
        """Return the data of a session's blocks by id; blocks that it does not have are left out."""
        self._find_log(session_id)
        stored = self._blocks[session_id]
        return {block_id: stored[block_id] for block_id in block_ids if block_id in stored}

    async def read_rows(self, session_id: str, start: int, count: int) -> Sequence[TimelineRow]:
        """Return up to `count` rows of a session from index `start` on."""
        self._find_log(session_id)
        rows = self._rows[session_id]
        return [rows[index] for index in range(start, min(start + count, len(rows)))]

    async def read_changed_rows(self, session_id: str, after_seq: int) -> Sequence[TimelineRow]:
        """Return the rows that are new or have changed after an event, by index."""
        self._find_log(session_id)
        return [row for row in self._rows[session_id].values() if row.updated_seq > after_seq]

    async def save_summary(self, summary: SessionSummary) -> None:
        """Replace the description, the name and the exports of a session; the log stays as it is."""
        session_id = summary.session.session_id
        self._find_log(session_id)
        self._read_models[session_id] = self._read_models[session_id].with_summary(summary)

    async def delete_session(self, session_id: str) -> None:
        """Delete a session with all that belongs to it."""
        for event in self._require_log(session_id):
            self._event_sessions.pop(event.event_id, None)
        for stored in (self._read_models, self._events, self._rows, self._blocks):
            del stored[session_id]
        self._run_starts.pop(session_id, None)
        self._noted_sessions.discard(session_id)

    async def get_session_sizes(self, session_ids: Sequence[str] | None = None) -> Mapping[str, int]:
        """Return the size in bytes of the blocks of these sessions, or of all."""
        wanted = (
            self._read_models if session_ids is None else [each for each in session_ids if each in self._read_models]
        )
        return {session_id: self.count_stored_bytes(session_id) for session_id in wanted}

    def count_stored_bytes(self, session_id: str) -> int:
        """Return the size of a session's blocks in bytes."""
        return sum(len(data) for data in self._blocks[session_id].values())

    def get_log(self, session_id: str) -> Sequence[Event]:
        """Return all events of a session."""
        return self._require_log(session_id)

    def _require_log(self, session_id: str) -> list[Event]:
        """Return the log of a session; what it shares with another one becomes its own."""
        log = self._find_log(session_id)
        if count := self._borrowed_counts.pop(session_id, 0):
            log[:count] = [replace(event, session_id=session_id, event_id=str(uuid4())) for event in log[:count]]
            self._event_sessions.update((event.event_id, session_id) for event in log[:count])
        return log

    def _find_log(self, session_id: str) -> list[Event]:
        try:
            return self._events[session_id]
        except KeyError:
            raise SessionNotFound(session_id) from None


async def fold_events(store: Store, read_model: SessionReadModel, events: Sequence[Event]) -> SessionReadModel:
    """Return the read model after more events; reads the rows that notes are about, if the fold does not have them."""
    missing = read_model.list_missing_rows(events)
    session_id = read_model.summary.session.session_id
    noted_rows = [row for index in missing for row in await store.read_rows(session_id, index, 1)]
    return read_model.with_events(events, noted_rows)


def number_events(events: Iterable[Event], last_seq: int, timestamp: float | None = None) -> list[Event]:
    """Return events with the `seq` that follows the last one of their log, and with this timestamp if there is one."""
    fields: dict[str, Any] = {} if timestamp is None else {"timestamp": timestamp}
    return [replace(event, seq=seq, **fields) for seq, event in enumerate(events, start=last_seq + 1)]
