"""All that is known about an eval case: its summary, its badge and its scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from google.adk.apps import App

from adk_agent_sim.adk.evals.case_badge import BadgeState, CaseBadge, check_case, create_unchecked_badge, find_obstacle
from adk_agent_sim.adk.evals.case_metrics import CaseScores, convert_events, list_invocations, score_case
from adk_agent_sim.golden.case_rows import build_case_rows
from adk_agent_sim.golden.eval_file import CaseSummary, EvalFile, OpenedCase, summarize_case
from adk_agent_sim.timeline.read_model.timeline_row import TimelineRow


@dataclass(frozen=True, kw_only=True)
class CaseReport:
    """A case with its badge and scores."""

    case: OpenedCase
    summary: CaseSummary
    badge: CaseBadge

    scores: CaseScores | None = None
    """The scores of the replay; None if there was none."""

    @property
    def is_good(self) -> bool:
        """Whether the case replays as recorded and passes its metrics."""
        return self.badge.state is BadgeState.EQUAL and (self.scores is None or self.scores.is_passed)

    @property
    def has_compared(self) -> bool:
        """Whether there was anything to compare, or something kept the replay from it."""
        replay = self.badge.replay
        return not find_obstacle(self.case) or bool(replay and (replay.problem or replay.comparison.differences))

    def list_rows(self) -> list[TimelineRow]:
        """Return the rows of its timeline; none if it has no conversation."""
        return [] if self.summary.problem else build_case_rows(self.case.build_events())

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON."""
        replay = self.badge.replay
        return {
            "eval_id": self.case.eval_id,
            "app": self.summary.app_name,
            "first_message": self.summary.first_message,
            "turns": self.summary.turn_count,
            "calls": self.summary.call_count,
            "state": self.badge.state.value,
            "reason": self.badge.reason,
            "differences": [vars(each) for each in replay.comparison.differences] if replay else [],
            "notes": list(replay.notes) if replay else [],
            "scores": scores_to_json(self.scores) if self.scores else None,
        }


async def report_case(
    app: App | None, file: EvalFile, case: OpenedCase, ignored_paths: Sequence[str] = ()
) -> CaseReport:
    """Return the report of a case; with an app, the case is replayed on its real tools.

    Raises:
        InvalidCriteria: The test_config.json beside the file cannot be read.
    """
    summary = summarize_case(case)
    if app is None or summary.problem:
        return CaseReport(case=case, summary=summary, badge=create_unchecked_badge(case, has_agent=app is not None))
    badge = await check_case(app, case, ignored_paths)
    return CaseReport(case=case, summary=summary, badge=badge, scores=score_replay(file, case, badge))


def score_replay(file: EvalFile, case: OpenedCase, badge: CaseBadge) -> CaseScores | None:
    """Return the scores of a replay; None if there was none."""
    if badge.replay is None:
        return None
    return score_case(list_invocations(case), convert_events(badge.replay.adk_events), file.path)


def scores_to_json(scores: CaseScores) -> dict[str, Any]:
    """Return scores as JSON."""
    return {
        "criteria": scores.config_path or None,
        "passed": scores.is_passed,
        "metrics": [
            {
                "name": metric.name,
                "score": metric.score,
                "threshold": metric.threshold,
                "passed": metric.is_passed,
                "turns": list(metric.turn_scores),
                "note": metric.note or None,
            }
            for metric in scores.metrics
        ],
        "turns": [
            {
                "calls": [vars(call) for call in turn.calls],
                "expected_response": turn.expected_response,
                "actual_response": turn.actual_response,
            }
            for turn in scores.turns
        ],
    }
