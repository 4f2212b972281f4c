"""A person can play the model of a live session."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.agents.live_request_queue import LiveRequestQueue
from google.adk.agents.run_config import RunConfig
from google.adk.apps import App
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types
from polling import MAX_WAIT_SECONDS, wait_until
from timeline_builders import call_decision, text_decision

from adk_agent_sim.adk.runs.recorded_session import RecordedSession
from adk_agent_sim.adk.seats.seat_plugin import SeatPlugin
from adk_agent_sim.timeline.events import AgentPath, Player, ToolFinished
from adk_agent_sim.timeline.submissions import TurnDecision
from adk_agent_sim.timeline.timeline import Timeline


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


def _says(words: str) -> types.Content:
    return types.Content(role="user", parts=[types.Part(text=words)])


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
async def test_a_person_answers_a_live_session() -> None:
    timeline = Timeline()
    timeline_session = await timeline.create_session()
    recorded_session = RecordedSession(timeline, timeline_session.session_id, Player.HUMAN)
    plugin = SeatPlugin()
    sessions = InMemorySessionService()
    app = App(name="live", root_agent=LlmAgent(name="talker", model="no/such/model", tools=[add]), plugins=[plugin])
    runner = Runner(app=app, session_service=sessions)
    session = await sessions.create_session(app_name="live", user_id="user")
    plugin.bind(session, recorded_session)
    queue = LiveRequestQueue()
    said: list[str] = []

    async def talk() -> None:
        config = RunConfig(response_modalities=[types.Modality.TEXT])
        async for event in runner.run_live(
            user_id="user", session_id=session.id, live_request_queue=queue, run_config=config
        ):
            said.extend(part.text for part in (event.content.parts if event.content else None) or () if part.text)

    async def decide(response: Any) -> None:
        await wait_until(lambda: bool(timeline.peek_pending_turns(timeline_session.session_id)))
        (asked,) = timeline.peek_pending_turns(timeline_session.session_id)
        await recorded_session.decide(TurnDecision(asked.session_id, asked.turn_id, response))

    talking = asyncio.ensure_future(talk())
    queue.send_content(_says("2+2?"))
    await decide(call_decision("add", a=2, b=2))
    await decide(text_decision("It is 4."))
    await wait_until(lambda: "It is 4." in said)
    queue.send_content(_says("Thanks!"))
    await decide(text_decision("You are welcome."))
    await wait_until(lambda: "You are welcome." in said)
    queue.close()
    await asyncio.wait_for(talking, MAX_WAIT_SECONDS)
    await runner.close()

    log = await timeline.read_events(timeline_session.session_id)
    assert [event.payload.result for event in log if isinstance(event.payload, ToolFinished)] == [4]
    assert {event.agent_path for event in log} == {AgentPath()}
