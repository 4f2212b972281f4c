"""Linting of scenarios: values, app states, calls and order here, ARE in another module; each finding has advice."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from adk_agent_sim.errors import InvalidAppState, SimulatorError
from adk_agent_sim.scenario.app_base.app import APP, ENV, USER, App, Tool, ToolKind
from adk_agent_sim.scenario.app_base.entity import find_shape_problems
from adk_agent_sim.scenario.apps.registry import find_app_class, list_app_class_names
from adk_agent_sim.scenario.format.call_arguments import (
    find_argument_problems,
    find_placeholder_event,
    find_unlisted_app,
    map_app_classes,
    parse_placeholder,
)
from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson, SourceText
from adk_agent_sim.scenario.format.lint_are import check_are_import
from adk_agent_sim.scenario.format.lint_finding import JsonPath, LintFinding, LocatedFinding
from adk_agent_sim.scenario.format.models import (
    STRICTNESS_KEY,
    STRICTNESS_LEVELS,
    AnyEvent,
    EventGraph,
    ExportedAction,
    ExportedApp,
    ExportedOracleEvent,
    ExportedTrace,
    get_strictness,
)


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


_CALLABLE_KINDS: dict[str, tuple[frozenset[ToolKind], str]] = {
    "AGENT": (frozenset({APP}), "the agent can call"),
    "ENV": (frozenset({ENV, USER}), "ENV or USER events can call"),
    "USER": (frozenset({ENV, USER}), "ENV or USER events can call"),
}
"""The kinds of tools that an event of each type can call; ARE does not distinguish ENV and USER events."""


def check_calls(trace: ExportedTrace, graph: EventGraph) -> Iterator[LintFinding]:
    """Yield the findings about the apps and about the action of each event."""
    for place, app in enumerate(trace.apps):
        if find_app_class(app.class_name or app.name) is None:
            yield LintFinding(
                code="app-unknown",
                path=("apps", place, "class_name"),
                message=f"there is no app class {app.class_name or app.name!r:.80}",
                advice=f"Write one of {', '.join(list_app_class_names())}",
            )
    if not trace.apps:
        message = "the scenario lists no apps, so only calls between user and agent can be checked"
        advice = "List its apps"
        yield LintFinding(code="apps-unlisted", path=(), message=message, advice=advice, severity="warning")
    apps = map_app_classes(trace)
    for place, event in enumerate(trace.events):
        if event.action is not None and (trace.apps or event.action.app in apps):
            yield from _check_action(("events", place, "action"), event, event.action, apps)


def _check_action(
    path: JsonPath, event: AnyEvent, action: ExportedAction, apps: Mapping[str, type[App] | None]
) -> Iterator[LintFinding]:
    if action.app is None or action.function is None:
        return
    if action.app not in apps:
        yield _build_unlisted_finding(path, action.app, [*islice(apps, 20)])
    app = apps.get(action.app) or (None if action.app in apps else find_unlisted_app(action.app))
    if app is None:
        return
    tool = app.tools().get(action.function)
    if tool is None:
        names = ", ".join(app.tools())
        message = f"{action.app} ({app.__name__}) has no tool {action.function[:80]!r}"
        yield LintFinding(
            code="tool-unknown", path=(*path, "function"), message=message, advice=f"Its tools are: {names}"
        )
        return
    yield from _check_caller((*path, "function"), event, tool)
    for problem in find_argument_problems(tool, action.args or []):
        where = ("args",) if problem.index is None else ("args", problem.index)
        advice = f"The arguments of {tool.name} are: {_describe_arguments(tool)}"
        yield LintFinding(code="argument-unfit", path=(*path, *where), message=problem.message, advice=advice)


def _describe_arguments(tool: Tool) -> str:
    shown = (f"{each.name} ({each.annotation}{'' if each.required else ', optional'})" for each in tool.arguments)
    return ", ".join(shown) or "none"


def _build_unlisted_finding(path: JsonPath, name: str, names: list[str]) -> LintFinding:
    if find_unlisted_app(name):
        message = f"the app {name!r} is not listed in apps; it starts without state"
        advice = "List it in apps"
        return LintFinding(code="app-unlisted", path=(*path, "app"), message=message, advice=advice, severity="warning")
    message = f"there is no app {name[:80]!r} in this scenario"
    return LintFinding(
        code="app-unknown", path=(*path, "app"), message=message, advice=f"Its apps are: {', '.join(names)}"
    )


def _check_caller(path: JsonPath, event: AnyEvent, tool: Tool) -> Iterator[LintFinding]:
    kinds, phrase = _CALLABLE_KINDS.get(event.event_type, (tool.kinds, ""))
    if kinds & tool.kinds:
        return
    message = f"{tool.name} is not a tool that {phrase}"
    if event.event_type == "AGENT":
        advice = "Expect a tool that the agent is offered, or make this an ENV or USER event"
        yield LintFinding(code="oracle-impossible", path=path, message=message, advice=advice)
    else:
        advice = f"Call a tool of kind env or user; this one is of kind {', '.join(sorted(tool.kinds))}"
        yield LintFinding(code="tool-of-others", path=path, message=message, advice=advice, severity="warning")


def check_states(trace: ExportedTrace) -> Iterator[LintFinding]:
    """Yield the findings about the states of all apps whose class is known."""
    for place, app in enumerate(trace.apps):
        app_class = find_app_class(app.class_name or app.name)
        if app_class is not None and app.app_state:
            yield from _check_state(("apps", place, "app_state"), app, app_class)


def _check_state(path: JsonPath, app: ExportedApp, app_class: type[App]) -> Iterator[LintFinding]:
    is_loadable = True
    for problem in find_shape_problems(app_class.state_shape, app.app_state):
        is_loadable = is_loadable and not problem.breaks_run
        yield LintFinding(
            code="state-shape",
            path=(*path, *problem.path),
            message=problem.message,
            advice=problem.advice,
            severity="error" if problem.breaks_run else "warning",
        )
    if not is_loadable:
        return
    try:
        app_class(app.name, state=app.app_state)
    except InvalidAppState as error:
        # Apps of other distributions may not describe the shape of their state.
        advice = "Export a scenario with this app to see the format"
        yield LintFinding(code="state-shape", path=path, message=error.reason, advice=advice)


EVENT_TYPES = ("AGENT", "ENV", "USER", "CONDITION", "VALIDATION", "STOP")
COMPARATORS = ("LESS_THAN", "GREATER_THAN", "EQUAL")
HINT_TYPES = ("TASK_HINT", "ENVIRONMENT_HINT")
REVIEW_DECISIONS = ("valid", "invalid", "needs_review")


def check_values(trace: ExportedTrace, graph: EventGraph) -> Iterator[LintFinding]:
    """Yield the findings about duplicate ids, hints to missing events, and unknown enumeration values."""
    yield from _check_duplicates(
        "event_id", ((("events", n, "event_id"), e.event_id) for n, e in enumerate(trace.events))
    )
    actions = (
        (("events", n, "action", "action_id"), e.action.action_id) for n, e in enumerate(trace.events) if e.action
    )
    yield from _check_duplicates("action_id", ((path, name) for path, name in actions if name))
    yield from _check_duplicates("app name", ((("apps", n, "name"), app.name) for n, app in enumerate(trace.apps)))
    yield from _check_hints(trace, graph)
    yield from _check_enum_values(trace)
    yield from _check_time_increment(trace)


def _check_duplicates(label: str, ids: Iterable[tuple[JsonPath, str]]) -> Iterator[LintFinding]:
    seen: set[str] = set()
    for path, name in ids:
        if name in seen:
            advice = "Make each unique; the first one is used"
            yield LintFinding(
                code="id-twice", path=path, message=f"the {label} {name[:80]!r} is used twice", advice=advice
            )
        seen.add(name)


def _check_hints(trace: ExportedTrace, graph: EventGraph) -> Iterator[LintFinding]:
    for place, hint in enumerate(trace.metadata.definition.hints):
        path: JsonPath = ("metadata", "definition", "hints", place)
        if hint.associated_event_id and hint.associated_event_id not in graph.events:
            yield LintFinding(
                code="hint-unknown-event",
                path=(*path, "associated_event_id"),
                message=f"the hint belongs to event {hint.associated_event_id[:80]!r}, which does not exist",
                advice=f"{graph.describe_ids()}. Name one of them, or leave the field empty",
            )
        yield from _check_known((*path, "hint_type"), hint.hint_type, HINT_TYPES)


def _check_enum_values(trace: ExportedTrace) -> Iterator[LintFinding]:
    for place, event in enumerate(trace.events):
        yield from _check_known(("events", place, "event_type"), event.event_type, EVENT_TYPES)
        if isinstance(event, ExportedOracleEvent):
            yield from _check_known(
                ("events", place, "event_time_comparator"), event.event_time_comparator, COMPARATORS
            )
        for number, argument in enumerate((event.action.args if event.action else None) or ()):
            word = get_strictness(argument)
            path: JsonPath = ("events", place, "action", "args", number, STRICTNESS_KEY)
            yield from _check_known(path, word if word is None else str(word), STRICTNESS_LEVELS)
    for place, completed in enumerate(trace.completed_events):
        yield from _check_known(("completed_events", place, "event_type"), completed.event_type, EVENT_TYPES)
    annotation = trace.metadata.annotation
    if annotation and annotation.validation_decision not in (None, "", *REVIEW_DECISIONS):
        yield LintFinding(
            code="decision-unknown",
            path=("metadata", "annotation", "validation_decision"),
            message=f"{annotation.validation_decision!r:.80} is not a known review decision",
            advice=f"Write one of {', '.join(REVIEW_DECISIONS)}",
            severity="warning",
        )


def _check_time_increment(trace: ExportedTrace) -> Iterator[LintFinding]:
    increment = trace.metadata.definition.time_increment_in_seconds
    if increment is not None and increment < 1:
        yield LintFinding(
            code="time-contradiction",
            path=("metadata", "definition", "time_increment_in_seconds"),
            message=f"time would pass in steps of {increment} s",
            advice="Give a number of seconds from 1 up, or leave the field out for steps of 1 s",
        )


def _check_known(path: JsonPath, word: str | None, known: Collection[str]) -> Iterator[LintFinding]:
    if word is not None and word not in known:
        message = f"{word[:80]!r} is not a known value"
        yield LintFinding(code="value-unknown", path=path, message=message, advice=f"Write one of {', '.join(known)}")


def lint(scenario: ScenarioImportedFromJson, *, checks_are: bool = False) -> list[LocatedFinding]:
    """Return the findings of a scenario, by line.

    Args:
        scenario: The scenario.
        checks_are: Whether to also report what the ARE package would refuse.
    """
    try:
        findings = list(_iter_findings(scenario, checks_are=checks_are))
    except SimulatorError as error:  # an app of an installed distribution that does not load
        message, advice = str(error).rstrip("."), "Check the file again after that"
        findings = [LintFinding(code="not-checked", path=(), message=message, advice=advice)]
    source = scenario.source or SourceText(name=scenario.scenario_id, text="")
    return sorted(_locate_findings(source, findings), key=lambda each: (each.line, each.column or 0, each.path))


def _iter_findings(scenario: ScenarioImportedFromJson, *, checks_are: bool) -> Iterator[LintFinding]:
    graph = EventGraph(scenario.trace)
    yield from check_values(scenario.trace, graph)
    yield from check_states(scenario.trace)
    yield from check_calls(scenario.trace, graph)
    yield from check_order(scenario.trace, graph)
    if checks_are:
        yield from check_are_import(scenario, graph)


def _locate_findings(source: SourceText, findings: Sequence[LintFinding]) -> Iterator[LocatedFinding]:
    positions = source.find_positions([each.path for each in findings]) if findings else ()
    for finding, position in zip(findings, positions, strict=True):
        yield LocatedFinding(
            file=source.file,
            line=position.line,
            column=position.column,
            path=source.format_path(finding.path),
            code=finding.code,
            severity=finding.severity,
            message=finding.message,
            advice=finding.advice,
        )
