"""The timeline: validates events, commits them to the store, then publishes them to followers, in that order.

    append / ask / decide --> validate --> fold --> Store.append (events and read model) --> followers and waiters wake

    CommittedEvents   append, follow, read
    ModelTurns        ask, decide, wait for a decision
    ToolRequests      tool calls that a person answers
    Timeline          create, list, rename, close, delete sessions

No state exists only in memory: a session that nobody uses is dropped from memory, and loaded again when it is needed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from uuid import uuid4

from adk_agent_sim.errors import NotFound
from adk_agent_sim.timeline.clock import Clock
from adk_agent_sim.timeline.event_validation import MAX_SEQ
from adk_agent_sim.timeline.events import REMARK_CLASSES, AgentPath, CancelAsked, Closed, Event, Noted, Player, Session
from adk_agent_sim.timeline.model_turns import ModelTurns
from adk_agent_sim.timeline.read_model.session_summary import ExportEntry, QueueCursor, SessionSummary
from adk_agent_sim.timeline.session_queries import QueueEntry, SessionFilter
from adk_agent_sim.timeline.store import EVERY_SESSION, Store
from adk_agent_sim.timeline.submissions import EventBatch, ToolRequest
from adk_agent_sim.timeline.tool_requests import ToolRequests


class Timeline(ModelTurns):
    """The sessions of one store. Use it from one event loop."""

    def __init__(self, store: Store | None = None, clock: Clock | None = None) -> None:
        """Open the timeline of `store`; by default a new one in memory."""
        super().__init__(store, clock)
        self.tool_requests = ToolRequests(self.store, self._trackers, self._commit_batch)
        """The tool calls that wait for the response of a person."""
        self.export_lock = asyncio.Lock()
        """Held while a session is exported."""

    async def ask_tool(self, request: ToolRequest) -> Event:
        """Submit a tool call whose response a person must give, and return its event."""
        return await self.tool_requests.ask(request)

    async def wait_for_tool_response(self, session_id: str, request_id: str) -> Event:
        """Wait for the response of a person to a tool call; errors: see `ToolRequests.wait_for_response`."""
        return await self.tool_requests.wait_for_response(session_id, request_id)

    async def create_session(self, description: str = "", session_id: str = "") -> Session:
        """Create a session; raise SessionExists if the id is taken."""
        session = Session(session_id=session_id or str(uuid4()), created_at=self.clock.now(), description=description)
        await self.store.create_session(session)
        self.announce_change(session.session_id)
        return session

    async def branch_session(self, source_id: str, until_seq: int, description: str, session_id: str) -> bool:
        """Create a session that begins with the events of another one; False if they have to be copied first."""
        session = Session(session_id=session_id, created_at=self.clock.now(), description=description)
        is_branched = await self.store.branch_session(source_id, session, until_seq)
        if is_branched:
            self.announce_change(session_id)
        return is_branched

    async def get_session(self, session_id: str) -> Session:
        """Return a session; raise SessionNotFound if it does not exist."""
        return (await self.get_summary(session_id)).session

    async def list_summaries(
        self, wanted: SessionFilter = EVERY_SESSION, limit: int | None = None
    ) -> Sequence[SessionSummary]:
        """Return a page of session summaries, newest first; reads no logs."""
        return await self.store.list_summaries(wanted, limit)

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
        return await self.store.list_pending(after, limit, session_ids)

    async def count_pending(self, session_ids: Collection[str] | None = None) -> int:
        """Return how many requests wait for a person, in these sessions or in all."""
        return await self.store.count_pending(session_ids)

    async def get_session_sizes(self, session_ids: Sequence[str] | None = None) -> Mapping[str, int]:
        """Return the stored size in bytes of these sessions, or of all, by session id."""
        return await self.store.get_session_sizes(session_ids)

    async def rename_session(self, session_id: str, name: str) -> None:
        """Give a session a name, which is its description too."""
        await self._change_summary(
            session_id,
            lambda summary: replace(summary, given_name=name, session=replace(summary.session, description=name)),
        )

    async def record_export(self, session_id: str, entry: ExportEntry) -> None:
        """Remember that a golden trace was written of a session."""
        await self._change_summary(session_id, lambda summary: replace(summary, exports=(*summary.exports, entry)))

    async def record_fork(self, session_id: str, fork_id: str) -> None:
        """Remember that a session was forked."""
        await self._change_summary(session_id, lambda summary: replace(summary, forks=(*summary.forks, fork_id)))

    async def _change_summary(self, session_id: str, change: Callable[[SessionSummary], SessionSummary]) -> None:
        # Under the lock, because a commit in between would store the summary without this change.
        async with self._trackers.use(session_id) as tracker, tracker.write_lock:
            changed = change(tracker.summary)
            await self.store.save_summary(changed)
            tracker.read_model = tracker.read_model.with_summary(changed)
        self.announce_change(session_id)

    async def delete_session(self, session_id: str) -> None:
        """Delete a session and its data; calls that wait for it or follow it raise SessionNotFound."""
        async with self._trackers.use(session_id) as tracker, tracker.write_lock:
            await self.store.delete_session(session_id)
            # Those who wait or follow hold this tracker, and learn of the deletion only from it.
            tracker.is_deleted = True
            self._trackers.remove(session_id)
            tracker.wake_waiters()
        self.announce_change(session_id)

    async def delete_idle_sessions(self, idle_since: float) -> Sequence[Session]:
        """Delete sessions without pending turns whose last event is before `idle_since`; returns the deleted ones."""
        idle = [
            summary.session
            for summary in await self.store.list_summaries()
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
            return await self._find_closing_event(tracker.summary)

    async def _find_closing_event(self, summary: SessionSummary) -> Event:
        """Return the event that closed a session: the last one that is no note or verdict."""
        seq = summary.last_seq
        while True:
            event = (await self.store.read_events(summary.session.session_id, seq - 1, 1))[0]
            if not isinstance(event.payload, REMARK_CLASSES):
                return event
            seq -= 1

    async def cancel_call(self, session_id: str, call_id: str) -> None:
        """Request the cancellation of a running tool call; the process that runs the agent listens for it."""
        await self.append(EventBatch(session_id, [CancelAsked(call_id=call_id)], player=Player.HUMAN))

    async def note_row(self, session_id: str, index: int, text: str) -> Event:
        """Put a note on a row in place of the one that it has, and return its event; an empty text removes the note.

        A closed session takes notes too: they are no part of what happened in it.

        Raises:
            NotFound: The session has no such row.
            InvalidField: The text cannot be stored.
        """
        row_count = (await self.get_summary(session_id)).row_count
        rows = await self.store.read_rows(session_id, index, 1) if 0 <= index < MAX_SEQ else ()
        if not rows:
            raise NotFound(f"There is no row {index}; the session has {row_count} rows.")
        noted = Noted(row_index=index, about_seq=rows[0].seq, text=text)
        return (await self.append(EventBatch(session_id, [noted], agent_path=AgentPath())))[0]
