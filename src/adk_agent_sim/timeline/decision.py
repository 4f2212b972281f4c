"""What a decision says, and whether it fits the request it answers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from adk_agent_sim.errors import AnswerDoesNotFit, ArgumentsDoNotFit, EmptyDecision, Problem, ToolNotOffered
from adk_agent_sim.forms.check import Check, arguments_check
from adk_agent_sim.forms.schema import parameters_schema
from adk_agent_sim.timeline.canonical import Json, decode, encode
from adk_agent_sim.timeline.request import ModelRequest

_ABOUT_A_PART = frozenset({"thought", "thought_signature", "part_metadata", "video_metadata"})


def check_not_empty(turn_id: str, response: Json) -> None:
    """Refuse a decision that neither calls nor says anything; a model that refuses or breaks says so by its error."""
    if not response.get("error_code") and not any(_says_something(part) for part in parts(response)):
        raise EmptyDecision(turn_id)


def check_fits(request: ModelRequest, response: Json) -> None:
    """Refuse calls of tools that are not offered, arguments that do not fit, an answer that its schema refuses."""
    calls = function_calls(response)
    for call in calls:
        _check_call(request.declarations, call)
    if request.response_schema is not None and not calls:
        problems = answer_problems(request.response_schema, text(response))
        if problems:
            raise AnswerDoesNotFit(problems)


def parts(response: Json) -> Sequence[Mapping[str, Json]]:
    """The parts of a response's content."""
    content: dict[str, Json] = response.get("content") or {}
    return content.get("parts") or ()


def function_calls(response: Json) -> list[Mapping[str, Json]]:
    """The function calls of a response, in order."""
    return [part["function_call"] for part in parts(response) if part.get("function_call")]


def text(response: Json) -> str:
    """The visible text of a response."""
    return "".join(_texts(parts(response)))


def _texts(found: Sequence[Mapping[str, Json]]) -> Iterator[str]:
    return (part["text"] for part in found if part.get("text") and not part.get("thought"))


def _says_something(part: Mapping[str, Json]) -> bool:
    return any(value not in (None, "") for key, value in part.items() if key not in _ABOUT_A_PART)


def _check_call(declarations: Mapping[str, Json], call: Mapping[str, Json]) -> None:
    name = call.get("name") or ""
    if name not in declarations:
        raise ToolNotOffered(name, list(declarations))
    problems = _check_of(encode(parameters_schema(declarations[name]))).problems(call.get("args") or {})
    if problems:
        raise ArgumentsDoNotFit(name, problems)


@lru_cache(maxsize=512)
def _check_of(schema: bytes) -> Check:
    return arguments_check(decode(schema))


def answer_problems(schema: dict[str, Any], answer: str) -> Sequence[Problem]:
    """What is wrong with an answer that must be JSON of a schema."""
    try:
        value = json.loads(answer)
    except ValueError as error:
        return [Problem(path="", message=f"it must be JSON, and is not: {error}")]
    return Check(schema).problems(value)
