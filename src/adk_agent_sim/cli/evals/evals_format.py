"""Formats eval cases for the terminal: a table of cases, and a case as a timeline."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from adk_agent_sim.cli.evals.json_diff import format_diff
from adk_agent_sim.text.escaping import escape_line
from adk_agent_sim.text.terminal_output import TerminalText
from adk_agent_sim.text.terminal_tables import format_table, shorten_cell

if TYPE_CHECKING:
    from adk_agent_sim.adk.evals.case_metrics import CaseScores, ComparedTurn
    from adk_agent_sim.adk.evals.case_report import CaseReport
    from adk_agent_sim.timeline.read_model.timeline_row import TimelineRow

_STATE_LABELS = {
    "equal": "equal",
    "drifted": "DRIFTED",
    "not_replayable": "not replayable",
    "not_checked": "not checked",
}
_METRIC_LABELS = {"tool_trajectory_avg_score": "calls", "response_match_score": "response"}
_HEADINGS = ("case", "turns", "calls", "badge", "scores", "why")
_DIFF_LABELS = ("recorded", "now")


def format_cases(cases: Sequence[CaseReport]) -> list[TerminalText]:
    """Return one line per case, below the headings; none without cases."""
    return format_table([_HEADINGS, *map(_list_cells, cases)]) if cases else []


def format_case(case: CaseReport) -> str:
    """Return a case as a timeline, with what differs in its replay."""
    lines = [
        f"{escape_line(case.case.eval_id)}: {_STATE_LABELS[case.badge.state]}. {escape_line(case.badge.reason)}",
        *(_format_row(row) for row in case.list_rows()),
    ]
    replay = case.badge.replay
    for difference in replay.comparison.differences if replay else ():
        lines += ["", escape_line(f"message {difference.message_number}, {difference.what}")]
        lines.append(format_diff(difference.recorded, difference.found, labels=_DIFF_LABELS))
    if case.scores:
        lines += ["", *_iter_scores(case.scores)]
    return "\n".join(lines)


def _list_cells(case: CaseReport) -> Sequence[str]:
    scores = [
        f"{_METRIC_LABELS.get(metric.name, metric.name)} {_format_score(metric.score)}"
        + ("" if metric.is_passed else " FAILED")
        for metric in (case.scores.metrics if case.scores else ())
        if metric.score is not None
    ]
    return (
        shorten_cell(case.case.eval_id),
        str(case.summary.turn_count),
        str(case.summary.call_count),
        _STATE_LABELS[case.badge.state],
        ", ".join(scores) or "-",
        case.badge.reason,
    )


def _format_row(row: TimelineRow) -> str:
    subject = f"{row.subject} " if row.subject else ""
    result = f"  {'x' if row.status == 'failed' else '->'} {row.result}" if row.result else ""
    return escape_line(f"  {row.kind.value:<8} {subject}{row.summary}{result}")


def _iter_scores(scores: CaseScores) -> Iterator[str]:
    for metric in scores.metrics:
        if metric.score is None:
            yield escape_line(f"  {metric.name}: not run. {metric.note}")
        else:
            verdict = "passed" if metric.is_passed else "FAILED"
            yield escape_line(f"  {metric.name}: {_format_score(metric.score)} of {metric.threshold}, {verdict}")
    for number, turn in enumerate(scores.turns, start=1):
        yield from _iter_differences(number, turn)


def _format_score(score: float) -> str:
    """Return a score with two digits, never rounded up to a pass."""
    return f"{math.floor(score * 100) / 100:.2f}"


def _iter_differences(number: int, turn: ComparedTurn) -> Iterator[str]:
    if all(call.status == "same" for call in turn.calls):
        return
    yield f"  user turn {number}: the calls differ"
    for call in turn.calls:
        for side, mark in ((call.expected, "-"), (call.actual, "+")):
            if side is not None and not (call.status == "same" and mark == "+"):
                shown = " " if call.status == "same" else mark
                yield escape_line(f"    {shown} {side['name']} {side['args']}")
