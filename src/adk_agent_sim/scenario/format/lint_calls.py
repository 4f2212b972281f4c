"""Findings about calls that no app can execute: unknown apps and tools, tools of another caller, wrong arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from adk_agent_sim.scenario.app_base.app import App
from adk_agent_sim.scenario.app_base.tool import APP, ENV, USER, Tool, ToolKind
from adk_agent_sim.scenario.apps.registry import find_app_class, list_app_class_names
from adk_agent_sim.scenario.format.call_check import find_argument_problems, find_unlisted_app, map_app_classes
from adk_agent_sim.scenario.format.graph import EventGraph
from adk_agent_sim.scenario.format.json_positions import JsonPath
from adk_agent_sim.scenario.format.lint_finding import LintFinding
from adk_agent_sim.scenario.format.models import AnyEvent, ExportedAction, ExportedTrace

_CALLABLE_KINDS: dict[str, tuple[frozenset[ToolKind], str]] = {
    "AGENT": (frozenset({APP}), "the agent can call"),
    "ENV": (frozenset({ENV, USER}), "ENV or USER events can call"),
    "USER": (frozenset({ENV, USER}), "ENV or USER events can call"),
}
"""The kinds of tools that an event of each type can call; ARE does not distinguish ENV and USER events."""


def check_calls(trace: ExportedTrace, graph: EventGraph) -> Iterator[LintFinding]:
    """Yield the findings about the apps and about the action of each event."""
    for place, app in enumerate(trace.apps):
        if find_app_class(app.class_name or app.name) is None:
            yield LintFinding(
                code="app-unknown",
                path=("apps", place, "class_name"),
                message=f"there is no app class {app.class_name or app.name!r:.80}",
                advice=f"Write one of {', '.join(list_app_class_names())}",
            )
    if not trace.apps:
        message = "the scenario lists no apps, so only calls between user and agent can be checked"
        advice = "List its apps"
        yield LintFinding(code="apps-unlisted", path=(), message=message, advice=advice, severity="warning")
    apps = map_app_classes(trace)
    for place, event in enumerate(trace.events):
        if event.action is not None and (trace.apps or event.action.app in apps):
            yield from _check_action(("events", place, "action"), event, event.action, apps)


def _check_action(
    path: JsonPath, event: AnyEvent, action: ExportedAction, apps: Mapping[str, type[App] | None]
) -> Iterator[LintFinding]:
    if action.app is None or action.function is None:
        return
    if action.app not in apps:
        yield _build_unlisted_finding(path, action.app, [*islice(apps, 20)])
    app = apps.get(action.app) or (None if action.app in apps else find_unlisted_app(action.app))
    if app is None:
        return
    tool = app.tools().get(action.function)
    if tool is None:
        names = ", ".join(app.tools())
        message = f"{action.app} ({app.__name__}) has no tool {action.function[:80]!r}"
        yield LintFinding(
            code="tool-unknown", path=(*path, "function"), message=message, advice=f"Its tools are: {names}"
        )
        return
    yield from _check_caller((*path, "function"), event, tool)
    for problem in find_argument_problems(tool, action.args or []):
        where = ("args",) if problem.index is None else ("args", problem.index)
        advice = f"The arguments of {tool.name} are: {_describe_arguments(tool)}"
        yield LintFinding(code="argument-unfit", path=(*path, *where), message=problem.message, advice=advice)


def _describe_arguments(tool: Tool) -> str:
    shown = (f"{each.name} ({each.annotation}{'' if each.required else ', optional'})" for each in tool.arguments)
    return ", ".join(shown) or "none"


def _build_unlisted_finding(path: JsonPath, name: str, names: list[str]) -> LintFinding:
    if find_unlisted_app(name):
        message = f"the app {name!r} is not listed in apps; it starts without state"
        advice = "List it in apps"
        return LintFinding(code="app-unlisted", path=(*path, "app"), message=message, advice=advice, severity="warning")
    message = f"there is no app {name[:80]!r} in this scenario"
    return LintFinding(
        code="app-unknown", path=(*path, "app"), message=message, advice=f"Its apps are: {', '.join(names)}"
    )


def _check_caller(path: JsonPath, event: AnyEvent, tool: Tool) -> Iterator[LintFinding]:
    kinds, phrase = _CALLABLE_KINDS.get(event.event_type, (tool.kinds, ""))
    if kinds & tool.kinds:
        return
    message = f"{tool.name} is not a tool that {phrase}"
    if event.event_type == "AGENT":
        advice = "Expect a tool that the agent is offered, or make this an ENV or USER event"
        yield LintFinding(code="oracle-impossible", path=path, message=message, advice=advice)
    else:
        advice = f"Call a tool of kind env or user; this one is of kind {', '.join(sorted(tool.kinds))}"
        yield LintFinding(code="tool-of-others", path=path, message=message, advice=advice, severity="warning")
