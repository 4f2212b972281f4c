"""ADK's `LlmRequest` and `LlmResponse` <-> what travels as `llm_request`, `llm_response` and `exact_json`.

The message is for everyone who reads v1beta. Where ADK's value cannot be had back from it, its canonical JSON text
travels too, and is what counts; schemas always send theirs.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast

from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from adk_agent_sim.forms.json_schema import to_json_schema
from adk_agent_sim.generated.adksim.v1 import GenerateContentRequest, GenerateContentResponse
from adk_agent_sim.timeline.canonical_json import Json, decode_json, encode_json
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.wire.llm_request import from_request_message, has_schema, move_response_schema, to_request_message
from adk_agent_sim.wire.llm_response import to_response_message
from adk_agent_sim.wire.message_codec import to_genai_value

_CONNECTION_FIELDS = ("httpx_client", "httpx_async_client", "aiohttp_client")
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
    value = _remove_connections(to_json_value(_convert_response_schema(request)))
    message = to_request_message(move_response_schema(value))
    text = encode_json(value)
    plain = not has_schema(message) and encode_json(to_json_value(decode_request(message))) == text
    return WireRequest(message, "" if plain else text.decode("ascii"))


def decode_request(message: GenerateContentRequest, exact_json: str = "") -> LlmRequest:
    """The request that was encoded, or that a v1beta client stated."""
    if exact_json:
        return LlmRequest.model_validate(decode_json(exact_json.encode()))
    return _convert_response_schema(LlmRequest.model_validate(from_request_message(message)))


def encode_response(response: LlmResponse) -> WireResponse:
    """`response` as the first candidate of a message."""
    value = to_json_value(response)
    message = to_response_message(value)
    text = encode_json(value)
    plain = encode_json(to_json_value(decode_response(message))) == text
    return WireResponse(message, "" if plain else text.decode("ascii"))


def decode_response(message: GenerateContentResponse, exact_json: str = "") -> LlmResponse:
    """The response that was encoded, or what ADK makes of what a v1beta client stated."""
    if exact_json:
        return LlmResponse.model_validate(decode_json(exact_json.encode()))
    return LlmResponse.create(to_genai_value(message, types.GenerateContentResponse))


def _convert_response_schema(request: LlmRequest) -> LlmRequest:
    stated = cast("Any", request.config).response_schema
    if stated is None:
        return request
    config = request.config.model_copy(update={"response_schema": to_json_schema(stated)})
    return request.model_copy(update={"config": config})


def _remove_connections(value: Json) -> Json:
    for place, options in (
        ("config", "http_options"),
        ("live_connect_config", "http_options"),
        ("cache_config", "create_http_options"),
    ):
        for connection in _CONNECTION_FIELDS:
            value.get(place, {}).get(options, {}).pop(connection, None)
    return value
