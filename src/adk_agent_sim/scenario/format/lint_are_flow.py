"""Findings about event graphs that the ARE package refuses: order of events, separate message threads, ends of turns.

ARE adds events one by one, breadth first, and validates each against those added before. This module does the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from adk_agent_sim.scenario.format.graph import EventGraph, is_message_to_user
from adk_agent_sim.scenario.format.lint_finding import LintFinding
from adk_agent_sim.scenario.format.models import AnyEvent, ExportedOracleEvent, ExportedTrace

_MESSAGE_FUNCTIONS = ("send_message_to_agent", "send_message_to_user")
_ALLOWED_BEFORE_ENV = ("ENV", "USER", "CONDITION")


def check_are_flow(trace: ExportedTrace, graph: EventGraph) -> Iterator[LintFinding]:
    """Yield what ARE refuses in the order and times of events."""
    threads = _MessageThreads()
    turns = _TurnChecker(graph)
    for name in graph.order:
        event = graph.events[name]
        yield from _check_predecessors(graph, name, event)
        if _get_function(event) in _MESSAGE_FUNCTIONS and threads.is_disconnected(graph.parents[name]):
            message = "ARE refuses messages between user and agent that are not connected"
            yield _build_finding(
                graph, name, "are-two-threads", message, "Let it depend on an event of the earlier thread"
            )
        threads.add(name, graph.parents[name], is_message=_get_function(event) in _MESSAGE_FUNCTIONS)
        if why := turns.add_event(name):
            advice = "Let the message depend on every other event of its turn, and come last"
            yield _build_finding(graph, name, "are-turn", f"ARE refuses {why}", advice)
    if trace.metadata.execution is None:
        for name, event in graph.events.items():
            if event.event_type == "CONDITION":
                message = "ARE refuses a CONDITION event without metadata.execution"
                yield _build_finding(
                    graph, name, "are-condition", message, "Remove it; ARE creates these events itself"
                )


def _check_predecessors(graph: EventGraph, name: str, event: AnyEvent) -> Iterator[LintFinding]:
    parents = [graph.events[each] for each in graph.parents[name]]
    if event.event_type == "AGENT" and not event.dependencies:
        message = "ARE refuses an AGENT event without dependencies"
        yield _build_finding(graph, name, "are-agent-first", message, "Let it depend on a USER event")
    if event.event_type == "ENV":
        if len(event.dependencies) != 1:
            message = f"ARE requires exactly one dependency of an ENV event, and this has {len(event.dependencies)}"
            yield _build_finding(graph, name, "are-env-parents", message, "Let it depend on one USER or ENV event")
        elif any(each.event_type not in _ALLOWED_BEFORE_ENV and not is_message_to_user(each) for each in parents):
            message = "ARE refuses an ENV event after an AGENT event that is not a message to the user"
            yield _build_finding(
                graph, name, "are-env-parents", message, "Let it depend on the message to the user that follows"
            )
    elif _get_function(event) != "send_message_to_agent" and any(is_message_to_user(each) for each in parents):
        message = "ARE refuses this event right after a message to the user"
        yield _build_finding(
            graph, name, "are-after-message", message, "Put an ENV event or a message of the user between them"
        )
    if event.event_type in ("ENV", "USER") and _get_comparator(event):
        message = "ARE compares the times of AGENT events only"
        yield _build_finding(graph, name, "are-comparator", message, "Remove event_time_comparator")


class _MessageThreads:
    """Union-find of connected events as they are added, with the components that contain messages."""

    def __init__(self) -> None:
        self._parent_of: dict[str, str] = {}
        self._message_roots: set[str] = set()

    def is_disconnected(self, parents: list[str]) -> bool:
        """Return whether a message after these events would be disconnected from an earlier message."""
        return len(self._message_roots) > len({self._find_root(each) for each in parents} & self._message_roots)

    def add(self, name: str, parents: list[str], *, is_message: bool) -> None:
        self._parent_of[name] = name
        roots = {self._find_root(each) for each in parents}
        is_message = is_message or bool(roots & self._message_roots)
        self._message_roots -= roots
        # The new event becomes the root of everything that it connects.
        for root in roots:
            self._parent_of[root] = name
        if is_message:
            self._message_roots.add(name)

    def _find_root(self, name: str) -> str:
        path: list[str] = []
        while self._parent_of[name] != name:
            path.append(name)
            name = self._parent_of[name]
        for each in path:
            self._parent_of[each] = name
        return name


@dataclass
class _TurnProgress:
    latest_time: float = 0
    is_immediate: bool = True
    """Whether all events so far have a delay of 0 or 1 seconds; ARE then does not check times."""
    closing_message_id: str | None = None
    times: dict[str, float] = field(default_factory=dict[str, float])
    """The time of each event as ARE counts it: an event of an earlier turn counts as 0."""


class _TurnChecker:
    """The turns with the events added so far."""

    def __init__(self, graph: EventGraph) -> None:
        self._graph = graph
        self._turn_numbers = graph.compute_turns()
        self._turns: dict[int, _TurnProgress] = {}

    def add_event(self, name: str) -> str | None:
        """Add an event and return why ARE refuses it, or None."""
        why = self._find_problem(name)
        event = self._graph.events[name]
        turn = self._turns.setdefault(self._turn_numbers[name], _TurnProgress())
        time = self._compute_time(event, turn)
        turn.times[name] = time
        turn.latest_time = max(turn.latest_time, time)
        turn.is_immediate = turn.is_immediate and (_get_relative_time(event) in (0, 1))
        if turn.closing_message_id is None and is_message_to_user(event):
            turn.closing_message_id = name
        return why

    def _find_problem(self, name: str) -> str | None:
        parents = self._graph.parents[name]
        numbers = {self._turn_numbers[each] for each in parents}
        if len(numbers) > 1:
            return "an event that depends on events of different turns"
        turn = self._turns[numbers.pop()] if numbers else _TurnProgress()
        event = self._graph.events[name]
        time = self._compute_time(event, turn)
        if turn.is_immediate or not (_get_relative_time(event) or event.event_time):
            return None
        if _get_function(event) == "send_message_to_user":
            return (
                "a message to the user that comes before another event of its turn" if time < turn.latest_time else None
            )
        ended = (
            turn.closing_message_id is not None
            and turn.closing_message_id not in parents
            and turn.times[turn.closing_message_id] < time
        )
        return "an event that comes after the message which ends its turn" if ended else None

    def _compute_time(self, event: AnyEvent, turn: _TurnProgress) -> float:
        relative = _get_relative_time(event)
        if relative is None:
            return event.event_time or 0
        known = [turn.times.get(each, 0) for each in self._graph.parents[event.event_id]]
        return max(known, default=self._graph.start) + relative


def _get_relative_time(event: AnyEvent) -> float | None:
    """Return the relative time as ARE reads it: 0 if neither time is given."""
    if event.event_relative_time is None and event.event_time is None:
        return 0
    return event.event_relative_time


def _get_function(event: AnyEvent) -> str | None:
    return event.action.function if event.action else None


def _get_comparator(event: AnyEvent) -> str | None:
    return event.event_time_comparator if isinstance(event, ExportedOracleEvent) else None


def _build_finding(graph: EventGraph, name: str, code: str, message: str, advice: str) -> LintFinding:
    return LintFinding(code=code, path=("events", graph.positions[name]), message=message, advice=advice)
