"""Renders a verdict as text: a diff between what was expected and what the agent did."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from adk_agent_sim.scenario.verdict.judged_turn import ActionSummary, JudgedEvent, JudgedTurn
from adk_agent_sim.text.escaping import escape_line

if TYPE_CHECKING:
    from adk_agent_sim.scenario.verdict.verdict import Verdict

_MAX_VALUE = 200
_MARKS = {"matched": "  ", "wrong": "~ ", "missing": "- "}


def render_verdict(verdict: Verdict) -> list[str]:
    """Return a verdict as lines of text. Texts of the agent are escaped, so that none of them looks like a line."""
    return [escape_line(each) for each in _iter_lines(verdict)]


def describe_failure(turn: JudgedTurn) -> str:
    """Return why a turn failed, in one sentence."""
    place = f"Turn {turn.number}: "
    if turn.counts:
        calls = ", ".join(f"{each.tool} (expected {each.expected}, got {each.got})" for each in turn.counts)
        return f"{place}the number of calls differs: {calls}"
    event = next((each for each in turn.events if each.status != "matched"), None)
    if event is None:
        return f"{place}a text was rejected"
    if event.status == "missing":
        return f"{place}{event.tool} is missing ({event.event_id})"
    first = event.differences[0]
    return (
        f"{place}{event.tool} ({event.event_id}): {first.argument}: expected {_format(first.expected)}, "
        f"got {_format(first.got)} ({first.rule})"
    )


def _iter_lines(verdict: Verdict) -> Iterator[str]:
    yield f"{'PASSED' if verdict.passed else 'FAILED'}  {verdict.scenario_id}"
    if verdict.reason:
        yield verdict.reason
    for turn in verdict.turns:
        yield from _iter_turn_lines(turn)
    for each in verdict.validations:
        yield f"Validation {each.event_id}: {'passed' if each.passed else f'failed: {each.reason}'}"
    for action in verdict.after_end:
        yield f"Not judged, after the last turn: {_describe_action(action)}"


def _iter_turn_lines(turn: JudgedTurn) -> Iterator[str]:
    if turn.status == "passed":
        yield f"Turn {turn.number}: passed, {len(turn.events)} events as expected"
        return
    yield f"Turn {turn.number}: {turn.status}"
    for each in turn.counts:
        yield f"    {each.tool}: expected {each.expected} calls, got {each.got}"
    for event in turn.events:
        yield from _iter_event_lines(event)
    for action in turn.extra:
        yield f"  + extra    {_describe_action(action)}"
        yield from _iter_argument_lines(action.arguments)


def _iter_event_lines(event: JudgedEvent) -> Iterator[str]:
    yield f"  {_MARKS[event.status]}{event.status:<8} {event.tool}  ({event.event_id})"
    if event.status == "wrong" and event.nearest is not None:
        yield f"        nearest: {_describe_action(event.nearest)}"
    for each in event.differences:
        yield f"        {each.argument}  [{each.rule}]"
        yield f"          - {_format(each.expected)}"
        yield f"          + {_format(each.got)}"
    if event.status == "missing":
        yield from _iter_argument_lines(event.arguments)
        if event.nearest is not None:
            yield f"        nearest: {_describe_action(event.nearest)}"


def _iter_argument_lines(arguments: Mapping[str, Any]) -> Iterator[str]:
    for name, value in arguments.items():
        if value is not None:
            yield f"        {name}: {_format(value)}"


def _describe_action(action: ActionSummary) -> str:
    note = f", {action.note}" if action.note else ""
    return f"{action.tool} at +{action.seconds:g} s  ({action.event_id}){note}"


def _format(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _MAX_VALUE else f"{text[:_MAX_VALUE]}..."
