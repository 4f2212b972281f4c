"""Reads the parts of a decision and validates it against its request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from adk_agent_sim.errors import EmptyDecision, InvalidAnswer, InvalidArguments, Problem, ToolNotOffered
from adk_agent_sim.forms.schema_checker import SchemaChecker, build_arguments_checker
from adk_agent_sim.timeline.canonical_json import Json, decode_json, encode_json
from adk_agent_sim.timeline.content_parts import extract_visible_text, get_parts
from adk_agent_sim.timeline.model_request import RequestSettings
from adk_agent_sim.timeline.strict_json import InvalidJson, parse_json

_PART_METADATA_KEYS = frozenset({"thought", "thought_signature", "part_metadata", "video_metadata"})


def check_not_empty(turn_id: str, response: Json) -> None:
    """Raise EmptyDecision if the response has no call, no content and no error code."""
    if not response.get("error_code") and not any(_has_content(part) for part in get_parts(response.get("content"))):
        raise EmptyDecision(turn_id)


def check_matches_request(request: RequestSettings, response: Json) -> None:
    """Raise DecisionMismatch for an unknown tool, or for arguments or an answer that do not match their schema."""
    calls = get_function_calls(response)
    for call in calls:
        _check_call(request, call)
    # A response with calls is not the final one, which alone must match the schema.
    if request.response_schema is not None and not calls:
        problems = find_answer_problems(request.response_schema, extract_text(response))
        if problems:
            raise InvalidAnswer(problems)


def get_function_calls(response: Json) -> list[Mapping[str, Json]]:
    """Return the function calls of a response, in order."""
    return [part["function_call"] for part in get_parts(response.get("content")) if part.get("function_call")]


def extract_text(response: Json) -> str:
    """Return the visible text of a response, without thoughts."""
    return extract_visible_text(response.get("content"))


def _has_content(part: Mapping[str, Json]) -> bool:
    return any(value not in (None, "") for key, value in part.items() if key not in _PART_METADATA_KEYS)


def _check_call(request: RequestSettings, call: Mapping[str, Json]) -> None:
    name = call.get("name") or ""
    schema = request.find_parameters_schema(name)
    if schema is None:
        raise ToolNotOffered(name, list(request.declarations))
    problems = find_arguments_problems(schema, call.get("args") or {})
    if problems:
        raise InvalidArguments(name, problems)


def find_arguments_problems(schema: Mapping[str, Any], arguments: Json) -> Sequence[Problem]:
    """Return the problems of the arguments of a call, by the schema of its tool's parameters."""
    return _get_arguments_checker(encode_json(schema)).find_problems(arguments)


# Compiling a schema is slow, and every turn of an agent offers the same tools.
@lru_cache(maxsize=512)
def _get_arguments_checker(schema: bytes) -> SchemaChecker:
    return build_arguments_checker(decode_json(schema))


def find_answer_problems(schema: dict[str, Any], answer: str) -> Sequence[Problem]:
    """Return the problems of an answer that must be JSON and match a schema."""
    try:
        value = parse_json(answer, allow_duplicate_keys=True)
    except InvalidJson as error:
        return [Problem(path="", message=f"must be JSON, but {error}")]
    return SchemaChecker(schema).find_problems(value)
