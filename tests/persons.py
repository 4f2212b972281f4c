"""A scripted person: answers the turns that wait at a server, oldest first, in all sessions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from waiting import pause, until

from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.request import ModelRequest
from adk_agent_sim.timeline.timeline import Timeline

Decide = Callable[[Event, ModelRequest], dict[str, Any] | None]
"""From a turn and what it asks to the decision; None leaves it."""


def in_order(script: Sequence[dict[str, Any]]) -> Decide:
    """One decision after the other."""
    left = iter(script)
    return lambda asked, request: next(left)


@asynccontextmanager
async def person(timeline: Timeline, decide: Decide) -> AsyncGenerator[None]:
    """Somebody at the server's own timeline who answers for as long as this is open."""
    task = asyncio.create_task(_play(timeline, decide))
    try:
        yield
    finally:
        failed = task.done()
        task.cancel()
        await asyncio.wait({task})
        if failed:
            task.result()


async def _play(timeline: Timeline, decide: Decide) -> None:
    left: set[str] = set()
    while True:
        for asked in await timeline.queue():
            if asked.turn_id in left:
                continue
            decision = decide(asked, await timeline.request(asked))
            if decision is None:
                left.add(asked.turn_id)
                continue
            await timeline.decide(asked.session_id, asked.turn_id, decision, anyway=True)
            break
        await pause()


async def waiting_turn(timeline: Timeline) -> Event:
    """The first turn that waits anywhere."""
    sessions: list[str] = []

    async def look() -> None:
        sessions[:] = [session.session_id for session in await timeline.sessions()]

    while True:
        await look()
        for session_id in sessions:
            if found := timeline.waiting(session_id):
                return found[0]
        await pause()


__all__ = ["Decide", "in_order", "person", "until", "waiting_turn"]
