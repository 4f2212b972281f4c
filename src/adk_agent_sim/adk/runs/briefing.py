"""Describes an agent before its first turn: its tools, its instruction, and the keys of the state that it needs.

During a turn the request contains both. Variables of the instruction that a callback sets are not known yet: the
instruction is then shown as its template.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from google.adk.agents import LlmAgent
from google.adk.agents.invocation_context import InvocationContext
from google.adk.agents.readonly_context import ReadonlyContext
from google.adk.sessions import State
from google.adk.tools import BaseTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.tools.transfer_to_agent_tool import TransferToAgentTool
from google.adk.utils.instructions_utils import inject_session_state
from google.adk.workflow import BaseNode

from adk_agent_sim.adk.adk_messages import find_missing_variable
from adk_agent_sim.adk.compat import asks_for_consent, get_declaration, list_transfer_targets
from adk_agent_sim.adk.loading.agent_tree import iter_agents
from adk_agent_sim.adk.loading.tool_catalog import check_toolset, list_toolsets, needs_credential
from adk_agent_sim.adk.runs.user_message import get_input_schema
from adk_agent_sim.adk.seats.model_seat import copy_with_seat
from adk_agent_sim.errors import SimulatorError, StateKeyMissing, ToolsetUnavailable
from adk_agent_sim.forms.json_schema import JsonSchema, to_json_schema
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.json_conversion import to_json_value

_VARIABLE = re.compile(r"(?<![\$\{\\]){+[^{}]*}+")
"""A variable in an instruction, as ADK finds it."""

_PREFIXES = (State.APP_PREFIX, State.USER_PREFIX)


def find_instruction_keys(root: object) -> dict[str, list[str]]:
    """Return the keys that the instructions of an agent and those below it need, each with the agents that need it.

    A key that an agent writes as its `output_key` is left out, and so is one of an instruction that a function returns.
    """
    agents = [agent for agent in iter_agents(root) if isinstance(agent, LlmAgent)]
    written = {agent.output_key for agent in agents}
    needed: dict[str, list[str]] = {}
    for agent in agents:
        for text in (agent.global_instruction, agent.instruction):
            for key in _iter_keys(text) if isinstance(text, str) else ():
                users = needed.setdefault(key, [])
                users += [agent.name] if agent.name not in users and key not in written else []
    return {key: users for key, users in needed.items() if users}


def find_missing_keys(root: object, state: Collection[str]) -> list[str]:
    """Return the keys that instructions need and the state does not have; callbacks and nodes may set them in a run."""
    return [key for key in find_instruction_keys(root) if key not in state]


def explain_missing_key(error: BaseException, root: object, state: Collection[str]) -> StateKeyMissing | None:
    """Return what to do about a run that failed because an instruction needs a key that the state does not have.

    Args:
        error: The exception that ended the run.
        root: The root agent.
        state: The session state.

    Returns:
        None if the run failed for another reason.
    """
    found = find_missing_variable(error)
    if found is None:
        return None
    key, agent_name = found
    others = [
        each
        for each, users in find_instruction_keys(root).items()
        if each not in state and each != key and agent_name in users
    ]
    return StateKeyMissing([key, *others], agent_name)


def is_explained(error: BaseException) -> bool:
    """Return whether people are told in words what a failed run is about, so that its traceback would add nothing."""
    has_words = isinstance(error, SimulatorError) or isinstance(error.__cause__, SimulatorError)
    return has_words or find_missing_variable(error) is not None


def _iter_keys(instruction: str) -> Iterator[str]:
    for match in _VARIABLE.finditer(instruction):
        key = match.group().lstrip("{").rstrip("}").strip()
        name = next((key.removeprefix(prefix) for prefix in _PREFIXES if key.startswith(prefix)), key)
        # Other texts in braces need no key: they are optional (`key?`), name an artifact, or are left alone by ADK.
        if name.isidentifier():
            yield key


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


def get_model_name(root: BaseNode | None) -> str:
    """Return the name of the agent's own model; empty for a workflow, which may have many."""
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
