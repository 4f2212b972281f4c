"""What the ARE package would refuse to import, though it can be read here."""

from __future__ import annotations

from collections.abc import Iterator

from adk_agent_sim.scenario.apps.registry import NOT_IMPORTABLE, UNKNOWN_TO_ARE, bare
from adk_agent_sim.scenario.format.finding import Finding
from adk_agent_sim.scenario.format.graph import EventGraph, is_message_to_user
from adk_agent_sim.scenario.format.json_text import NotJson, parsed
from adk_agent_sim.scenario.format.models import ExportedAction, ExportedTrace
from adk_agent_sim.scenario.format.positions import Path
from adk_agent_sim.scenario.format.scenario import ScenarioImportedFromJson

_CONVERT = "Run `adksim scenario convert`"


def refused_by_are(scenario: ScenarioImportedFromJson, graph: EventGraph) -> Iterator[Finding]:
    """What ARE 1.2.0 refuses."""
    for change in scenario.adapted:
        yield Finding(code="are-dialect", path=(), message=f"ARE reads its own dialect only: {change}", advice=_CONVERT)
    yield from _apps(scenario.trace)
    yield from _empty_values(scenario.trace)
    yield from _logs(scenario.trace)
    yield from _neighbours(scenario.trace, graph)
    yield from _turns(graph)


def _apps(trace: ExportedTrace) -> Iterator[Finding]:
    names = {app.name for app in trace.apps}
    for place, app in enumerate(trace.apps):
        name = bare(app.class_name or "")
        if name in UNKNOWN_TO_ARE | NOT_IMPORTABLE:
            message = f"ARE has no app class {name!r} that a scenario can use"
            yield Finding(code="are-app", path=("apps", place, "class_name"), message=message, advice=_CONVERT)
    for place, event in enumerate(trace.events):
        if event.action and event.action.app in UNKNOWN_TO_ARE - names:
            message = f"ARE has no app {event.action.app!r}"
            yield Finding(code="are-app", path=("events", place, "action", "app"), message=message, advice=_CONVERT)


def _empty_values(trace: ExportedTrace) -> Iterator[Finding]:
    for name, events in (("events", trace.events), ("completed_events", trace.completed_events)):
        for place, event in enumerate(events):
            if event.action:
                yield from _empty((name, place, "action", "args"), event.action)


def _empty(path: Path, action: ExportedAction) -> Iterator[Finding]:
    for place, argument in enumerate(action.args or ()):
        if not argument.value and argument.value_type and "None" not in argument.value_type:
            yield Finding(
                code="are-empty-value",
                path=(*path, place, "value"),
                message=f"ARE refuses an empty value of type {argument.value_type!r:.40}",
                advice=f"Leave the argument {argument.name[:80]!r} out, or give it a value",
            )


def _logs(trace: ExportedTrace) -> Iterator[Finding]:
    for place, text in enumerate(trace.world_logs):
        try:
            is_object = isinstance(parsed(text), dict)
        except NotJson:
            is_object = False
        if not is_object:
            message = "ARE reads a world log as a JSON object, and this is none"
            yield Finding(
                code="are-log", path=("world_logs", place), message=message, advice="Write it as a JSON object"
            )


def _neighbours(trace: ExportedTrace, graph: EventGraph) -> Iterator[Finding]:
    for place, event in enumerate(trace.events):
        path: Path = ("events", place, "dependencies")
        if event.event_type == "AGENT" and not event.dependencies:
            message = "ARE refuses an AGENT event that depends on nothing"
            yield Finding(code="are-agent-first", path=path, message=message, advice="Let it depend on a USER event")
        if event.event_type == "ENV" and len(event.dependencies) > 1:
            message = f"ARE refuses an ENV event with {len(event.dependencies)} dependencies"
            yield Finding(
                code="are-env-parents", path=path, message=message, advice="Let it depend on the last of them"
            )
        parents = [graph.events[each] for each in graph.parents.get(event.event_id, ())]
        if event.event_type == "AGENT" and any(is_message_to_user(each) for each in parents):
            message = "ARE refuses an AGENT event right after a message to the user"
            advice = "Let a USER or ENV event come between"
            yield Finding(code="are-after-message", path=path, message=message, advice=advice)


def _turns(graph: EventGraph) -> Iterator[Finding]:
    """ARE takes the events of a turn breadth first, and wants the message to the user last."""
    turns = graph.turns()
    last: dict[int, str] = {}
    messages: dict[int, str] = {}
    for name in graph.order:
        if graph.events[name].event_type == "AGENT":
            last[turns[name]] = name
            if is_message_to_user(graph.events[name]):
                messages[turns[name]] = name
    for turn, name in messages.items():
        if last[turn] != name:
            yield Finding(
                code="are-message-not-last",
                path=("events", graph.places[name]),
                message=f"ARE refuses a message to the user that does not end its turn; {last[turn][:80]!r} does",
                advice="Let it depend on every other event of the turn that the agent does",
            )
