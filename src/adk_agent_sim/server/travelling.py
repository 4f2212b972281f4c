"""Requests, responses and events as they travel to who knows only the first protocol, and back.

A database holds a request as references and a response as JSON; the protocol has both as messages of v1beta's shape.
Who knows more of the protocol than its first part gets the exact JSON beside them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from adk_agent_sim.forms.schema import json_schema
from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.persistence.record import event_message
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.canonical import Json, encode
from adk_agent_sim.timeline.events import Event, TurnAsked, TurnDecided
from adk_agent_sim.timeline.request import ModelRequest, RequestBlocks
from adk_agent_sim.wire.request import from_request, schema_apart, to_request
from adk_agent_sim.wire.response import to_response

_APART = ("contents", "config", "tools_dict")
_APART_IN_CONFIG = ("tools", "system_instruction", "response_schema")


def travelling(event: Event, request: ModelRequest | None = None, *, exact: bool = False) -> v1.SessionEvent:
    """An event as it travels; one that asks needs its request.

    Args:
        event: The event.
        request: What a `TurnAsked` refers to.
        exact: Whether the exact JSON goes along.
    """
    message = event_message(event)
    match event.payload:
        case TurnAsked() if request is not None:
            value = _whole(request)
            message.llm_request.CopyFrom(to_request(schema_apart(value)))
        case TurnDecided(response=response):
            value = response
            message.llm_response.CopyFrom(to_response(response))
        case _:
            return message
    if exact:
        message.exact_json = encode(value).decode("ascii")
    message.ClearField("texts_json")
    return message


def request_blocks(message: v1.GenerateContentRequest, stated: Mapping[str, Json] | None = None) -> RequestBlocks:
    """A request as blocks; `stated` is its exact JSON, where that was sent along."""
    request = stated if stated is not None else from_request(message)
    config = cast("Mapping[str, Json]", request.get("config") or {})
    rest: dict[str, Json] = {name: value for name, value in config.items() if name not in _APART_IN_CONFIG}
    schema = config.get("response_schema") or rest.pop("response_json_schema", None)
    if schema is not None:
        rest["response_schema"] = json_schema(schema)
    apart = {name: value for name, value in request.items() if name not in _APART}
    return RequestBlocks(
        contents=[_block(content) for content in request.get("contents") or ()],
        tools=_block(config.get("tools") or []),
        instruction=_block(config.get("system_instruction")),
        config=_block({**apart, "config": rest}),
    )


def _whole(request: ModelRequest) -> dict[str, Json]:
    """The request as one JSON value, as ADK has it."""
    config = dict(request.config["config"])
    if request.instruction is not None:
        config["system_instruction"] = request.instruction
    if request.tools:
        config["tools"] = list(request.tools)
    return {**request.config, "contents": list(request.contents), "config": config}


def _block(value: Json) -> Block:
    return Block.of(encode(value))
