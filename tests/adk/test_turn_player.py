"""How the wait of a model call for a person ends when two things end it at once."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from polling import wait_until

from adk_agent_sim.adk.players.turn_player import TurnPlayer
from adk_agent_sim.adk.runs.recorded_session import RecordedSession
from adk_agent_sim.adk.seats.model_seat import ModelSeat
from adk_agent_sim.timeline.events import AgentPath, Player
from adk_agent_sim.timeline.store import MemoryStore
from adk_agent_sim.timeline.timeline import Timeline


def _find_wait_task() -> asyncio.Task[Any]:
    (task,) = (task for task in asyncio.all_tasks() if "wait_for_decision" in repr(task.get_coro()))
    return task


async def test_a_call_cancelled_as_its_session_is_closed_leaves_no_unread_error() -> None:
    reports: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, report: reports.append(report))
    timeline = Timeline(MemoryStore())
    session_id = (await timeline.create_session()).session_id
    player = TurnPlayer(RecordedSession(timeline, session_id, Player.HUMAN), "math", "invocation", AgentPath(), "")

    async def call_model() -> list[LlmResponse]:
        return [one async for one in player.answer(LlmRequest(model="m"), ModelSeat(model="m"), stream=False)]

    calling = asyncio.create_task(call_model())
    await wait_until(lambda: bool(timeline.peek_pending_turns(session_id)))
    # The wait has failed, but the model call has not resumed yet.
    _find_wait_task().add_done_callback(lambda _, cancel=calling.cancel: cancel())
    await timeline.close_session(session_id, "done")
    await asyncio.wait({calling})
    assert calling.cancelled()
    del calling  # its traceback refers to the wait; asyncio reports an unread error when it frees the task
    gc.collect()

    assert reports == []
