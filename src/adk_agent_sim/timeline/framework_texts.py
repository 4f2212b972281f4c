"""Recognizes the texts that ADK adds to a model request by itself, beside what the agent's author wrote.

These are plain strings, as in `framework_calls.py`. tests/adk/test_briefing.py compares them with what ADK adds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

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
