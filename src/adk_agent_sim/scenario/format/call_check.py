"""Checks whether the arguments of a scenario's call fit its tool: unknown, missing, or of the wrong type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from adk_agent_sim.scenario.app_base.app import App
from adk_agent_sim.scenario.app_base.argument_check import split_outside_brackets
from adk_agent_sim.scenario.app_base.tool import Tool
from adk_agent_sim.scenario.apps.registry import BUILT_IN_APPS, DEFAULT_APPS, find_app_class
from adk_agent_sim.scenario.format.models import ExportedActionArg, ExportedTrace
from adk_agent_sim.scenario.format.values import ValueDoesNotFit, parse_placeholder, parse_value
from adk_agent_sim.timeline.canonical_json import Json

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
