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
from adk_agent_sim.generated.adksim.v1 import GenerateContentRequest, GenerateContentResponse
from adk_agent_sim.timeline.canonical import Json, decode, encode
from adk_agent_sim.timeline.jsonable import jsonable
from adk_agent_sim.wire.messages import from_message
from adk_agent_sim.wire.request import from_request, schema_apart, states_schema, to_request
from adk_agent_sim.wire.response import to_response

_CONNECTIONS = ("httpx_client", "httpx_async_client", "aiohttp_client")
"""Open connections: they are objects of one process, and no model reads them."""


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
    message = to_request(schema_apart(value))
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
    message = to_response(value)
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
