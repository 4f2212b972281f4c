"""One WebSocket per browser tab: sends the session that the tab follows, and what has changed in the list of sessions.

    timeline event, rename, export --> wake_event of every tab --> read the current state --> one message

A tab is sent the current state when it is ready to receive, not every event. Nothing queues up for a slow tab, and a
row that changed twice in between is sent once. The list is sent as changes after a revision, so the cost of a message
depends on what has changed, not on how many sessions there are.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from pydantic import ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect

from adk_agent_sim.errors import SessionNotFound
from adk_agent_sim.server.agents.agent_catalog import AgentCatalog
from adk_agent_sim.server.sessions.session_api_models import (
    AgentsUpdate,
    FollowRequest,
    SessionDetail,
    SessionGone,
    SessionListUpdate,
    SessionUpdate,
)
from adk_agent_sim.server.web.responses import to_ascii_json
from adk_agent_sim.timeline.clock import WallClock
from adk_agent_sim.timeline.read_model.session_summary import SessionSummary
from adk_agent_sim.timeline.read_model.timeline_row import TimelineRow
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
        self._known: OrderedDict[str, tuple[int, tuple[object, ...]]] = OrderedDict()
        """The number of the last change of each session, and what lists show of it since then."""
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
            if session_id not in self._known or self._known[session_id][1] != entry:
                self.revision += 1
                self._known[session_id] = self.revision, entry
                self._known.move_to_end(session_id)
            # A session that was forgotten counts as changed at its next event, which is harmless.
            while len(self._known) > _MAX_REMEMBERED:
                _, (self._first_known, _) = self._known.popitem(last=False)

    def list_changed_after(self, revision: int | None) -> Sequence[str] | None:
        """Return the sessions that have changed after a revision; None if that is not known any more."""
        if revision is None or not self._first_known <= revision <= self.revision:
            return None
        return [session_id for session_id, (changed, _) in self._known.items() if changed > revision]

    async def _read_entry(self, session_id: str) -> tuple[object, ...]:
        """Return what a list shows of a session; an empty tuple if it was deleted."""
        try:
            record = self._runs.describe(await self._timeline.get_summary(session_id))
        except SessionNotFound:
            return ()
        pending = tuple((request.request_id, request.claimed_by) for request in record.pending)
        return (*(getattr(record, name) for name in _LISTED_FIELDS), pending, len(record.exports))


_POLICY_VIOLATION = 1008
"""The WebSocket close code for a message that the server does not accept."""


# Tabs are kept in a set, and a dataclass that compares its fields has no hash.
@dataclass(eq=False)
class _BrowserTab:
    """One tab: what it follows, and what it was sent."""

    follow_request: FollowRequest | None = None
    """None until the tab has sent its first request."""
    sent_seq: int = 0
    """The last event of the followed session that was sent."""
    sent_revision: int | None = None
    """The revision of the list that was sent; None if none was."""
    sent_agents: int = 0
    """The `change_count` of the agents that the tab was told of."""
    has_new_request: bool = False
    """Whether nothing has been sent yet for the current follow request."""
    needs_refresh: bool = False
    """Whether the session must be sent although its timeline has no new event."""
    wake_event: asyncio.Event = field(default_factory=asyncio.Event)


class LiveUpdates:
    """Serves all open tabs."""

    def __init__(
        self,
        timeline: Timeline,
        runs: SessionHost,
        agents: AgentCatalog,
        describe: Callable[[SessionSummary], Awaitable[SessionDetail]],
    ) -> None:
        self._timeline = timeline
        self._runs = runs
        self._describe = describe
        self._agents = agents
        self._tabs: set[_BrowserTab] = set()
        self._changes = ListChanges(self._timeline, self._runs)
        self._timeline.watch_sessions(self._on_change)
        agents.watch(self._wake_all_tabs)

    async def serve_tab(self, socket: WebSocket) -> None:
        """Serve one tab until it disconnects."""
        await socket.accept()
        tab = _BrowserTab()
        self._tabs.add(tab)
        tasks = [
            asyncio.create_task(self._receive_follow_requests(socket, tab)),
            asyncio.create_task(self._send_updates(socket, tab)),
        ]
        try:
            ended, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in ended:
                task.result()
        except WebSocketDisconnect:
            pass
        finally:
            self._tabs.discard(tab)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            if self._changes.has_unread:  # the tab was reading it
                self._wake_all_tabs()

    async def _receive_follow_requests(self, socket: WebSocket, tab: _BrowserTab) -> None:
        while True:
            try:
                request = FollowRequest.model_validate_json(await socket.receive_text())
            except (ValidationError, KeyError):  # starlette raises KeyError for a binary message
                await socket.close(_POLICY_VIOLATION, "not a FollowRequest")
                return
            if tab.follow_request is None and request.revision:
                # A tab that reconnects says in its first request what it has, and gets what has changed since.
                tab.sent_revision = request.revision
            tab.follow_request, tab.has_new_request = request, True
            tab.wake_event.set()

    async def _send_updates(self, socket: WebSocket, tab: _BrowserTab) -> None:
        while True:
            await tab.wake_event.wait()
            # Cleared before reading: a change during the read wakes the tab again.
            tab.wake_event.clear()
            if tab.follow_request is not None:
                await self._send_agents_update(socket, tab)
                await self._send_list_update(socket, tab)
                await self._send_session_update(socket, tab, tab.follow_request)

    async def _send_agents_update(self, socket: WebSocket, tab: _BrowserTab) -> None:
        if tab.sent_agents != self._agents.change_count:
            tab.sent_agents = self._agents.change_count
            await socket.send_text(to_ascii_json(AgentsUpdate()))

    async def _send_list_update(self, socket: WebSocket, tab: _BrowserTab) -> None:
        before = self._changes.revision
        await self._changes.refresh()
        revision = self._changes.revision
        if revision != before:
            # Other tabs may have looked while this one was reading.
            self._wake_all_tabs()
        if tab.sent_revision == revision:
            return
        session_ids = self._changes.list_changed_after(tab.sent_revision)
        tab.sent_revision = revision
        sessions: list[SessionRecord] = []
        deleted: list[str] = []
        for session_id in session_ids or ():
            try:
                sessions.append(self._runs.describe(await self._timeline.get_summary(session_id)))
            except SessionNotFound:
                deleted.append(session_id)
        update = SessionListUpdate(
            revision=revision,
            pending_count=await self._timeline.count_pending(self._runs.liveness.queue_ids),
            sessions=sessions,
            deleted=deleted,
            reload=session_ids is None,
        )
        await socket.send_text(to_ascii_json(update))

    async def _send_session_update(self, socket: WebSocket, tab: _BrowserTab, follow: FollowRequest) -> None:
        if follow.session_id is None:
            return
        try:
            summary = await self._timeline.get_summary(follow.session_id)
            is_new = tab.has_new_request
            if is_new:
                # A seq beyond the log is of another server's session: the tab starts over.
                tab.sent_seq = follow.after_seq if 0 <= follow.after_seq <= summary.last_seq else 0
            elif summary.last_seq == tab.sent_seq and not tab.needs_refresh:
                return
            rows = await self._read_rows(summary, follow, tab.sent_seq, is_new=is_new)
            session = await self._describe(summary)
        except SessionNotFound as error:
            if tab.has_new_request and tab.follow_request is follow:
                tab.has_new_request = False
                await socket.send_text(to_ascii_json(SessionGone(session_id=follow.session_id, message=str(error))))
            return
        if tab.follow_request is not follow:  # replaced during an await; the new request has woken the tab again
            return
        # The state is updated before the send: a change during it must be seen as new.
        tab.has_new_request = tab.needs_refresh = False
        tab.sent_seq = summary.last_seq
        shown = [self._runs.describe_row(follow.session_id, row) for row in rows]
        update = SessionUpdate(session=session, rows=shown)
        await socket.send_text(to_ascii_json(update))

    async def _read_rows(
        self, summary: SessionSummary, follow: FollowRequest, sent_seq: int, *, is_new: bool
    ) -> list[TimelineRow]:
        session_id = summary.session.session_id
        if is_new and sent_seq <= 0:
            start = max(summary.row_count - max(follow.tail, 0), 0)
            return list(await self._timeline.read_rows(session_id, start, summary.row_count - start))
        return list(await self._timeline.read_changed_rows(session_id, sent_seq))

    def _on_change(self, session_id: str) -> None:
        self._changes.add(session_id)
        for tab in self._tabs:
            followed = tab.follow_request.session_id if tab.follow_request else None
            # A rename or an export changes the session without an event.
            tab.needs_refresh = tab.needs_refresh or followed == session_id
        self._wake_all_tabs()

    def _wake_all_tabs(self) -> None:
        for tab in self._tabs:
            tab.wake_event.set()
