"""What a person decided in the browser, made into a model's response; and what is wrong with it, call by call."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from adk_agent_sim.errors import Problem
from adk_agent_sim.forms.json_schema import read_parameters_schema
from adk_agent_sim.forms.schema_checker import SchemaChecker, build_arguments_checker
from adk_agent_sim.server.api_models import CallInput, DecisionInput, FieldProblem, Suggestion
from adk_agent_sim.server.json_text import parse_json, parse_json_object
from adk_agent_sim.server.request_view import find_output_schema
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.decision_checks import extract_text, get_function_calls
from adk_agent_sim.timeline.framework_calls import SET_MODEL_RESPONSE
from adk_agent_sim.timeline.model_request import ModelRequest


def build_response(decision: DecisionInput, request: ModelRequest) -> Json:
    """The decision as an `LlmResponse` in JSON."""
    calls = [
        (call.name, parse_json_object(call.arguments, f"The arguments of {call.name!r}")) for call in decision.calls
    ]
    said = decision.text or ""
    if decision.data is not None:
        data = parse_json(decision.data, "The final response")
        if SET_MODEL_RESPONSE in request.declarations and not calls:
            calls = [(SET_MODEL_RESPONSE, _to_tool_arguments(request, data))]
        else:
            said = json.dumps(data, ensure_ascii=False)
    parts: list[Json] = [{"text": said}] if said else []
    parts += [{"function_call": {"name": name, "args": arguments}} for name, arguments in calls]
    return {"content": {"role": "model", "parts": parts}}


def build_suggestion(response: Json) -> Suggestion:
    """A model's response as a person could have decided it; an answer by ADK's own tool is an answer."""
    calls = get_function_calls(response)
    said = extract_text(response)
    if len(calls) == 1 and calls[0].get("name") == SET_MODEL_RESPONSE:
        return Suggestion(calls=[], text=_format_json(calls[0].get("args") or {}))
    shapes = [CallInput(name=call.get("name") or "", arguments=_format_json(call.get("args") or {})) for call in calls]
    return Suggestion(calls=shapes, text=said)


def find_call_problems(request: ModelRequest, calls: Sequence[Mapping[str, Json]]) -> list[FieldProblem]:
    """What is wrong with the arguments of each call; a tool that is not offered is a problem as a whole."""
    found: list[FieldProblem] = []
    for place, call in enumerate(calls):
        name = call.get("name") or ""
        declaration = request.declarations.get(name)
        if declaration is None:
            found.append(FieldProblem(path="", message=f"{name!r} is not offered in this turn", call_index=place))
            continue
        problems = build_arguments_checker(read_parameters_schema(declaration)).find_problems(call.get("args") or {})
        found += [FieldProblem(path=one.path, message=one.message, call_index=place) for one in problems]
    return found


def find_answer_problems(request: ModelRequest, value: Json) -> list[Problem]:
    """What is wrong with a final response."""
    schema = find_output_schema(request)
    if schema is None:
        return []
    if SET_MODEL_RESPONSE in request.declarations:
        return build_arguments_checker(schema).find_problems(_to_tool_arguments(request, value))
    return SchemaChecker(schema).find_problems(value)


def _to_tool_arguments(request: ModelRequest, data: Json) -> dict[str, Json]:
    """The answer as arguments of ADK's tool, which has one field where the answer is no object."""
    schema: dict[str, Any] = read_parameters_schema(request.declarations[SET_MODEL_RESPONSE])
    fields = list(schema.get("properties", {}))
    if isinstance(data, dict) and not (fields == ["response"] and "response" not in data):
        return cast("dict[str, Json]", data)
    return {next(iter(fields), "response"): data}


def _format_json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
