"""What a scenario expects: its oracle run, split into turns, with the time windows of its events.

Made once per judge.

A window is around the expected time, or around the expected distance from the event's latest parent. A comparator opens
one of its sides. Distances of up to a second are not compared unless a comparator asks for it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from adk_agent_sim.errors import NotJudgeable, OracleFailed
from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.format.models import AnyEvent, EventGraph, ExportedOracleEvent, get_strictness
from adk_agent_sim.scenario.verdict.checker_params import CheckerParam
from adk_agent_sim.scenario.verdict.checker_table import CHECKERS_BY_TOOL, SIGNED_TOOLS, SOFT
from adk_agent_sim.scenario.verdict.traced_action import TracedAction
from adk_agent_sim.scenario.world.event_log import CompletedEvent, OracleResult
from adk_agent_sim.scenario.world.event_plan import WorldCondition
from adk_agent_sim.scenario.world.world import World

_CHECKERS_BY_STRICTNESS: Final = {"exact": "equal", "contains": "contains"}


@dataclass(frozen=True, kw_only=True, slots=True)
class ArgumentCheck:
    """A deterministic check of one argument."""

    argument: str

    checker: str

    texts: Sequence[str] = ()

    rule: str
    """What demands it, for people: the checker, `strictness: exact`, `parameter: contains_any`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ArgumentCheckPlan:
    """All checks of one expected event."""

    hard: tuple[ArgumentCheck, ...]

    soft: tuple[str, ...]
    """Arguments that are compared by meaning."""

    is_signed: bool
    """Whether the tool writes to other people in the user's name."""


def plan_argument_checks(
    tool: str,
    planned: AnyEvent,
    arguments: Mapping[str, Any],
    params: Sequence[CheckerParam],
    user_name: str,
) -> ArgumentCheckPlan:
    """Return the checks of an expected event.

    Args:
        tool: Its tool, by the class of its app.
        planned: The event in the scenario, whose arguments may specify their strictness.
        arguments: Its arguments in the oracle's run.
        params: Additional checks.
        user_name: The name that attendees may or may not contain.
    """
    stated = {each.name: get_strictness(each) for each in (planned.action.args or () if planned.action else ())}
    strict = {name: level for name, level in stated.items() if level in ("exact", "contains", "any")}
    # Without a row nothing is known about the tool, so every argument must be the same.
    row = CHECKERS_BY_TOOL.get(tool) or ({} if tool in CHECKERS_BY_TOOL else dict.fromkeys(arguments, "equal"))
    hard = [
        ArgumentCheck(
            argument=name,
            checker=checker,
            texts=(user_name,) if checker == "attendees" and user_name else (),
            rule=checker,
        )
        for name, checker in row.items()
        if checker != SOFT and name not in strict
    ]
    hard += [
        ArgumentCheck(argument=name, checker=_CHECKERS_BY_STRICTNESS[str(level)], rule=f"strictness: {level}")
        for name, level in strict.items()
        if level != "any"
    ]
    hard += [
        ArgumentCheck(argument=each.argument, checker=each.checker, texts=each.texts, rule=f"parameter: {each.checker}")
        for each in params
        if each.tool in (None, tool)
    ]
    soft = tuple(name for name, checker in row.items() if checker == SOFT and name not in strict)
    return ArgumentCheckPlan(hard=tuple(hard), soft=soft, is_signed=tool in SIGNED_TOOLS)


THRESHOLD_SECONDS = 1.0
EARLY_SECONDS = 10.0
LATE_SECONDS = 25.0

COMPARATORS = ("LESS_THAN", "GREATER_THAN", "EQUAL")


@dataclass(frozen=True, kw_only=True, slots=True)
class ActionWindow:
    """When an action must happen. In seconds since 1970, or since the latest parent."""

    expected: float

    earliest: float | None

    latest: float | None

    is_relative: bool

    def contains(self, time: float) -> bool:
        """Return whether a time, of the same kind as the window, is in it."""
        return (self.earliest is None or time >= self.earliest) and (self.latest is None or time <= self.latest)


def make_window(*, absolute_time: float | None, delay: float | None, comparator: str | None) -> ActionWindow | None:
    """Return the window of an expected event, or None if its time is not compared.

    Args:
        absolute_time: The time that the scenario demands, in seconds since 1970.
        delay: The seconds from the latest parent in the oracle's run; used if there is no absolute time.
        comparator: One of `COMPARATORS`, or None.
    """
    expected = delay if absolute_time is None else absolute_time
    if expected is None or (absolute_time is None and comparator is None and expected <= THRESHOLD_SECONDS):
        return None
    return ActionWindow(
        expected=expected,
        earliest=None if comparator == "LESS_THAN" else expected - EARLY_SECONDS,
        latest=None if comparator == "GREATER_THAN" else expected + LATE_SECONDS,
        is_relative=absolute_time is None,
    )


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class ExpectedEvent:
    """One event of the oracle's run that the agent's run must have too."""

    event_id: str

    kind: str
    """AGENT, ENV or USER."""

    tool: str
    """The tool by the class of its app, such as `EmailClientV2__send_email`."""

    time: float

    parents: tuple[str, ...]
    """The events of the same turn on which it depends."""

    latest_parents: tuple[str, ...]
    """Those of its parents that come last; time is measured from them."""

    counts_from_start: bool
    """Whether time is measured from the scenario's start (too)."""

    window: ActionWindow | None

    arguments: Mapping[str, Any]
    """The arguments of the oracle's run, with placeholders resolved to what happened there."""

    references: Mapping[str, str]
    """Arguments that stand for another event's return value -> that event."""

    checks: ArgumentCheckPlan


@dataclass(frozen=True, kw_only=True, slots=True)
class ExpectedTurn:
    """The expected events of a turn in topological order."""

    events: tuple[ExpectedEvent, ...]

    tool_counts: Mapping[str, int]

    task: str
    """What the user has asked for until then."""


@dataclass(frozen=True, kw_only=True, slots=True)
class OraclePlan:
    """Everything that a scenario expects."""

    turns: tuple[ExpectedTurn, ...]

    start_time: float

    class_names: Mapping[str, str]
    """The class of each app by its name."""

    user_name: str
    """The user's own name according to the contacts; empty if it is not known."""

    validation_ids: tuple[str, ...]
    """The milestones and minefields that the scenario declares."""


def build_oracle_plan(scenario: ScenarioImportedFromJson, params: Mapping[str, Sequence[CheckerParam]]) -> OraclePlan:
    """Run a scenario's oracle and prepare what it did.

    Raises:
        NotJudgeable: The scenario expects nothing, or its oracle fails.
    """
    world, result = _run_oracle(scenario)
    graph = EventGraph(scenario.trace)
    class_names = {app.name: type(app).__name__ for app in world.apps.values()}
    validation_ids = tuple(each.event_id for each in scenario.events if each.event_type == "VALIDATION")
    if not validation_ids and not any(each.event_type == "AGENT" for each in scenario.events):
        raise NotJudgeable(
            scenario.scenario_id,
            "it expects nothing of the agent: it has no events of type AGENT. Add what the agent should do",
        )
    builder = _PlanBuilder(graph=graph, class_names=class_names, params=params, user_name=_find_user_name(scenario))
    return OraclePlan(
        turns=builder.build_turns(result.completed),
        start_time=graph.start,
        class_names=class_names,
        user_name=builder.user_name,
        validation_ids=validation_ids,
    )


def assume_conditions(scenario: ScenarioImportedFromJson) -> dict[str, WorldCondition]:
    """Return watches for the conditions of a scenario that hold at once.

    A condition of the author is Python, which neither the judge nor a file has.
    """
    return {
        each.event_id: WorldCondition(predicate=lambda world: True)
        for each in scenario.events
        if each.event_type == "CONDITION"
    }


def _run_oracle(scenario: ScenarioImportedFromJson) -> tuple[World, OracleResult]:
    world = World(scenario, watches=assume_conditions(scenario))
    result = world.run_oracle()
    kinds = {each.event_id: each.event_type for each in scenario.events}
    # Validations are Python that no file has, so nothing can run them here.
    problems = [*result.failed, *(each for each in result.missing if kinds.get(each.event_id) != "VALIDATION")]
    if problems:
        first = problems[0]
        raise OracleFailed(
            scenario.scenario_id,
            f"its own oracle run is not clean: event {first.event_id!r:.120} ({first.call:.120}): {first.why:.300}. "
            "Fix the scenario; `adksim scenario run --oracle` shows all problems",
        )
    return world, result


def _find_user_name(scenario: ScenarioImportedFromJson) -> str:
    """Return the name of the contact that is the user, or an empty text."""
    for app in scenario.apps:
        # ARE finds the contacts by these two names of the app and not by its class.
        if app.name not in ("Contacts", "ContactsApp"):
            continue
        contacts: Any = (app.app_state or {}).get("contacts")
        for each in cast("dict[str, Any]", contacts).values() if isinstance(contacts, dict) else ():
            contact = cast("dict[str, Any]", each) if isinstance(each, dict) else {}
            if contact.get("is_user"):
                return f"{contact.get('first_name', '')} {contact.get('last_name', '')}"
    return ""


@dataclass(kw_only=True)
class _PlanBuilder:
    graph: EventGraph
    class_names: Mapping[str, str]
    params: Mapping[str, Sequence[CheckerParam]]
    user_name: str

    def build_turns(self, completed: Sequence[CompletedEvent]) -> tuple[ExpectedTurn, ...]:
        turn_numbers = self.graph.compute_turns()
        count = max(turn_numbers.values(), default=0) + 1
        by_turn: list[dict[str, CompletedEvent]] = [{} for _ in range(count)]
        tools: dict[str, TracedAction] = {}
        tasks = [""] * count
        for event in completed:
            action = TracedAction(event, self.class_names)
            if event.event_id in turn_numbers and action.is_judged:
                by_turn[turn_numbers[event.event_id]][event.event_id] = event
                tools[event.event_id] = action
            if action.tool == "AgentUserInterface__send_message_to_agent" and event.event_id in turn_numbers:
                tasks[turn_numbers[event.event_id]] += f"{event.arguments.get('content', '')}\n"
        return tuple(
            self._build_turn(events, tools, "".join(tasks[: number + 1]).strip())
            for number, events in enumerate(by_turn)
        )

    def _build_turn(
        self, events: Mapping[str, CompletedEvent], tools: Mapping[str, TracedAction], task: str
    ) -> ExpectedTurn:
        # As in ARE, a parent of an earlier turn neither delays an action nor has to come before it.
        parents = {name: tuple(each for each in self.graph.parents[name] if each in events) for name in events}
        counts: dict[str, int] = {}
        for name in events:
            counts[tools[name].tool] = counts.get(tools[name].tool, 0) + 1
        return ExpectedTurn(
            events=tuple(
                self._build_event(events[name], tools[name], parents[name], events)
                for name in _sort_topologically(parents)
            ),
            tool_counts=counts,
            task=task,
        )

    def _build_event(
        self,
        event: CompletedEvent,
        action: TracedAction,
        parents: tuple[str, ...],
        turn_events: Mapping[str, CompletedEvent],
    ) -> ExpectedEvent:
        planned = self.graph.events[event.event_id]
        latest = max([self.graph.start, *(turn_events[each].time for each in parents)])
        return ExpectedEvent(
            event_id=event.event_id,
            kind=action.kind,
            tool=action.tool,
            time=event.time,
            parents=parents,
            latest_parents=tuple(each for each in parents if turn_events[each].time >= latest),
            counts_from_start=self.graph.start >= latest,
            window=_build_window(planned, event.time - latest) if action.kind == "AGENT" else None,
            arguments=event.arguments,
            references=_find_references(planned),
            checks=plan_argument_checks(
                action.tool, planned, event.arguments, self.params.get(event.event_id, ()), self.user_name
            ),
        )


def _build_window(planned: AnyEvent, delay: float) -> ActionWindow | None:
    comparator = planned.event_time_comparator if isinstance(planned, ExportedOracleEvent) else None
    if comparator and comparator not in COMPARATORS:
        raise NotJudgeable(
            f"event {planned.event_id!r:.120}",
            f"its comparator {comparator!r:.80} is unknown. Use {', '.join(COMPARATORS)}, or none",
        )
    return make_window(
        # A relative time wins if an event has both, as it does when the event is scheduled.
        absolute_time=planned.event_time if planned.event_relative_time is None else None,
        delay=delay,
        comparator=comparator or None,
    )


def _find_references(planned: AnyEvent) -> dict[str, str]:
    """Return the arguments whose whole text is `{{event_id}}`; those with a key keep the value of the oracle's run."""
    args = planned.action.args or () if planned.action is not None else ()
    return {
        each.name: each.value[2:-2]
        for each in args
        if each.value and each.value.startswith("{{") and each.value.endswith("}}")
    }


def _sort_topologically(parents: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Return the events breadth first; among events that are ready together, the order of the log decides."""
    children: dict[str, list[str]] = {name: [] for name in parents}
    open_counts = {name: len(each) for name, each in parents.items()}
    for name, each in parents.items():
        for parent in each:
            children[parent].append(name)
    ready = deque(name for name, count in open_counts.items() if not count)
    order: list[str] = []
    while ready:
        order.append(ready.popleft())
        for child in children[order[-1]]:
            open_counts[child] -= 1
            if not open_counts[child]:
                ready.append(child)
    return order
