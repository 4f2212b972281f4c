from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError
from timeline_builders import ManualClock, user_content

from adk_agent_sim.timeline.events import (
    AgentEvent,
    Payload,
    RunEnded,
    RunOutcome,
    ToolFailed,
    ToolFinished,
    ToolStarted,
    UserSpoke,
)
from adk_agent_sim.timeline.history import (
    FinalResponse,
    HistoryEntry,
    ToolCall,
    ToolError,
    ToolOutput,
    UserQuery,
    build_history,
)
from adk_agent_sim.timeline.store import MemoryStore
from adk_agent_sim.timeline.submissions import EventBatch
from adk_agent_sim.timeline.timeline import Timeline


async def _history(*payloads: Payload) -> list[HistoryEntry]:
    """Return the history of a session whose payloads were appended one second after the other, from second 1000."""
    clock = ManualClock(1_000.0)
    timeline = Timeline(MemoryStore(), clock)
    session_id = (await timeline.create_session()).session_id
    for payload in payloads:
        await timeline.append(EventBatch(session_id, [payload], agent_name="math"))
        clock.time += 1
    return build_history(await timeline.read_events(session_id))


def _spoke(text: str) -> UserSpoke:
    return UserSpoke(content=user_content(text))


def _build_agent_event(*parts: dict[str, Any], final: bool = False) -> AgentEvent:
    return AgentEvent(invocation_id="i", event={"content": {"role": "model", "parts": list(parts)}}, final=final)


def _call(call_id: str, name: str = "add", **args: Any) -> dict[str, Any]:
    return {"function_call": {"id": call_id, "name": name, "args": args}}


def _response(call_id: str, response: dict[str, Any]) -> dict[str, Any]:
    return {"function_response": {"id": call_id, "name": "add", "response": response}}


_DONE = RunEnded(invocation_id="i", outcome=RunOutcome.DONE)


@pytest.mark.req(
    "000/HistoryEntry", "000/UserQuery", "000/ToolCall", "000/ToolOutput", "000/FinalResponse", "001/US2.1", "001/US2.2"
)
async def test_a_session_folds_to_query_calls_outputs_and_answer_in_order() -> None:
    entries = await _history(
        _spoke("Calculate 5 * 5 + 10"),
        _build_agent_event(_call("c1", a=5, b=5)),
        ToolStarted(call_id="c1", tool_name="add", arguments={"a": 5, "b": 5}),
        ToolFinished(call_id="c1", result=25, duration_ms=3.0),
        _build_agent_event(_response("c1", {"result": 25})),
        _build_agent_event(_call("c2", a=25, b=10)),
        ToolFinished(call_id="c2", result=35, duration_ms=2.0),
        _build_agent_event(_response("c2", {"result": 35})),
        _build_agent_event({"text": "The answer is 35"}, final=True),
        _DONE,
    )

    assert [entry.type for entry in entries] == [
        "user_query",
        "tool_call",
        "tool_output",
        "tool_call",
        "tool_output",
        "final_response",
    ]
    query, called, output, *_, answer = entries
    assert isinstance(query, UserQuery)
    assert query.content == "Calculate 5 * 5 + 10"
    assert isinstance(called, ToolCall)
    assert (called.tool_name, called.arguments, called.call_id) == ("add", {"a": 5, "b": 5}, "c1")
    assert isinstance(output, ToolOutput)
    assert (output.call_id, output.result, output.duration_ms, output.response) == ("c1", 25, 3.0, {"result": 25})
    assert isinstance(answer, FinalResponse)
    assert answer.content == "The answer is 35"
    assert [entry.timestamp.timestamp() for entry in entries] == [1_000, 1_001, 1_003, 1_005, 1_006, 1_008]


_ENTRIES: list[HistoryEntry] = [
    UserQuery(content="2+2?"),
    ToolCall(tool_name="add", arguments={"a": 2, "b": 2}, call_id="c1"),
    ToolOutput(call_id="c1", result=4, duration_ms=1.5),
    ToolError(call_id="c1", error_type="ValueError", error_message="no", traceback="Traceback ...", duration_ms=1.5),
    FinalResponse(content="4"),
]


@pytest.mark.req("000/HistoryEntry")
@pytest.mark.parametrize("entry", _ENTRIES, ids=lambda entry: entry.type)
def test_an_entry_is_read_back_as_the_kind_that_its_type_names(entry: HistoryEntry) -> None:
    kinds: TypeAdapter[HistoryEntry] = TypeAdapter(HistoryEntry)
    written = entry.model_dump(mode="json")
    assert kinds.validate_python(written) == entry
    for kind in {each.type for each in _ENTRIES} - {entry.type} | {"something_else"}:
        with pytest.raises(ValidationError):
            type(entry).model_validate(written | {"type": kind})
    with pytest.raises(ValidationError):
        kinds.validate_python(written | {"type": "something_else"})


@pytest.mark.req("000/ToolError")
async def test_a_failed_tool_is_an_error_entry_with_what_the_model_got() -> None:
    failed = ToolFailed(
        call_id="c1", error_type="ConnectionError", error_message="refused", duration_ms=1.0, traceback="Traceback ..."
    )
    entries = await _history(
        _spoke("hi"),
        _build_agent_event(_call("c1")),
        failed,
        _build_agent_event(_response("c1", {"error": {"type": "ConnectionError"}})),
    )

    error = entries[-1]
    assert isinstance(error, ToolError)
    assert (error.error_type, error.error_message, error.traceback) == ("ConnectionError", "refused", "Traceback ...")
    assert error.response == {"error": {"type": "ConnectionError"}}
    assert (error.call_id, error.duration_ms, error.timestamp.timestamp()) == ("c1", 1.0, 1_002)
    assert ToolError(call_id="c1", error_type="E", error_message="m", duration_ms=1).traceback is None


async def test_a_call_answered_without_its_tool_also_has_an_output() -> None:
    entries = await _history(
        _spoke("hi"), _build_agent_event(_call("c1")), _build_agent_event(_response("c1", {"from": "a callback"}))
    )

    output = entries[-1]
    assert isinstance(output, ToolOutput)
    assert output.result == output.response == {"from": "a callback"}


async def test_events_inside_an_agent_used_as_a_tool_add_no_entries() -> None:
    entries = await _history(
        _spoke("hi"),
        _build_agent_event(_call("outer", "specialist")),
        ToolFinished(call_id="inner", result=1, duration_ms=1.0),
        ToolFinished(call_id="outer", result=2, duration_ms=1.0),
    )

    assert [entry.type for entry in entries] == ["user_query", "tool_call", "tool_output"]


@pytest.mark.req("000/relationship-4")
async def test_the_last_of_several_final_answers_is_used() -> None:
    entries = await _history(
        _spoke("hi"),
        _build_agent_event({"text": "draft"}, final=True),
        _build_agent_event({"text": "final"}, final=True),
        _DONE,
    )

    assert [entry.content for entry in entries if isinstance(entry, FinalResponse)] == ["final"]


async def test_thoughts_are_no_answer() -> None:
    entries = await _history(
        _spoke("hi"), _build_agent_event({"text": "hm", "thought": True}, {"text": "yes"}, final=True), _DONE
    )

    assert [entry.content for entry in entries if isinstance(entry, FinalResponse)] == ["yes"]


async def test_a_run_that_failed_has_no_final_response() -> None:
    failed = RunEnded(invocation_id="i", outcome=RunOutcome.FAILED, error_type="ValueError", error_message="no")

    entries = await _history(_spoke("hi"), _build_agent_event({"text": "draft"}, final=True), failed)

    assert [entry.type for entry in entries] == ["user_query"]


async def test_consent_is_neither_a_query_nor_a_call_of_the_model() -> None:
    consent = UserSpoke(content={"role": "user", "parts": [_response("q", {"confirmed": True})]})

    entries = await _history(_spoke("hi"), _build_agent_event(_call("q", "adk_request_confirmation")), consent)

    assert [entry.type for entry in entries] == ["user_query"]


async def test_data_without_text_is_shown_as_json() -> None:
    image = {"inline_data": {"mime_type": "image/png", "data": "AAAA"}}
    entries = await _history(UserSpoke(content={"role": "user", "parts": [image]}))

    assert isinstance(entries[0], UserQuery)
    assert "image/png" in entries[0].content
    assert entries[0].raw["parts"] == [image]
