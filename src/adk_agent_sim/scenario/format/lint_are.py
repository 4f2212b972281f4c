"""Findings about scenarios that can be read here but not by the ARE package: dialect, apps, values, flow of events.

ARE adds events one by one, breadth first, and validates each against those added before. This module does the same.

Scenarios in files are read one after the other, and what cannot be read is a finding too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from adk_agent_sim.errors import InvalidScenario
from adk_agent_sim.errors.scenario_errors import ScenarioProblem
from adk_agent_sim.scenario.apps.registry import BUILT_IN_APPS, NOT_IMPORTABLE_BY_ARE, UNKNOWN_TO_ARE
from adk_agent_sim.scenario.format.call_arguments import parse_placeholder
from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.format.lint_finding import JsonPath, LintFinding, LocatedFinding
from adk_agent_sim.scenario.format.models import (
    AnyEvent,
    EventGraph,
    ExportedAction,
    ExportedActionArg,
    ExportedOracleEvent,
    ExportedTrace,
    is_message_to_user,
)
from adk_agent_sim.scenario.format.scenario_files import find_scenario_files, list_records
from adk_agent_sim.scenario.world.collection_pause import pause_garbage_collection
from adk_agent_sim.timeline.strict_json import InvalidJson, parse_json

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


_FILE_ADVICE = "Name a .json or .jsonl file that can be read, or a folder with such files"
_JSON_ADVICE = 'Write one JSON object with the keys "version" and "metadata"; in a .jsonl file, one per line'
_FIELD_ADVICE = "Write what the format requires; `adksim scenario convert` writes files in it"


@dataclass(frozen=True, kw_only=True)
class ReadScenario:
    """A scenario of a file, or why it cannot be read."""

    name: str
    """The file, with the line if it has several scenarios."""

    scenario: ScenarioImportedFromJson | None = None

    findings: Sequence[LocatedFinding] = ()
    """Why it cannot be read; none if it can."""


def read_scenarios(paths: Iterable[Path]) -> Iterator[ReadScenario]:
    """Yield the scenarios of files and folders; one that cannot be read does not keep the others from being read."""
    for path in paths:
        try:
            files = find_scenario_files(path)
        except InvalidScenario as error:
            yield _report_unreadable(error, path)
            continue
        for file in files:
            yield from _read_file(file)


def count_scenarios(paths: Iterable[Path]) -> int:
    """Return how many scenarios files and folders seem to have; only for progress, so an unreadable file is one."""
    count = 0
    for path in paths:
        try:
            files = find_scenario_files(path)
        except InvalidScenario:
            files = [path]
        count += sum(map(_count_in_file, files))
    return count


def _count_in_file(file: Path) -> int:
    if file.suffix != ".jsonl":
        return 1
    try:
        with file.open("rb") as lines:
            return sum(bool(line.strip()) for line in lines)
    except (OSError, ValueError):
        return 1


def _read_file(file: Path) -> Iterator[ReadScenario]:
    try:
        records = list_records(file)
    except InvalidScenario as error:
        yield _report_unreadable(error, file)
        return
    for record in records:
        try:
            with pause_garbage_collection():
                scenario = record.read()
        except InvalidScenario as error:
            yield _report_unreadable(error, record.file, record.line)
        else:
            yield ReadScenario(name=record.name, scenario=scenario)


def _report_unreadable(error: InvalidScenario, file: Path, line: int | None = None) -> ReadScenario:
    findings: list[LocatedFinding] = []
    for problem in error.problems:
        place = problem if isinstance(problem, ScenarioProblem) else ScenarioProblem(path="", message="")
        advice = _FIELD_ADVICE if place.field else _JSON_ADVICE if place is problem else _FILE_ADVICE
        findings.append(
            LocatedFinding(
                file=str(file),
                line=place.line or line or 1,
                column=place.column,
                path=place.field or "the file",
                code="unreadable",
                severity="error",
                message=problem.message,
                advice=advice,
            )
        )
    return ReadScenario(name=str(file) if line is None else f"{file}, line {line}", findings=findings)
