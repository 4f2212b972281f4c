"""Converts a model request to a `GenerateContentRequest` and back. Also a model response to a `GenerateContentResponse`
and back as ADK does, using only the first candidate.

google.genai has in `config` what v1beta has in several fields of the message. A response is JSON with the fields of
ADK's `LlmResponse`; this package does not import that class.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from adk_agent_sim.generated.adksim.v1 import Candidate, Content, GenerateContentRequest, GenerateContentResponse
from adk_agent_sim.text.surrogates import replace_lone_surrogates
from adk_agent_sim.wire.message_codec import Json, fill_message, message_to_json

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


_CANDIDATE_FIELDS = (
    "content",
    "grounding_metadata",
    "finish_reason",
    "avg_logprobs",
    "logprobs_result",
    "citation_metadata",
)
_RESPONSE_FIELDS = ("usage_metadata", "model_version")


def to_response_message(response: Mapping[str, Json]) -> GenerateContentResponse:
    """Build a message with the response as its only candidate."""
    message = GenerateContentResponse()
    fill_message(
        message, {name: response.get(name) for name in _RESPONSE_FIELDS} | {"candidates": [_to_candidate(response)]}
    )
    return message


def from_response_message(message: GenerateContentResponse) -> dict[str, Json]:
    """Return the response that ADK would create from a message: its first candidate, or an error."""
    fields = message_to_json(message)
    rest = {name: fields[name] for name in _RESPONSE_FIELDS if name in fields}
    if message.candidates:
        return _from_candidate(fields["candidates"][0]) | rest
    if message.HasField("prompt_feedback"):
        reason = fields["prompt_feedback"].get("block_reason")
        return ({"error_code": reason} if reason else {}) | rest
    empty: dict[str, Json] = {"content": {"role": "model", "parts": []}}
    return empty | rest


def _from_candidate(candidate: Mapping[str, Json]) -> dict[str, Json]:
    result = {name: candidate[name] for name in _CANDIDATE_FIELDS if name in candidate}
    content = cast("Mapping[str, Json]", result.get("content") or {})
    # As in ADK's `LlmResponse.create`: without parts, only a candidate that finished normally is no error.
    if content.get("parts") or result.get("finish_reason") == "STOP":
        return result
    result.pop("content", None)
    result.pop("grounding_metadata", None)
    if "finish_reason" in result:
        result["error_code"] = result["finish_reason"]
    if "finish_message" in candidate:
        result["error_message"] = candidate["finish_message"]
    return result


def _to_candidate(response: Mapping[str, Json]) -> Json:
    """Build the candidate of a response; an error becomes a candidate without content, with a finish message."""
    candidate = {name: response[name] for name in _CANDIDATE_FIELDS if name in response}
    if "error_message" in response:
        candidate["finish_message"] = response["error_message"]
    if response.get("error_code") is not None:
        # Looking up a lone surrogate in protobuf's mapping fails with an error of the interpreter.
        code = replace_lone_surrogates(response["error_code"])
        candidate.setdefault(
            "finish_reason", code if code in Candidate.FinishReason.DESCRIPTOR.values_by_name else "OTHER"
        )
    return candidate
