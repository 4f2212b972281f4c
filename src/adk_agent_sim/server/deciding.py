"""What a person decided in the browser, made into a model's response; and what is wrong with it, call by call."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from adk_agent_sim.errors import Problem
from adk_agent_sim.forms.check import Check, arguments_check
from adk_agent_sim.forms.schema import parameters_schema
from adk_agent_sim.server.json_text import parsed, parsed_object
from adk_agent_sim.server.offer import ANSWER_BY_TOOL, output_schema
from adk_agent_sim.server.shapes import CallShape, Decision, ProblemShape, Suggestion
from adk_agent_sim.timeline.canonical import Json
from adk_agent_sim.timeline.decision import function_calls, text
from adk_agent_sim.timeline.request import ModelRequest


def response_of(decision: Decision, request: ModelRequest) -> Json:
    """The decision as an `LlmResponse` in JSON."""
    calls = [(call.name, parsed_object(call.arguments, f"The arguments of {call.name!r}")) for call in decision.calls]
    said = decision.text or ""
    if decision.data is not None:
        data = parsed(decision.data, "The final response")
        if ANSWER_BY_TOOL in request.declarations and not calls:
            calls = [(ANSWER_BY_TOOL, _for_tool(request, data))]
        else:
            said = json.dumps(data, ensure_ascii=False)
    parts: list[Json] = [{"text": said}] if said else []
    parts += [{"function_call": {"name": name, "args": arguments}} for name, arguments in calls]
    return {"content": {"role": "model", "parts": parts}}


def suggestion_of(response: Json) -> Suggestion:
    """A model's response as a person could have decided it; an answer by ADK's own tool is an answer."""
    calls = function_calls(response)
    said = text(response)
    if len(calls) == 1 and calls[0].get("name") == ANSWER_BY_TOOL:
        return Suggestion(calls=[], text=_written(calls[0].get("args") or {}))
    shapes = [CallShape(name=call.get("name") or "", arguments=_written(call.get("args") or {})) for call in calls]
    return Suggestion(calls=shapes, text=said)


def call_problems(request: ModelRequest, calls: Sequence[Mapping[str, Json]]) -> list[ProblemShape]:
    """What is wrong with the arguments of each call; a tool that is not offered is a problem as a whole."""
    found: list[ProblemShape] = []
    for place, call in enumerate(calls):
        name = call.get("name") or ""
        declaration = request.declarations.get(name)
        if declaration is None:
            found.append(ProblemShape(path="", message=f"{name!r} is not offered in this turn", call=place))
            continue
        problems = arguments_check(parameters_schema(declaration)).problems(call.get("args") or {})
        found += [ProblemShape(path=one.path, message=one.message, call=place) for one in problems]
    return found


def answer_problems(request: ModelRequest, value: Json) -> list[Problem]:
    """What is wrong with a final response."""
    schema = output_schema(request)
    if schema is None:
        return []
    if ANSWER_BY_TOOL in request.declarations:
        return arguments_check(schema).problems(_for_tool(request, value))
    return Check(schema).problems(value)


def _for_tool(request: ModelRequest, data: Json) -> dict[str, Json]:
    """The answer as arguments of ADK's tool, which has one field where the answer is no object."""
    schema: dict[str, Any] = parameters_schema(request.declarations[ANSWER_BY_TOOL])
    fields = list(schema.get("properties", {}))
    if isinstance(data, dict) and not (fields == ["response"] and "response" not in data):
        return cast("dict[str, Json]", data)
    return {next(iter(fields), "response"): data}


def _written(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
