"""Event graphs that the ARE package refuses: who may follow whom, one thread of messages, messages that end a turn.

ARE adds one event after the other, breadth first, and looks back from each; so does this.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from adk_agent_sim.scenario.format.finding import Finding
from adk_agent_sim.scenario.format.graph import EventGraph, is_message_to_user
from adk_agent_sim.scenario.format.models import AnyEvent, ExportedOracleEvent, ExportedTrace

_MESSAGES = ("send_message_to_agent", "send_message_to_user")
_BEFORE_ENV = ("ENV", "USER", "CONDITION")


def refused_flow(trace: ExportedTrace, graph: EventGraph) -> Iterator[Finding]:
    """What ARE refuses in the order and the times of events."""
    threads = _Threads()
    turns = _Turns(graph)
    for name in graph.order:
        event = graph.events[name]
        yield from _predecessors(graph, name, event)
        if _function(event) in _MESSAGES and threads.is_apart(graph.parents[name]):
            message = "ARE refuses messages between user and agent that do not hang together"
            yield _at(graph, name, "are-two-threads", message, "Let it depend on an event of the thread before it")
        threads.add(name, graph.parents[name], talks=_function(event) in _MESSAGES)
        if why := turns.added(name):
            advice = "Let the message depend on every other event of its turn, and come last"
            yield _at(graph, name, "are-turn", f"ARE refuses {why}", advice)
    if trace.metadata.execution is None:
        for name, event in graph.events.items():
            if event.event_type == "CONDITION":
                message = "ARE refuses a CONDITION event without metadata.execution"
                yield _at(graph, name, "are-condition", message, "Take it out; ARE makes these itself")


def _predecessors(graph: EventGraph, name: str, event: AnyEvent) -> Iterator[Finding]:
    parents = [graph.events[each] for each in graph.parents[name]]
    if event.event_type == "AGENT" and not event.dependencies:
        message = "ARE refuses an AGENT event that depends on nothing"
        yield _at(graph, name, "are-agent-first", message, "Let it depend on a USER event")
    if event.event_type == "ENV":
        if len(event.dependencies) != 1:
            message = f"ARE wants one dependency of an ENV event, and this has {len(event.dependencies)}"
            yield _at(graph, name, "are-env-parents", message, "Let it depend on one USER or ENV event")
        elif any(each.event_type not in _BEFORE_ENV and not is_message_to_user(each) for each in parents):
            message = "ARE refuses an ENV event after an AGENT event that is no message to the user"
            yield _at(graph, name, "are-env-parents", message, "Let it depend on the message to the user that follows")
    elif _function(event) != "send_message_to_agent" and any(is_message_to_user(each) for each in parents):
        message = "ARE refuses this event right after a message to the user"
        yield _at(graph, name, "are-after-message", message, "Let an ENV event or a message of the user come between")
    if event.event_type in ("ENV", "USER") and _comparator(event):
        message = "ARE compares the times of AGENT events only"
        yield _at(graph, name, "are-comparator", message, "Take event_time_comparator out")


class _Threads:
    """Which events hang together, as far as they were added, and which of these hold messages."""

    def __init__(self) -> None:
        self._towards: dict[str, str] = {}
        self._talking: set[str] = set()

    def is_apart(self, parents: list[str]) -> bool:
        """Whether a message after these events would be apart from another one."""
        return len(self._talking) > len({self._root(each) for each in parents} & self._talking)

    def add(self, name: str, parents: list[str], *, talks: bool) -> None:
        self._towards[name] = name
        roots = {self._root(each) for each in parents}
        talks = talks or bool(roots & self._talking)
        self._talking -= roots
        for root in roots:
            self._towards[root] = name
        if talks:
            self._talking.add(name)

    def _root(self, name: str) -> str:
        path: list[str] = []
        while self._towards[name] != name:
            path.append(name)
            name = self._towards[name]
        for each in path:
            self._towards[each] = name
        return name


@dataclass
class _Turn:
    latest: float = 0
    quick: bool = True
    """Whether all events so far come 0 or 1 seconds after the last; then ARE does not look at times."""
    message: str | None = None
    times: dict[str, float] = field(default_factory=dict[str, float])
    """When each event comes, counted as ARE does: what is in an earlier turn counts as 0."""


class _Turns:
    """The turns as far as their events were added."""

    def __init__(self, graph: EventGraph) -> None:
        self._graph = graph
        self._numbers = graph.turns()
        self._turns: dict[int, _Turn] = {}

    def added(self, name: str) -> str | None:
        """Add an event; why ARE refuses it, if it does."""
        why = self._refused(name)
        event = self._graph.events[name]
        turn = self._turns.setdefault(self._numbers[name], _Turn())
        time = self._time(event, turn)
        turn.times[name] = time
        turn.latest = max(turn.latest, time)
        turn.quick = turn.quick and (_relative(event) in (0, 1))
        if turn.message is None and is_message_to_user(event):
            turn.message = name
        return why

    def _refused(self, name: str) -> str | None:
        parents = self._graph.parents[name]
        numbers = {self._numbers[each] for each in parents}
        if len(numbers) > 1:
            return "an event that depends on events of different turns"
        turn = self._turns[numbers.pop()] if numbers else _Turn()
        event = self._graph.events[name]
        time = self._time(event, turn)
        if turn.quick or not (_relative(event) or event.event_time):
            return None
        if _function(event) == "send_message_to_user":
            return "a message to the user that comes before another event of its turn" if time < turn.latest else None
        ended = turn.message is not None and turn.message not in parents and turn.times[turn.message] < time
        return "an event that comes after the message which ends its turn" if ended else None

    def _time(self, event: AnyEvent, turn: _Turn) -> float:
        relative = _relative(event)
        if relative is None:
            return event.event_time or 0
        known = [turn.times.get(each, 0) for each in self._graph.parents[event.event_id]]
        return max(known, default=self._graph.start) + relative


def _relative(event: AnyEvent) -> float | None:
    """The relative time as ARE takes it: 0 where no time is given."""
    if event.event_relative_time is None and event.event_time is None:
        return 0
    return event.event_relative_time


def _function(event: AnyEvent) -> str | None:
    return event.action.function if event.action else None


def _comparator(event: AnyEvent) -> str | None:
    return event.event_time_comparator if isinstance(event, ExportedOracleEvent) else None


def _at(graph: EventGraph, name: str, code: str, message: str, advice: str) -> Finding:
    return Finding(code=code, path=("events", graph.places[name]), message=message, advice=advice)
