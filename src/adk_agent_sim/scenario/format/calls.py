"""Whether a call fits the tool it names: which arguments are unknown, missing, or of another type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from adk_agent_sim.scenario.apps.app import App
from adk_agent_sim.scenario.apps.registry import ALWAYS, APPS, app_class
from adk_agent_sim.scenario.apps.tool import Tool
from adk_agent_sim.scenario.format.models import ExportedActionArg, ExportedTrace
from adk_agent_sim.scenario.format.types import fits
from adk_agent_sim.scenario.format.values import ValueDoesNotFit, placeholder, value_of


@dataclass(frozen=True)
class Misfit:
    """An argument that does not fit."""

    place: int | None
    """Which argument of the call; None if it is missing."""

    message: str


def apps_by_name(trace: ExportedTrace) -> Mapping[str, type[App] | None]:
    """The apps of a scenario by the names that events call them; None where nobody knows the class."""
    return {**ALWAYS, **{app.name: app_class(app.class_name or app.name) for app in trace.apps}}


def unlisted(name: str) -> type[App] | None:
    """An app that events use though the scenario does not list it: one that is called as its class."""
    return APPS.get(name)


def misfits(tool: Tool, arguments: list[ExportedActionArg]) -> Iterator[Misfit]:
    """The arguments of a call that do not fit its tool."""
    for place, given in enumerate(arguments):
        stated = tool.argument(given.name)
        if stated is None:
            names = ", ".join(each.name for each in tool.arguments) or "none"
            yield Misfit(place, f"{tool.name} has no argument {given.name[:80]!r}; its arguments are: {names}")
        elif not stated.variadic and (why := _misfit(given, stated.annotation)):
            yield Misfit(place, why)
    names = {given.name for given in arguments}
    for stated in tool.arguments:
        if stated.required and stated.name not in names:
            yield Misfit(None, f"{tool.name} needs the argument {stated.name!r} ({stated.annotation})")


def _misfit(given: ExportedActionArg, annotation: str) -> str | None:
    if placeholder(given.value):
        return None
    try:
        value = value_of(given.value, given.value_type or annotation)
    except ValueDoesNotFit as error:
        return f"{given.name}: {error}"
    if fits(value, annotation):
        return None
    return f"{given.name} is to be {annotation}, and {given.value!r:.80} is {type(value).__name__}"
