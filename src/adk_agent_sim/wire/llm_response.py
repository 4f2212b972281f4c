"""Converts a model response to a `GenerateContentResponse` and back as ADK does, using only the first candidate.

A response is JSON with the fields of ADK's `LlmResponse`; this package does not import that class.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from adk_agent_sim.generated.adksim.v1 import Candidate, GenerateContentResponse
from adk_agent_sim.text.surrogates import replace_lone_surrogates
from adk_agent_sim.wire.message_codec import fill_message, message_to_json
from adk_agent_sim.wire.scalars import Json

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
