"""Validates a final answer against the agent's output type, which can be stricter than its JSON Schema."""

from __future__ import annotations

from typing import Any, cast

from google.adk.models.llm_request import LlmRequest
from pydantic import PydanticUserError, TypeAdapter, ValidationError

from adk_agent_sim.errors import InvalidAnswer, Problem
from adk_agent_sim.forms.json_schema import to_json_schema
from adk_agent_sim.forms.problem_messages import format_path
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.decision_checks import extract_text, find_answer_problems, get_function_calls


def check_answer(request: LlmRequest, response: Json) -> None:
    """Raise InvalidAnswer if the agent's output_schema would reject the answer in ADK.

    A decision that calls tools is no final answer and passes.
    """
    output_type = cast("Any", request.config).response_schema
    answer = extract_text(response)
    if output_type is None or get_function_calls(response):
        return
    # The schema check has the better messages; the type check also runs the validators, which no schema contains.
    problems = find_answer_problems(to_json_schema(output_type), answer) or find_type_problems(output_type, answer)
    if problems:
        raise InvalidAnswer(problems)


def find_type_problems(expected_type: Any, answer: str) -> list[Problem]:
    """Return why a JSON text does not fit a Python type; an empty list if `expected_type` is a schema, not a type."""
    if not isinstance(expected_type, type) and not hasattr(expected_type, "__origin__"):
        return []
    try:
        TypeAdapter(expected_type).validate_json(answer)
    except ValidationError as error:
        return [
            Problem(path=format_path(detail["loc"]), message=detail["msg"])
            for detail in error.errors(include_url=False)
        ]
    except PydanticUserError:  # pydantic cannot validate this type; ADK could not either
        return []
    return []
