"""Judges a run of an eval case as `adk eval` does, as far as that needs no model: its calls and final responses."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module

from google.adk.evaluation.eval_case import EvalCase, Invocation, get_all_tool_calls
from google.adk.evaluation.eval_metrics import BaseCriterion, EvalMetric, ToolTrajectoryCriterion
from google.adk.evaluation.evaluation_generator import EvaluationGenerator
from google.adk.evaluation.evaluator import EvalStatus
from google.adk.evaluation.trajectory_evaluator import TrajectoryEvaluator
from google.adk.events import Event as AdkEvent
from google.genai import types

from adk_agent_sim.errors import NotJudgeable
from adk_agent_sim.golden.case_criteria import CaseCriteria
from adk_agent_sim.timeline.canonical_json import encode_json
from adk_agent_sim.timeline.json_conversion import to_json_value

_MAX_TEXT = 300


@dataclass(frozen=True, kw_only=True)
class EvalCaseVerdict:
    """Whether a run did what its case has."""

    passed: bool

    reason: str = ""
    """Why it did not pass, and which criteria were not judged; empty if it passed by all of them."""


def judge_eval_case(case: EvalCase, events: Sequence[AdkEvent], criteria: CaseCriteria) -> EvalCaseVerdict:
    """Compare what happened with a case.

    Args:
        case: The case.
        events: The ADK events of the run.
        criteria: What is compared, and what is not.

    Raises:
        NotJudgeable: Nothing is compared, or a package for it is missing.
    """
    if not criteria.can_judge:
        why = f"its criteria compare neither calls nor responses. {criteria.note}".strip().rstrip(".")
        raise NotJudgeable(f"case {case.eval_id!r:.80}", why)
    expected = list(case.conversation or [])
    actual = EvaluationGenerator.convert_events_to_eval_invocations(list(events))
    # ADK's evaluators raise an error if the two lists differ in length.
    if len(actual) != len(expected):
        reasons = [f"The agent answered {len(actual)} of {len(expected)} messages."]
        return EvalCaseVerdict(passed=False, reason=_join(reasons, criteria))
    reasons: list[str] = []
    if criteria.calls != "off":
        reasons += _compare_calls(actual, expected, criteria)
    if criteria.rouge is not None:
        reasons += _compare_responses(actual, expected, criteria.rouge)
    return EvalCaseVerdict(passed=not reasons, reason=_join(reasons, criteria))


def _join(reasons: Sequence[str], criteria: CaseCriteria) -> str:
    return " ".join(each for each in (*reasons, criteria.note) if each)


def _compare_calls(actual: list[Invocation], expected: list[Invocation], criteria: CaseCriteria) -> list[str]:
    match_type = ToolTrajectoryCriterion.MatchType[criteria.calls.upper().replace("-", "_")]
    criterion = ToolTrajectoryCriterion(
        threshold=criteria.calls_score, match_type=match_type, ignore_args=criteria.ignores_args
    )
    metric = EvalMetric(metric_name="tool_trajectory_avg_score", criterion=criterion)
    result = TrajectoryEvaluator(eval_metric=metric).evaluate_invocations(actual, expected)
    if result.overall_eval_status is EvalStatus.PASSED:
        return []
    needed = "" if criteria.calls_score == 1 else f" {result.overall_score or 0:.2f} of the turns agree, and"
    needed += f" {criteria.calls_score:g} is needed." if needed else ""
    for number, (each, turn, wanted) in enumerate(
        zip(result.per_invocation_results, actual, expected, strict=True), start=1
    ):
        if each.score != 1:
            calls = format_calls(get_all_tool_calls(wanted.intermediate_data))
            made = format_calls(get_all_tool_calls(turn.intermediate_data))
            return [f"Turn {number}: the calls differ ({criteria.calls}): expected {calls}, got {made}.{needed}"]
    return [needed.strip()]


def import_metrics() -> None:
    """Import what judging needs, which takes seconds; without the extra `eval`, the judge says what is missing."""
    with suppress(ImportError):
        import_module("google.adk.evaluation.final_response_match_v1")


def _compare_responses(actual: list[Invocation], expected: list[Invocation], threshold: float) -> list[str]:
    try:
        from google.adk.evaluation.final_response_match_v1 import RougeEvaluator  # noqa: PLC0415 - not in ADK's core
    except ImportError as error:
        raise NotJudgeable(
            "responses",
            "ROUGE is not installed. Install it with `pip install 'google-adk[eval]>=2.13'`, "
            "or compare calls only with rouge=off",
        ) from error
    metric = EvalMetric(metric_name="response_match_score", criterion=BaseCriterion(threshold=threshold))
    result = RougeEvaluator(metric).evaluate_invocations(actual, expected)
    score = result.overall_score or 0.0
    if result.overall_eval_status is EvalStatus.PASSED:
        return []
    return [f"The final responses match to {score:.2f} (ROUGE-1), and {threshold:g} is needed."]


def format_calls(calls: Sequence[types.FunctionCall]) -> str:
    """Return calls in one line, such as `add("a":1,"b":2)`; a long one is cut off."""
    texts = [f"{each.name}({encode_json(to_json_value(each.args or {})).decode()[1:-1]})" for each in calls]
    return (", ".join(texts) or "none")[:_MAX_TEXT]
