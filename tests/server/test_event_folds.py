"""Whatever a client sends, it is refused, or everything that reads a session can read it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

import grpc
from grpc import StatusCode
from grpc_client import serve_timeline
from hypothesis import example, given
from hypothesis import strategies as st
from timeline_builders import ask_turn

from adk_agent_sim.environment.recorded_report import build_recorded_report
from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.golden.markdown_report import render_markdown_report
from adk_agent_sim.golden.session import compute_final_state
from adk_agent_sim.server.grpc.legacy_protocol import build_legacy_event
from adk_agent_sim.server.grpc.request_validation import CLIENT_EVENT_KINDS
from adk_agent_sim.server.sessions.row_details import build_row_detail
from adk_agent_sim.timeline.event_validation import PAYLOAD_CLASSES
from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.history import build_history
from adk_agent_sim.timeline.jsonl import decode_line, encode_line
from adk_agent_sim.timeline.timeline import Timeline

_KEYS = st.one_of(
    st.sampled_from(["content", "parts", "text", "thought", "role", "function_call"]),
    st.sampled_from(["function_response", "inline_data", "file_data", "executable_code", "id", "name"]),
    st.sampled_from(["args", "response", "data", "mime_type", "actions", "state_delta"]),
    st.sampled_from(
        ["rule", "requested_tool_confirmations", "error_code", "error_message", "author", "originalFunctionCall"]
    ),
    st.sampled_from(["why", "result", "toolConfirmation", "hint", "display_name", "code"]),
    st.just("error"),
)
_TEXTS = st.sampled_from(["", "hi", "add", "adk_request_confirmation", "c1", "QUJD", "Q", "\ud800", "[[1]]", "\x00"])
_LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | _TEXTS
_ANY_JSON: st.SearchStrategy[Any] = st.recursive(
    _LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=4), max_leaves=15
)


def _object(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Almost always an object with some of these fields, each of which may have any value instead of its own."""
    return st.one_of(
        st.fixed_dictionaries({}, optional=fields),
        st.fixed_dictionaries({}, optional={name: field | _ANY_JSON for name, field in fields.items()}),
    )


_CALL = _object(id=_TEXTS, name=_TEXTS, args=_object(originalFunctionCall=_ANY_JSON, toolConfirmation=_ANY_JSON))
_PART = _object(
    text=_TEXTS,
    thought=st.booleans(),
    function_call=_CALL,
    function_response=_object(id=_TEXTS, name=_TEXTS, response=_object(result=_ANY_JSON, error=_ANY_JSON)),
    inline_data=_object(mime_type=_TEXTS, data=_TEXTS, display_name=_TEXTS),
)
_CONTENT = _object(role=_TEXTS, parts=st.lists(_PART, max_size=3))
_ADK_EVENT = _object(content=_CONTENT, actions=_object(state_delta=_ANY_JSON), error_code=_TEXTS, author=_TEXTS)
_PASSED_OVER = st.lists(st.fixed_dictionaries({"rule": _TEXTS, "why": _TEXTS}) | _ANY_JSON, max_size=2)
_ENVIRONMENT = _object(rules=st.lists(_object(name=_TEXTS, tools=st.lists(_TEXTS, max_size=2)), max_size=2))
_NEAR_MISS = _object(rule=_TEXTS, differences=_object(a=_object(expected=_TEXTS, found=_TEXTS)))
_JSON_FIELDS = {
    "environment_json": st.none() | _ENVIRONMENT,
    "near_miss_json": st.none() | _NEAR_MISS,
    "mocked_json": st.none() | _ANY_JSON,
    "content_json": _CONTENT,
    "event_json": _ADK_EVENT,
    "passed_over_json": _PASSED_OVER,
    "actions_json": st.lists(_TEXTS, max_size=2) | _object(state_delta=_ANY_JSON),
}
_DEEP = "[" * 100_000
_JSON_TEXTS = st.sampled_from(["", "{", "[1]", "null", '{"a": 1e999}', "ü", _DEEP])


@st.composite
def _messages(draw: st.DrawFn) -> v1.SessionEvent:
    kind = draw(st.sampled_from(sorted(CLIENT_EVENT_KINDS)))
    message = v1.SessionEvent(
        event_id=draw(_TEXTS.filter(str.isascii)), agent_name=draw(st.sampled_from(["", "a", " "]))
    )
    payload = getattr(message, kind)
    payload.SetInParent()
    for field in payload.DESCRIPTOR.fields:
        if field.name.endswith("_json"):
            valid = _JSON_FIELDS.get(field.name, _ANY_JSON).map(json.dumps)
            setattr(payload, field.name, draw(st.one_of(valid, valid, valid, _JSON_TEXTS)))
        elif field.cpp_type == field.CPPTYPE_STRING and field.type == field.TYPE_STRING:
            setattr(payload, field.name, draw(st.sampled_from(["", "c1", "add", "hi"])))
        elif field.cpp_type == field.CPPTYPE_DOUBLE:
            setattr(payload, field.name, draw(st.floats(-1)))
        elif field.enum_type is not None:
            setattr(payload, field.name, draw(st.integers(0, 3)))
    message.texts_json = draw(st.sampled_from(["", "", "", "", "[]", '{"call_id": 1}', '{"other": "x"}', _DEEP]))
    return message


def _user_spoke(content_json: str) -> v1.SessionEvent:
    return v1.SessionEvent(user_spoke=v1.UserSpoke(content_json=content_json))


@given(messages=st.lists(_messages(), max_size=8))
@example(messages=[_user_spoke("[1]")])
@example(messages=[_user_spoke(_DEEP)])
@example(messages=[_user_spoke('{"parts": [{"text": 1}]}')])
@example(messages=[v1.SessionEvent(agent_event=v1.AgentEvent(event_json="null"))])
@example(messages=[v1.SessionEvent(agent_event=v1.AgentEvent(event_json='{"actions": null, "content": null}'))])
def test_an_event_is_refused_or_can_be_read_by_everything(messages: Sequence[v1.SessionEvent]) -> None:
    asyncio.run(_append_and_read(messages))


async def _append_and_read(messages: Sequence[v1.SessionEvent]) -> None:
    timeline = Timeline()
    async with serve_timeline(timeline) as client:
        session_id = (await client.CreateSession(v1.CreateSessionRequest())).session.id
        for message in messages:
            try:
                await client.AppendEvents(v1.AppendEventsRequest(session_id=session_id, events=[message]))
            except grpc.aio.AioRpcError as error:
                assert error.code() is StatusCode.INVALID_ARGUMENT, error.details()  # noqa: PT017 - either is right
                assert (error.details() or "").startswith("events[0]")  # noqa: PT017
    events = await timeline.read_events(session_id)
    _read_everything(events)
    await _read_rows(timeline, events)


def _read_everything(events: Sequence[Event]) -> None:
    build_history(events)
    compute_final_state(events)
    build_recorded_report(events)
    render_markdown_report(events)
    for event in events:
        build_legacy_event(event)
        decode_line(encode_line(event))


async def _read_rows(timeline: Timeline, events: Sequence[Event]) -> None:
    by_seq = {event.seq: event for event in events}
    for row in await timeline.read_rows(events[0].session_id, 0, 1_000) if events else ():
        sources = [(by_seq[source.seq], source.part_index) for source in row.sources]

        async def read_block(block_id: str) -> bytes:
            return await timeline.read_block(events[0].session_id, block_id)

        await build_row_detail(row, sources, read_block, url="", full=True)


@given(response=_ADK_EVENT | _ANY_JSON, force=st.booleans())
@example(response=[], force=True)
@example(response={"content": {"parts": [{"function_call": {"name": ["add"]}}]}}, force=False)
def test_a_decision_is_refused_or_can_be_read_by_everything(response: Any, force: bool) -> None:
    asyncio.run(_decide_and_read(response, force=force))


async def _decide_and_read(response: Any, *, force: bool) -> None:
    timeline = Timeline()
    async with serve_timeline(timeline) as client:
        session_id = (await client.CreateSession(v1.CreateSessionRequest())).session.id
        turn_id = str(uuid4())
        await ask_turn(timeline, session_id, turn_id)
        decision = v1.SubmitDecisionRequest(
            session_id=session_id, turn_id=turn_id, exact_json=json.dumps(response), force=force
        )
        try:
            await client.SubmitDecision(decision)
        except grpc.aio.AioRpcError as error:
            assert error.code() is StatusCode.INVALID_ARGUMENT, error.details()  # noqa: PT017 - either is right
    events = await timeline.read_events(session_id)
    _read_everything(events)
    await _read_rows(timeline, events)


def test_every_kind_that_a_client_may_append_is_tried() -> None:
    assert set(PAYLOAD_CLASSES) >= CLIENT_EVENT_KINDS
