"""Arguments of a scenario's calls: text in the file, parsed by `value_type`; and whether they fit their tool.

They are written as ARE reads them. An argument that does not fit is unknown, missing, or of the wrong type.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from adk_agent_sim.scenario.app_base.app import App, Tool
from adk_agent_sim.scenario.app_base.tool_call import split_outside_brackets
from adk_agent_sim.scenario.apps.registry import BUILT_IN_APPS, DEFAULT_APPS, find_app_class
from adk_agent_sim.scenario.format.models import ExportedActionArg, ExportedTrace
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.strict_json import InvalidJson, parse_json

_PLACEHOLDER_PATTERN = re.compile(r"\{\{([^{}]+)\}\}")

# bool comes before int, of which it is a subclass.
_TYPE_NAMES: dict[type, str] = {bool: "bool", int: "int", float: "float", str: "str", list: "list", dict: "dict"}


_DIGITS = r"\d(_?\d)*+"
_FLOAT_PATTERN = rf"[+-]?({_DIGITS}(\.({_DIGITS})?)?|\.{_DIGITS})([eE][+-]?\d(_?\d){{0,2}})?"

_TRUE_WORDS, _FALSE_WORDS = ("true", "1", "t", "y", "yes"), ("false", "0", "f", "n", "no")


class ValueDoesNotFit(ValueError):
    """A text cannot be parsed as its type."""


def parse_placeholder(value: str | None) -> str | None:
    """Return what a placeholder names, `event_id` or `event_id.key`; None if the whole text is not a placeholder."""
    found = _PLACEHOLDER_PATTERN.fullmatch(value.strip()) if value else None
    return found[1] if found else None


def find_placeholder_event(reference: str, event_ids: frozenset[str] | set[str] | dict[str, Any]) -> str:
    """Return the event id in a placeholder. Ids may contain dots, so the longest existing id is used."""
    candidate = reference
    while candidate not in event_ids and "." in candidate:
        candidate = candidate.rpartition(".")[0]
    return candidate if candidate in event_ids else reference.partition(".")[0]


def format_value(value: Json) -> str | None:
    """Return a value as text for the file."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def get_value_type(value: Json) -> str | None:
    """Return the `value_type` of a value."""
    return next((name for kind, name in _TYPE_NAMES.items() if isinstance(value, kind)), None)


def parse_value(text: str | None, value_type: str | None) -> Json:
    """Return the value of a text.

    Raises:
        ValueDoesNotFit: The text cannot be parsed as that type.
    """
    if text is None or value_type is None:
        return text
    base = value_type.split("|")[0].strip().partition("[")[0].lower()
    parse = _PARSERS.get(base)
    return parse(text) if parse else text


def _parse_int(text: str) -> int:
    # What int() accepts, as in ARE: digits of any script, and single underscores between them. Not int() alone, because
    # it is slow for very long texts.
    return int(_require_match(text, r"[+-]?\d(_?\d){0,299}", "an int, such as 5"))


def _parse_float(text: str) -> float:
    # What float() accepts, but for `nan` and `inf`, which JSON does not have.
    return float(_require_match(text, _FLOAT_PATTERN, "a float, such as 5.0"))


def _parse_bool(text: str) -> bool:
    return _require_match(text.lower(), "|".join(_TRUE_WORDS + _FALSE_WORDS), "a bool: True or False") in _TRUE_WORDS


def _parse_list(text: str) -> list[Json]:
    return _parse_json_as(text, list, 'a list as JSON, such as ["a", "b"]')


def _parse_dict(text: str) -> dict[str, Json]:
    return _parse_json_as(text, dict, 'a dict as JSON, such as {"a": 1}')


def _require_match(text: str, pattern: str, expected: str) -> str:
    if re.fullmatch(pattern, text.strip()) is None:
        raise ValueDoesNotFit(f"{text[:80]!r} is not {expected}")
    return text.strip()


def _parse_json_as(text: str, kind: type, expected: str) -> Any:
    try:
        value = parse_json(text, allow_duplicate_keys=True)
    except InvalidJson as error:
        raise ValueDoesNotFit(f"{text[:80]!r} is not {expected}") from error
    if not isinstance(value, kind):
        raise ValueDoesNotFit(f"{text[:80]!r} is not {expected}")
    return value


_PARSERS = {"int": _parse_int, "float": _parse_float, "bool": _parse_bool, "list": _parse_list, "dict": _parse_dict}


_SIMPLE_TYPES: dict[str, type | tuple[type, ...]] = {"str": str, "int": int, "float": (int, float), "bool": bool}


def fits_annotation(value: Json, annotation: str) -> bool:
    """Return whether a value fits a type such as `list[str] | None`.

    Unlike `app_base.argument_check.matches_type`, this accepts an int as a float and no bool as an int: files contain
    JSON numbers, whose type the author did not choose.
    """
    return any(_fits_single_type(value, each) for each in split_outside_brackets(annotation, "|"))


def _fits_single_type(value: Json, annotation: str) -> bool:
    base, _, inner = annotation.removesuffix("]").partition("[")
    if base == "Any":
        return True
    if base == "None":
        return value is None
    if isinstance(value, list):
        items = cast("list[Any]", value)
        return base == "list" and all(fits_annotation(each, inner or "Any") for each in items)
    if isinstance(value, dict):
        kinds = split_outside_brackets(inner, ",")
        values = cast("dict[str, Any]", value).values()
        return base == "dict" and all(fits_annotation(each, kinds[-1] or "Any") for each in values)
    if isinstance(value, bool):
        return base == "bool"
    return base in _SIMPLE_TYPES and isinstance(value, _SIMPLE_TYPES[base])


@dataclass(frozen=True)
class ArgumentProblem:
    """An argument that does not fit its tool."""

    index: int | None
    """The position of the argument in the call; None if it is missing."""

    message: str


def map_app_classes(trace: ExportedTrace) -> Mapping[str, type[App] | None]:
    """Return the app classes of a scenario by app name; None if the class is unknown."""
    return {**DEFAULT_APPS, **{app.name: find_app_class(app.class_name or app.name) for app in trace.apps}}


def find_unlisted_app(name: str) -> type[App] | None:
    """Return the built-in app class of that name, for events that call an app without listing it."""
    return BUILT_IN_APPS.get(name)


def find_argument_problems(tool: Tool, arguments: list[ExportedActionArg]) -> Iterator[ArgumentProblem]:
    """Yield the arguments of a call that do not fit its tool."""
    for index, argument in enumerate(arguments):
        declared = tool.find_argument(argument.name)
        if declared is None:
            names = ", ".join(each.name for each in tool.arguments) or "none"
            message = f"{tool.name} has no argument {argument.name[:80]!r}; its arguments are: {names}"
            yield ArgumentProblem(index, message)
        elif not declared.variadic and (message := _describe_problem(argument, declared.annotation)):
            yield ArgumentProblem(index, message)
    given_names = {argument.name for argument in arguments}
    for declared in tool.arguments:
        if declared.required and declared.name not in given_names:
            yield ArgumentProblem(None, f"{tool.name} requires the argument {declared.name!r} ({declared.annotation})")


def _describe_problem(argument: ExportedActionArg, annotation: str) -> str | None:
    if parse_placeholder(argument.value):
        return None  # its value is known only in a run
    try:
        value = parse_value(argument.value, argument.value_type or annotation)
    except ValueDoesNotFit as error:
        return f"{argument.name}: {error}"
    if fits_annotation(value, annotation):
        return None
    return f"{argument.name} must be {annotation}, but {argument.value!r:.80} is {type(value).__name__}"
