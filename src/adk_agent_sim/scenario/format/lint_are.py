"""Findings about scenarios that can be read here but not by the ARE package: dialect, apps and values."""

from __future__ import annotations

import re
from collections.abc import Iterator

from adk_agent_sim.scenario.apps.registry import BUILT_IN_APPS, NOT_IMPORTABLE_BY_ARE, UNKNOWN_TO_ARE
from adk_agent_sim.scenario.format.graph import EventGraph
from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.format.json_positions import JsonPath
from adk_agent_sim.scenario.format.lint_are_flow import check_are_flow
from adk_agent_sim.scenario.format.lint_finding import LintFinding
from adk_agent_sim.scenario.format.models import ExportedAction, ExportedActionArg, ExportedTrace
from adk_agent_sim.scenario.format.values import parse_placeholder
from adk_agent_sim.timeline.strict_json import InvalidJson, parse_json

_CONVERT_ADVICE = "Run `adksim scenario convert`"

_BASE_TYPE_PATTERN = re.compile(r"Optional\[(.*)\]|\b(\w+)\b")
_BASE_TYPES = ("int", "str", "float", "bool", "list", "dict")


def check_are_import(scenario: ScenarioImportedFromJson, graph: EventGraph) -> Iterator[LintFinding]:
    """Yield what ARE 1.2.0 refuses."""
    for change in scenario.adapted:
        yield LintFinding(
            code="are-dialect", path=(), message=f"ARE reads its own dialect only: {change}", advice=_CONVERT_ADVICE
        )
    yield from _check_apps(scenario.trace)
    yield from _check_values(scenario.trace)
    yield from _check_logs(scenario.trace)
    yield from check_are_flow(scenario.trace, graph)


def _check_apps(trace: ExportedTrace) -> Iterator[LintFinding]:
    known = set(BUILT_IN_APPS) - UNKNOWN_TO_ARE - NOT_IMPORTABLE_BY_ARE
    usable = {app.name for app in trace.apps if (app.class_name or app.name) in known}
    for place, app in enumerate(trace.apps):
        if app.name not in usable:
            message = f"ARE has no app class {app.class_name or app.name!r:.80} for scenarios, and skips the app"
            yield LintFinding(
                code="are-app", path=("apps", place, "class_name"), message=message, advice=_CONVERT_ADVICE
            )
        elif missing := [
            key for key in BUILT_IN_APPS[app.class_name or app.name].state_keys if key not in (app.app_state or {})
        ]:
            message = f"the state has no {', '.join(missing)}; ARE skips an app whose state it cannot load"
            advice = "Provide the complete state of the app"
            yield LintFinding(code="are-state", path=("apps", place, "app_state"), message=message, advice=advice)
    for place, event in enumerate(trace.events):
        name = event.action.app if event.action else None
        if trace.apps and name is not None and name not in usable:
            message = f"the app {name[:80]!r} would be missing in ARE, which only uses listed apps"
            advice = "List it in apps with a class that ARE has; `adksim scenario convert` does this for some apps"
            yield LintFinding(code="are-app", path=("events", place, "action", "app"), message=message, advice=advice)


def _check_values(trace: ExportedTrace) -> Iterator[LintFinding]:
    for name, events in (("events", trace.events), ("completed_events", trace.completed_events)):
        for place, event in enumerate(events):
            if event.action:
                yield from _check_arguments((name, place, "action", "args"), event.action)


def _check_arguments(path: JsonPath, action: ExportedAction) -> Iterator[LintFinding]:
    for place, argument in enumerate(action.args or ()):
        if why := _describe_refusal(argument):
            advice = f"Remove the argument {argument.name[:80]!r}, or give it a value and one of these types"
            yield LintFinding(code="are-value", path=(*path, place), message=f"ARE refuses {why}", advice=advice)


def _describe_refusal(argument: ExportedActionArg) -> str | None:
    kind = argument.value_type
    if kind is None:
        return None if argument.value is None else "a value without value_type"
    if not argument.value:
        return None if _is_optional(kind) else f"an empty value of type {kind!r:.40}"
    found = _BASE_TYPE_PATTERN.match(kind)
    base = (found[1] or found[2]) if found else kind
    if base in _BASE_TYPES or parse_placeholder(argument.value):
        return None
    return f"the type {kind!r:.40}; its types are {', '.join(_BASE_TYPES)}"


def _is_optional(kind: str) -> bool:
    parts = [part.strip() for part in kind.split("|")]
    return kind.startswith("Optional[") or (len(parts) > 1 and "None" in parts)


def _check_logs(trace: ExportedTrace) -> Iterator[LintFinding]:
    for place, text in enumerate(trace.world_logs):
        try:
            is_object = isinstance(parse_json(text), dict)
        except InvalidJson:
            is_object = False
        if not is_object:
            message = "ARE expects a world log to be a JSON object, and this is not one"
            advice = "Write it as a JSON object"
            yield LintFinding(code="are-log", path=("world_logs", place), message=message, advice=advice)
