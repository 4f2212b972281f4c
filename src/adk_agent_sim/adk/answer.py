"""Checks a final answer against the type that the agent states, which knows more than its JSON Schema does."""

from __future__ import annotations

from typing import Any, cast

from google.adk.models.llm_request import LlmRequest
from pydantic import PydanticUserError, TypeAdapter, ValidationError

from adk_agent_sim.errors import AnswerDoesNotFit, Problem
from adk_agent_sim.forms.messages import dotted
from adk_agent_sim.forms.schema import json_schema
from adk_agent_sim.timeline.canonical import Json
from adk_agent_sim.timeline.decision import answer_problems, function_calls, text


def check_answer(request: LlmRequest, response: Json) -> None:
    """Refuse an answer that the agent's output_schema, a Python type with its validators, would refuse in ADK."""
    stated = cast("Any", request.config).response_schema
    answer = text(response)
    if stated is None or function_calls(response):
        return
    # What the schema says is said better by its own check; the type has the last word.
    problems = answer_problems(json_schema(stated), answer) or type_problems(stated, answer)
    if problems:
        raise AnswerDoesNotFit(problems)


def type_problems(stated: Any, answer: str) -> list[Problem]:
    """What is wrong with a JSON text for a Python type; nothing where what is stated is only a schema."""
    if not isinstance(stated, type) and not hasattr(stated, "__origin__"):
        return []
    try:
        TypeAdapter(stated).validate_json(answer)
    except ValidationError as error:
        return [Problem(path=dotted(found["loc"]), message=found["msg"]) for found in error.errors(include_url=False)]
    except PydanticUserError:
        return []
    return []
