"""Summary of a scenario: its definition, its apps, and its events in the order in which they happen.

The SVG drawing has a column per level of events, a box per event coloured by type, and a line per dependency.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from adk_agent_sim.scenario.format.call_arguments import ValueDoesNotFit, parse_value
from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.format.models import EventGraph, ExportedAction, ExportedActionArg, Number
from adk_agent_sim.text.escaping import escape_line
from adk_agent_sim.text.page_templates import load_template

_MAX_VALUE_LENGTH = 60


def summarize_scenario(scenario: ScenarioImportedFromJson) -> dict[str, Any]:
    """Return the scenario as data: its definition, its apps, and its events with their expected times."""
    graph = EventGraph(scenario.trace)
    turns = graph.compute_turns()
    return {
        "scenario_id": scenario.scenario_id,
        "start_time": scenario.start_time,
        "duration": scenario.duration,
        "seed": scenario.seed,
        "tags": list(scenario.tags),
        "hints": len(scenario.hints),
        "apps": [{"name": app.name, "class_name": app.class_name} for app in scenario.apps],
        "kinds": dict(Counter(event.event_type for event in scenario.events)),
        "completed_events": len(scenario.completed_events),
        "adapted": list(scenario.adapted),
        "events": [
            {
                "event_id": name,
                "event_type": graph.events[name].event_type,
                "after": graph.events[name].dependencies,
                "seconds": graph.times[name] - graph.start if name in graph.times else None,
                "turn": turns.get(name),
                "call": format_call(graph.events[name].action),
            }
            for name in sort_for_display(graph)
        ],
    }


def render_text(scenario: ScenarioImportedFromJson) -> str:
    """Return the summary for a terminal."""
    return "\n".join(escape_line(line) for line in _render_lines(summarize_scenario(scenario)))


def format_call(action: ExportedAction | None) -> str:
    """Return an action as a call with shortened arguments."""
    if action is None:
        return "nothing"
    given = ", ".join(f"{each.name}={_format_value(each)}" for each in action.args or ())
    return f"{action.app or ''}.{action.function or ''}({given})"


def sort_for_display(graph: EventGraph) -> list[str]:
    """Return all events: those that can happen by time, then those that depend on a cycle."""
    first = sorted(graph.order, key=lambda name: (graph.times[name], graph.levels[name], graph.positions[name]))
    return first + [name for name in graph.events if name not in graph.times]


def _render_lines(summary: dict[str, Any]) -> Iterator[str]:
    start, duration = _format_start(summary["start_time"]), _format_duration(summary["duration"])
    yield f"{summary['scenario_id']}: {start}, {duration}, seed {summary['seed']}"
    if summary["tags"]:
        yield f"tags: {', '.join(summary['tags'])}"
    apps = (
        app["name"] if app["name"] == app["class_name"] else f"{app['name']} ({app['class_name']})"
        for app in summary["apps"]
    )
    yield f"apps: {', '.join(apps) or 'none'}"
    kinds = ", ".join(f"{count} {kind}" for kind, count in summary["kinds"].items())
    yield f"events: {kinds or 'none'}; {summary['completed_events']} completed; {summary['hints']} hints"
    yield from (f"adapted: {change}" for change in summary["adapted"])
    numbers = {event["event_id"]: number for number, event in enumerate(summary["events"], start=1)}
    turn: int | None = -1
    for event in summary["events"]:
        if event["turn"] != turn:
            turn = event["turn"]
            yield from ("", f"turn {turn + 1}" if turn is not None else "never, because they depend on a cycle")
        yield _render_event(event, numbers)


def _render_event(event: dict[str, Any], numbers: dict[str, int]) -> str:
    parents = ", ".join(f"[{numbers[name]}]" if name in numbers else f"? {name}" for name in event["after"])
    after = f"  after {parents}" if parents else ""
    seconds = "" if event["seconds"] is None else f"+{event['seconds']:g} s"
    number = f"[{numbers[event['event_id']]}]"
    return f"{number:>6} {seconds:>8}  {event['event_type']:<5}  {event['call']}{after}  ({event['event_id']})"


def _format_value(arg: ExportedActionArg) -> str:
    """Return the value of an argument as JSON if its type is not text, otherwise as quoted text."""
    try:
        value = parse_value(arg.value, arg.value_type)
    except ValueDoesNotFit:  # a placeholder, or a mistake that lint reports
        value = arg.value
    if value is None or isinstance(value, str):
        return repr(None if value is None else _shorten(value))
    return _shorten(json.dumps(value, ensure_ascii=False))


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_VALUE_LENGTH else text[: _MAX_VALUE_LENGTH - 3] + "..."


def _format_start(start: Number | None) -> str:
    if start is None:
        return "no start time"
    try:
        return f"from {datetime.fromtimestamp(start, UTC):%Y-%m-%d %H:%M:%S} UTC"
    except (ValueError, OverflowError, OSError):
        return f"from {start}"


def _format_duration(duration: Number | None) -> str:
    return "without end" if duration is None else f"{duration:g} s"


_WIDTH, _HEIGHT, _GAP_X, _GAP_Y, _MARGIN = 230, 56, 60, 18, 20


def render_svg(scenario: ScenarioImportedFromJson) -> str:
    """Return the drawing. Events that depend on a cycle are in the last column."""
    graph = EventGraph(scenario.trace)
    positions = _compute_positions(graph)
    return load_template("scenario", "scenario_graph.svg.j2").render(
        scenario_id=scenario.scenario_id,
        graph=graph,
        positions=positions,
        width=_WIDTH,
        height=_HEIGHT,
        size=(
            max((x for x, _ in positions.values()), default=0) + _WIDTH + _MARGIN,
            max((y for _, y in positions.values()), default=0) + _HEIGHT + _MARGIN,
        ),
        format_call=format_call,
        shorten=_cut_beginning,
    )


def _compute_positions(graph: EventGraph) -> dict[str, tuple[int, int]]:
    last = max(graph.levels.values(), default=-1) + 1
    rows: dict[int, int] = {}
    positions: dict[str, tuple[int, int]] = {}
    for name in graph.events:
        column = graph.levels.get(name, last)
        row = rows.get(column, 0)
        rows[column] = row + 1
        positions[name] = (_MARGIN + column * (_WIDTH + _GAP_X), _MARGIN + row * (_HEIGHT + _GAP_Y))
    return positions


def _cut_beginning(text: str) -> str:
    return text if len(text) <= 34 else f"...{text[-31:]}"
