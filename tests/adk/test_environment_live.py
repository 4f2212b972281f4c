"""Tools of a live session are simulated too."""

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

from adk_agent_sim import EnvironmentSimulationFactory
from adk_agent_sim.adk.runs.recorded_session import RecordedSession
from adk_agent_sim.adk.seats.seat_plugin import SeatPlugin
from adk_agent_sim.environment.rules_file import parse_rules
from adk_agent_sim.timeline.events import EnvironmentDecided, Player, ToolFinished
from adk_agent_sim.timeline.submissions import TurnDecision
from adk_agent_sim.timeline.timeline import Timeline


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
async def test_rules_answer_and_count_the_calls_of_a_live_session() -> None:
    rules = parse_rules("rules: [{name: nine, match: {tool: add, call: {first: 1}}, do: {respond: {result: 9}}}]")
    timeline = Timeline()
    timeline_session = await timeline.create_session()
    recorded_session = RecordedSession(timeline, timeline_session.session_id, Player.HUMAN)
    seats = SeatPlugin()
    plugins = [seats, EnvironmentSimulationFactory.create_plugin(rules)]
    sessions = InMemorySessionService()
    agent = LlmAgent(name="talker", model="no/such/model", tools=[add])
    runner = Runner(app=App(name="live", root_agent=agent, plugins=list(plugins)), session_service=sessions)
    session = await sessions.create_session(app_name="live", user_id="user")
    seats.bind(session, recorded_session)
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
    queue.send_content(types.Content(role="user", parts=[types.Part(text="2+2?")]))
    await decide(call_decision("add", a=2, b=2))
    await decide(call_decision("add", a=2, b=2))
    await decide(text_decision("It is 4."))
    await wait_until(lambda: "It is 4." in said)
    queue.close()
    await asyncio.wait_for(talking, MAX_WAIT_SECONDS)
    await runner.close()

    log = [event.payload for event in await timeline.read_events(timeline_session.session_id)]
    assert [payload.result for payload in log if isinstance(payload, ToolFinished)] == [{"result": 9}, 4]
    assert [payload.rule for payload in log if isinstance(payload, EnvironmentDecided)] == ["nine", ""]
