"""Findings about order and time: cycles, unknown dependencies, events that can never happen, contradictory times."""

from __future__ import annotations

from collections.abc import Iterator

from adk_agent_sim.scenario.format.graph import EventGraph
from adk_agent_sim.scenario.format.json_positions import JsonPath
from adk_agent_sim.scenario.format.lint_finding import LintFinding
from adk_agent_sim.scenario.format.models import AnyEvent, ExportedTrace
from adk_agent_sim.scenario.format.values import find_placeholder_event, parse_placeholder


def check_order(trace: ExportedTrace, graph: EventGraph) -> Iterator[LintFinding]:
    """Yield the findings about the order and the times of events."""
    in_cycle: set[str] = set()
    for cycle in graph.find_cycles():
        in_cycle.update(cycle)
        yield _build_cycle_finding(graph, cycle)
    for place, event in enumerate(trace.events):
        yield from _check_dependencies(("events", place), event, graph)
        yield from _check_times(("events", place), event, graph)
        yield from _check_placeholders(("events", place), event, graph)
    yield from _check_unreachable(graph, in_cycle)


def _build_cycle_finding(graph: EventGraph, cycle: list[str]) -> LintFinding:
    shown = [name[:80] for name in cycle[:6]] + (["..."] if len(cycle) > 6 else [])
    return LintFinding(
        code="dependency-cycle",
        path=("events", graph.positions[cycle[0]], "dependencies"),
        message=f"events depend on each other: {' -> '.join([*shown, cycle[0][:80]])}",
        advice="Remove one of these dependencies",
    )


def _check_dependencies(path: JsonPath, event: AnyEvent, graph: EventGraph) -> Iterator[LintFinding]:
    for place, name in enumerate(event.dependencies):
        if name not in graph.events:
            yield LintFinding(
                code="dependency-unknown",
                path=(*path, "dependencies", place),
                message=f"event {event.event_id[:80]!r} depends on {name[:80]!r}, which does not exist",
                advice=f"{graph.describe_ids()}. Name one of them, or remove the dependency",
            )


def _check_times(path: JsonPath, event: AnyEvent, graph: EventGraph) -> Iterator[LintFinding]:
    if event.event_relative_time is not None:
        if event.event_relative_time < 0:
            message = f"it is scheduled {-event.event_relative_time:g} s before the events it depends on"
            advice = "Give a relative time of 0 or more"
            yield LintFinding(
                code="time-contradiction", path=(*path, "event_relative_time"), message=message, advice=advice
            )
        elif event.event_time is not None:
            message = "both event_time and event_relative_time are given; the relative time applies"
            advice = "Give one of them"
            yield LintFinding(
                code="time-twice", path=(*path, "event_time"), message=message, advice=advice, severity="warning"
            )
        return
    known = [graph.times[each] for each in graph.parents.get(event.event_id, ()) if each in graph.times]
    if event.event_time is not None and known and event.event_time < max(known):
        yield LintFinding(
            code="time-contradiction",
            path=(*path, "event_time"),
            message=f"it is scheduled {max(known) - event.event_time:g} s before an event it depends on",
            advice="Give a later time, or a relative one",
        )


def _check_placeholders(path: JsonPath, event: AnyEvent, graph: EventGraph) -> Iterator[LintFinding]:
    for place, argument in enumerate((event.action.args if event.action else None) or ()):
        reference = parse_placeholder(argument.value)
        if reference is None:
            continue
        source = find_placeholder_event(reference, graph.events)
        where = (*path, "action", "args", place, "value")
        if source not in graph.events:
            message = f"the placeholder refers to event {source[:80]!r}, which does not exist"
            yield LintFinding(
                code="placeholder-unknown",
                path=where,
                message=message,
                advice=f"{graph.describe_ids()}. Name one of them",
            )
        elif not _is_before(source, event.event_id, graph):
            message = f"the placeholder refers to the return value of event {source[:80]!r}, which happens later"
            advice = "Let this event depend on that one"
            yield LintFinding(code="placeholder-later", path=where, message=message, advice=advice)


def _is_before(first: str, second: str, graph: EventGraph) -> bool:
    """Return whether the first event can be completed when the second happens, by time and then by level."""
    if first == second:
        return False
    # An event without a time can never happen, which other findings report.
    if first not in graph.times or second not in graph.times:
        return True
    return (graph.times[first], graph.levels[first]) < (graph.times[second], graph.levels[second])


def _check_unreachable(graph: EventGraph, in_cycle: set[str]) -> Iterator[LintFinding]:
    """Yield the events that can never happen although their own dependencies are valid."""
    # An empty reason: the event can never happen, but another finding reports it already.
    reasons: dict[str, str] = dict.fromkeys(in_cycle, "")
    after_cycles = [name for name in graph.events if name not in graph.times and name not in in_cycle]
    for name in after_cycles:
        reasons[name] = "it depends on events that depend on each other"
    for name in graph.order:
        event = graph.events[name]
        if blocked := next((each for each in graph.parents[name] if each in reasons), None):
            reasons[name] = f"it depends on {blocked[:80]!r}, which never happens"
        elif any(each not in graph.events for each in event.dependencies):
            reasons[name] = ""
        elif graph.end is not None and graph.times[name] > graph.end:
            late = graph.times[name] - graph.end
            reasons[name] = f"it is due {late:g} s after the scenario's end"
        elif event.action is None and event.event_type in ("AGENT", "ENV", "USER"):
            reasons[name] = "it has no action"
    for name, why in reasons.items():
        if why:
            yield _build_unreachable_finding(graph, name, why)


def _build_unreachable_finding(graph: EventGraph, name: str, reason: str) -> LintFinding:
    agent = graph.events[name].event_type == "AGENT"
    what = "the expected action of the agent can never happen" if agent else "the event can never happen"
    return LintFinding(
        code="oracle-impossible" if agent else "event-cannot-fire",
        path=("events", graph.positions[name]),
        message=f"{what}: {reason}",
        advice="Fix its dependencies, its time, or the scenario's duration",
    )
