"""A scripted person, who decides the pending turns of all sessions of a server, oldest first."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from polling import pause, wait_until
from timeline_builders import list_sessions, list_waiting_turns

from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.model_request import ModelRequest
from adk_agent_sim.timeline.submissions import TurnDecision
from adk_agent_sim.timeline.timeline import Timeline

Decide = Callable[[Event, ModelRequest], dict[str, Any] | None]
"""Returns the decision of a turn and its request, or None to leave it pending."""


def decide_in_order(script: Sequence[dict[str, Any]]) -> Decide:
    """Return the decisions of the script in order."""
    left = iter(script)
    return lambda asked, request: next(left)


@asynccontextmanager
async def run_person(timeline: Timeline, decide: Decide) -> AsyncGenerator[None]:
    """Decide the turns of the server's timeline until the block ends."""
    task = asyncio.create_task(_answer_turns(timeline, decide))
    try:
        yield
    finally:
        failed = task.done()
        task.cancel()
        await asyncio.wait({task})
        if failed:
            task.result()


async def _answer_turns(timeline: Timeline, decide: Decide) -> None:
    left: set[str] = set()
    while True:
        for asked in await list_waiting_turns(timeline):
            if asked.turn_id in left:
                continue
            decision = decide(asked, await timeline.read_request(asked))
            if decision is None:
                left.add(asked.turn_id)
                continue
            await timeline.decide(TurnDecision(asked.session_id, asked.turn_id, decision, force=True))
            break
        await pause()


async def wait_for_turn(timeline: Timeline) -> Event:
    """Wait for a pending turn in any session and return it."""
    sessions: list[str] = []

    async def refresh_sessions() -> None:
        sessions[:] = [session.session_id for session in await list_sessions(timeline)]

    while True:
        await refresh_sessions()
        for session_id in sessions:
            if found := timeline.peek_pending_turns(session_id):
                return found[0]
        await pause()


__all__ = ["Decide", "decide_in_order", "run_person", "wait_for_turn", "wait_until"]
