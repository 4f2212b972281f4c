"""Formats eval cases for the terminal: a table of cases, and a case as a timeline."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from difflib import unified_diff
from typing import TYPE_CHECKING

from adk_agent_sim.text.escaping import escape_line
from adk_agent_sim.text.terminal_output import TerminalText, format_table, shorten_cell
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.strict_json import dump_json, parse_json

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
_DIFF_LABELS = ("recorded", "now")


def format_cases(cases: Sequence[CheckedCase]) -> list[TerminalText]:
    """Return one line per case, below the headings; none without cases."""
    return format_table([_HEADINGS, *map(_list_cells, cases)]) if cases else []


def format_case(checked: CheckedCase, opened: OpenedCase) -> str:
    """Return a case as a timeline, with what differs in its replay."""
    from adk_agent_sim.golden.importers import build_case_rows

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
    return format_diff(parse_json(difference.recorded), parse_json(difference.found), labels=_DIFF_LABELS)


def _list_cells(checked: CheckedCase) -> Sequence[str]:
    case = checked.case
    scores = [
        f"{_METRIC_LABELS.get(metric.name, metric.name)} {_format_score(metric.score)}"
        + ("" if metric.is_passed else " FAILED")
        for metric in case.metrics
        if metric.score is not None
    ]
    return (
        shorten_cell(case.eval_id),
        str(case.turn_count),
        str(case.call_count),
        _STATE_LABELS[case.badge.state],
        ", ".join(scores) or "-",
        case.badge.reason,
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
                yield escape_line(f"    {shown} {name} {dump_json(parse_json(arguments))}")


def format_diff(expected: Json, actual: Json, *, labels: tuple[str, str] = ("expected", "found")) -> str:
    """Return the difference line by line, in the format of `diff -u`."""
    before, after = (json.dumps(side, indent=2, ensure_ascii=False).split("\n") for side in (expected, actual))
    return "\n".join(unified_diff(before, after, *labels, lineterm=""))
