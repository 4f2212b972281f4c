"""What a valid event is, and how the error names what is not."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from typing import Any

import pytest
from genai_strategies import OBJECT, models
from google.adk.events import Event as AdkEvent
from google.adk.events import EventActions
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from hypothesis import given
from hypothesis import strategies as st
from payload_strategies import ANY_PAYLOAD
from pydantic import BaseModel
from timeline_builders import user_content

from adk_agent_sim.errors import InvalidField
from adk_agent_sim.timeline.event_validation import KIND_NAMES, validate_event, validate_payload, validate_session
from adk_agent_sim.timeline.events import (
    AgentEvent,
    AgentJoined,
    AgentPath,
    ArtifactSaved,
    EnvironmentDecided,
    Event,
    Payload,
    RunEnded,
    Session,
    ToolFailed,
    ToolFinished,
    ToolStarted,
    TurnAsked,
    TurnDecided,
    UserSpoke,
)
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.shape_checks import MAX_JSON_DEPTH

_BLOCK = "0" * 32


def _nest(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"inner": [value]} if levels % 2 == 0 else [value]
    return value


def _build_event(**fields: Any) -> Event:
    whole: dict[str, Any] = {"event_id": "e", "session_id": "s", "seq": 1, "timestamp": 1.0}
    whole |= {"payload": UserSpoke(content=user_content("hi")), **fields}
    return Event(**whole)


def _build_tool_finished(**fields: Any) -> ToolFinished:
    whole: dict[str, Any] = {"call_id": "c", "result": 1, "duration_ms": 1.0, **fields}
    return ToolFinished(**whole)


@given(ANY_PAYLOAD)
def test_a_payload_with_the_right_shape_is_valid(payload: Payload) -> None:
    validate_payload(payload)


@given(ANY_PAYLOAD, st.data())
def test_every_field_of_every_kind_is_checked(payload: Payload, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from([field.name for field in fields(payload)]))
    changes: dict[str, Any] = {name: object()}
    damaged: Any = replace(payload, **changes)

    with pytest.raises(InvalidField, match=rf"^{KIND_NAMES[type(payload)]}\.{name}\b"):
        validate_payload(damaged)


@given(models(types.Content))
def test_any_content_of_google_genai_is_valid(content: types.Content) -> None:
    validate_payload(UserSpoke(content=to_json_value(content)))


@given(models(LlmResponse))
def test_any_response_of_adk_is_valid(response: LlmResponse) -> None:
    validate_payload(TurnDecided(decision_id="d", response=to_json_value(response)))


@given(models(types.Content), OBJECT)
def test_any_event_of_adk_is_valid(content: types.Content, state: dict[str, Any]) -> None:
    actions = EventActions(state_delta=state, artifact_delta={"f": 1}, transfer_to_agent="other", escalate=True)
    event = AdkEvent(author="math", content=content, actions=actions, long_running_tool_ids={"c"})
    validate_payload(AgentEvent(invocation_id="i", event=to_json_value(event), final=event.is_final_response()))


@pytest.mark.parametrize(
    ("payload", "problem"),
    [
        (UserSpoke(content=[1]), "user_spoke.content must be an object, and is a list."),
        (UserSpoke(content=None), "user_spoke.content must be an object, and is null."),
        (UserSpoke(content={"parts": {}}), "user_spoke.content.parts must be a list, and is an object."),
        (
            UserSpoke(content={"parts": [{}, {"text": "a"}, {"text": 1}]}),
            "user_spoke.content.parts[2].text must be a string, and is a number.",
        ),
        (UserSpoke(content={"parts": [None]}), "user_spoke.content.parts[0] must be an object, and is null."),
        (
            UserSpoke(content={"parts": [{"function_response": {"response": "ok"}}]}),
            "user_spoke.content.parts[0].function_response.response must be an object, and is a string.",
        ),
        (
            UserSpoke(content={"parts": [{"inline_data": {"data": "Q"}}]}),
            "user_spoke.content.parts[0].inline_data.data must be base64 text, and is not.",
        ),
        (
            AgentEvent(invocation_id="i", event=None, final=True),
            "agent_event.event must be an object, and is null.",
        ),
        (
            AgentEvent(invocation_id="i", event={"content": {"parts": [{"function_call": {"name": 1}}]}}, final=True),
            "agent_event.event.content.parts[0].function_call.name must be a string, and is a number.",
        ),
        (
            AgentEvent(invocation_id="i", event={"actions": {"state_delta": []}}, final=True),
            "agent_event.event.actions.state_delta must be an object, and is a list.",
        ),
        (
            AgentEvent(invocation_id="i", event={"error_code": 500}, final=True),
            "agent_event.event.error_code must be a string, and is a number.",
        ),
        (
            AgentEvent(invocation_id="i", event={}, final="yes"),  # pyright: ignore[reportArgumentType] - as it may come
            "agent_event.final must be true or false, and is a string.",
        ),
        (
            TurnDecided(decision_id="d", response={"content": "hi"}),
            "turn_decided.response.content must be an object, and is a string.",
        ),
        (
            TurnDecided(decision_id="d", response={}, duration_ms=math.nan),
            "turn_decided.duration_ms must be a finite number of at least 0, and is nan.",
        ),
        (
            _build_tool_finished(duration_ms=math.inf),
            "tool_finished.duration_ms must be a finite number of at least 0, and is inf.",
        ),
        (
            _build_tool_finished(duration_ms=-1.5),
            "tool_finished.duration_ms must be a finite number of at least 0, and is -1.5.",
        ),
        (_build_tool_finished(actions=[]), "tool_finished.actions must be an object, and is a list."),
        (_build_tool_finished(result=b"bytes"), "tool_finished.result must be JSON, and contains a bytes."),
        (_build_tool_finished(result={1: 2}), "tool_finished.result must be JSON, and has a key that is a number."),
        (
            _build_tool_finished(result=_nest(100_001)),
            f"tool_finished.result must have at most {MAX_JSON_DEPTH} nesting levels, and has more.",
        ),
        (
            ToolStarted(call_id="c", tool_name="t", arguments=[]),  # pyright: ignore[reportArgumentType]
            "tool_started.arguments must be an object, and is a list.",
        ),
        (
            ToolFailed(call_id="c", error_type="E", error_message=None, duration_ms=1),  # pyright: ignore[reportArgumentType]
            "tool_failed.error_message must be a string, and is null.",
        ),
        (
            AgentJoined(app_name=" \t", user_id="u", adk_session_id="a", state={}),
            "agent_joined.app_name must have a visible character, or be empty.",
        ),
        (
            EnvironmentDecided(call_id="c", tool_name="t", rule="", actions=[], passed_over=[{"rule": "r"}]),
            "environment_decided.passed_over[0].why is missing.",
        ),
        (
            ArtifactSaved(filename="f", version=-1, mime_type="m", block=_BLOCK),
            "artifact_saved.version must be between 0 and 2147483647, and is -1.",
        ),
        (
            RunEnded(invocation_id="i", outcome="done"),  # pyright: ignore[reportArgumentType]
            "run_ended.outcome must be one of done, failed, cancelled, and is a string.",
        ),
        (
            TurnAsked(invocation_id="i", contents=(("no id",),), tools=_BLOCK, instruction=_BLOCK, config=_BLOCK),
            "turn_asked.contents[0][0] must be the id of a block: 32 hexadecimal digits.",
        ),
    ],
)
def test_the_error_names_the_field_and_what_it_is(payload: Payload, problem: str) -> None:
    with pytest.raises(InvalidField) as error:
        validate_payload(payload)

    assert str(error.value) == problem


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"event_id": ""}, "event_id must not be empty."),
        ({"event_id": "x" * 201}, "event_id must have at most 200 characters, and has 201."),
        ({"session_id": 5}, "session_id must be a string, and is a number."),
        ({"seq": True}, "seq must be an integer, and is a boolean."),
        ({"seq": 2**63}, f"seq must be between 0 and {2**63 - 1}, and is {2**63}."),
        ({"timestamp": math.nan}, "timestamp must be a time in seconds since 1970, and is nan."),
        ({"timestamp": 1e12}, "timestamp must be a time in seconds since 1970, and is 1000000000000.0."),
        ({"turn_id": "a\0"}, "turn_id must not contain the character U+0000."),
        ({"turn_id": "\ud800"}, "turn_id must be text that UTF-8 can represent."),
        ({"agent_name": "  "}, "agent_name must have a visible character, or be empty."),
        ({"agent_name": "\x01\u200b"}, "agent_name must have a visible character, or be empty."),
        ({"player": "human"}, "player must be one of real, human, recorded, simulated, and is a string."),
        ({"payload": None}, "payload must be an event, and is null."),
    ],
)
def test_the_fields_of_the_event_itself_are_checked(fields: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidField) as error:
        validate_event(_build_event(**fields))

    assert str(error.value) == problem


def test_the_path_of_the_agent_is_checked() -> None:
    path: Any = AgentPath(branch="root", parent_call_id=None)  # pyright: ignore[reportArgumentType]

    with pytest.raises(InvalidField, match=r"^agent_path\.parent_call_id must be a string, and is null"):
        validate_event(_build_event(agent_path=path))


def test_the_error_begins_with_where_the_event_comes_from() -> None:
    with pytest.raises(InvalidField, match=r"^events\[3\]\.user_spoke\.content must"):
        validate_event(_build_event(payload=UserSpoke(content="hi")), "events[3]")


def test_a_session_is_checked() -> None:
    session = Session(session_id="s", created_at=1.0)
    validate_session(session)

    with pytest.raises(InvalidField, match=r"^session\.created_at must be a time in seconds since 1970, and is nan\."):
        validate_session(replace(session, created_at=math.nan))


def test_results_may_hold_numbers_that_json_lacks() -> None:
    validate_payload(_build_tool_finished(result={"nan": math.nan, "endless": [math.inf]}))


def test_what_is_nested_as_deeply_as_allowed_is_valid() -> None:
    validate_payload(_build_tool_finished(result=_nest(MAX_JSON_DEPTH // 2)))
    with pytest.raises(InvalidField):
        validate_payload(_build_tool_finished(result=_nest(MAX_JSON_DEPTH // 2 + 2)))


def test_what_a_tool_returns_is_recorded_however_deeply_it_is_nested() -> None:
    class Result(BaseModel):
        value: Any

    for value in (_nest(1_000), [[[Result(value=_nest(200))]]], _nest(249), Result(value=_nest(500))):
        validate_payload(_build_tool_finished(result=to_json_value(value)))
