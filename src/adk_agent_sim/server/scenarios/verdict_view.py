"""A verdict as the browser shows it: for each turn, the expected events beside those that happened.

Verdict.to_json() --+
completed events ---+--> VerdictInfo    (turns that were not judged show nothing that is expected)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from adk_agent_sim.scenario.verdict.traced_action import (
    AnyCompletedEvent,
    TracedAction,
    assign_turns,
    order_as_are,
)
from adk_agent_sim.server.scenarios.verdict_api_models import (
    ActualEventInfo,
    CountInfo,
    DifferenceInfo,
    ExpectedEventInfo,
    ValidationInfo,
    VerdictInfo,
    VerdictTurn,
)
from adk_agent_sim.timeline.content_parts import as_mapping, as_text
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.read_model.line_summary import summarize_arguments, summarize_text
from adk_agent_sim.timeline.strict_json import dump_json

MAX_VALUE_CHARS = 4_000
"""At how many characters an expected or actual value is cut."""


def build_verdict_info(
    verdict: Mapping[str, Any],
    events: Sequence[AnyCompletedEvent],
    *,
    start_time: float,
    judge: str = "scripted",
    find_row: Callable[[int], int | None],
) -> VerdictInfo:
    """Build a verdict for the browser.

    Args:
        verdict: The verdict as JSON.
        events: The completed events of the run.
        start_time: The scenario's start.
        judge: Who answered the soft checks.
        find_row: Returns the row of the timeline that shows an event, by its place in `events`.
    """
    builder = _VerdictBuilder(verdict, events, start_time, find_row)
    return VerdictInfo(
        scenario_id=as_text(verdict.get("scenario_id")),
        passed=bool(verdict.get("passed")),
        reason=as_text(verdict.get("reason")),
        judge=judge,
        turns=builder.build_turns(),
        validations=[
            ValidationInfo(event_id=each["event_id"], passed=each["passed"], reason=each["reason"])
            for each in verdict.get("validations") or ()
        ],
    )


class _VerdictBuilder:
    def __init__(
        self,
        verdict: Mapping[str, Any],
        events: Sequence[AnyCompletedEvent],
        start_time: float,
        find_row: Callable[[int], int | None],
    ) -> None:
        self._turns: Sequence[Mapping[str, Any]] = verdict.get("turns") or ()
        self._start_time = start_time
        self._rows: dict[int, int | None] = {}
        actions = [TracedAction(event, {}) for event in events]
        for place, action in enumerate(actions):
            # By identity, because ids of events may repeat, and the actions are put into another order below.
            self._rows[id(action)] = find_row(place)
        self._by_turn = _group_by_turn(order_as_are(actions))

    def build_turns(self) -> list[VerdictTurn]:
        turns = [self._build_turn(number, turn) for number, turn in enumerate(self._turns)]
        late = [each for number in sorted(self._by_turn) if number >= len(turns) for each in self._by_turn[number]]
        if late:
            turns.append(
                VerdictTurn(
                    number=len(turns) + 1,
                    status="after the end",
                    expected=[],
                    actual=[self._build_actual(each, is_extra=False) for each in late],
                    counts=[],
                )
            )
        return turns

    def _build_turn(self, number: int, turn: Mapping[str, Any]) -> VerdictTurn:
        happened = self._by_turn.get(number, [])
        places: dict[str, int] = {}
        for place, action in enumerate(happened):
            places.setdefault(action.event_id, place)
        extra = {as_text(each["event_id"]) for each in turn.get("extra") or ()}
        judged: Sequence[Mapping[str, Any]] = turn.get("events") or ()
        return VerdictTurn(
            number=turn["number"],
            status=turn["status"],
            expected=[_build_expected(each, places) for each in judged],
            actual=[self._build_actual(each, is_extra=each.event_id in extra) for each in happened],
            counts=[
                CountInfo(tool=each["tool"], expected=each["expected"], got=each["got"])
                for each in turn.get("counts") or ()
            ],
        )

    def _build_actual(self, action: TracedAction, *, is_extra: bool) -> ActualEventInfo:
        return ActualEventInfo(
            event_id=action.event_id,
            kind=action.kind,
            tool=action.tool,
            seconds=round(action.time - self._start_time, 6),
            summary=_summarize_arguments(action.arguments),
            is_judged=action.is_judged,
            is_extra=is_extra,
            error=action.error or "",
            row_index=self._rows[id(action)],
        )


def _group_by_turn(happened: Sequence[TracedAction]) -> dict[int, list[TracedAction]]:
    """Return what a person compares by turn: what is judged, and calls of the agent that would be if they succeeded."""
    assign_turns(happened)
    by_turn: dict[int, list[TracedAction]] = {}
    current = 0
    for each in happened:
        if each.is_judged:
            current = each.turn
        if each.is_judged or (each.error is not None and each.is_write):
            by_turn.setdefault(current, []).append(each)
        current += each.is_judged and each.is_message_to_user
    return by_turn


def _build_expected(judged: Mapping[str, Any], places: Mapping[str, int]) -> ExpectedEventInfo:
    nearest = as_mapping(judged.get("nearest"))
    partner = judged.get("agent_event_id") or (nearest.get("event_id") if judged["status"] == "wrong" else None)
    return ExpectedEventInfo(
        event_id=judged["event_id"],
        kind=judged["kind"],
        tool=judged["tool"],
        status=judged["status"],
        rule=judged["rule"],
        summary=_summarize_arguments(judged.get("arguments") or {}),
        partner=places.get(partner) if partner else None,
        differences=[
            DifferenceInfo(
                argument=each["argument"],
                expected=_cut_json(each["expected"]),
                got=_cut_json(each["got"]),
                rule=each["rule"],
            )
            for each in judged.get("differences") or ()
        ],
        nearest=_describe_nearest(nearest) if judged["status"] == "missing" else "",
    )


def _describe_nearest(nearest: Mapping[str, Any]) -> str:
    if not nearest:
        return ""
    arguments = _summarize_arguments(nearest.get("arguments") or {})
    return summarize_text(f"{nearest['tool']} {arguments}: {nearest['note']}".strip())


def _summarize_arguments(arguments: Mapping[str, Any]) -> str:
    return summarize_arguments({name: to_json_value(value) for name, value in arguments.items()})


def _cut_json(value: Any) -> str:
    text = dump_json(to_json_value(value))
    return text if len(text) <= MAX_VALUE_CHARS else f"{text[:MAX_VALUE_CHARS]}\u2026"
