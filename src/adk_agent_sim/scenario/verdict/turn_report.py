"""Explains a turn that failed: the outcome of each expected event, the nearest action, and what was done in excess.

The decision has been made by then. The explanation asks no soft checks, and takes actions wherever they help a reader.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from adk_agent_sim.scenario.verdict.oracle_plan import ExpectedEvent, ExpectedTurn
from adk_agent_sim.scenario.verdict.traced_action import TracedAction
from adk_agent_sim.scenario.verdict.turn_matching import ActionMatching
from adk_agent_sim.timeline.verdict import (
    ActionSummary,
    CountDifference,
    JudgedEvent,
    JudgedTurn,
    VerdictDifference,
)

_MAX_COMPARED = 50
"""The most actions that one expected event is compared with to find the nearest."""


def explain_turn(
    matching: ActionMatching,
    number: int,
    turn: ExpectedTurn,
    judged: Mapping[str, JudgedEvent],
    happened: Sequence[TracedAction],
    counts: Sequence[CountDifference] = (),
) -> JudgedTurn:
    """Return a failed turn with all its events.

    Args:
        matching: The matches so far; further ones are added.
        number: The turn's number from 0.
        turn: What it expects.
        judged: The events that were matched before the decision, by id.
        happened: Everything in the agent's run, including reads and failures.
        counts: The tools whose numbers of calls differ, if that decided.
    """
    found = dict(judged)
    for event in turn.events:
        if event.event_id not in found and (match := matching.match_event(event, turn, may_ask=False)) is not None:
            found[event.event_id] = match
    for event in turn.events:
        if event.event_id not in found:
            found[event.event_id] = _explain_event(matching, number, turn, event, happened)
    claimed = {each.nearest.event_id for each in found.values() if each.status == "wrong" and each.nearest is not None}
    extra = [
        _summarize(matching, each)
        for each in happened
        if each.turn == number and each.position >= 0 and not each.is_matched and each.event_id not in claimed
    ]
    return JudgedTurn(
        number=number + 1,
        status="failed",
        events=tuple(found[event.event_id] for event in turn.events),
        counts=tuple(counts),
        extra=tuple(extra),
    )


def _explain_event(
    matching: ActionMatching,
    number: int,
    turn: ExpectedTurn,
    event: ExpectedEvent,
    happened: Sequence[TracedAction],
) -> JudgedEvent:
    arguments = matching.resolve_arguments(event)
    closest = _find_closest(matching, turn, event, arguments)
    if closest is not None:
        action, differences = closest
        action.is_matched = True  # it explains this event, and no other
        return _build_event(event, arguments, differences[0].rule, _summarize(matching, action), differences)
    return _build_event(event, arguments, "no such call", _find_nearest(matching, number, event, happened), ())


def _find_closest(
    matching: ActionMatching, turn: ExpectedTurn, event: ExpectedEvent, arguments: Mapping[str, Any]
) -> tuple[TracedAction, tuple[VerdictDifference, ...]] | None:
    """Return the action with the same tool that has the fewest differences."""
    if event.kind != "AGENT":
        return None
    best: tuple[TracedAction, tuple[VerdictDifference, ...]] | None = None
    for compared, action in enumerate(matching.list_candidates(event.tool)):
        if compared >= _MAX_COMPARED:
            break
        differences = tuple(matching.find_differences(event, turn, action, arguments, may_ask=False))
        if differences and (best is None or len(differences) < len(best[1])):
            best = action, differences
    return best


def _find_nearest(
    matching: ActionMatching, number: int, event: ExpectedEvent, happened: Sequence[TracedAction]
) -> ActionSummary | None:
    """Return an action that may have been meant: one that failed, one of another turn, or one of another app."""
    failed = [each for each in happened if each.tool == event.tool and each.error is not None]
    if failed:
        return _summarize(matching, failed[0], f"it failed: {failed[0].error}")
    elsewhere = [each for each in happened if each.tool == event.tool and not each.is_matched and each.turn != number]
    if elsewhere:
        return _summarize(matching, elsewhere[0], f"it is in turn {elsewhere[0].turn + 1}")
    function = event.tool.partition("__")[2]
    other = [each for each in happened if each.function == function and each.kind == event.kind and not each.is_matched]
    return _summarize(matching, other[0], "it is another tool or event") if other else None


def _build_event(
    event: ExpectedEvent,
    arguments: Mapping[str, Any],
    rule: str,
    nearest: ActionSummary | None,
    differences: tuple[VerdictDifference, ...],
) -> JudgedEvent:
    return JudgedEvent(
        event_id=event.event_id,
        kind=event.kind,
        tool=event.tool,
        status="wrong" if differences else "missing",
        rule=rule,
        differences=differences,
        nearest=nearest,
        arguments=dict(arguments),
    )


def _summarize(matching: ActionMatching, action: TracedAction, note: str = "") -> ActionSummary:
    return summarize_action(action, matching.plan.start_time, note)


def summarize_action(action: TracedAction, start_time: float, note: str = "") -> ActionSummary:
    """Return an action for a verdict."""
    return ActionSummary(
        event_id=action.event_id,
        tool=action.tool,
        seconds=round(action.time - start_time, 6),
        arguments=dict(action.arguments),
        note=note,
    )
