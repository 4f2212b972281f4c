from __future__ import annotations

from typing import Any, cast

import httpx
import pytest
from genai_strategies import JSON, OBJECT, Answer, models
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from hypothesis import given
from hypothesis import strategies as st

from adk_agent_sim.adk.llm_codec import decode_request, decode_response, encode_request, encode_response
from adk_agent_sim.forms.json_schema import to_json_schema
from adk_agent_sim.generated.adksim.v1 import GenerateContentRequest, GenerateContentResponse
from adk_agent_sim.timeline.canonical_json import decode_json, encode_json
from adk_agent_sim.timeline.json_conversion import to_json_value


def _request_text(request: LlmRequest) -> bytes:
    """The canonical text of a request, a schema class in it replaced."""
    stated = cast("Any", request.config).response_schema
    if stated is not None:
        config = request.config.model_copy(update={"response_schema": to_json_schema(stated)})
        request = request.model_copy(update={"config": config})
    return encode_json(to_json_value(request))


def _comes_back(request: LlmRequest) -> bool:
    sent = encode_request(request)
    received = GenerateContentRequest.FromString(sent.message.SerializeToString())
    return _request_text(decode_request(received, sent.exact_json)) == _request_text(request)


def _of_parts(*parts: types.Part, **config: Any) -> LlmRequest:
    content = types.Content(role="user", parts=list(parts))
    return LlmRequest(model="m", contents=[content], config=types.GenerateContentConfig(**config))


@given(models(LlmRequest))
def test_any_request_comes_back(request: LlmRequest) -> None:
    assert _comes_back(request)


@pytest.mark.parametrize("kind", sorted(types.Part.model_fields))
@pytest.mark.req("003/proto-8")
@given(data=st.data())
def test_every_kind_of_part_comes_back(kind: str, data: st.DataObject) -> None:
    assert _comes_back(_of_parts(data.draw(models(types.Part, only=kind))))


@pytest.mark.parametrize("kind", sorted(types.FunctionDeclaration.model_fields))
@given(data=st.data())
def test_both_schema_forms_of_a_declaration_come_back(kind: str, data: st.DataObject) -> None:
    declaration = data.draw(models(types.FunctionDeclaration, only=kind))

    assert _comes_back(_of_parts(tools=[types.Tool(function_declarations=[declaration])]))


@given(OBJECT, OBJECT)
def test_any_arguments_and_results_come_back(args: dict[str, Any], result: dict[str, Any]) -> None:
    call = types.Part(function_call=types.FunctionCall(name="f", args=args))
    answer = types.Part(function_response=types.FunctionResponse(name="f", response=result))

    assert _comes_back(_of_parts(call, answer))


@given(models(LlmResponse))
def test_any_response_comes_back(response: LlmResponse) -> None:
    sent = encode_response(response)
    received = GenerateContentResponse.FromString(sent.message.SerializeToString())

    assert encode_json(to_json_value(decode_response(received, sent.exact_json))) == encode_json(
        to_json_value(response)
    )


@given(JSON)
def test_the_exact_text_is_ascii(value: object) -> None:
    sent = encode_request(_of_parts(types.Part(function_call=types.FunctionCall(args={"x": value}))))

    assert sent.exact_json.isascii()


_HELD: list[dict[str, Any]] = [
    {"a": 5, "b": [None, True, "x", 0.5, -0.0, {}]},
    {"nested": {"a": None, "b": []}},
    {"n": -(2**53)},
    {},
]
_CHANGED: list[dict[str, Any]] = [
    {"a": 5.0},
    {"b": 1, "a": 2},
    {"a": 2**53 + 1},
    {"a": 10**400},
    {"a": "\ud800"},
    {"\ud800": "a"},
]


@pytest.mark.parametrize("args", _HELD, ids=ascii)
def test_what_the_message_holds_needs_no_text(args: dict[str, Any]) -> None:
    parts = [
        types.Part(text="hi"),
        types.Part(function_call=types.FunctionCall(id="c1", name="f", args=args)),
        types.Part.from_bytes(data=b"\x00\xff", mime_type="image/png"),
    ]
    search = types.Tool(google_search=types.GoogleSearch())
    request = _of_parts(*parts, temperature=0.7, top_k=40, system_instruction="Be brief.", tools=[search])

    assert encode_request(request).exact_json == ""
    assert _comes_back(request)


@pytest.mark.parametrize("args", _CHANGED, ids=ascii)
def test_what_the_message_changes_travels_as_text_too(args: dict[str, Any]) -> None:
    request = _of_parts(types.Part(function_call=types.FunctionCall(name="f", args=args)))

    assert decode_json(encode_request(request).exact_json.encode()) == to_json_value(request)


def test_what_is_deeper_than_protobuf_reads_comes_back() -> None:
    deep: dict[str, Any] = {}
    schema = types.Schema()
    for _ in range(110):
        deep = {"a": [deep]}
        schema = types.Schema(properties={"a": schema})
    call = types.Part(function_call=types.FunctionCall(name="f", args=deep))
    declaration = types.FunctionDeclaration(name="f", parameters_json_schema=deep, response=schema)

    assert _comes_back(_of_parts(call, tools=[types.Tool(function_declarations=[declaration])]))


def test_a_schema_always_travels_as_text_too() -> None:
    schema = types.Schema(type=types.Type.OBJECT, properties={"a": types.Schema(type=types.Type.STRING)})
    declaration = types.FunctionDeclaration(name="f", description="Does f.", parameters=schema)

    sent = encode_request(_of_parts(tools=[types.Tool(function_declarations=[declaration])]))

    assert sent.exact_json
    assert sent.message.tools[0].function_declarations[0].parameters.properties["a"].type == 1


@pytest.mark.parametrize("stated", [Answer, list[Answer], to_json_schema(Answer)])
def test_an_output_schema_travels_as_json_schema(stated: Any) -> None:
    request = _of_parts(types.Part(text="hi"), response_schema=stated)

    sent = encode_request(request)

    assert sent.message.generation_config.HasField("response_json_schema")
    assert cast("Any", decode_request(*sent).config).response_schema == to_json_schema(stated)


def test_an_open_connection_stays_at_home() -> None:
    options = types.HttpOptions(timeout=5, httpx_client=httpx.Client())

    sent = encode_request(_of_parts(types.Part(text="hi"), http_options=options))

    assert decode_request(*sent).config.http_options == types.HttpOptions(timeout=5)


def test_what_a_v1beta_client_states_is_read_as_adk_reads_it() -> None:
    message = GenerateContentResponse(
        candidates=[{"content": {"role": "model", "parts": [{"text": "4"}]}, "finish_reason": "STOP"}]
    )

    response = decode_response(message)

    assert response == LlmResponse(
        content=types.Content(role="model", parts=[types.Part(text="4")]), finish_reason=types.FinishReason.STOP
    )


def test_an_error_is_a_candidate_that_says_why() -> None:
    failed = LlmResponse(error_code="RuntimeError", error_message="The model is on holiday.")

    sent = encode_response(failed)

    (candidate,) = sent.message.candidates
    assert candidate.finish_message == "The model is on holiday."
    assert candidate.finish_reason == candidate.OTHER
    assert decode_response(*sent) == failed
