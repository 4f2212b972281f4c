"""Conversion between timeline events and the messages of the first protocol, which embed v1beta requests and responses.

stored:   request = references to blocks,  response = JSON
protocol: request, response = v1beta messages; newer clients also get the exact JSON, which v1beta cannot represent
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from adk_agent_sim.forms.json_schema import to_json_schema
from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.persistence.row_codec import to_event_message
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.canonical_json import Json, encode_json
from adk_agent_sim.timeline.events import Event, TurnAsked, TurnDecided
from adk_agent_sim.timeline.model_request import ModelRequest, RequestBlocks
from adk_agent_sim.wire.llm_messages import (
    from_request_message,
    move_response_schema,
    to_request_message,
    to_response_message,
)

_SEPARATE_FIELDS = ("contents", "config", "tools_dict")
_SEPARATE_CONFIG_FIELDS = ("tools", "system_instruction", "response_schema")


def build_legacy_event(event: Event, request: ModelRequest | None = None, *, exact: bool = False) -> v1.SessionEvent:
    """Return an event as a message of the first protocol.

    Args:
        event: The event.
        request: The reassembled request of a `TurnAsked`.
        exact: Whether to add the exact JSON.
    """
    message = to_event_message(event)
    match event.payload:
        case TurnAsked() if request is not None:
            value = _join_request(request)
            message.llm_request.CopyFrom(to_request_message(move_response_schema(value)))
        case TurnDecided(response=response):
            value = response
            message.llm_response.CopyFrom(to_response_message(response))
        case _:
            return message
    if exact:
        message.exact_json = encode_json(value).decode("ascii")
    message.ClearField("texts_json")
    return message


def split_request(message: v1.GenerateContentRequest, exact_request: Mapping[str, Json] | None = None) -> RequestBlocks:
    """Return a request as blocks, from its exact JSON if the client sent that along."""
    request = exact_request if exact_request is not None else from_request_message(message)
    config = cast("Mapping[str, Json]", request.get("config") or {})
    rest: dict[str, Json] = {name: value for name, value in config.items() if name not in _SEPARATE_CONFIG_FIELDS}
    # An empty schema is a schema too: it accepts everything.
    schema = config.get("response_schema")
    if schema is None:
        schema = rest.pop("response_json_schema", None)
    if schema is not None:
        rest["response_schema"] = to_json_schema(schema)
    other_fields = {name: value for name, value in request.items() if name not in _SEPARATE_FIELDS}
    return RequestBlocks(
        contents=[_encode_block(content) for content in request.get("contents") or ()],
        tools=_encode_block(config.get("tools") or []),
        instruction=_encode_block(config.get("system_instruction")),
        config=_encode_block({**other_fields, "config": rest}),
    )


def _join_request(request: ModelRequest) -> dict[str, Json]:
    """Return the request as one JSON value in the shape of ADK's LlmRequest."""
    config = dict(request.config["config"])
    if request.instruction is not None:
        config["system_instruction"] = request.instruction
    if request.tools:
        config["tools"] = list(request.tools)
    return {**request.config, "contents": list(request.contents), "config": config}


def _encode_block(value: Json) -> Block:
    return Block.from_data(encode_json(value))
