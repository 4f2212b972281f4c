"""Replaces the variables of a rules file, `{{vars.name}}`, before the file is validated.

A variable has the type of its value, so it can stand for a number, a text, a list or an object. In `do`, other
references are kept: they are replaced for each call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, cast

from adk_agent_sim.environment.json_values import MISSING, copy_value, find_value
from adk_agent_sim.environment.rule_finding import KeyPath, RuleFinding, suggest_closest
from adk_agent_sim.environment.templates import (
    BadTemplate,
    Reference,
    Segment,
    escape_templates,
    format_inserted,
    has_template,
    iter_template_texts,
    parse_text,
)
from adk_agent_sim.timeline.canonical_json import Json

VARIABLES_ROOT = "vars"
_MAX_INSERTED_CHARACTERS = 10_000_000
"""The most characters that variables add to a file: as many as a file can have."""

_ESCAPE_ADVICE = "Write {{vars.name}}, or {{'{{'}} for braces as they are"


def replace_variables(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the content of a rules file without references to variables.

    Raises:
        ValueError: A reference is not valid, or the variables make the file too long.
    """
    if not has_template({**document, "variables": None}):
        return document
    for problem in find_variable_problems(document):
        if problem.severity == "error":
            raise ValueError(f"{problem.path}: {problem.message}. {problem.advice}")
    variables = _get_variables(document)
    return {key: value if key == "variables" else _replace(value, variables, (key,)) for key, value in document.items()}


def find_variable_problems(document: object) -> Iterator[RuleFinding]:
    """Yield the references that are not valid where they are, and the variables that are never used."""
    if not isinstance(document, Mapping):
        return
    mapping = cast("Mapping[str, Any]", document)
    variables = _get_variables(mapping)
    content = {key: value for key, value in mapping.items() if key != "variables"}
    # Measured before anything is replaced, because a small file could otherwise grow without bounds.
    lengths = {name: len(repr(value)) for name, value in variables.items()}
    used: set[str] = set()
    total_length = 0
    for key_path, text in iter_template_texts(content) if has_template(content) else ():
        try:
            references = [each.content for each in parse_text(text) if isinstance(each.content, Reference)]
        except BadTemplate as error:
            if not _is_in_actions(key_path):  # those in actions are checked with the actions
                yield _build_finding("bad-template", key_path, str(error), _ESCAPE_ADVICE)
            continue
        used |= {each.name.partition(".")[0] for each in references if each.root == VARIABLES_ROOT}
        for reference in references:
            yield from _check_reference(reference, key_path, variables)
            if reference.root == VARIABLES_ROOT:
                total_length += lengths.get(reference.name.partition(".")[0], 0)
    if total_length > _MAX_INSERTED_CHARACTERS:
        message = f"with its variables written out, the file has more than {_MAX_INSERTED_CHARACTERS:,} characters"
        yield _build_finding("bad-template", ("variables",), message, "Use shorter variables, or fewer of them")
    # With a mistyped name, the variable that was meant only seems to be unused.
    for name in sorted(variables.keys() - used) if used <= variables.keys() else ():
        advice = f"Use it as {{{{vars.{name}}}}}, or remove it"
        yield _build_finding("unused-variable", ("variables", name), "it is never used", advice, severity="warning")


def _check_reference(reference: Reference, key_path: KeyPath, variables: Mapping[str, Json]) -> Iterator[RuleFinding]:
    if reference.root == VARIABLES_ROOT:
        if find_value(dict(variables), reference.name) is MISSING:
            name = reference.name.partition(".")[0]
            yield _build_finding(
                "unknown-variable",
                key_path,
                f"there is no variable {reference.name!r}",
                suggest_closest(name, variables, "Add it under `variables`, or use one of")
                if variables
                else "Add it at the top of the file, under `variables`",
            )
    elif not _is_in_actions(key_path):
        message = f"{{{{{reference.text}}}}} has no value here: only actions can refer to the call"
        yield _build_finding("bad-template", key_path, message, _ESCAPE_ADVICE)


def _build_finding(
    code: str, key_path: KeyPath, message: str, advice: str, *, severity: Literal["error", "warning"] = "error"
) -> RuleFinding:
    return RuleFinding(code=code, key_path=key_path, message=message, advice=advice, severity=severity)


def _get_variables(document: Mapping[str, Any]) -> Mapping[str, Json]:
    variables = document.get("variables")
    return cast("Mapping[str, Json]", variables) if isinstance(variables, Mapping) else {}


def _is_in_actions(key_path: KeyPath) -> bool:
    """Whether a position is inside `do`, whose texts are filled for each call."""
    return len(key_path) > 2 and (key_path[0], key_path[2]) == ("rules", "do")


def _replace(value: Any, variables: Mapping[str, Json], key_path: KeyPath) -> Any:
    if isinstance(value, str):
        return _replace_in_text(value, variables, keeps_templates=_is_in_actions(key_path)) if "{{" in value else value
    if isinstance(value, Mapping):
        mapping = cast("Mapping[str, Any]", value)
        return {key: _replace(inner, variables, (*key_path, key)) for key, inner in mapping.items()}
    if isinstance(value, list):
        items = cast("list[Any]", value)
        return [_replace(inner, variables, (*key_path, index)) for index, inner in enumerate(items)]
    return value


def _replace_in_text(text: str, variables: Mapping[str, Json], *, keeps_templates: bool) -> Json:
    try:
        segments = parse_text(text)
    except BadTemplate:
        return text  # in an action: it is reported with the action
    values = [_get_segment_value(segment, variables, keeps_templates=keeps_templates) for segment in segments]
    return values[0] if len(values) == 1 else "".join(map(format_inserted, values))


def _get_segment_value(segment: Segment, variables: Mapping[str, Json], *, keeps_templates: bool) -> Json:
    if isinstance(segment.content, Reference) and segment.content.root == VARIABLES_ROOT:
        value = copy_value(find_value(dict(variables), segment.content.name))
        # A variable is data: braces in it are not references.
        return escape_templates(value) if keeps_templates else value
    return segment.source if keeps_templates else segment.content
