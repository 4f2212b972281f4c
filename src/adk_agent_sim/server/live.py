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
from adk_agent_sim.server.answers import json_of
from adk_agent_sim.server.sessions import Sessions
from adk_agent_sim.server.shapes import Follow, Gone, ListNews, SessionNews


@dataclass(eq=False)
class _Tab:
    """One tab: what it follows, and what it has been told."""

    follow: Follow = field(default_factory=lambda: Follow(follow=None))
    seq: int = 0
    """How far the followed session was told."""
    list_version: int = 0
    is_new: bool = False
    """Whether it has just begun to follow."""
    is_touched: bool = False
    """Whether something changed that is not on the timeline."""
    wake: asyncio.Event = field(default_factory=asyncio.Event)


class Live:
    """The tabs that are open now."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        self._tabs: set[_Tab] = set()
        self._dirty: set[str] = set()
        self._marks: dict[str, tuple[object, ...]] = {}
        self._version = 1
        self._is_new = True
        sessions.timeline.watch(self._happened)
        sessions.on_change = self._touched

    async def serve(self, socket: WebSocket) -> None:
        """Tell a tab until it goes."""
        await socket.accept()
        tab = _Tab()
        tab.wake.set()
        self._tabs.add(tab)
        both = [asyncio.create_task(self._listen(socket, tab)), asyncio.create_task(self._tell(socket, tab))]
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

    async def _listen(self, socket: WebSocket, tab: _Tab) -> None:
        while True:
            try:
                tab.follow = Follow.model_validate_json(await socket.receive_text())
            except (ValidationError, KeyError):
                await socket.close(1008, "not a Follow message")
                return
            tab.is_new = True
            tab.wake.set()

    async def _tell(self, socket: WebSocket, tab: _Tab) -> None:
        while True:
            await tab.wake.wait()
            tab.wake.clear()
            await self._tell_list(socket, tab)
            await self._tell_session(socket, tab)

    async def _tell_list(self, socket: WebSocket, tab: _Tab) -> None:
        await self._look()
        if tab.list_version != self._version:
            tab.list_version = self._version
            await socket.send_text(json_of(ListNews(your_turns=await self._sessions.your_turns())))

    async def _tell_session(self, socket: WebSocket, tab: _Tab) -> None:
        follow = tab.follow
        if follow.follow is None:
            return
        try:
            view = await self._sessions.view(follow.follow)
        except SessionNotFound as error:
            if tab.is_new and tab.follow is follow:
                tab.is_new = False
                await socket.send_text(json_of(Gone(session_id=follow.follow, message=str(error))))
            return
        if tab.follow is not follow:  # another was asked for meanwhile, and the tab is awake again
            return
        if tab.is_new:
            tab.seq = follow.after_seq if follow.after_seq <= view.rows.seq else 0
        elif view.rows.seq == tab.seq and not tab.is_touched:
            return
        rows = view.rows.last(follow.tail) if tab.is_new and tab.seq <= 0 else view.rows.changed_after(tab.seq)
        tab.is_new = tab.is_touched = False
        tab.seq = view.rows.seq
        await socket.send_text(json_of(SessionNews(session=self._sessions.shape_of(view), rows=rows)))

    async def _look(self) -> None:
        """See which of the sessions that something happened in look otherwise in a list."""
        if self._is_new and self._sessions.elsewhere:  # turns of agents elsewhere outlive a server
            self._dirty.update(one.session_id for one in await self._sessions.timeline.sessions())
        self._is_new = False
        while self._dirty:
            session_id = self._dirty.pop()
            try:
                mark = await self._mark(session_id)
            except asyncio.CancelledError:  # the tab that looked has gone: another must look
                self._happened(session_id)
                raise
            if self._marks.get(session_id) != mark:
                self._marks[session_id] = mark
                self._version += 1
                self._wake_all()

    async def _mark(self, session_id: str) -> tuple[object, ...]:
        """What a list shows of a session; nothing of one that is gone."""
        try:
            shape = await self._sessions.shape(session_id)
        except SessionNotFound:
            return ()
        return (shape.name, shape.status, shape.failure, len(shape.waiting), len(shape.exports))

    def _happened(self, session_id: str) -> None:
        self._dirty.add(session_id)
        self._wake_all()

    def _touched(self, session_id: str) -> None:
        for tab in self._tabs:
            tab.is_touched = tab.is_touched or tab.follow.follow == session_id
        self._happened(session_id)

    def _wake_all(self) -> None:
        for tab in self._tabs:
            tab.wake.set()
