"""Calls that no app can do: unknown apps and tools, tools of somebody else, arguments that do not fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from adk_agent_sim.scenario.apps.app import App
from adk_agent_sim.scenario.apps.registry import app_class, app_names
from adk_agent_sim.scenario.apps.tool import APP, ENV, USER, Kind, Tool
from adk_agent_sim.scenario.format.calls import apps_by_name, misfits, unlisted
from adk_agent_sim.scenario.format.finding import Finding
from adk_agent_sim.scenario.format.graph import EventGraph
from adk_agent_sim.scenario.format.models import AnyEvent, ExportedAction, ExportedTrace
from adk_agent_sim.scenario.format.positions import Path

_CALLERS: dict[str, tuple[frozenset[Kind], str]] = {
    "AGENT": (frozenset({APP}), "the agent calls"),
    "ENV": (frozenset({ENV, USER}), "happens by itself"),
    "USER": (frozenset({ENV, USER}), "happens by itself"),
}
"""Whose tools an event of each type can call; ARE makes no difference between ENV and USER events."""


def wrong_calls(trace: ExportedTrace, graph: EventGraph) -> Iterator[Finding]:
    """What is wrong with the apps, and with the action of each event."""
    for place, app in enumerate(trace.apps):
        if app_class(app.class_name or app.name) is None:
            yield Finding(
                code="app-unknown",
                path=("apps", place, "class_name"),
                message=f"there is no app class {app.class_name or app.name!r:.80}",
                advice=f"Write one of {', '.join(app_names())}",
            )
    if not trace.apps:
        message = "the scenario lists no apps, so that only calls between user and agent can be checked"
        advice = "List its apps"
        yield Finding(code="apps-elsewhere", path=(), message=message, advice=advice, severity="warning")
    apps = apps_by_name(trace)
    for place, event in enumerate(trace.events):
        if event.action is not None and (trace.apps or event.action.app in apps):
            yield from _action(("events", place, "action"), event, event.action, apps)


def _action(
    path: Path, event: AnyEvent, action: ExportedAction, apps: Mapping[str, type[App] | None]
) -> Iterator[Finding]:
    if action.app is None or action.function is None:
        return
    if action.app not in apps:
        yield _unlisted(path, action.app, [*islice(apps, 20)])
    app = apps.get(action.app) or (None if action.app in apps else unlisted(action.app))
    if app is None:
        return
    tool = app.tools().get(action.function)
    if tool is None:
        names = ", ".join(app.tools())
        message = f"{action.app} ({app.__name__}) has no tool {action.function[:80]!r}"
        yield Finding(code="tool-unknown", path=(*path, "function"), message=message, advice=f"Its tools are: {names}")
        return
    yield from _caller((*path, "function"), event, tool)
    for misfit in misfits(tool, action.args or []):
        where = ("args",) if misfit.place is None else ("args", misfit.place)
        advice = "Give each argument as the tool states it"
        yield Finding(code="argument-unfit", path=(*path, *where), message=misfit.message, advice=advice)


def _unlisted(path: Path, name: str, names: list[str]) -> Finding:
    if unlisted(name):
        message = f"the app {name!r} is not listed in apps; it starts without state"
        advice = "List it in apps"
        return Finding(code="app-unlisted", path=(*path, "app"), message=message, advice=advice, severity="warning")
    message = f"there is no app {name[:80]!r} in this scenario"
    return Finding(code="app-unknown", path=(*path, "app"), message=message, advice=f"Its apps are: {', '.join(names)}")


def _caller(path: Path, event: AnyEvent, tool: Tool) -> Iterator[Finding]:
    kinds, who = _CALLERS.get(event.event_type, (tool.kinds, ""))
    if kinds & tool.kinds:
        return
    message = f"{tool.name} is not a tool that {who}"
    if event.event_type == "AGENT":
        advice = "Expect a tool that the agent is offered, or make this an ENV or USER event"
        yield Finding(code="oracle-impossible", path=path, message=message, advice=advice)
    else:
        advice = f"Call a tool of kind env or user; this one is of kind {', '.join(sorted(tool.kinds))}"
        yield Finding(code="tool-of-others", path=path, message=message, advice=advice, severity="warning")
