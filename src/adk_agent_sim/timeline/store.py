"""Where a timeline rests: the interface that memory and databases implement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from adk_agent_sim.errors import SessionExists, SessionNotFound
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.events import Event, Session


class Store(Protocol):
    """Keeps sessions, events and blocks. What `append` returned is durable."""

    async def create_session(self, session: Session) -> None:
        """Add an empty session; SessionExists if there is one of its id."""
        ...

    async def sessions(self) -> Sequence[Session]:
        """All sessions, oldest first."""
        ...

    async def append(self, events: Sequence[Event], blocks: Iterable[Block]) -> Sequence[Event]:
        """Add events of one session and the blocks they refer to, all or nothing; gives the events their `seq`."""
        ...

    async def read(self, session_id: str, after_seq: int = 0, limit: int | None = None) -> Sequence[Event]:
        """The events of a session behind `after_seq`, in order, at most `limit`; SessionNotFound if there is none."""
        ...

    async def blocks(self, session_id: str, block_ids: Sequence[str]) -> Mapping[str, bytes]:
        """The data of blocks of a session, by id."""
        ...


class MemoryStore:
    """Keeps everything in this process: it ends with it."""

    def __init__(self) -> None:
        self._sessions: dict[str, Session] = {}
        self._events: dict[str, list[Event]] = {}
        self._blocks: dict[str, dict[str, bytes]] = {}

    async def create_session(self, session: Session) -> None:
        """Add an empty session."""
        if session.session_id in self._sessions:
            raise SessionExists(session.session_id)
        self._sessions[session.session_id] = session
        self._events[session.session_id] = []
        self._blocks[session.session_id] = {}

    async def sessions(self) -> Sequence[Session]:
        """All sessions, oldest first."""
        return list(self._sessions.values())

    async def append(self, events: Sequence[Event], blocks: Iterable[Block]) -> Sequence[Event]:
        """Add events of one session and the blocks they refer to; gives the events their `seq`."""
        log = self._log_of(events[0].session_id)
        kept = self._blocks[events[0].session_id]
        for block in blocks:
            kept.setdefault(block.block_id, block.data)
        numbered = [replace(event, seq=len(log) + place) for place, event in enumerate(events, start=1)]
        log.extend(numbered)
        return numbered

    async def read(self, session_id: str, after_seq: int = 0, limit: int | None = None) -> Sequence[Event]:
        """The events of a session behind `after_seq`, in order, at most `limit`."""
        return self.log(session_id)[after_seq : None if limit is None else after_seq + limit]

    async def blocks(self, session_id: str, block_ids: Sequence[str]) -> Mapping[str, bytes]:
        """The data of blocks of a session, by id."""
        self._log_of(session_id)
        kept = self._blocks[session_id]
        return {block_id: kept[block_id] for block_id in block_ids}

    def stored_bytes(self, session_id: str) -> int:
        """How many bytes the blocks of a session take."""
        return sum(len(data) for data in self._blocks[session_id].values())

    def log(self, session_id: str) -> Sequence[Event]:
        """All events of a session, at once."""
        return self._log_of(session_id)

    def _log_of(self, session_id: str) -> list[Event]:
        try:
            return self._events[session_id]
        except KeyError:
            raise SessionNotFound(session_id) from None
