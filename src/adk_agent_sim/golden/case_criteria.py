"""The criteria of eval cases that need no model, as `adk eval` reads them from the file beside an EvalSet.

What else the file asks for, such as rubrics, is only listed: a model would have to judge it, or code that it names.
"""

from __future__ import annotations

from pathlib import Path

from google.adk.evaluation.eval_config import EvalConfig, get_eval_metrics_from_config
from google.adk.evaluation.eval_metrics import EvalMetric, PrebuiltMetrics, ToolTrajectoryCriterion
from pydantic import BaseModel, ConfigDict, ValidationError

from adk_agent_sim.errors import InvalidCriteria
from adk_agent_sim.golden.eval_criteria import CallMatch, EvalCriteria, get_config_path, read_config
from adk_agent_sim.golden.eval_set import summarize_error

_CALLS = PrebuiltMetrics.TOOL_TRAJECTORY_AVG_SCORE.value
_RESPONSE = PrebuiltMetrics.RESPONSE_MATCH_SCORE.value


class CaseCriteria(BaseModel):
    """What is compared in a run of an eval case; the defaults are ADK's own."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    calls: CallMatch = "exact"
    """How the tool calls are compared."""

    calls_score: float = 1.0
    """Which part of the turns must have the expected calls."""

    ignores_args: bool = False
    """Whether only the names of tools are compared, not their arguments."""

    rouge: float | None = 0.8
    """How similar the final responses must be, as ROUGE-1; None to not compare them."""

    not_judged: tuple[str, ...] = ()
    """The other criteria of the file, by ADK's names."""

    @property
    def can_judge(self) -> bool:
        """Whether anything is compared."""
        return self.calls != "off" or self.rouge is not None

    @property
    def note(self) -> str:
        """What is not judged, and why; empty if everything is."""
        if not self.not_judged:
            return ""
        return f"Not judged: {', '.join(self.not_judged)}, because a model or other code would have to."


def convert_criteria(criteria: EvalCriteria) -> CaseCriteria:
    """Return the criteria that somebody has written in words, as far as they need no model."""
    return _convert_config(EvalConfig.model_validate({"criteria": criteria.to_config()}), "the criteria")


def read_case_criteria(eval_set_path: Path) -> CaseCriteria:
    """Return the criteria that `adk eval` uses for an EvalSet: of the file beside it, or else ADK's own.

    Raises:
        InvalidCriteria: The file cannot be read, or a criterion cannot be used.
    """
    config, path = read_eval_config(eval_set_path)
    return _convert_config(config, path)


def read_eval_config(eval_set_path: Path) -> tuple[EvalConfig, str]:
    """Return the criteria that `adk eval` uses for a file, and where they are from; empty for ADK's own.

    Raises:
        InvalidCriteria: The file with the criteria cannot be read.
    """
    path = get_config_path(eval_set_path)
    if not path.exists():
        return EvalConfig.model_validate({"criteria": EvalCriteria().to_config()}), ""
    try:
        return EvalConfig.model_validate(read_config(path)), str(path)
    except ValidationError as error:
        raise InvalidCriteria(
            f"{path} cannot be read as the criteria of `adk eval`: {summarize_error(error)}. Fix or remove it."
        ) from error


def _convert_config(config: EvalConfig, path: str) -> CaseCriteria:
    # ADK adds measurements that never fail to those of the file.
    metrics = [each for each in get_eval_metrics_from_config(config) if each.metric_name in config.criteria]
    own = {each.metric_name: each for each in metrics if not each.custom_function_path}
    calls = _read_trajectory(own[_CALLS], path) if _CALLS in own else None
    return CaseCriteria(
        calls="off" if calls is None else _get_call_match(calls),
        calls_score=1.0 if calls is None else calls.threshold,
        ignores_args=calls is not None and calls.ignore_args,
        rouge=_get_threshold(own[_RESPONSE]) if _RESPONSE in own else None,
        not_judged=tuple(
            each.metric_name
            for each in metrics
            if each.custom_function_path or each.metric_name not in (_CALLS, _RESPONSE)
        ),
    )


def _read_trajectory(metric: EvalMetric, path: str) -> ToolTrajectoryCriterion:
    try:
        return ToolTrajectoryCriterion.model_validate(metric.criterion.model_dump() if metric.criterion else {})
    except ValidationError as error:
        raise InvalidCriteria(
            f"{path} has a criterion {metric.metric_name} that cannot be used: {summarize_error(error)}. Fix it."
        ) from error


def _get_call_match(criterion: ToolTrajectoryCriterion) -> CallMatch:
    matches: dict[ToolTrajectoryCriterion.MatchType, CallMatch] = {
        ToolTrajectoryCriterion.MatchType.EXACT: "exact",
        ToolTrajectoryCriterion.MatchType.IN_ORDER: "in-order",
        ToolTrajectoryCriterion.MatchType.ANY_ORDER: "any-order",
    }
    return matches[criterion.match_type]


def _get_threshold(metric: EvalMetric) -> float:
    return metric.criterion.threshold if metric.criterion else metric.threshold or 0.0
