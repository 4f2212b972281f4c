"""A turn's model request as the browser shows it: as a briefing with tools and schemas, and in full."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any, cast

from adk_agent_sim.adk.runs.briefing import AgentBriefing
from adk_agent_sim.forms.json_schema import JsonSchema, read_parameters_schema, to_json_schema
from adk_agent_sim.server.agents.api_models import Briefing, InstructionPart, RequestInfo, ToolInfo
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.framework_calls import SET_MODEL_RESPONSE, remove_description_fences, split_instruction
from adk_agent_sim.timeline.model_request import RESPONSE_ARGUMENTS_SCHEMA, ModelRequest, RequestSettings

_NOT_SENT = frozenset({"config", RESPONSE_ARGUMENTS_SCHEMA})
"""Entries of a recorded config that are shown elsewhere, or that no model receives."""


def build_turn_briefing(
    request: RequestSettings,
    agent_name: str,
    *,
    input_schema: JsonSchema | None,
    has_own_model: bool,
    consent_tools: Collection[str] = (),
) -> Briefing:
    """Return the briefing of a turn, from its request; `consent_tools` are those known to ask for consent."""
    instruction = extract_instruction_text(request.instruction)
    return Briefing(
        agent_name=agent_name,
        instruction=instruction,
        instruction_parts=_build_instruction_parts(instruction),
        tools=[
            build_tool_info(tool, asks_for_consent=name in consent_tools)
            for name, tool in request.declarations.items()
            if name != SET_MODEL_RESPONSE
        ],
        input_schema=input_schema,
        output_schema=find_output_schema(request),
        model=str(request.config.get("model") or "") if has_own_model else "",
    )


def build_agent_briefing(agent_briefing: AgentBriefing) -> Briefing:
    """Return the briefing of an agent before its first turn."""
    return Briefing(
        agent_name=agent_briefing.agent_name,
        instruction=agent_briefing.instruction,
        instruction_parts=_build_instruction_parts(agent_briefing.instruction),
        is_template=agent_briefing.is_template,
        tools=[
            build_tool_info(tool, asks_for_consent=tool.get("name") in agent_briefing.consent_tools)
            for tool in agent_briefing.declarations
        ],
        input_schema=agent_briefing.input_schema,
        output_schema=agent_briefing.output_schema,
        model=agent_briefing.model,
        problem=agent_briefing.problem,
    )


def build_unknown_briefing(agent_name: str) -> Briefing:
    """Return the briefing of an agent that does not run here, in a session without a turn."""
    return Briefing(
        agent_name=agent_name,
        instruction="",
        tools=[],
        input_schema=None,
        output_schema=None,
        model="",
        note="No model was asked in this session, so no instruction and no tools are recorded.",
    )


def _build_instruction_parts(instruction: str) -> list[InstructionPart]:
    return [
        InstructionPart(text=section.text, is_from_adk=section.is_from_adk)
        for section in split_instruction(instruction)
    ]


def build_tool_info(declaration: Mapping[str, Json], *, asks_for_consent: bool = False) -> ToolInfo:
    """Return a tool with its schemas, from its declaration."""
    response: Json = declaration.get("response_json_schema") or declaration.get("response")
    return ToolInfo(
        name=declaration.get("name") or "",
        description=remove_description_fences(declaration.get("description") or ""),
        # Only now: a normalized schema has a limited depth, whatever a client sent.
        parameters=remove_description_fences(read_parameters_schema(declaration)),
        response_schema=(
            remove_description_fences(to_json_schema(cast("Json", response))) if isinstance(response, Mapping) else None
        ),
        asks_for_consent=asks_for_consent,
    )


def find_output_schema(request: RequestSettings) -> JsonSchema | None:
    """Return the schema of the final response: the request's own, or the parameters of ADK's response tool."""
    if request.response_schema is not None:
        return request.response_schema
    return request.find_parameters_schema(SET_MODEL_RESPONSE)


def build_request_info(request: ModelRequest) -> RequestInfo:
    """Return the request as one object, with its size."""
    config: Mapping[str, Json] = request.config.get("config") or {}
    full_request: dict[str, Any] = {
        **{name: value for name, value in request.config.items() if name not in _NOT_SENT},
        "system_instruction": request.instruction,
        "contents": list(request.contents),
        "tools": list(request.tools),
        "config": dict(config),
    }
    characters = len(json.dumps(full_request, ensure_ascii=False))
    return RequestInfo(request=full_request, character_count=characters, token_estimate=(characters + 3) // 4)


def extract_instruction_text(instruction: Json) -> str:
    """Return a system instruction as text; ADK also accepts a content or a list of parts."""
    if isinstance(instruction, str) or instruction is None:
        return instruction or ""
    listed: Any = cast("dict[str, Json]", instruction).get("parts") if isinstance(instruction, dict) else instruction
    parts: Any = cast("Any", listed) if isinstance(listed, list) else [cast("Any", instruction)]
    return "\n\n".join(part if isinstance(part, str) else str(part.get("text") or "") for part in parts)
