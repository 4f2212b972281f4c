"""Converts a model request to a `GenerateContentRequest` and back.

google.genai has in `config` what v1beta has in several fields of the message.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from adk_agent_sim.generated.adksim.v1 import Content, GenerateContentRequest
from adk_agent_sim.wire.message_codec import fill_message, message_to_json
from adk_agent_sim.wire.scalars import Json

_TOP_LEVEL_FIELDS = ("safety_settings", "tools", "tool_config", "cached_content")
"""The entries of `config` that are fields of the message itself."""


def to_request_message(request: Mapping[str, Json]) -> GenerateContentRequest:
    """Build the message of a request from its keys `model`, `contents` and `config`; other keys are ignored."""
    config = cast("Mapping[str, Json]", request.get("config") or {})
    message = GenerateContentRequest()
    fill_message(message, {name: request.get(name) for name in ("model", "contents")})
    fill_message(message, {name: config.get(name) for name in _TOP_LEVEL_FIELDS})
    fill_message(message, {"system_instruction": _to_instruction_content(config.get("system_instruction"))})
    # The whole config: its entries that are fields of the request itself have no field there, and are left out.
    fill_message(message.generation_config, config)
    return message


def from_request_message(message: GenerateContentRequest) -> dict[str, Json]:
    """Return the request of a message, with the keys `contents`, `config` and, if set, `model`."""
    fields = message_to_json(message)
    config = dict(fields.pop("generation_config", {}))
    config |= {name: fields[name] for name in _TOP_LEVEL_FIELDS if name in fields}
    if message.HasField("system_instruction"):
        config["system_instruction"] = _from_instruction_content(message.system_instruction)
    request = {"contents": fields.get("contents", []), "config": config}
    return {"model": fields["model"], **request} if "model" in fields else request


def move_response_schema(request: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return the request with its output schema, which is JSON Schema, in v1beta's field for JSON Schema."""
    config = cast("Mapping[str, Json]", request["config"])
    if "response_schema" not in config:
        return request
    rest = {name: inner for name, inner in config.items() if name != "response_schema"}
    return {**request, "config": {"response_json_schema": config["response_schema"], **rest}}


def _to_instruction_content(instruction: Json) -> Json:
    """Convert any form of instruction that google.genai accepts to a content."""
    match instruction:
        case None | {"parts": _} | {"role": _}:
            return cast("Json", instruction)
        case list():
            parts = cast("list[Json]", instruction)
        case _:
            parts = [instruction]
    return {"parts": [{"text": part} if isinstance(part, str) else part for part in parts]}


def _from_instruction_content(content: Content) -> Json:
    """Return an instruction as plain text if it can be, because ADK writes it that way."""
    value = message_to_json(content)
    text = content.parts[0].text if content.parts else None
    return text if value == {"parts": [{"text": text}]} else value
