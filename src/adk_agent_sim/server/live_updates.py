"""One WebSocket per browser tab: sends the session that the tab follows, and that the list of sessions has changed.

    timeline event, rename, export --> wake_event of every tab --> read the current state --> one message

A tab is sent the current state when it is ready to receive, not every event. Nothing queues up for a slow tab, and a
row that changed twice in between is sent once.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from pydantic import ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect

from adk_agent_sim.errors import SessionNotFound
from adk_agent_sim.server.api_models import FollowRequest, SessionGone, SessionListUpdate, SessionUpdate
from adk_agent_sim.server.responses import to_ascii_json
from adk_agent_sim.server.session_directory import SessionDirectory
from adk_agent_sim.server.session_runs import SessionRuns
from adk_agent_sim.server.session_views import SessionViews
from adk_agent_sim.timeline.timeline import Timeline

_POLICY_VIOLATION = 1008
"""The WebSocket close code for a message that the server does not accept."""


@dataclass(eq=False)
class _BrowserTab:
    """One tab: what it follows, and what it was sent."""

    follow_request: FollowRequest = field(default_factory=lambda: FollowRequest(session_id=None))
    sent_seq: int = 0
    """The last event of the followed session that was sent."""
    sent_list_version: int = 0
    has_new_request: bool = False
    """Whether nothing has been sent yet for the current follow request."""
    needs_refresh: bool = False
    """Whether the session must be sent although its timeline has no new event."""
    wake_event: asyncio.Event = field(default_factory=asyncio.Event)


class LiveUpdates:
    """Serves all open tabs."""

    def __init__(self, timeline: Timeline, runs: SessionRuns, views: SessionViews, directory: SessionDirectory) -> None:
        self._timeline = timeline
        self._runs = runs
        self._views = views
        self._directory = directory
        self._tabs: set[_BrowserTab] = set()
        self._changed_session_ids: set[str] = set()
        self._list_entries: dict[str, tuple[object, ...]] = {}
        self._list_version = 1
        self._is_first_refresh = True
        timeline.watch_sessions(self._on_event)
        directory.on_change = self._on_session_changed

    async def serve_tab(self, socket: WebSocket) -> None:
        """Serve one tab until it disconnects."""
        await socket.accept()
        tab = _BrowserTab()
        tab.wake_event.set()
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

    async def _receive_follow_requests(self, socket: WebSocket, tab: _BrowserTab) -> None:
        while True:
            try:
                tab.follow_request = FollowRequest.model_validate_json(await socket.receive_text())
            except (ValidationError, KeyError):  # starlette raises KeyError for a binary message
                await socket.close(_POLICY_VIOLATION, "not a FollowRequest")
                return
            tab.has_new_request = True
            tab.wake_event.set()

    async def _send_updates(self, socket: WebSocket, tab: _BrowserTab) -> None:
        while True:
            await tab.wake_event.wait()
            # Cleared before reading: a change during the read wakes the tab again.
            tab.wake_event.clear()
            await self._send_list_update(socket, tab)
            await self._send_session_update(socket, tab)

    async def _send_list_update(self, socket: WebSocket, tab: _BrowserTab) -> None:
        await self._refresh_list_version()
        if tab.sent_list_version != self._list_version:
            tab.sent_list_version = self._list_version
            update = SessionListUpdate(your_turn_count=await self._directory.count_your_turns())
            await socket.send_text(to_ascii_json(update))

    async def _send_session_update(self, socket: WebSocket, tab: _BrowserTab) -> None:
        follow = tab.follow_request
        if follow.session_id is None:
            return
        try:
            view = await self._views.get(follow.session_id)
        except SessionNotFound as error:
            if tab.has_new_request and tab.follow_request is follow:
                tab.has_new_request = False
                await socket.send_text(to_ascii_json(SessionGone(session_id=follow.session_id, message=str(error))))
            return
        if tab.follow_request is not follow:  # replaced during the await; the new request has woken the tab again
            return
        if tab.has_new_request:
            # A seq beyond the log is of another server's session: the tab starts over.
            tab.sent_seq = follow.after_seq if follow.after_seq <= view.rows.last_seq else 0
        elif view.rows.last_seq == tab.sent_seq and not tab.needs_refresh:
            return
        rows = (
            view.rows.get_last(follow.tail)
            if tab.has_new_request and tab.sent_seq <= 0
            else view.rows.get_changed_after(tab.sent_seq)
        )
        # The state is updated before the send: a change during it must be seen as new.
        tab.has_new_request = tab.needs_refresh = False
        tab.sent_seq = view.rows.last_seq
        await socket.send_text(to_ascii_json(SessionUpdate(session=self._directory.describe_view(view), rows=rows)))

    async def _refresh_list_version(self) -> None:
        """Increase the list version if a changed session looks different in a list."""
        # Turns of remote agents may have been waiting since before this server started, without an event to tell so.
        if self._is_first_refresh and self._runs.allow_remote_agents:
            self._changed_session_ids.update(each.session_id for each in await self._timeline.list_sessions())
        self._is_first_refresh = False
        while self._changed_session_ids:
            session_id = self._changed_session_ids.pop()
            try:
                entry = await self._read_list_entry(session_id)
            except asyncio.CancelledError:  # this tab has disconnected: another tab must read the entry
                self._on_event(session_id)
                raise
            if self._list_entries.get(session_id) != entry:
                self._list_entries[session_id] = entry
                self._list_version += 1
                self._wake_all_tabs()

    async def _read_list_entry(self, session_id: str) -> tuple[object, ...]:
        """Returns what a list shows of a session; an empty tuple if it was deleted."""
        try:
            info = await self._directory.get_info(session_id)
        except SessionNotFound:
            return ()
        return (info.name, info.status, info.failure, len(info.pending_turns), len(info.exports))

    def _on_event(self, session_id: str) -> None:
        self._changed_session_ids.add(session_id)
        self._wake_all_tabs()

    def _on_session_changed(self, session_id: str) -> None:
        for tab in self._tabs:
            tab.needs_refresh = tab.needs_refresh or tab.follow_request.session_id == session_id
        self._on_event(session_id)

    def _wake_all_tabs(self) -> None:
        for tab in self._tabs:
            tab.wake_event.set()
