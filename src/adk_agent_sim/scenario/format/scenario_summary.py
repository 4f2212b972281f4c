"""Summary of a scenario: its definition, its apps, and its events in the order in which they happen.

The SVG drawing has a column per level of events, a box per event coloured by type, and a line per dependency.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Literal

from pydantic import Field

from adk_agent_sim.scenario.format.call_arguments import ValueDoesNotFit, parse_value
from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.format.models import (
    AnyEvent,
    EventGraph,
    ExportedAction,
    ExportedActionArg,
    ExportedOracleEvent,
    Number,
)
from adk_agent_sim.text.escaping import escape_line
from adk_agent_sim.text.page_templates import load_template
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.read_model.line_summary import summarize_arguments
from adk_agent_sim.timeline.record import Record

_MAX_VALUE_LENGTH = 60


EventKind = Literal["user", "env", "agent", "oracle", "condition", "validation", "other"]

_EVENT_KINDS: dict[str, EventKind] = {
    "USER": "user",
    "ENV": "env",
    "AGENT": "agent",
    "CONDITION": "condition",
    "VALIDATION": "validation",
}


class EventSummary(Record):
    """An event of the scenario; its details are requested when it is selected."""

    index: int = Field(description="Its position in the file, which identifies it here: event ids may not be unique")
    event_id: str
    kind: EventKind
    expected_seconds: float | None = Field(
        description="The expected time since the start; None: it is part of, or depends on, a cycle"
    )
    turn: int | None
    depends_on: list[int] = Field(description="The indexes of the events that it depends on")
    app: str
    function: str
    summary: str = Field(description="Its arguments in one line")


class HintSummary(Record):
    """A hint for whoever plays the agent."""

    kind: str = Field(description="What it is about, such as `task` or `environment`")
    content: str
    event_index: int | None = Field(description="The event that it belongs to; None if there is none")


class AppSummary(Record):
    """An app of the scenario's world."""

    name: str
    class_name: str | None


class ScenarioDefinition(Record):
    """A scenario as its file defines it."""

    scenario_id: str
    start_time: float | None
    duration: float | None
    seed: int | None
    tags: list[str]
    apps: list[AppSummary]
    context: str = Field(description="What the author says about the scenario; empty if nothing")
    hints: list[HintSummary] = Field(description="Hints for whoever plays the agent")
    adaptations: list[str] = Field(description="What was adapted in order to read the file")
    events: list[EventSummary] = Field(description="In the order of their expected times")


def summarize_scenario(scenario: ScenarioImportedFromJson) -> ScenarioDefinition:
    """Return the definition of a scenario, with its events at their expected times."""
    events = list(_iter_events(scenario))
    positions = {each.event_id: each.index for each in events}
    return ScenarioDefinition(
        scenario_id=scenario.scenario_id,
        start_time=scenario.start_time,
        duration=scenario.duration,
        seed=scenario.seed,
        tags=list(scenario.tags),
        apps=[AppSummary(name=app.name, class_name=app.class_name) for app in scenario.apps],
        context=scenario.trace.context or "",
        hints=[
            HintSummary(
                kind=hint.hint_type.lower().removesuffix("_hint"),
                content=hint.content,
                event_index=positions.get(hint.associated_event_id),
            )
            for hint in scenario.hints
        ],
        adaptations=list(scenario.adapted),
        events=events,
    )


def _iter_events(scenario: ScenarioImportedFromJson) -> Iterator[EventSummary]:
    """Yield the events by their expected times."""
    graph = EventGraph(scenario.trace)
    turns = graph.compute_turns()
    for name in sort_for_display(graph):
        event = graph.events[name]
        action = event.action
        yield EventSummary(
            index=graph.positions[name],
            event_id=name,
            kind=_classify_event(event),
            expected_seconds=graph.times[name] - graph.start if name in graph.times else None,
            turn=turns.get(name),
            depends_on=[graph.positions[each] for each in graph.parents[name]],
            app=(action.app if action else None) or "",
            function=(action.function if action else None) or "",
            summary=summarize_arguments(read_arguments(event)),
        )


def _classify_event(event: AnyEvent) -> EventKind:
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


def render_text(scenario: ScenarioImportedFromJson) -> str:
    """Return the summary for a terminal."""
    return "\n".join(escape_line(line) for line in _render_lines(scenario))


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


def _render_lines(scenario: ScenarioImportedFromJson) -> Iterator[str]:
    start, duration = _format_start(scenario.start_time), _format_duration(scenario.duration)
    yield f"{scenario.scenario_id}: {start}, {duration}, seed {scenario.seed}"
    if scenario.tags:
        yield f"tags: {', '.join(scenario.tags)}"
    apps = (each.name if each.name == each.class_name else f"{each.name} ({each.class_name})" for each in scenario.apps)
    yield f"apps: {', '.join(apps) or 'none'}"
    counts = Counter(event.event_type for event in scenario.events)
    kinds = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    yield f"events: {kinds or 'none'}; {len(scenario.completed_events)} completed; {len(scenario.hints)} hints"
    yield from (f"adapted: {change}" for change in scenario.adapted)
    graph = EventGraph(scenario.trace)
    turns, names = graph.compute_turns(), sort_for_display(graph)
    numbers = {name: number for number, name in enumerate(names, start=1)}
    turn: int | None = -1
    for name in names:
        if turns.get(name) != turn:
            turn = turns.get(name)
            yield from ("", f"turn {turn + 1}" if turn is not None else "never, because they depend on a cycle")
        yield _render_event(graph, name, numbers)


def _render_event(graph: EventGraph, name: str, numbers: dict[str, int]) -> str:
    event = graph.events[name]
    parents = ", ".join(f"[{numbers[each]}]" if each in numbers else f"? {each}" for each in event.dependencies)
    after = f"  after {parents}" if parents else ""
    seconds = f"+{graph.times[name] - graph.start:g} s" if name in graph.times else ""
    call = format_call(event.action)
    return f"{f'[{numbers[name]}]':>6} {seconds:>8}  {event.event_type:<5}  {call}{after}  ({name})"


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
