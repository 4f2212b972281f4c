"""Formats eval cases for the terminal: a table of cases, and a case as a timeline."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from adk_agent_sim.cli.evals.json_diff import format_diff
from adk_agent_sim.text.escaping import escape_line

if TYPE_CHECKING:
    from adk_agent_sim.golden.eval_file import OpenedCase
    from adk_agent_sim.timeline.read_model.timeline_row import TimelineRow
    from adk_agent_sim.use_cases.cases import CaseCheckInfo, CheckedCase, ComparedTurnInfo, ReplayDifferenceInfo

_STATE_LABELS = {
    "equal": "equal",
    "drifted": "DRIFTED",
    "not_replayable": "not replayable",
    "not_checked": "not checked",
}
_METRIC_LABELS = {"tool_trajectory_avg_score": "calls", "response_match_score": "response"}
_HEADINGS = ("case", "turns", "calls", "badge", "scores", "why")
_MAX_ID_CHARS = 40
_DIFF_LABELS = ("recorded", "now")


def format_table(cases: Sequence[CheckedCase]) -> str:
    """Return one line per case, below the headings; empty without cases."""
    if not cases:
        return ""
    rows = [_HEADINGS, *(_format_cells(case) for case in cases)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def format_case(checked: CheckedCase, opened: OpenedCase) -> str:
    """Return a case as a timeline, with what differs in its replay."""
    from adk_agent_sim.golden.case_rows import build_case_rows

    case, check = checked.case, checked.check
    lines = [f"{escape_line(case.eval_id)}: {_STATE_LABELS[case.badge.state]}. {escape_line(case.badge.reason)}"]
    if not case.problem:
        lines += map(_format_row, build_case_rows(opened.build_events()))
    for difference in check.differences if check else ():
        lines += ["", escape_line(f"message {difference.message_number}, {difference.what}")]
        lines.append(format_replay_difference(difference))
    if check and (check.metrics or check.turns):
        lines += ["", *_iter_scores(check)]
    if check and check.problem:
        lines += ["", escape_line(f"  not scored: {check.problem}")]
    return "\n".join(lines)


def format_replay_difference(difference: ReplayDifferenceInfo) -> str:
    """Return what is not as recorded, line by line."""
    return format_diff(json.loads(difference.recorded), json.loads(difference.found), labels=_DIFF_LABELS)


def _format_cells(case: CheckedCase) -> tuple[str, ...]:
    info = case.case
    eval_id = escape_line(info.eval_id)
    shortened = eval_id if len(eval_id) <= _MAX_ID_CHARS else f"{eval_id[: _MAX_ID_CHARS - 1]}…"
    scores = [
        f"{_METRIC_LABELS.get(metric.name, metric.name)} {_format_score(metric.score)}"
        + ("" if metric.is_passed else " FAILED")
        for metric in info.metrics
        if metric.score is not None
    ]
    return (
        shortened,
        str(info.turn_count),
        str(info.call_count),
        _STATE_LABELS[info.badge.state],
        ", ".join(scores) or "-",
        escape_line(info.badge.reason),
    )


def _format_row(row: TimelineRow) -> str:
    subject = f"{row.subject} " if row.subject else ""
    result = f"  {'x' if row.status == 'failed' else '->'} {row.result}" if row.result else ""
    return escape_line(f"  {row.kind.value:<8} {subject}{row.summary}{result}")


def _iter_scores(scores: CaseCheckInfo) -> Iterator[str]:
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


def _iter_differences(number: int, turn: ComparedTurnInfo) -> Iterator[str]:
    if all(call.status == "same" for call in turn.calls):
        return
    yield f"  user turn {number}: the calls differ"
    for call in turn.calls:
        sides = (
            ("-", call.expected_name, call.expected_arguments),
            ("+", call.actual_name, call.actual_arguments),
        )
        for mark, name, arguments in sides:
            if name and not (call.status == "same" and mark == "+"):
                shown = " " if call.status == "same" else mark
                yield escape_line(f"    {shown} {name} {json.dumps(json.loads(arguments), ensure_ascii=False)}")
