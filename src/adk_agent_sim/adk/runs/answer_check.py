"""Validates a final answer against the agent's output type, which can be stricter than its JSON Schema.

An agent with tools gives a structured answer as a call of ADK's response tool, whose declaration has the types of the
fields only. The constraints of the output type are read from the tool itself.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, cast

from google.adk.models.llm_request import LlmRequest
from google.adk.tools.set_model_response_tool import SetModelResponseTool
from pydantic import BaseModel, PydanticUserError, TypeAdapter, ValidationError

from adk_agent_sim.errors import InvalidAnswer, Problem
from adk_agent_sim.forms.json_schema import JsonSchema, to_json_schema
from adk_agent_sim.forms.problem_messages import format_path
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.decision_checks import (
    extract_text,
    find_answer_problems,
    find_arguments_problems,
    get_function_calls,
)
from adk_agent_sim.timeline.framework_calls import SET_MODEL_RESPONSE


def check_answer(request: LlmRequest, response: Json) -> None:
    """Raise InvalidAnswer if the agent's output_schema would reject the answer in ADK.

    A decision that calls other tools is no final answer and passes.
    """
    calls = get_function_calls(response)
    problems: list[Problem] = []
    for call in calls:
        if call.get("name") == SET_MODEL_RESPONSE:
            problems += _find_tool_problems(request, call.get("args") or {})
    output_type = cast("Any", request.config).response_schema
    if output_type is not None and not calls:
        answer = extract_text(response)
        # The schema check has the better messages; the type check also runs the validators, which no schema contains.
        problems += find_answer_problems(to_json_schema(output_type), answer) or find_type_problems(output_type, answer)
    if problems:
        raise InvalidAnswer(problems)


def find_type_problems(expected_type: Any, answer: str) -> list[Problem]:
    """Return why a JSON text does not fit a Python type; an empty list if `expected_type` is a schema, not a type."""
    if not _is_type(expected_type):
        return []
    return _find_validation_problems(lambda: TypeAdapter(expected_type).validate_json(answer))


def find_response_arguments_schema(request: LlmRequest) -> JsonSchema | None:
    """Return the schema of the arguments of ADK's response tool, with all constraints of the agent's output type.

    None if the request does not offer the tool.
    """
    tool = request.tools_dict.get(SET_MODEL_RESPONSE)
    if not isinstance(tool, SetModelResponseTool):
        return None
    schema = to_json_schema(tool.output_schema)
    parameter = _find_wrapping_parameter(tool)
    if not parameter:
        return schema
    # References start at the root of a schema, so the definitions have to stay there.
    inner = {keyword: value for keyword, value in schema.items() if keyword != "$defs"}
    definitions = {"$defs": schema["$defs"]} if "$defs" in schema else {}
    return {"type": "object", "properties": {parameter: inner}, "required": [parameter], **definitions}


def _find_tool_problems(request: LlmRequest, arguments: Mapping[str, Json]) -> list[Problem]:
    schema = find_response_arguments_schema(request)
    if schema is None:
        return []
    problems = list(find_arguments_problems(schema, arguments))
    tool = cast("SetModelResponseTool", request.tools_dict[SET_MODEL_RESPONSE])
    output_type = cast("Any", tool.output_schema)
    if problems or not _is_type(output_type):
        return problems
    parameter = _find_wrapping_parameter(tool)
    given = arguments[parameter] if parameter else arguments
    # As the tool itself does it: from Python values, where a strict model accepts less than from JSON text.
    return _find_validation_problems(
        lambda: TypeAdapter(output_type).validate_python(given), (parameter,) if parameter else ()
    )


def _find_wrapping_parameter(tool: SetModelResponseTool) -> str:
    """Return the parameter that holds the whole answer; empty if each field of the output model is a parameter."""
    output_type = cast("object", tool.output_schema)
    if isinstance(output_type, type) and issubclass(output_type, BaseModel):
        return ""
    return next(iter(inspect.signature(tool.func).parameters))


def _is_type(expected_type: Any) -> bool:
    # A generic such as list[Item] is no type to Python, but pydantic can validate it.
    return isinstance(expected_type, type) or hasattr(expected_type, "__origin__")


def _find_validation_problems(validate: Callable[[], object], prefix: tuple[str, ...] = ()) -> list[Problem]:
    try:
        validate()
    except ValidationError as error:
        return [
            Problem(path=format_path((*prefix, *detail["loc"])), message=detail["msg"])
            for detail in error.errors(include_url=False)
        ]
    except PydanticUserError:  # pydantic cannot validate this type; ADK could not either
        return []
    return []
