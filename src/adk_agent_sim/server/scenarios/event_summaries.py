"""The events of a scenario as the browser lists them: their kind, when they are expected, and their arguments."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from adk_agent_sim.scenario.format.call_arguments import ValueDoesNotFit, parse_value
from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.format.models import AnyEvent, EventGraph, ExportedActionArg, ExportedOracleEvent
from adk_agent_sim.scenario.format.scenario_summary import sort_for_display
from adk_agent_sim.server.scenarios.api_models import EventKind, EventSummary
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.read_model.line_summary import summarize_arguments

_EVENT_KINDS: dict[str, EventKind] = {
    "USER": "user",
    "ENV": "env",
    "AGENT": "agent",
    "CONDITION": "condition",
    "VALIDATION": "validation",
}


def iter_event_summaries(scenario: ScenarioImportedFromJson) -> Iterator[EventSummary]:
    """Yield the events by their expected times."""
    graph = EventGraph(scenario.trace)
    turns = graph.compute_turns()
    for name in sort_for_display(graph):
        event = graph.events[name]
        action = event.action
        yield EventSummary(
            index=graph.positions[name],
            event_id=name,
            kind=classify_event(event),
            expected_seconds=graph.times[name] - graph.start if name in graph.times else None,
            turn=turns.get(name),
            depends_on=[graph.positions[each] for each in graph.parents[name]],
            app=(action.app if action else None) or "",
            function=(action.function if action else None) or "",
            summary=summarize_arguments(read_arguments(event)),
        )


def leave_out_events(events: Sequence[EventSummary], hidden: Collection[int]) -> list[EventSummary]:
    """Return the events without those with these indexes; what depended on one depends on what that depended on."""
    by_index = {each.index: each for each in events}

    def list_parents(event: EventSummary) -> list[int]:
        shown: list[int] = []
        # A stack instead of recursion, and with `seen`: dependencies may form a cycle, and chains may be long.
        seen, waiting = set[int](), event.depends_on[::-1]
        while waiting:
            index = waiting.pop()
            if index in seen:
                continue
            seen.add(index)
            if index in hidden:
                waiting += by_index[index].depends_on[::-1]
            else:
                shown.append(index)
        return shown

    return [
        each.model_copy(update={"depends_on": list_parents(each)}) if hidden else each
        for each in events
        if each.index not in hidden
    ]


def classify_event(event: AnyEvent) -> EventKind:
    """Return the kind of an event."""
    if isinstance(event, ExportedOracleEvent):
        return "oracle"
    return _EVENT_KINDS.get(event.event_type, "other")


def read_arguments(event: AnyEvent) -> dict[str, Json]:
    """Return the arguments by name. The file stores values as text; one that does not fit its type stays a text."""
    given = event.action.args if event.action else None
    return {each.name: _read_argument(each) for each in given or ()}


def _read_argument(argument: ExportedActionArg) -> Json:
    try:
        return parse_value(argument.value, argument.value_type)
    except ValueDoesNotFit:
        return argument.value
