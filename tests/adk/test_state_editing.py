"""Edits of the state while a turn waits: what tools, later turns, services, forks and undo have of them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from google.adk.agents import (
    LlmAgent,
    ParallelAgent,  # pyright: ignore[reportDeprecated] - users still have them
)
from google.adk.apps import App
from google.adk.sessions import InMemorySessionService
from google.adk.sessions.base_session_service import BaseSessionService
from google.adk.sessions.sqlite_session_service import SqliteSessionService
from google.adk.tools import ToolContext

from adk_agent_sim import Simulation
from adk_agent_sim.adk.evals.recording_replay import replay_recording
from adk_agent_sim.adk.steps.steps import Done, ModelTurn
from adk_agent_sim.errors import InvalidTransition
from adk_agent_sim.golden.recording import build_recording


def read_mood(tool_context: ToolContext) -> str:
    """Read the mood."""
    return tool_context.state["mood"]


def _create_agent() -> LlmAgent:
    return LlmAgent(name="tone", model="gemini-2.5-flash", instruction="Be {mood}.", tools=[read_mood])


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
async def test_tools_and_later_turns_see_an_edit_that_was_made_while_a_turn_waited(kind: str, tmp_path: Path) -> None:
    service: BaseSessionService = (
        InMemorySessionService() if kind == "memory" else SqliteSessionService(db_path=str(tmp_path / "s.db"))
    )
    async with Simulation(_create_agent(), state={"mood": "calm"}, user_id="ada", session_service=service) as sim:
        turn = await sim.send("Hello")
        assert isinstance(turn, ModelTurn)
        await sim.set_state({"mood": "stern", "user:n": 1})
        assert await sim.state() == {"mood": "stern", "user:n": 1}
        step = await turn.call("read_mood", {})
        assert isinstance(step, ModelTurn)
        assert "Be stern." in step.instruction
        assert isinstance(await step.respond("Hi"), Done)
        (stored,) = (await service.list_sessions(app_name="tone", user_id="ada")).sessions
        session = await service.get_session(app_name="tone", user_id="ada", session_id=stored.id)
        assert session is not None
        assert session.state == {"mood": "stern", "user:n": 1}
        # SQLite orders by time, and ADK dates a model's event before it asks the model.
        assert sorted(event.author for event in session.events) == ["tone", "tone", "tone", "user", "user"]
        rows = await sim.timeline.read_rows(sim.session_id, 0, 100)
        assert [row.summary for row in rows if row.subject == "state edited"] == ["mood=stern user:n=1"]
        assert [row.result for row in rows if row.kind.value == "call"] == ["stern"]


async def test_undo_and_forks_repeat_the_edit_of_a_waiting_turn() -> None:
    async with Simulation(_create_agent(), state={"mood": "calm"}) as sim:
        turn = await sim.send("Hello")
        assert isinstance(turn, ModelTurn)
        await sim.set_state({"mood": "stern"})
        step = await turn.call("read_mood", {})
        assert isinstance(step, ModelTurn)
        await step.respond("Hi")

        forked = await sim.fork(2)
        turn = await forked.next()
        assert isinstance(turn, ModelTurn)
        assert "Be stern." in turn.instruction
        assert (await forked.state())["mood"] == "stern"
        assert isinstance(await turn.respond("Hello"), Done)
        before = await sim.fork(1)
        turn = await before.next()
        assert isinstance(turn, ModelTurn)
        assert (await before.state())["mood"] == "calm"
        await sim.undo()
        assert (await sim.state())["mood"] == "stern"
        for each in (forked, before):
            await each.close()


async def test_a_replay_of_a_recording_says_that_it_does_not_repeat_the_edit_of_a_waiting_turn() -> None:
    async with Simulation(_create_agent(), state={"mood": "calm"}) as sim:
        turn = await sim.send("Hello")
        assert isinstance(turn, ModelTurn)
        await sim.set_state({"mood": "stern"})
        await turn.respond("Hi")
        recording = build_recording(sim.log())

    replay = await replay_recording(App(name="tone", root_agent=_create_agent()), recording)

    assert "edited while a turn was waiting (mood)" in replay.problem


async def test_the_state_cannot_be_edited_while_a_tool_runs() -> None:
    started, go_on = asyncio.Event(), asyncio.Event()

    async def wait() -> str:
        """Wait."""
        started.set()
        await go_on.wait()
        return "done"

    async with Simulation(LlmAgent(name="tone", model="none", tools=[wait])) as sim:
        turn = await sim.send("Hello")
        assert isinstance(turn, ModelTurn)
        calling = asyncio.ensure_future(turn.call("wait", {}))
        await started.wait()
        with pytest.raises(InvalidTransition, match="no tool is running"):
            await sim.set_state({"mood": "late"})
        go_on.set()
        step = await calling
        assert isinstance(step, ModelTurn)
        await step.respond("Hi")


async def test_the_state_cannot_be_edited_while_agents_run_side_by_side() -> None:
    parts = [LlmAgent(name=name, model="none") for name in ("one", "two")]
    with pytest.warns(DeprecationWarning, match="ParallelAgent"):
        root = ParallelAgent(name="both", sub_agents=list(parts))  # pyright: ignore[reportDeprecated]
    async with Simulation(root) as sim:
        turn = await sim.send("Hello")
        assert isinstance(turn, ModelTurn)
        with pytest.raises(InvalidTransition, match="Agents of this app run side by side"):
            await sim.set_state({"mood": "late"})
        turn = await turn.respond("Hi")
        assert isinstance(turn, ModelTurn)
        assert isinstance(await turn.respond("Hi"), Done)
        await sim.set_state({"mood": "later"})
        assert await sim.state() == {"mood": "later"}
