"""Checks the references to a call, such as `{{args.id}}`, in the actions of rules."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from adk_agent_sim.environment.actions.action import Action
from adk_agent_sim.environment.argument_lint import find_argument_problem
from adk_agent_sim.environment.call_values import CALL_FIELDS, CALL_ROOTS
from adk_agent_sim.environment.rule_finding import KeyPath, RuleFinding, suggest_closest
from adk_agent_sim.environment.templates import BadTemplate, Reference, iter_template_texts, parse_text

_ESCAPE_ADVICE = "Write a reference such as {{args.id}}, or {{'{{'}} for braces as they are"


def check_templates(
    key_path: KeyPath,
    action: Action,
    *,
    tools: Mapping[str, Mapping[str, Any]] | None = None,
    known_tools: Collection[str] | None = None,
) -> Iterator[RuleFinding]:
    """Yield the references of an action that no call has.

    Args:
        key_path: The position of the action in the file.
        action: The action.
        tools: The JSON Schemas of the arguments of the tools that the rule matches; None if they are not known.
        known_tools: The names of all tools; None if they are not known.
    """
    templates = {text for _, text in iter_template_texts(action.template)}
    for inner_path, text in iter_template_texts(action.model_dump(by_alias=True)):
        path = (*key_path, *inner_path)
        if text not in templates:
            yield RuleFinding(
                code="bad-template",
                key_path=path,
                message="{{ }} has no meaning here: only responses and messages can refer to the call",
                advice="Write the value itself",
            )
            continue
        try:
            segments = parse_text(text)
        except BadTemplate as error:
            yield RuleFinding(code="bad-template", key_path=path, message=str(error), advice=_ESCAPE_ADVICE)
            continue
        for segment in segments:
            if isinstance(segment.content, Reference):
                problem = _find_problem(segment.content, tools, known_tools)
                if problem is not None:
                    code, message, advice = problem
                    yield RuleFinding(code=code, key_path=path, message=message, advice=advice)


def _find_problem(
    reference: Reference, tools: Mapping[str, Mapping[str, Any]] | None, known_tools: Collection[str] | None
) -> tuple[str, str, str] | None:
    """Return the code, the message and advice."""
    shown = f"{{{{{reference.text}}}}}"
    if "*" in reference.name.split("."):
        return "bad-template", f"{shown} has a wildcard", "Write an index, or refer to the whole list"
    match reference.root:
        case "args" if tools and reference.name and (problem := find_argument_problem(reference.name, tools)):
            return "unknown-argument", f"{shown}: {problem[0]}", problem[1]
        case "call" if reference.name not in CALL_FIELDS:
            return (
                "unknown-name",
                f"{shown}: a call has no {reference.name!r}",
                suggest_closest(reference.name, CALL_FIELDS, "Write call. and one of"),
            )
        case "state" | "results" if not reference.name:
            return "unknown-name", f"{shown} does not say which", f"Write a name after it: {{{{{reference.root}.x}}}}"
        case "results" if known_tools is not None and (tool := reference.name.partition(".")[0]) not in known_tools:
            return (
                "unknown-tool",
                f"{shown}: the agent has no tool {tool!r}",
                suggest_closest(tool, known_tools, "Its tools are"),
            )
        case root if root not in CALL_ROOTS:
            return (
                "unknown-name",
                f"{shown} refers to nothing: {root!r} is not known",
                suggest_closest(root, CALL_ROOTS, "A reference begins with one of"),
            )
        case _:
            return None
