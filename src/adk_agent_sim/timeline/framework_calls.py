"""Names and texts by which ADK's own tools and calls are recognized in a recorded session, and the texts that ADK adds
to a model request by itself, beside what the agent's author wrote.

These are plain strings, so that packages that must not import ADK can use them. tests/adk/test_compat.py compares each
of the names with ADK, tests/adk/test_briefing.py the texts with what ADK adds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

TRANSFER_TO_AGENT = "transfer_to_agent"
"""The tool that hands the conversation over to another agent."""

SET_MODEL_RESPONSE = "set_model_response"
"""The tool that takes structured data from a model that cannot have tools and an output schema at the same time."""

EXIT_LOOP = "exit_loop"
"""The tool that ends a LoopAgent."""

FINISH_TASK = "finish_task"
"""The tool by which an agent in task mode returns its result."""

ENVIRONMENT_AUTHOR = "environment"
"""The author of events by which a scenario's world notifies an agent. It is no agent: its texts are no answers."""

MODEL_SEAT = "(model)"
"""Stands for the model in a place for the name of a tool. No tool can have this name."""

CONTROL_TOOLS = frozenset({TRANSFER_TO_AGENT, SET_MODEL_RESPONSE, EXIT_LOOP, FINISH_TASK})
"""Tools that a model calls to steer the run. They have no effect outside it, and a run does not work without them."""

EXACT_NAMES = CONTROL_TOOLS | {MODEL_SEAT}
"""What wildcards for names of tools do not mean: the model, and the tools by which ADK steers a run."""

REQUEST_CALL_PREFIX = "adk_request_"
"""How ADK names the calls by which it asks the user for something. No model makes these calls."""

REQUEST_CONFIRMATION = "adk_request_confirmation"
"""ADK asks whether a tool call may run."""

REQUEST_CREDENTIAL = "adk_request_credential"
"""ADK asks for the credential that a tool needs."""

REQUEST_INPUT = "adk_request_input"
"""A workflow asks the user for input."""

AGENT_NAME_LABEL = "adk_agent_name"
"""The label of a model request that holds the name of the agent whose model is called."""

OTHER_AGENT_PREFIX = "For context:"
"""How a content begins in which ADK tells an agent what another agent did."""

_DEFAULT_HINT_PREFIX = "Please approve or reject the tool call"


_REJECTION_PREFIX = "Validation Error found"
"""How the response tool begins the message that sends a model back to correct its answer."""


_REFUSED_CALL = "This tool call is rejected."
"""What a model gets for a call to which the user did not consent."""


def build_response_arguments(schema: Mapping[str, Any] | None, data: Any) -> dict[str, Any]:
    """Return a final response as the arguments of ADK's response tool, whose parameters have this schema.

    If the output schema is not an object, the tool has one parameter that holds the whole response.
    """
    fields = list((schema or {}).get("properties", {}))
    if isinstance(data, dict) and not (fields == ["response"] and "response" not in data):
        return cast("dict[str, Any]", data)
    return {next(iter(fields), "response"): data}


def is_refused_call(response: object) -> bool:
    """Return whether a call was not made because the user did not consent to it."""
    return isinstance(response, Mapping) and cast("Mapping[str, object]", response).get("error") == _REFUSED_CALL


def is_request_call(name: str) -> bool:
    """Return whether ADK made a call of this name itself, to ask the user for consent, a credential or input."""
    return name.startswith(REQUEST_CALL_PREFIX)


def is_framework_call(name: str) -> bool:
    """Return whether a call of this name steers the run or asks the user, instead of reaching a tool of the agent."""
    return name in CONTROL_TOOLS or is_request_call(name)


def is_default_confirmation_hint(hint: str) -> bool:
    """Return whether ADK worded the hint of a confirmation because the tool gave none.

    ADK's text explains to a program how to answer, so it is of no use to a person.
    """
    return hint.startswith(_DEFAULT_HINT_PREFIX)


def is_rejected_response(result: object, actions: Mapping[str, Any]) -> bool:
    """Return whether ADK's response tool rejected the answer that it was called with.

    Args:
        result: What the tool returned.
        actions: What it requested of ADK; an accepted answer is among them, even one that looks like a rejection.
    """
    message = cast("Mapping[str, object]", result).get("error") if isinstance(result, Mapping) else None
    return isinstance(message, str) and message.startswith(_REJECTION_PREFIX) and SET_MODEL_RESPONSE not in actions


def is_unknown_tool_response(tool_name: str, response: object) -> bool:
    """Return whether ADK answered a call because the agent has no tool of that name: its model made the name up."""
    message = cast("Mapping[str, object]", response).get("error") if isinstance(response, Mapping) else None
    start = f"Invoking `{tool_name}()` failed as no tool with that name is available."
    return isinstance(message, str) and message.startswith(start)


_FENCE_BEGIN = "<<<BEGIN_UNTRUSTED_TOOL_DESCRIPTION>>>\n"
_FENCE_END = "\n<<<END_UNTRUSTED_TOOL_DESCRIPTION>>>"

_PARAGRAPH_PREFIXES = (
    'You are an agent. Your internal name is "',
    "IMPORTANT: You have access to other tools, but you must provide your final response using the set_model_response",
    "Tool descriptions quoted between <<<BEGIN_UNTRUSTED_TOOL_DESCRIPTION>>>",
    "If neither you nor the other agents are best for the question, transfer to your parent agent",
)
_TRANSFER_BEGIN = "You have a list of other agents to transfer to:"
_TRANSFER_END = "**NOTE**: the only available agents for `transfer_to_agent` function are"


@dataclass(frozen=True, kw_only=True, slots=True)
class InstructionSection:
    """A part of an instruction that one author wrote."""

    text: str

    is_from_adk: bool
    """Whether ADK added it, rather than the agent's author."""


def split_instruction(instruction: str) -> list[InstructionSection]:
    """Return the instruction in sections: what the agent's author wrote, and what ADK added."""
    paragraphs = instruction.split("\n\n")
    marks = [paragraph.lstrip().startswith(_PARAGRAPH_PREFIXES) for paragraph in paragraphs]
    for first, last in _find_transfer_paragraphs(paragraphs):
        marks[first : last + 1] = [True] * (last + 1 - first)
    groups: list[tuple[bool, list[str]]] = []
    for paragraph, is_from_adk in zip(paragraphs, marks, strict=True):
        if not groups or groups[-1][0] != is_from_adk:
            groups.append((is_from_adk, []))
        groups[-1][1].append(paragraph)
    sections = (InstructionSection(text="\n\n".join(texts).strip(), is_from_adk=mark) for mark, texts in groups)
    return [section for section in sections if section.text]


def _find_transfer_paragraphs(paragraphs: list[str]) -> list[tuple[int, int]]:
    """Return the first and last paragraph of each text about transfers; one without an end is not ADK's."""
    found: list[tuple[int, int]] = []
    first: int | None = None
    for place, paragraph in enumerate(paragraphs):
        start = paragraph.lstrip()
        if first is None and start.startswith(_TRANSFER_BEGIN):
            first = place
        elif first is not None and start.startswith(_TRANSFER_END):
            found.append((first, place))
            first = None
    return found


def remove_description_fences(value: Any) -> Any:
    """Return a declaration or schema with the descriptions as a tool's server wrote them.

    ADK encloses the descriptions of MCP tools in markers that warn a model, which would hide the text from people.
    """
    if isinstance(value, str):
        is_fenced = value.startswith(_FENCE_BEGIN) and value.endswith(_FENCE_END)
        return value[len(_FENCE_BEGIN) : -len(_FENCE_END)] if is_fenced else value
    if isinstance(value, Mapping):
        return {name: remove_description_fences(inner) for name, inner in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, list):
        return [remove_description_fences(inner) for inner in cast("list[Any]", value)]
    return value
