"""What an agent is told and may do before its first turn: tools and instruction, resolved as ADK resolves them.

In a turn, the request says both. Before, there is none: ADK's own methods are asked, with a context that is as real as
that of a run. What only a request adds, such as the tool that hands over to a sub-agent, is not here.
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
from adk_agent_sim.adk.toolset_check import check_toolsets
from adk_agent_sim.adk.user_message import get_input_schema
from adk_agent_sim.forms.json_schema import JsonSchema, to_json_schema
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.json_conversion import to_json_value


@dataclass(frozen=True, kw_only=True)
class AgentBriefing:
    """An agent before its first turn."""

    agent_name: str
    instruction: str = ""
    declarations: Sequence[Json] = ()
    """The function declarations of its tools, as JSON."""
    input_schema: JsonSchema | None = None
    output_schema: JsonSchema | None = None
    model: str = ""
    """The name of its own model."""
    problem: str = ""
    """Why instruction or tools could not be resolved."""


async def build_briefing(root: BaseNode, context: InvocationContext) -> AgentBriefing:
    """The briefing of an agent; what does not load is its `problem`."""
    if not isinstance(root, LlmAgent):
        return AgentBriefing(agent_name=root.name, input_schema=get_input_schema(root))
    agent = root.model_copy()  # the seat spares us to resolve the model, for which a key or a library may be missing
    model_seat.install_seat(agent)
    stated = cast("Any", root).output_schema
    instruction, declarations, problem = "", list[Json](), ""
    try:
        instruction = await _resolve_instruction(agent, context)
        declarations = await _load_declarations(agent, ReadonlyContext(context))
    except Exception as error:  # noqa: BLE001 - the agent's own code and servers; told to the person
        problem = str(error) or type(error).__name__
    return AgentBriefing(
        agent_name=root.name,
        instruction=instruction,
        declarations=declarations,
        input_schema=get_input_schema(root),
        output_schema=to_json_schema(stated) if stated is not None else None,
        model=get_model_name(root),
        problem=problem,
    )


def get_model_name(root: BaseNode) -> str:
    """The name of the agent's own model; empty for a workflow."""
    if not isinstance(root, LlmAgent):
        return ""
    return root.model if isinstance(root.model, str) else root.model.model


async def _load_declarations(agent: LlmAgent, context: ReadonlyContext) -> list[Json]:
    await check_toolsets(agent, context)
    found = [tool._get_declaration() for tool in await agent.canonical_tools(context)]  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - as the spec says
    return [to_json_value(declaration) for declaration in found if declaration is not None]


async def _resolve_instruction(agent: LlmAgent, context: InvocationContext) -> str:
    read = ReadonlyContext(context)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # ADK's own, about global_instruction
        stated = [await agent.canonical_global_instruction(read), await agent.canonical_instruction(read)]
    filled = [text if as_it_is else await inject_session_state(text, read) for text, as_it_is in stated]
    return "\n\n".join(text for text in filled if text)
