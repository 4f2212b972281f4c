"""A turn's request as the browser shows it: the briefing, the tools with their schemas, the request in full."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from adk_agent_sim.adk.briefing import AgentBriefing
from adk_agent_sim.forms.json_schema import JsonSchema, read_parameters_schema, to_json_schema
from adk_agent_sim.server.api_models import Briefing, RequestInfo, ToolInfo
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.framework_calls import SET_MODEL_RESPONSE
from adk_agent_sim.timeline.model_request import ModelRequest


def build_turn_briefing(
    request: ModelRequest, agent_name: str, *, input_schema: JsonSchema | None, has_own_model: bool
) -> Briefing:
    """What the model of a waiting turn is told and may do."""
    return Briefing(
        agent_name=agent_name,
        instruction=extract_instruction_text(request.instruction),
        tools=[build_tool_info(tool) for name, tool in request.declarations.items() if name != SET_MODEL_RESPONSE],
        input_schema=input_schema,
        output_schema=find_output_schema(request),
        model=str(request.config.get("model") or "") if has_own_model else "",
    )


def build_agent_briefing(agent_briefing: AgentBriefing) -> Briefing:
    """What an agent is told and may do before its first turn."""
    return Briefing(
        agent_name=agent_briefing.agent_name,
        instruction=agent_briefing.instruction,
        tools=[build_tool_info(tool) for tool in agent_briefing.declarations],
        input_schema=agent_briefing.input_schema,
        output_schema=agent_briefing.output_schema,
        model=agent_briefing.model,
        problem=agent_briefing.problem,
    )


def build_tool_info(declaration: Mapping[str, Json]) -> ToolInfo:
    """A tool with its schemas."""
    response: Json = declaration.get("response_json_schema") or declaration.get("response")
    return ToolInfo(
        name=declaration.get("name") or "",
        description=declaration.get("description") or "",
        parameters=read_parameters_schema(declaration),
        response_schema=to_json_schema(cast("Json", response)) if isinstance(response, Mapping) else None,
    )


def find_output_schema(request: ModelRequest) -> JsonSchema | None:
    """What a final response must be, however ADK asks for it."""
    if request.response_schema is not None:
        return request.response_schema
    by_tool = request.declarations.get(SET_MODEL_RESPONSE)
    return read_parameters_schema(by_tool) if by_tool is not None else None


def build_request_info(request: ModelRequest) -> RequestInfo:
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
    return RequestInfo(request=whole, character_count=characters, token_estimate=(characters + 3) // 4)


def extract_instruction_text(instruction: Json) -> str:
    """A system instruction as text; ADK takes contents and lists of parts too."""
    if isinstance(instruction, str) or instruction is None:
        return instruction or ""
    stated: Any = cast("dict[str, Json]", instruction).get("parts") if isinstance(instruction, dict) else instruction
    parts: Any = cast("Any", stated) if isinstance(stated, list) else [cast("Any", instruction)]
    return "\n\n".join(one if isinstance(one, str) else str(one.get("text") or "") for one in parts)
