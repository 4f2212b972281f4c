"""Requests and responses of ADK survive the way from the agent over the wire to whoever reads the timeline."""

from __future__ import annotations

from typing import Any

import pytest
from genai_strategies import JSON, OBJECT, Answer, models
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from hypothesis import given
from hypothesis import strategies as st

from adk_agent_sim.adk.seats.request_blocks import RequestEncoder
from adk_agent_sim.errors import InvalidField
from adk_agent_sim.forms.json_schema import to_json_schema
from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.server.grpc.legacy_protocol import build_legacy_event, split_request
from adk_agent_sim.server.grpc.request_validation import parse_exact_request, parse_exact_response
from adk_agent_sim.timeline.canonical_json import decode_json, encode_json
from adk_agent_sim.timeline.events import Event, Payload, TurnDecided
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.model_request import ModelRequest, RequestBlocks, build_turn_asked
from adk_agent_sim.wire.llm_messages import from_request_message


def _encode(request: LlmRequest) -> RequestBlocks:
    return RequestEncoder().encode("a", request)


def _send_request(request: LlmRequest) -> v1.SessionEvent:
    """The event of a turn, as a subscriber receives it."""
    blocks = _encode(request)
    reassembled = ModelRequest(
        contents=[decode_json(block.data) for block in blocks.contents],
        tools=decode_json(blocks.tools.data),
        instruction=decode_json(blocks.instruction.data),
        config=decode_json(blocks.config.data),
    )
    asked, _ = build_turn_asked(blocks, "inv", ())
    return _transmit(build_legacy_event(_event(asked), reassembled, exact=True))


def _send_response(response: LlmResponse) -> v1.SessionEvent:
    decided = TurnDecided(decision_id="d", response=to_json_value(response))
    return _transmit(build_legacy_event(_event(decided), exact=True))


def _event(payload: Payload) -> Event:
    return Event(event_id="e", session_id="s", seq=1, timestamp=1.0, payload=payload)


def _transmit(message: v1.SessionEvent) -> v1.SessionEvent:
    return v1.SessionEvent.FromString(message.SerializeToString())


def _survives(request: LlmRequest) -> bool:
    received = _send_request(request)
    exact = parse_exact_request(received.exact_json)
    read_by_adk = LlmRequest.model_validate(exact)
    return split_request(received.llm_request, exact) == _encode(request) == _encode(read_by_adk)


def _build_request(*parts: types.Part, **config: Any) -> LlmRequest:
    content = types.Content(role="user", parts=list(parts))
    return LlmRequest(model="m", contents=[content], config=types.GenerateContentConfig(**config))


@given(models(LlmRequest))
def test_any_request_survives(request: LlmRequest) -> None:
    assert _survives(request)


def test_a_response_schema_that_is_no_object_is_refused() -> None:
    with pytest.raises(InvalidField, match="response_json_schema must be an object"):
        _survives(_build_request(response_json_schema=[]))


@pytest.mark.parametrize("kind", sorted(types.Part.model_fields))
@pytest.mark.req("003/proto-8")
@given(data=st.data())
def test_every_kind_of_part_survives(kind: str, data: st.DataObject) -> None:
    assert _survives(_build_request(data.draw(models(types.Part, only=kind))))


@pytest.mark.parametrize("kind", sorted(types.FunctionDeclaration.model_fields))
@given(data=st.data())
def test_both_schema_forms_of_a_declaration_survive(kind: str, data: st.DataObject) -> None:
    declaration = data.draw(models(types.FunctionDeclaration, only=kind))

    assert _survives(_build_request(tools=[types.Tool(function_declarations=[declaration])]))


@given(OBJECT, OBJECT)
def test_any_arguments_and_results_survive(args: dict[str, Any], result: dict[str, Any]) -> None:
    call = types.Part(function_call=types.FunctionCall(name="f", args=args))
    answer = types.Part(function_response=types.FunctionResponse(name="f", response=result))

    assert _survives(_build_request(call, answer))


@given(models(LlmResponse))
def test_any_response_survives(response: LlmResponse) -> None:
    exact = parse_exact_response(_send_response(response).exact_json)

    assert encode_json(exact) == encode_json(to_json_value(response))
    assert encode_json(to_json_value(LlmResponse.model_validate(exact))) == encode_json(to_json_value(response))


@given(JSON)
def test_the_exact_text_is_ascii(value: object) -> None:
    received = _send_request(_build_request(types.Part(function_call=types.FunctionCall(args={"x": value}))))

    assert received.exact_json.isascii()


_EXACT_IN_V1BETA: list[dict[str, Any]] = [
    {"a": 5, "b": [None, True, "x", 0.5, -0.0, {}]},
    {"nested": {"a": None, "b": []}},
    {"n": -(2**53)},
    {},
]
_INEXACT_IN_V1BETA: list[dict[str, Any]] = [
    {"a": 5.0},
    {"b": 1, "a": 2},
    {"a": 2**53 + 1},
    {"a": 10**400},
    {"a": "\ud800"},
    {"\ud800": "a"},
]


def _survives_without_exact_json(request: LlmRequest) -> bool:
    message = _send_request(request).llm_request
    return _encode(LlmRequest.model_validate(from_request_message(message))) == _encode(request)


@pytest.mark.parametrize("args", _EXACT_IN_V1BETA, ids=ascii)
def test_the_message_alone_is_exact_where_v1beta_can_be(args: dict[str, Any]) -> None:
    parts = [
        types.Part(text="hi"),
        types.Part(function_call=types.FunctionCall(id="c1", name="f", args=args)),
        types.Part.from_bytes(data=b"\x00\xff", mime_type="image/png"),
    ]
    search = types.Tool(google_search=types.GoogleSearch())
    request = _build_request(*parts, temperature=0.7, top_k=40, system_instruction="Be brief.", tools=[search])

    assert _survives_without_exact_json(request)
    assert _survives(request)


@pytest.mark.parametrize("args", _INEXACT_IN_V1BETA, ids=ascii)
def test_what_v1beta_cannot_represent_survives_as_exact_json(args: dict[str, Any]) -> None:
    request = _build_request(types.Part(function_call=types.FunctionCall(name="f", args=args)))

    assert not _survives_without_exact_json(request)
    assert _survives(request)


def test_what_is_deeper_than_protobuf_reads_survives() -> None:
    deep: dict[str, Any] = {}
    schema = types.Schema()
    for _ in range(110):
        deep = {"a": [deep]}
        schema = types.Schema(properties={"a": schema})
    call = types.Part(function_call=types.FunctionCall(name="f", args=deep))
    declaration = types.FunctionDeclaration(name="f", parameters_json_schema=deep, response=schema)

    assert _survives(_build_request(call, tools=[types.Tool(function_declarations=[declaration])]))


def test_a_declaration_is_in_the_message_too() -> None:
    schema = types.Schema(type=types.Type.OBJECT, properties={"a": types.Schema(type=types.Type.STRING)})
    declaration = types.FunctionDeclaration(name="f", description="Does f.", parameters=schema)

    received = _send_request(_build_request(tools=[types.Tool(function_declarations=[declaration])]))

    assert received.llm_request.tools[0].function_declarations[0].parameters.properties["a"].type == 1


@pytest.mark.parametrize("output_schema", [Answer, list[Answer], to_json_schema(Answer)])
def test_an_output_schema_is_sent_as_json_schema(output_schema: Any) -> None:
    request = _build_request(types.Part(text="hi"), response_schema=output_schema)

    received = _send_request(request)
    blocks = split_request(received.llm_request)  # a client of the first protocol sends no exact JSON

    assert received.llm_request.generation_config.HasField("response_json_schema")
    assert decode_json(blocks.config.data)["config"]["response_schema"] == to_json_schema(output_schema)


def test_an_error_is_a_candidate_that_says_why() -> None:
    failed = LlmResponse(error_code="RuntimeError", error_message="The model is on holiday.")

    received = _send_response(failed)

    (candidate,) = received.llm_response.candidates
    assert candidate.finish_message == "The model is on holiday."
    assert candidate.finish_reason == candidate.OTHER
    assert LlmResponse.model_validate(parse_exact_response(received.exact_json)) == failed
