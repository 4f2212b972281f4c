"""Findings about values: duplicate ids, hints to missing events, unknown enumeration values, wrong steps of time."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from adk_agent_sim.scenario.format.graph import EventGraph
from adk_agent_sim.scenario.format.json_positions import JsonPath
from adk_agent_sim.scenario.format.lint_finding import LintFinding
from adk_agent_sim.scenario.format.models import ExportedOracleEvent, ExportedTrace
from adk_agent_sim.scenario.format.strictness import STRICTNESS_KEY, STRICTNESS_LEVELS, get_strictness

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
