import json
from datetime import timedelta
from typing import Any

import pytest
from golden.test_session import ANSWER, CALL, OUTPUT, QUERY, session
from google.adk.evaluation.eval_case import EvalCase, IntermediateData

from adk_agent_sim.errors import ExportRefused, SessionIncomplete
from adk_agent_sim.golden.golden_trace_builder import EvalIdStyle, GoldenTraceBuilder, build_eval_id
from adk_agent_sim.timeline.file_names import to_snake_case
from adk_agent_sim.timeline.history import FinalResponse, SessionState, ToolCall, ToolError, ToolOutput, UserQuery
from adk_agent_sim.timeline.read_model.pending_requests import RequestKind


def _first(case: EvalCase) -> tuple[Any, IntermediateData]:
    assert case.conversation
    data = case.conversation[0].intermediate_data
    assert isinstance(data, IntermediateData)
    return case.conversation[0], data


@pytest.mark.req("000/GoldenTraceBuilder", "001/FR-024", "001/FR-025", "001/FR-026", "001/FR-027")
@pytest.mark.req("001/FR-028", "001/FR-029", "001/FR-030", "001/US3.1")
def test_a_completed_session_becomes_a_case() -> None:
    case = GoldenTraceBuilder(session(QUERY, CALL, OUTPUT, ANSWER)).build()

    assert case.eval_id == "math_2025-12-23T14:30:00"
    assert case.creation_timestamp == 1_766_500_200.0
    invocation, data = _first(case)
    assert len(case.conversation or ()) == 1
    assert invocation.user_content.parts[0].text == "2+2?"
    assert invocation.final_response.parts[0].text == "4"
    assert [(use.id, use.name, use.args) for use in data.tool_uses] == [("c1", "add", {"a": 2, "b": 2})]
    assert [(got.id, got.name, got.response) for got in data.tool_responses] == [("c1", "add", {"result": 4})]
    assert EvalCase.model_validate_json(case.model_dump_json()) == case


@pytest.mark.req("000/tool-data-order", "001/FR-029")
def test_calls_and_responses_are_in_the_order_in_which_they_happened() -> None:
    slow, quick, last = (
        ToolCall(tool_name=name, arguments={"of": name}, call_id=name[0]) for name in ("slow", "quick", "last")
    )
    results = [ToolOutput(call_id=call.call_id, result=call.tool_name, duration_ms=1) for call in (quick, slow, last)]
    case = GoldenTraceBuilder(session(QUERY, slow, quick, *results[:2], last, results[2], ANSWER)).build()

    _, data = _first(case)
    assert [(use.id, use.name, use.args) for use in data.tool_uses] == [
        ("s", "slow", {"of": "slow"}),
        ("q", "quick", {"of": "quick"}),
        ("l", "last", {"of": "last"}),
    ]
    assert [(got.id, got.name, got.response) for got in data.tool_responses] == [
        ("q", "quick", {"result": "quick"}),
        ("s", "slow", {"result": "slow"}),
        ("l", "last", {"result": "last"}),
    ]


@pytest.mark.req("000/tool-result-payload")
@pytest.mark.parametrize(
    ("result", "wrapped"),
    [
        (4, {"result": 4}),
        (None, {"result": None}),
        ([1], {"result": [1]}),
        ({"total": 3}, {"total": 3}),
        ({}, {}),
    ],
)
def test_results_are_wrapped_as_adk_wraps_them(result: object, wrapped: dict[str, object]) -> None:
    output = ToolOutput(call_id="c1", result=result, duration_ms=1)
    _, data = _first(GoldenTraceBuilder(session(QUERY, CALL, output, ANSWER)).build())

    assert data.tool_responses[0].response == wrapped


@pytest.mark.req("000/tool-result-payload", "000/tool-error-payload", "001/FR-031", "001/US5.3")
@pytest.mark.parametrize(
    "end",
    [
        ToolOutput(call_id="c1", result=4, duration_ms=1, response={"result": "about 4"}),
        ToolError(
            call_id="c1",
            error_type="ConnectionError",
            error_message="refused",
            duration_ms=1,
            response={"result": "about 4"},
        ),
    ],
    ids=lambda end: end.type,
)
def test_the_models_response_is_exported_rather_than_the_tools_result(end: ToolOutput | ToolError) -> None:
    _, data = _first(GoldenTraceBuilder(session(QUERY, CALL, end, ANSWER)).build())

    assert data.tool_responses[0].response == {"result": "about 4"}


@pytest.mark.req("001/FR-031", "001/US5.3", "000/tool-error-payload")
def test_a_tool_error_is_an_error_response_not_left_out() -> None:
    error = ToolError(call_id="c1", error_type="ConnectionError", error_message="refused", duration_ms=1)
    _, data = _first(GoldenTraceBuilder(session(QUERY, CALL, error, ANSWER)).build())

    assert data.tool_responses[0].response == {"error": {"type": "ConnectionError", "message": "refused"}}


@pytest.mark.req("000/relationship-2", "000/relationship-4")
def test_each_user_turn_is_one_invocation() -> None:
    second = ToolCall(tool_name="add", arguments={"a": 1}, call_id="c2")
    case = GoldenTraceBuilder(
        session(
            *(QUERY, CALL, OUTPUT, ANSWER),
            *(UserQuery(content="and 1?"), second, ToolOutput(call_id="c2", result=1, duration_ms=1), ANSWER),
        )
    ).build()

    conversation = case.conversation or []
    assert [turn.invocation_id for turn in conversation] == ["s1_inv_0", "s1_inv_1"]
    uses = [use.id for turn in conversation for use in getattr(turn.intermediate_data, "tool_uses", ())]
    assert uses == ["c1", "c2"]


@pytest.mark.req("000/GoldenTraceBuilder")
def test_a_turn_that_was_stopped_is_left_out_and_an_invocation_has_the_time_of_its_query() -> None:
    later = UserQuery(content="and 3+3?", timestamp=QUERY.timestamp + timedelta(minutes=5))
    case = GoldenTraceBuilder(session(QUERY, CALL, OUTPUT, later, ANSWER)).build()

    assert case.conversation is not None
    (invocation,) = case.conversation
    assert [part.text for part in invocation.user_content.parts or ()] == ["and 3+3?"]
    assert invocation.creation_timestamp == later.timestamp.timestamp()
    assert case.creation_timestamp == 1_766_500_200.0


@pytest.mark.req("001/SC-002")
def test_what_adk_eval_cannot_repeat_is_noted() -> None:
    error = ToolError(
        call_id="c1",
        error_type="ConnectionError",
        error_message="refused",
        duration_ms=1,
        response={"error": {"type": "ConnectionError", "message": "refused"}},
    )
    builder = GoldenTraceBuilder(
        session(
            *(QUERY, CALL, error, ToolCall(tool_name="pay", arguments={}, call_id="c2")),
            *(ToolOutput(call_id="c2", result="paid", duration_ms=1), ANSWER),
            consent_call_ids={"c2"},
            later_edits=["a person set 'vip'"],
            pauses=[(1, RequestKind.INPUT), (1, RequestKind.CREDENTIAL), (1, RequestKind.CONSENT)],
        )
    )

    notes = [
        "call 1 (add) failed: `adk eval` passes only if the evaluated App has a ToolErrorPlugin",
        "call 2 (pay) waited for the user's consent, which `adk eval` cannot give again",
        "a person set 'vip', which `adk eval` does not do again",
        "user turn 1 asked for input, which `adk eval` cannot give again",
        "user turn 1 asked for a credential, which `adk eval` cannot give again",
    ]
    assert builder.collect_notes() == notes
    assert builder.collect_notes(has_tool_error_plugin=True) == notes[1:]


def test_the_whole_message_is_exported_including_images() -> None:
    raw = {
        "role": "user",
        "parts": [{"text": "what is it?"}, {"inline_data": {"mime_type": "image/png", "data": "AAAA"}}],
    }
    invocation, _ = _first(
        GoldenTraceBuilder(session(UserQuery(content="what is it?", raw=raw), FinalResponse(content="a dot"))).build()
    )

    assert invocation.user_content.parts[1].inline_data.data == b"\0\0\0"


def test_the_state_before_and_after_is_kept() -> None:
    case = GoldenTraceBuilder(
        session(QUERY, ANSWER, app_name="app", user_id="ada", initial_state={"n": 1}, final_state={"n": 2})
    ).build()

    assert case.session_input is not None
    assert (case.session_input.app_name, case.session_input.user_id) == ("app", "ada")
    assert case.session_input.state == {"n": 1}
    assert case.final_session_state == {"n": 2}


class TestAnIncompleteSessionIsRefused:
    @pytest.mark.req("000/validation-9")
    def test_without_a_query(self) -> None:
        with pytest.raises(SessionIncomplete, match="it has no user query"):
            GoldenTraceBuilder(session(state=SessionState.AWAITING_QUERY)).build()

    @pytest.mark.req("000/validation-9")
    def test_without_a_final_response_naming_the_query(self) -> None:
        with pytest.raises(SessionIncomplete, match=r"the user query '2\+2\?' has no final response"):
            GoldenTraceBuilder(session(QUERY, CALL, OUTPUT, state=SessionState.ACTIVE)).build()

    @pytest.mark.req("000/validation-9")
    def test_with_a_call_that_has_no_result_naming_the_call(self) -> None:
        with pytest.raises(SessionIncomplete, match=r"tool call 'add' \(c1\) has no result") as refused:
            GoldenTraceBuilder(session(QUERY, CALL, state=SessionState.ACTIVE)).build()
        assert len(refused.value.missing) == 2

    def test_after_a_run_that_failed_saying_why(self) -> None:
        broken = session(QUERY, state=SessionState.ACTIVE, failure="the last run failed: ValueError: no")
        with pytest.raises(SessionIncomplete, match="the last run failed: ValueError: no"):
            GoldenTraceBuilder(broken).build()


@pytest.mark.parametrize(
    ("name", "snake"),
    [
        ("MathAgent", "math_agent"),
        ("math_agent", "math_agent"),
        ("Math Agent", "math_agent"),
        ("My  (new) Agent!", "my_new_agent"),
        ("HTTPAgent", "httpagent"),
        ("Agent 007", "agent_007"),
        ("...", "agent"),
    ],
)
@pytest.mark.req("001/FR-025")
def test_a_name_in_snake_case(name: str, snake: str) -> None:
    assert to_snake_case(name) == snake


@pytest.mark.parametrize(
    ("style", "expected"), [("iso", "math_2025-12-23T14:30:00"), ("selectable", "math_2025-12-23T14-30-00")]
)
@pytest.mark.req("001/FR-025")
def test_an_eval_id_can_be_made_selectable(style: EvalIdStyle, expected: str) -> None:
    assert build_eval_id("Math", 1_766_500_200.9, style) == expected


def test_arguments_that_were_not_given_stay_unset() -> None:
    called = ToolCall(tool_name="search", arguments={"query": "x"}, call_id="c1")
    case = GoldenTraceBuilder(session(QUERY, called, OUTPUT, ANSWER)).build()

    assert (
        "limit"
        not in json.loads(case.model_dump_json())["conversation"][0]["intermediate_data"]["tool_uses"][0]["args"]
    )


def test_a_message_that_adk_cannot_read_is_refused_and_named() -> None:
    query = QUERY.model_copy(update={"raw": {"role": "user", "parts": [{"text": "hi", "unheard_of": 1}]}})

    with pytest.raises(ExportRefused, match=r"cannot read one of its messages \(parts\.0\.unheard_of"):
        GoldenTraceBuilder(session(history=[query, ANSWER])).build()
