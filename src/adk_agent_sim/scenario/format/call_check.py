"""Whether a call fits the tool it names: which arguments are unknown, missing, or of another type."""

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
    """An argument that does not fit."""

    index: int | None
    """Which argument of the call; None if it is missing."""

    message: str


def map_app_classes(trace: ExportedTrace) -> Mapping[str, type[App] | None]:
    """The apps of a scenario by the names that events call them; None where nobody knows the class."""
    return {**DEFAULT_APPS, **{app.name: find_app_class(app.class_name or app.name) for app in trace.apps}}


def find_unlisted_app(name: str) -> type[App] | None:
    """An app that events use though the scenario does not list it: one that is called as its class."""
    return BUILT_IN_APPS.get(name)


def find_argument_problems(tool: Tool, arguments: list[ExportedActionArg]) -> Iterator[ArgumentProblem]:
    """The arguments of a call that do not fit its tool."""
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
