"""A model request <-> `GenerateContentRequest`: google.genai keeps in `config` what v1beta spreads over the message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from adk_agent_sim.generated.adksim.v1 import Content, GenerateContentRequest
from adk_agent_sim.wire.message_codec import fill_message, message_to_json
from adk_agent_sim.wire.scalars import Json

_TOP_LEVEL_FIELDS = ("safety_settings", "tools", "tool_config", "cached_content")
"""What of `config` is a field of the message itself."""


def to_request_message(request: Mapping[str, Json]) -> GenerateContentRequest:
    """The message of a request with the keys `model`, `contents` and `config`; others are left out."""
    config = cast("Mapping[str, Json]", request.get("config") or {})
    message = GenerateContentRequest()
    fill_message(message, {name: request.get(name) for name in ("model", "contents")})
    fill_message(message, {name: config.get(name) for name in _TOP_LEVEL_FIELDS})
    fill_message(message, {"system_instruction": _to_instruction_content(config.get("system_instruction"))})
    fill_message(message.generation_config, config)
    return message


def from_request_message(message: GenerateContentRequest) -> dict[str, Json]:
    """The request of a message, with the keys `contents`, `config` and, where stated, `model`."""
    found = message_to_json(message)
    config = dict(found.pop("generation_config", {}))
    config |= {name: found[name] for name in _TOP_LEVEL_FIELDS if name in found}
    if message.HasField("system_instruction"):
        config["system_instruction"] = _from_instruction_content(message.system_instruction)
    request = {"contents": found.get("contents", []), "config": config}
    return {"model": found["model"], **request} if "model" in found else request


def move_response_schema(request: Mapping[str, Json]) -> Mapping[str, Json]:
    """The same request, its output schema, which is JSON Schema, where v1beta has a place for that."""
    config = cast("Mapping[str, Json]", request["config"])
    if "response_schema" not in config:
        return request
    rest = {name: inner for name, inner in config.items() if name != "response_schema"}
    return {**request, "config": {"response_json_schema": config["response_schema"], **rest}}


def has_schema(message: GenerateContentRequest) -> bool:
    """Whether some schema is in the request: its properties have an order that people see, and messages do not keep."""
    generation = message.generation_config
    return (
        generation.HasField("response_schema")
        or generation.HasField("response_json_schema")
        or any(tool.function_declarations for tool in message.tools)
    )


def _to_instruction_content(instruction: Json) -> Json:
    """Any form of instruction that google.genai takes, as a content."""
    match instruction:
        case None | {"parts": _} | {"role": _}:
            return cast("Json", instruction)
        case list():
            stated = cast("list[Json]", instruction)
        case _:
            stated = [instruction]
    return {"parts": [{"text": one} if isinstance(one, str) else one for one in stated]}


def _from_instruction_content(content: Content) -> Json:
    """ADK states an instruction as plain text, so one that could be plain text is."""
    found = message_to_json(content)
    text = content.parts[0].text if content.parts else None
    return text if found == {"parts": [{"text": text}]} else found
