"""A model's response <-> `GenerateContentResponse`: ADK keeps of it the first candidate, and errors in its own words.

A response here is JSON with the fields of ADK's `LlmResponse`, which this room knows only by their names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from adk_agent_sim.generated.adksim.v1 import Candidate, GenerateContentResponse
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
    """The response as the first candidate of a message."""
    message = GenerateContentResponse()
    fill_message(
        message, {name: response.get(name) for name in _RESPONSE_FIELDS} | {"candidates": [_to_candidate(response)]}
    )
    return message


def from_response_message(message: GenerateContentResponse) -> dict[str, Json]:
    """What ADK would make of a message: its first candidate, or the error that it is."""
    found = message_to_json(message)
    rest = {name: found[name] for name in _RESPONSE_FIELDS if name in found}
    if message.candidates:
        return _from_candidate(found["candidates"][0]) | rest
    if message.HasField("prompt_feedback"):
        reason = found["prompt_feedback"].get("block_reason")
        return ({"error_code": reason} if reason else {}) | rest
    nothing: dict[str, Json] = {"content": {"role": "model", "parts": []}}
    return nothing | rest


def _from_candidate(candidate: Mapping[str, Json]) -> dict[str, Json]:
    kept = {name: candidate[name] for name in _CANDIDATE_FIELDS if name in candidate}
    content = cast("Mapping[str, Json]", kept.get("content") or {})
    if content.get("parts") or kept.get("finish_reason") == "STOP":
        return kept
    kept.pop("content", None)
    kept.pop("grounding_metadata", None)
    if "finish_reason" in kept:
        kept["error_code"] = kept["finish_reason"]
    if "finish_message" in candidate:
        kept["error_message"] = candidate["finish_message"]
    return kept


def _to_candidate(response: Mapping[str, Json]) -> Json:
    """An error is a candidate too: one without content, which says in words why."""
    candidate = {name: response[name] for name in _CANDIDATE_FIELDS if name in response}
    if "error_message" in response:
        candidate["finish_message"] = response["error_message"]
    if "error_code" in response:
        code = response["error_code"]
        candidate.setdefault(
            "finish_reason", code if code in Candidate.FinishReason.DESCRIPTOR.values_by_name else "OTHER"
        )
    return candidate
