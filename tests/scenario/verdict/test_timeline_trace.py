"""The timeline of a session is judged like any trace."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from timeline_builders import text_decision, user_content
from world_builders import build_reply_event, build_world_event, build_world_scenario

from adk_agent_sim.cli.main import adksim
from adk_agent_sim.errors import NotJudgeable
from adk_agent_sim.scenario import judge
from adk_agent_sim.scenario.format.exporter import serialize_trace
from adk_agent_sim.scenario.verdict.trace_files import list_timeline_trace
from adk_agent_sim.scenario.world.event_log import CompletedEvent
from adk_agent_sim.timeline.events import (
    AgentEvent,
    Event,
    Payload,
    Session,
    ToolFailed,
    ToolFinished,
    ToolStarted,
    UserSpoke,
)
from adk_agent_sim.timeline.jsonl import encode_line

EVENTS = (
    build_world_event("u", "USER", delay=0),
    build_world_event("a", "AGENT", ("u",), "Emails__send_email", recipients=["a@example.org"]),
    build_reply_event("m", "a"),
)
SCENARIO = build_world_scenario(*EVENTS)


def _build_timeline(*payloads: Payload) -> list[Event]:
    return [
        Event(event_id=f"e{number}", session_id="s", seq=number, timestamp=5_000.0 + number, payload=payload)
        for number, payload in enumerate(payloads, start=1)
    ]


def _call(call_id: str, tool: str, result: object = "id", **arguments: object) -> tuple[Payload, Payload]:
    started = ToolStarted(call_id=call_id, tool_name=tool, arguments=arguments)  # type: ignore[arg-type]
    return started, ToolFinished(call_id=call_id, result=result, duration_ms=1)


ASK = UserSpoke(content=user_content("Please help."))
SEND = _call("c1", "Emails__send_email", recipients=["a@example.org"])
OTHER = _call("c2", "search_web", query="x")
ANSWER = AgentEvent(invocation_id="i", event=text_decision("Done."), final=True)


def test_calls_and_the_final_response_are_the_agents_actions() -> None:
    trace = list_timeline_trace(_build_timeline(ASK, *OTHER, *SEND, ANSWER), SCENARIO)
    verdict = judge(SCENARIO, trace)
    assert verdict.passed, str(verdict)
    completed = [each for each in trace if isinstance(each, CompletedEvent)]
    assert [(each.event_id, each.kind, each.time) for each in completed] == [
        ("u", "USER", 1000),
        ("e5", "AGENT", 1003),
        ("e6", "AGENT", 1005),
    ]


def test_a_message_that_was_sent_with_the_tool_is_not_counted_twice() -> None:
    say = _call("c3", "AgentUserInterface__send_message_to_user", content="Done.")
    assert judge(SCENARIO, list_timeline_trace(_build_timeline(ASK, *SEND, *say, ANSWER), SCENARIO)).passed


def test_a_call_that_failed_does_not_count() -> None:
    failed = ToolFailed(call_id="c1", error_type="ValueError", error_message="no", duration_ms=1)
    verdict = judge(SCENARIO, list_timeline_trace(_build_timeline(ASK, SEND[0], failed, ANSWER), SCENARIO))
    nearest = verdict.turns[0].events[1].nearest
    assert not verdict.passed
    assert nearest is not None
    assert nearest.note == "it failed: ValueError: no"


def test_a_scenario_with_events_of_the_environment_needs_the_trace_of_its_world() -> None:
    scenario = build_world_scenario(*EVENTS, build_world_event("mail", "ENV", ("u",)))
    with pytest.raises(NotJudgeable, match="it has events of the environment, such as 'mail'"):
        list_timeline_trace(_build_timeline(ASK), scenario)


def test_the_command_recognizes_a_timeline(tmp_path: Path) -> None:
    scenario, timeline = tmp_path / "scenario.json", tmp_path / "session.jsonl"
    scenario.write_text(serialize_trace(SCENARIO.trace), encoding="utf-8")
    records = [Session(session_id="s", created_at=5_000.0), *_build_timeline(ASK, *SEND, ANSWER)]
    timeline.write_text("".join(encode_line(each) + "\n" for each in records), encoding="utf-8")
    result = CliRunner().invoke(adksim, ["scenario", "judge", str(scenario), str(timeline)])
    assert result.exit_code == 0, result.output
    assert "PASSED  small" in result.output
