"""ADK's `LlmRequest` and `LlmResponse` <-> what travels as `llm_request`, `llm_response` and `exact_json`.

The message is for everyone who reads v1beta. Where ADK's value cannot be had back from it, its canonical JSON text
travels too, and is what counts; schemas always send theirs.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast

from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from adk_agent_sim.forms.schema import json_schema
from adk_agent_sim.generated.adksim.v1 import Candidate, GenerateContentRequest, GenerateContentResponse
from adk_agent_sim.timeline.canonical import Json, decode, encode
from adk_agent_sim.timeline.jsonable import jsonable
from adk_agent_sim.wire.messages import fill, from_message
from adk_agent_sim.wire.request import from_request, states_schema, to_request

_CONNECTIONS = ("httpx_client", "httpx_async_client", "aiohttp_client")
"""Open connections: they are objects of one process, and no model reads them."""

_OF_CANDIDATE = (
    "content",
    "grounding_metadata",
    "finish_reason",
    "avg_logprobs",
    "logprobs_result",
    "citation_metadata",
)
_OF_RESPONSE = ("usage_metadata", "model_version")


class WireRequest(NamedTuple):
    """A request on the wire."""

    message: GenerateContentRequest
    """As v1beta states it."""

    exact_json: str
    """Its canonical JSON text, where the message does not say it all; else empty."""


class WireResponse(NamedTuple):
    """A response on the wire."""

    message: GenerateContentResponse
    """As v1beta states it."""

    exact_json: str
    """Its canonical JSON text, where the message does not say it all; else empty."""


def encode_request(request: LlmRequest) -> WireRequest:
    """`request` without its tools' code; a class that states the output schema is sent as JSON Schema."""
    value = _without_connections(jsonable(_with_json_schema(request)))
    message = to_request(_schema_apart(value))
    text = encode(value)
    plain = not states_schema(message) and encode(jsonable(decode_request(message))) == text
    return WireRequest(message, "" if plain else text.decode("ascii"))


def decode_request(message: GenerateContentRequest, exact_json: str = "") -> LlmRequest:
    """The request that was encoded, or that a v1beta client stated."""
    if exact_json:
        return LlmRequest.model_validate(decode(exact_json.encode()))
    return _with_json_schema(LlmRequest.model_validate(from_request(message)))


def encode_response(response: LlmResponse) -> WireResponse:
    """`response` as the first candidate of a message."""
    value = jsonable(response)
    message = GenerateContentResponse()
    fill(message, {name: value.get(name) for name in _OF_RESPONSE} | {"candidates": [_candidate(value)]})
    text = encode(value)
    plain = encode(jsonable(decode_response(message))) == text
    return WireResponse(message, "" if plain else text.decode("ascii"))


def decode_response(message: GenerateContentResponse, exact_json: str = "") -> LlmResponse:
    """The response that was encoded, or what ADK makes of what a v1beta client stated."""
    if exact_json:
        return LlmResponse.model_validate(decode(exact_json.encode()))
    return LlmResponse.create(from_message(message, types.GenerateContentResponse))


def _with_json_schema(request: LlmRequest) -> LlmRequest:
    stated = cast("Any", request.config).response_schema
    if stated is None:
        return request
    config = request.config.model_copy(update={"response_schema": json_schema(stated)})
    return request.model_copy(update={"config": config})


def _without_connections(value: Json) -> Json:
    for place, options in (
        ("config", "http_options"),
        ("live_connect_config", "http_options"),
        ("cache_config", "create_http_options"),
    ):
        for connection in _CONNECTIONS:
            value.get(place, {}).get(options, {}).pop(connection, None)
    return value


def _schema_apart(value: Json) -> Json:
    """The same request, its output schema where v1beta has a place for JSON Schema."""
    config = value["config"]
    if "response_schema" not in config:
        return value
    rest = {name: inner for name, inner in config.items() if name != "response_schema"}
    return {**value, "config": {"response_json_schema": config["response_schema"], **rest}}


def _candidate(response: Json) -> Json:
    """An error is a candidate too: one without content, which says in words why."""
    candidate = {name: response[name] for name in _OF_CANDIDATE if name in response}
    if "error_message" in response:
        candidate["finish_message"] = response["error_message"]
    if "error_code" in response:
        code = response["error_code"]
        candidate.setdefault(
            "finish_reason", code if code in Candidate.FinishReason.DESCRIPTOR.values_by_name else "OTHER"
        )
    return candidate
