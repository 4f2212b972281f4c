"""What the ARE package would refuse to import, though it can be read here: its dialect, its apps, its values."""

from __future__ import annotations

import re
from collections.abc import Iterator

from adk_agent_sim.scenario.apps.registry import APPS, NOT_IMPORTABLE, UNKNOWN_TO_ARE
from adk_agent_sim.scenario.format.finding import Finding
from adk_agent_sim.scenario.format.graph import EventGraph
from adk_agent_sim.scenario.format.json_text import NotJson, parsed
from adk_agent_sim.scenario.format.lint_are_flow import refused_flow
from adk_agent_sim.scenario.format.models import ExportedAction, ExportedActionArg, ExportedTrace
from adk_agent_sim.scenario.format.positions import Path
from adk_agent_sim.scenario.format.scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.format.values import placeholder

_CONVERT = "Run `adksim scenario convert`"

_BASE_TYPE = re.compile(r"Optional\[(.*)\]|\b(\w+)\b")
_BASE_TYPES = ("int", "str", "float", "bool", "list", "dict")


def refused_by_are(scenario: ScenarioImportedFromJson, graph: EventGraph) -> Iterator[Finding]:
    """What ARE 1.2.0 refuses."""
    for change in scenario.adapted:
        yield Finding(code="are-dialect", path=(), message=f"ARE reads its own dialect only: {change}", advice=_CONVERT)
    yield from _apps(scenario.trace)
    yield from _values(scenario.trace)
    yield from _logs(scenario.trace)
    yield from refused_flow(scenario.trace, graph)


def _apps(trace: ExportedTrace) -> Iterator[Finding]:
    known = set(APPS) - UNKNOWN_TO_ARE - NOT_IMPORTABLE
    usable = {app.name for app in trace.apps if (app.class_name or app.name) in known}
    for place, app in enumerate(trace.apps):
        if app.name not in usable:
            message = f"ARE has no app class {app.class_name or app.name!r:.80} for scenarios, and leaves the app out"
            yield Finding(code="are-app", path=("apps", place, "class_name"), message=message, advice=_CONVERT)
        elif lacks := [key for key in APPS[app.class_name or app.name].state_keys if key not in (app.app_state or {})]:
            message = f"the state lacks {', '.join(lacks)}; ARE leaves out an app whose state it cannot load"
            advice = "Give the whole state of the app"
            yield Finding(code="are-state", path=("apps", place, "app_state"), message=message, advice=advice)
    for place, event in enumerate(trace.events):
        name = event.action.app if event.action else None
        if trace.apps and name is not None and name not in usable:
            message = f"the app {name[:80]!r} would not be there in ARE, which takes listed apps only"
            advice = (
                "List it in apps, with a class that ARE has; `adksim scenario convert` does so for the format's example"
            )
            yield Finding(code="are-app", path=("events", place, "action", "app"), message=message, advice=advice)


def _values(trace: ExportedTrace) -> Iterator[Finding]:
    for name, events in (("events", trace.events), ("completed_events", trace.completed_events)):
        for place, event in enumerate(events):
            if event.action:
                yield from _arguments((name, place, "action", "args"), event.action)


def _arguments(path: Path, action: ExportedAction) -> Iterator[Finding]:
    for place, argument in enumerate(action.args or ()):
        if why := _misread(argument):
            advice = f"Leave the argument {argument.name[:80]!r} out, or give it a value and one of these types"
            yield Finding(code="are-value", path=(*path, place), message=f"ARE refuses {why}", advice=advice)


def _misread(argument: ExportedActionArg) -> str | None:
    kind = argument.value_type
    if kind is None:
        return None if argument.value is None else "a value without value_type"
    if not argument.value:
        return None if _is_optional(kind) else f"an empty value of type {kind!r:.40}"
    found = _BASE_TYPE.match(kind)
    base = (found[1] or found[2]) if found else kind
    if base in _BASE_TYPES or placeholder(argument.value):
        return None
    return f"the type {kind!r:.40}; its types are {', '.join(_BASE_TYPES)}"


def _is_optional(kind: str) -> bool:
    parts = [part.strip() for part in kind.split("|")]
    return kind.startswith("Optional[") or (len(parts) > 1 and "None" in parts)


def _logs(trace: ExportedTrace) -> Iterator[Finding]:
    for place, text in enumerate(trace.world_logs):
        try:
            is_object = isinstance(parsed(text), dict)
        except NotJson:
            is_object = False
        if not is_object:
            message = "ARE reads a world log as a JSON object, and this is none"
            advice = "Write it as a JSON object"
            yield Finding(code="are-log", path=("world_logs", place), message=message, advice=advice)
