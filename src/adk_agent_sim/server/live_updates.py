"""One WebSocket a tab: tells it of the session it follows, and that the list of sessions changed.

A tab is told how things stand when it is ready to be told. Whatever happened meanwhile is one message: nothing queues
up for a slow tab, and rows that changed twice are sent once.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from pydantic import ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect

from adk_agent_sim.errors import SessionNotFound
from adk_agent_sim.server.api_models import FollowRequest, SessionGone, SessionListUpdate, SessionUpdate
from adk_agent_sim.server.responses import to_ascii_json
from adk_agent_sim.server.web_sessions import WebSessions


@dataclass(eq=False)
class _BrowserTab:
    """One tab: what it follows, and what it has been told."""

    follow_request: FollowRequest = field(default_factory=lambda: FollowRequest(session_id=None))
    sent_seq: int = 0
    """How far the followed session was told."""
    sent_list_version: int = 0
    has_new_request: bool = False
    """Whether it has just begun to follow."""
    needs_refresh: bool = False
    """Whether something changed that is not on the timeline."""
    wake_event: asyncio.Event = field(default_factory=asyncio.Event)


class LiveUpdates:
    """The tabs that are open now."""

    def __init__(self, sessions: WebSessions) -> None:
        self._sessions = sessions
        self._tabs: set[_BrowserTab] = set()
        self._changed_session_ids: set[str] = set()
        self._list_entries: dict[str, tuple[object, ...]] = {}
        self._list_version = 1
        self._is_first_refresh = True
        sessions.timeline.watch_sessions(self._on_event)
        sessions.on_change = self._on_session_changed

    async def serve_tab(self, socket: WebSocket) -> None:
        """Tell a tab until it goes."""
        await socket.accept()
        tab = _BrowserTab()
        tab.wake_event.set()
        self._tabs.add(tab)
        both = [
            asyncio.create_task(self._receive_follow_requests(socket, tab)),
            asyncio.create_task(self._send_updates(socket, tab)),
        ]
        try:
            ended, _ = await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            for task in ended:
                task.result()
        except WebSocketDisconnect:
            pass
        finally:
            self._tabs.discard(tab)
            for task in both:
                task.cancel()
            await asyncio.gather(*both, return_exceptions=True)

    async def _receive_follow_requests(self, socket: WebSocket, tab: _BrowserTab) -> None:
        while True:
            try:
                tab.follow_request = FollowRequest.model_validate_json(await socket.receive_text())
            except (ValidationError, KeyError):
                await socket.close(1008, "not a Follow message")
                return
            tab.has_new_request = True
            tab.wake_event.set()

    async def _send_updates(self, socket: WebSocket, tab: _BrowserTab) -> None:
        while True:
            await tab.wake_event.wait()
            tab.wake_event.clear()
            await self._send_list_update(socket, tab)
            await self._send_session_update(socket, tab)

    async def _send_list_update(self, socket: WebSocket, tab: _BrowserTab) -> None:
        await self._refresh_list_version()
        if tab.sent_list_version != self._list_version:
            tab.sent_list_version = self._list_version
            await socket.send_text(
                to_ascii_json(SessionListUpdate(your_turn_count=await self._sessions.count_your_turns()))
            )

    async def _send_session_update(self, socket: WebSocket, tab: _BrowserTab) -> None:
        follow = tab.follow_request
        if follow.session_id is None:
            return
        try:
            view = await self._sessions.get_view(follow.session_id)
        except SessionNotFound as error:
            if tab.has_new_request and tab.follow_request is follow:
                tab.has_new_request = False
                await socket.send_text(to_ascii_json(SessionGone(session_id=follow.session_id, message=str(error))))
            return
        if tab.follow_request is not follow:  # another was asked for meanwhile, and the tab is awake again
            return
        if tab.has_new_request:
            tab.sent_seq = follow.after_seq if follow.after_seq <= view.rows.last_seq else 0
        elif view.rows.last_seq == tab.sent_seq and not tab.needs_refresh:
            return
        rows = (
            view.rows.get_last(follow.tail)
            if tab.has_new_request and tab.sent_seq <= 0
            else view.rows.get_changed_after(tab.sent_seq)
        )
        tab.has_new_request = tab.needs_refresh = False
        tab.sent_seq = view.rows.last_seq
        await socket.send_text(to_ascii_json(SessionUpdate(session=self._sessions.describe_view(view), rows=rows)))

    async def _refresh_list_version(self) -> None:
        """See which of the sessions that something happened in look otherwise in a list."""
        if self._is_first_refresh and self._sessions.allow_remote_agents:  # turns of agents elsewhere outlive a server
            self._changed_session_ids.update(one.session_id for one in await self._sessions.timeline.list_sessions())
        self._is_first_refresh = False
        while self._changed_session_ids:
            session_id = self._changed_session_ids.pop()
            try:
                mark = await self._read_list_entry(session_id)
            except asyncio.CancelledError:  # the tab that looked has gone: another must look
                self._on_event(session_id)
                raise
            if self._list_entries.get(session_id) != mark:
                self._list_entries[session_id] = mark
                self._list_version += 1
                self._wake_all_tabs()

    async def _read_list_entry(self, session_id: str) -> tuple[object, ...]:
        """What a list shows of a session; nothing of one that is gone."""
        try:
            shape = await self._sessions.get_info(session_id)
        except SessionNotFound:
            return ()
        return (shape.name, shape.status, shape.failure, len(shape.pending_turns), len(shape.exports))

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
