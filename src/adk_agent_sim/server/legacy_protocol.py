"""Requests, responses and events as they travel to who knows only the first protocol, and back.

A database holds a request as references and a response as JSON; the protocol has both as messages of v1beta's shape.
Who knows more of the protocol than its first part gets the exact JSON beside them.
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
from adk_agent_sim.wire.llm_request import from_request_message, move_response_schema, to_request_message
from adk_agent_sim.wire.llm_response import to_response_message

_SEPARATE_FIELDS = ("contents", "config", "tools_dict")
_SEPARATE_CONFIG_FIELDS = ("tools", "system_instruction", "response_schema")


def build_legacy_event(event: Event, request: ModelRequest | None = None, *, exact: bool = False) -> v1.SessionEvent:
    """An event as it travels; one that asks needs its request.

    Args:
        event: The event.
        request: What a `TurnAsked` refers to.
        exact: Whether the exact JSON goes along.
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
    """A request as blocks; `stated` is its exact JSON, where that was sent along."""
    request = exact_request if exact_request is not None else from_request_message(message)
    config = cast("Mapping[str, Json]", request.get("config") or {})
    rest: dict[str, Json] = {name: value for name, value in config.items() if name not in _SEPARATE_CONFIG_FIELDS}
    schema = config.get("response_schema") or rest.pop("response_json_schema", None)
    if schema is not None:
        rest["response_schema"] = to_json_schema(schema)
    apart = {name: value for name, value in request.items() if name not in _SEPARATE_FIELDS}
    return RequestBlocks(
        contents=[_encode_block(content) for content in request.get("contents") or ()],
        tools=_encode_block(config.get("tools") or []),
        instruction=_encode_block(config.get("system_instruction")),
        config=_encode_block({**apart, "config": rest}),
    )


def _join_request(request: ModelRequest) -> dict[str, Json]:
    """The request as one JSON value, as ADK has it."""
    config = dict(request.config["config"])
    if request.instruction is not None:
        config["system_instruction"] = request.instruction
    if request.tools:
        config["tools"] = list(request.tools)
    return {**request.config, "contents": list(request.contents), "config": config}


def _encode_block(value: Json) -> Block:
    return Block.from_data(encode_json(value))
