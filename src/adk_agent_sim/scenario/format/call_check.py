"""Checks whether the arguments of a scenario's call fit its tool: unknown, missing, or of the wrong type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from adk_agent_sim.scenario.app_base.app import App
from adk_agent_sim.scenario.app_base.tool import Tool
from adk_agent_sim.scenario.apps.registry import BUILT_IN_APPS, DEFAULT_APPS, find_app_class
from adk_agent_sim.scenario.format.models import ExportedActionArg, ExportedTrace
from adk_agent_sim.scenario.format.type_match import matches_type
from adk_agent_sim.scenario.format.values import ValueDoesNotFit, parse_placeholder, parse_value


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
    for place, given in enumerate(arguments):
        stated = tool.find_argument(given.name)
        if stated is None:
            names = ", ".join(each.name for each in tool.arguments) or "none"
            yield ArgumentProblem(place, f"{tool.name} has no argument {given.name[:80]!r}; its arguments are: {names}")
        elif not stated.variadic and (why := _describe_problem(given, stated.annotation)):
            yield ArgumentProblem(place, why)
    names = {given.name for given in arguments}
    for stated in tool.arguments:
        if stated.required and stated.name not in names:
            yield ArgumentProblem(None, f"{tool.name} needs the argument {stated.name!r} ({stated.annotation})")


def _describe_problem(argument: ExportedActionArg, annotation: str) -> str | None:
    if parse_placeholder(argument.value):
        return None
    try:
        value = parse_value(argument.value, argument.value_type or annotation)
    except ValueDoesNotFit as error:
        return f"{argument.name}: {error}"
    if matches_type(value, annotation):
        return None
    return f"{argument.name} is to be {annotation}, and {argument.value!r:.80} is {type(value).__name__}"
