"""Checks a final answer against the type that the agent states, which knows more than its JSON Schema does."""

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
    """Refuse an answer that the agent's output_schema, a Python type with its validators, would refuse in ADK."""
    stated = cast("Any", request.config).response_schema
    answer = extract_text(response)
    if stated is None or get_function_calls(response):
        return
    # What the schema says is said better by its own check; the type has the last word.
    problems = find_answer_problems(to_json_schema(stated), answer) or find_type_problems(stated, answer)
    if problems:
        raise InvalidAnswer(problems)


def find_type_problems(expected_type: Any, answer: str) -> list[Problem]:
    """What is wrong with a JSON text for a Python type; nothing where what is stated is only a schema."""
    if not isinstance(expected_type, type) and not hasattr(expected_type, "__origin__"):
        return []
    try:
        TypeAdapter(expected_type).validate_json(answer)
    except ValidationError as error:
        return [
            Problem(path=format_path(found["loc"]), message=found["msg"]) for found in error.errors(include_url=False)
        ]
    except PydanticUserError:
        return []
    return []
