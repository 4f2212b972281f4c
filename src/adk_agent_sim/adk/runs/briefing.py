"""Describes an agent before its first turn: its tools and instruction, resolved by ADK's own methods.

During a turn the request contains both. Variables of the instruction that a callback sets are not known yet: the
instruction is then shown as its template.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from google.adk.agents import LlmAgent
from google.adk.agents.invocation_context import InvocationContext
from google.adk.agents.readonly_context import ReadonlyContext
from google.adk.tools import BaseTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.tools.transfer_to_agent_tool import TransferToAgentTool
from google.adk.utils.instructions_utils import inject_session_state
from google.adk.workflow import BaseNode

from adk_agent_sim.adk.compat import asks_for_consent, get_declaration, list_transfer_targets
from adk_agent_sim.adk.loading.tool_catalog import check_toolset, list_toolsets, needs_credential
from adk_agent_sim.adk.runs.user_message import get_input_schema
from adk_agent_sim.adk.seats.model_seat import copy_with_seat
from adk_agent_sim.errors import ToolsetUnavailable
from adk_agent_sim.forms.json_schema import JsonSchema, to_json_schema
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.json_conversion import to_json_value


@dataclass(frozen=True, kw_only=True)
class AgentBriefing:
    """What is known of an agent before its first turn."""

    agent_name: str

    instruction: str = ""
    """The instruction with the session state filled in."""

    is_template: bool = False
    """Whether the instruction has variables that are not set yet, and is shown with their names."""

    declarations: Sequence[Json] = ()
    """The function declarations of its tools, as JSON, with the one by which it transfers to other agents."""

    consent_tools: frozenset[str] = frozenset()
    """The names of the tools that may ask the user for consent."""

    input_schema: JsonSchema | None = None

    output_schema: JsonSchema | None = None

    model: str = ""
    """The name of its own model."""

    problem: str = ""
    """Why the instruction, the tools or the output schema could not be resolved; empty if they could."""


async def build_briefing(root: BaseNode, context: InvocationContext) -> AgentBriefing:
    """Return the briefing of an agent. What fails to load is reported as its `problem`, not raised."""
    if not isinstance(root, LlmAgent):
        return AgentBriefing(agent_name=root.name, input_schema=get_input_schema(root))
    output_type = cast("Any", root).output_schema
    instruction, is_template, problem = "", False, ""
    tools: list[BaseTool] = []
    declarations: list[Json] = []
    output_schema: JsonSchema | None = None
    try:
        # First, because it needs nothing but the agent: it is shown although a server with tools is down.
        output_schema = to_json_schema(output_type) if output_type is not None else None
        with copy_with_seat(root) as agent:  # canonical_tools resolves the agent's model
            instruction, is_template = await _resolve_instruction(agent, context)
            tools = await _load_tools(agent, ReadonlyContext(context))
        if targets := list_transfer_targets(root):
            tools.append(TransferToAgentTool(agent_names=targets))
        declarations = _declare_tools(tools)
    except Exception as error:  # noqa: BLE001 - from the agent's own code and servers; shown to the person
        problem = str(error) or type(error).__name__
    return AgentBriefing(
        agent_name=root.name,
        instruction=instruction,
        is_template=is_template,
        declarations=declarations,
        consent_tools=frozenset(tool.name for tool in tools if asks_for_consent(tool)),
        input_schema=get_input_schema(root),
        output_schema=output_schema,
        model=get_model_name(root),
        problem=problem,
    )


def get_model_name(root: BaseNode) -> str:
    """Return the name of the agent's own model; empty for a workflow."""
    if not isinstance(root, LlmAgent):
        return ""
    return root.model if isinstance(root.model, str) else root.model.model


async def _load_tools(agent: LlmAgent, context: ReadonlyContext) -> list[BaseTool]:
    """Return the agent's tools, without those that can be listed only when the user has signed in."""
    hidden: list[BaseToolset] = []
    for toolset in list_toolsets(agent):
        try:
            await check_toolset(toolset, agent.name, context)
        except ToolsetUnavailable:
            if not needs_credential(toolset):
                raise
            hidden.append(toolset)
    if hidden:
        # A new list, because the agent here is a shallow copy, which shares its list of tools with the agent itself.
        agent.tools = [tool for tool in cast("list[Any]", cast("Any", agent).tools) if tool not in hidden]
    return list(await agent.canonical_tools(context))


def _declare_tools(tools: Sequence[BaseTool]) -> list[Json]:
    declarations = [get_declaration(tool) for tool in tools]
    return [to_json_value(declaration) for declaration in declarations if declaration is not None]


async def _resolve_instruction(agent: LlmAgent, context: InvocationContext) -> tuple[str, bool]:
    """Return the instruction, and whether it is a template whose variables are not all set yet."""
    read = ReadonlyContext(context)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # ADK's own, about global_instruction
        instructions = [await agent.canonical_global_instruction(read), await agent.canonical_instruction(read)]
    resolved: list[str] = []
    is_template = False
    # ADK fills in the session state only where the instruction is a text, not where a function returned it.
    for text, bypass_state_injection in instructions:
        try:
            resolved.append(text if bypass_state_injection else await inject_session_state(text, read))
        except KeyError:  # a variable that is not in the state: a callback may set it when the agent runs
            resolved.append(text)
            is_template = True
    return "\n\n".join(text for text in resolved if text), is_template
