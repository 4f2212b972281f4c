"""Describes an agent before its first turn: its tools and instruction, resolved by ADK's own methods.

During a turn the request contains both. What only a request adds, such as the tool that transfers to a sub-agent, is
not included here.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from google.adk.agents import LlmAgent
from google.adk.agents.invocation_context import InvocationContext
from google.adk.agents.readonly_context import ReadonlyContext
from google.adk.utils.instructions_utils import inject_session_state
from google.adk.workflow import BaseNode

from adk_agent_sim.adk import model_seat
from adk_agent_sim.adk.compat import get_declaration
from adk_agent_sim.adk.toolset_check import check_toolsets
from adk_agent_sim.adk.user_message import get_input_schema
from adk_agent_sim.forms.json_schema import JsonSchema, to_json_schema
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.json_conversion import to_json_value


@dataclass(frozen=True, kw_only=True)
class AgentBriefing:
    """What is known of an agent before its first turn."""

    agent_name: str

    instruction: str = ""
    """The instruction with the session state filled in."""

    declarations: Sequence[Json] = ()
    """The function declarations of its tools, as JSON."""

    input_schema: JsonSchema | None = None

    output_schema: JsonSchema | None = None

    model: str = ""
    """The name of its own model."""

    problem: str = ""
    """Why the instruction or the tools could not be resolved; empty if they could."""


async def build_briefing(root: BaseNode, context: InvocationContext) -> AgentBriefing:
    """Return the briefing of an agent. What fails to load is reported as its `problem`, not raised."""
    if not isinstance(root, LlmAgent):
        return AgentBriefing(agent_name=root.name, input_schema=get_input_schema(root))
    # canonical_tools resolves the agent's model, which may need a key or a library that is not there: a copy of the
    # agent with a seat in place of the model avoids that.
    agent = root.model_copy()
    model_seat.install_seat(agent)
    output_type = cast("Any", root).output_schema
    instruction, declarations, problem = "", list[Json](), ""
    try:
        instruction = await _resolve_instruction(agent, context)
        declarations = await _load_declarations(agent, ReadonlyContext(context))
    except Exception as error:  # noqa: BLE001 - from the agent's own code and servers; shown to the person
        problem = str(error) or type(error).__name__
    return AgentBriefing(
        agent_name=root.name,
        instruction=instruction,
        declarations=declarations,
        input_schema=get_input_schema(root),
        output_schema=to_json_schema(output_type) if output_type is not None else None,
        model=get_model_name(root),
        problem=problem,
    )


def get_model_name(root: BaseNode) -> str:
    """Return the name of the agent's own model; empty for a workflow."""
    if not isinstance(root, LlmAgent):
        return ""
    return root.model if isinstance(root.model, str) else root.model.model


async def _load_declarations(agent: LlmAgent, context: ReadonlyContext) -> list[Json]:
    await check_toolsets(agent, context)
    declarations = [get_declaration(tool) for tool in await agent.canonical_tools(context)]
    return [to_json_value(declaration) for declaration in declarations if declaration is not None]


async def _resolve_instruction(agent: LlmAgent, context: InvocationContext) -> str:
    read = ReadonlyContext(context)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # ADK's own, about global_instruction
        instructions = [await agent.canonical_global_instruction(read), await agent.canonical_instruction(read)]
    # ADK fills in the session state only where the instruction is a text, not where a function returned it.
    resolved = [
        text if bypass_state_injection else await inject_session_state(text, read)
        for text, bypass_state_injection in instructions
    ]
    return "\n\n".join(text for text in resolved if text)
