"""A turn's request as the browser shows it: the briefing, the tools with their schemas, the request in full."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from adk_agent_sim.adk.briefing import AgentBriefing
from adk_agent_sim.forms.schema import JsonSchema, json_schema, parameters_schema
from adk_agent_sim.server.shapes import Briefing, RequestShape, ToolShape
from adk_agent_sim.timeline.canonical import Json
from adk_agent_sim.timeline.request import ModelRequest

ANSWER_BY_TOOL = "set_model_response"
"""The tool by which ADK takes data from models that cannot have tools and an output schema together."""


def briefing_of(
    request: ModelRequest, agent_name: str, *, input_schema: JsonSchema | None, own_model: bool
) -> Briefing:
    """What the model of a waiting turn is told and may do."""
    return Briefing(
        agent_name=agent_name,
        instruction=instruction_text(request.instruction),
        tools=[tool_shape(tool) for name, tool in request.declarations.items() if name != ANSWER_BY_TOOL],
        input_schema=input_schema,
        output_schema=output_schema(request),
        model=str(request.config.get("model") or "") if own_model else "",
    )


def briefing_before(found: AgentBriefing) -> Briefing:
    """What an agent is told and may do before its first turn."""
    return Briefing(
        agent_name=found.agent_name,
        instruction=found.instruction,
        tools=[tool_shape(tool) for tool in found.declarations],
        input_schema=found.input_schema,
        output_schema=found.output_schema,
        model=found.model,
        problem=found.problem,
    )


def tool_shape(declaration: Mapping[str, Json]) -> ToolShape:
    """A tool with its schemas."""
    response: Json = declaration.get("response_json_schema") or declaration.get("response")
    return ToolShape(
        name=declaration.get("name") or "",
        description=declaration.get("description") or "",
        parameters=parameters_schema(declaration),
        response=json_schema(cast("Json", response)) if isinstance(response, Mapping) else None,
    )


def output_schema(request: ModelRequest) -> JsonSchema | None:
    """What a final response must be, however ADK asks for it."""
    if request.response_schema is not None:
        return request.response_schema
    by_tool = request.declarations.get(ANSWER_BY_TOOL)
    return parameters_schema(by_tool) if by_tool is not None else None


def request_shape(request: ModelRequest) -> RequestShape:
    """The request as one object, and how long it is."""
    config: Mapping[str, Json] = request.config.get("config") or {}
    whole: dict[str, Any] = {
        **{name: value for name, value in request.config.items() if name != "config"},
        "system_instruction": request.instruction,
        "contents": list(request.contents),
        "tools": list(request.tools),
        "config": dict(config),
    }
    characters = len(json.dumps(whole, ensure_ascii=False))
    return RequestShape(request=whole, characters=characters, tokens=(characters + 3) // 4)


def instruction_text(instruction: Json) -> str:
    """A system instruction as text; ADK takes contents and lists of parts too."""
    if isinstance(instruction, str) or instruction is None:
        return instruction or ""
    stated: Any = cast("dict[str, Json]", instruction).get("parts") if isinstance(instruction, dict) else instruction
    parts: Any = cast("Any", stated) if isinstance(stated, list) else [cast("Any", instruction)]
    return "\n\n".join(one if isinstance(one, str) else str(one.get("text") or "") for one in parts)
