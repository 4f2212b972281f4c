"""Scores an eval case with ADK's own metrics that need no model, by the criteria of the `test_config.json` beside it.

A score compares what happened, such as in a replay, with the case. Metrics that ask a model or run code that the file
names are listed and not run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path
from typing import Literal, TypeAlias

from google.adk.evaluation.eval_case import Invocation, get_all_tool_calls
from google.adk.evaluation.eval_config import get_eval_metrics_from_config
from google.adk.evaluation.eval_metrics import EvalMetric, PrebuiltMetrics
from google.adk.evaluation.evaluation_generator import EvaluationGenerator
from google.adk.evaluation.evaluator import EvalStatus, EvaluationResult, Evaluator
from google.adk.evaluation.trajectory_evaluator import TrajectoryEvaluator
from google.adk.events import Event as AdkEvent
from google.genai import types

from adk_agent_sim.golden.case_criteria import read_eval_config
from adk_agent_sim.golden.eval_file import OpenedCase
from adk_agent_sim.timeline.canonical_json import Json, encode_json, normalize_value

CallStatus: TypeAlias = Literal["same", "changed", "missing", "extra"]
"""Whether a call is expected and was made, was made differently, was not made, or was not expected."""


@dataclass(frozen=True, kw_only=True)
class MetricScore:
    """The result of one metric."""

    name: str
    threshold: float | None
    score: float | None
    """None if the metric was not run."""

    is_passed: bool | None
    turn_scores: Sequence[float | None] = ()
    note: str = ""
    """Why the metric was not run; empty if it was."""


@dataclass(frozen=True, kw_only=True)
class ComparedCall:
    """A call of the case beside the call that was made."""

    status: CallStatus
    expected: Json
    """The name and arguments in the case; None if the call is extra."""

    actual: Json
    """The name and arguments of the call that was made; None if the call is missing."""


@dataclass(frozen=True, kw_only=True)
class ComparedTurn:
    """A user turn of the case beside what happened."""

    calls: Sequence[ComparedCall]
    expected_response: str
    actual_response: str


@dataclass(frozen=True, kw_only=True)
class CaseScores:
    """The scores of a case, and where it differs."""

    config_path: str
    """The file that the criteria are from; empty if they are ADK's own."""

    metrics: Sequence[MetricScore] = field(default_factory=list[MetricScore])
    turns: Sequence[ComparedTurn] = field(default_factory=list[ComparedTurn])

    @property
    def is_passed(self) -> bool:
        """Whether every metric that was run has passed."""
        return all(metric.is_passed for metric in self.metrics if metric.is_passed is not None)


def list_invocations(case: OpenedCase) -> list[Invocation]:
    """Return the user turns of a case, as ADK's evaluators read them."""
    if case.adk_session is not None:
        return convert_events(case.adk_session.events)
    return list((case.eval_case.conversation if case.eval_case else None) or [])


def convert_events(events: Sequence[AdkEvent]) -> list[Invocation]:
    """Return the user turns of events, converted by ADK itself."""
    return EvaluationGenerator.convert_events_to_eval_invocations(list(events))


def score_case(expected: Sequence[Invocation], actual: Sequence[Invocation], eval_set_path: Path) -> CaseScores:
    """Compare what happened with a case.

    Args:
        expected: The user turns of the case.
        actual: What happened; a turn that is missing counts as one without calls and response.
        eval_set_path: The file of the case, beside which the criteria are.

    Raises:
        InvalidCriteria: The file with the criteria cannot be read.
    """
    config, config_path = read_eval_config(eval_set_path)
    # ADK's evaluators raise an error if the two lists differ in length, so turns that are missing are filled in.
    pairs = [
        (each, actual[place] if place < len(actual) else Invocation(user_content=each.user_content))
        for place, each in enumerate(expected)
    ]
    # ADK adds measurements of efficiency, which never pass or fail, to the criteria of the file.
    metrics = [metric for metric in get_eval_metrics_from_config(config) if metric.metric_name in config.criteria]
    return CaseScores(
        config_path=config_path,
        metrics=[_score_metric(metric, pairs) for metric in metrics],
        turns=[_compare_turn(each, happened) for each, happened in pairs],
    )


def _score_metric(metric: EvalMetric, pairs: Sequence[tuple[Invocation, Invocation]]) -> MetricScore:
    threshold = metric.criterion.threshold if metric.criterion else metric.threshold
    evaluator, note = _find_evaluator(metric)
    if evaluator is None or not pairs:
        note = note or "The case has no user turns."
        return MetricScore(name=metric.metric_name, threshold=threshold, score=None, is_passed=None, note=note)
    # ADK takes what happened first, and what is expected second.
    result = evaluator.evaluate_invocations([each for _, each in pairs], [each for each, _ in pairs])
    assert isinstance(result, EvaluationResult)  # noqa: S101 - only metrics that ask a model are asynchronous
    return MetricScore(
        name=metric.metric_name,
        threshold=threshold,
        score=result.overall_score,
        is_passed=result.overall_eval_status is EvalStatus.PASSED,
        turn_scores=[each.score for each in result.per_invocation_results],
    )


def _find_evaluator(metric: EvalMetric) -> tuple[Evaluator | None, str]:
    """Return the evaluator of a metric, or why it is not run here."""
    if metric.custom_function_path:
        return None, "It runs code that the file names. Run it with `adk eval`."
    create = _EVALUATORS.get(metric.metric_name)
    if create is None:
        return None, "It needs a model or measurements of a real run. Run it with `adk eval`."
    try:
        return create(metric), ""
    except ImportError:
        return None, "It needs another package: pip install 'google-adk[eval]>=2.13'."
    except ValueError as error:
        return None, f"Its criterion cannot be used: {error}"


def _create_rouge_evaluator(metric: EvalMetric) -> Evaluator:
    # Needs a package that ADK itself does not install.
    from google.adk.evaluation.final_response_match_v1 import RougeEvaluator  # noqa: PLC0415

    return RougeEvaluator(metric)


_EVALUATORS: Mapping[str, Callable[[EvalMetric], Evaluator]] = {
    PrebuiltMetrics.TOOL_TRAJECTORY_AVG_SCORE.value: lambda metric: TrajectoryEvaluator(eval_metric=metric),
    PrebuiltMetrics.RESPONSE_MATCH_SCORE.value: _create_rouge_evaluator,
}
"""The metrics that are run, by the name of their criterion."""


def _compare_turn(expected: Invocation, actual: Invocation) -> ComparedTurn:
    return ComparedTurn(
        calls=list(_align_calls(_list_calls(expected), _list_calls(actual))),
        expected_response=_get_text(expected.final_response),
        actual_response=_get_text(actual.final_response),
    )


def _align_calls(expected: Sequence[Json], actual: Sequence[Json]) -> Iterator[ComparedCall]:
    """Yield the calls of both sides in order, equal ones beside each other."""
    before, after = ([encode_json(normalize_value(call)) for call in calls] for calls in (expected, actual))
    # With autojunk, difflib would ignore a call that is repeated often in a long list.
    for tag, first, last, start, end in SequenceMatcher(a=before, b=after, autojunk=False).get_opcodes():
        left, right = expected[first:last], actual[start:end]
        if tag == "equal":
            for one, other in zip(left, right, strict=True):
                yield ComparedCall(status="same", expected=one, actual=other)
            continue
        for one, other in zip(left, right, strict=False):
            yield ComparedCall(status="changed", expected=one, actual=other)
        for one in left[len(right) :]:
            yield ComparedCall(status="missing", expected=one, actual=None)
        for other in right[len(left) :]:
            yield ComparedCall(status="extra", expected=None, actual=other)


def _list_calls(invocation: Invocation) -> list[Json]:
    return [
        {"name": call.name or "", "args": call.args or {}} for call in get_all_tool_calls(invocation.intermediate_data)
    ]


def _get_text(content: types.Content | None) -> str:
    return "\n".join(part.text for part in (content.parts if content else None) or () if part.text)
