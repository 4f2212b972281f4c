"""The verdict on a run: for every expected event, its outcome and the rule that decided. Data only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from adk_agent_sim.scenario.verdict.judged_turn import ActionSummary, JudgedTurn, JudgedValidation
from adk_agent_sim.scenario.verdict.soft_check import AskedCheck
from adk_agent_sim.scenario.verdict.verdict_text import render_verdict


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The verdict on a run."""

    scenario_id: str

    passed: bool

    reason: str
    """Why it failed, in one sentence; empty if it passed."""

    turns: tuple[JudgedTurn, ...]

    validations: tuple[JudgedValidation, ...] = ()

    matches: Mapping[str, str] = field(default_factory=dict[str, str])
    """The ids of the agent's events -> the ids of the expected events, up to the decision."""

    soft_checks: tuple[AskedCheck, ...] = ()
    """The soft checks that were asked, in order."""

    after_end: tuple[ActionSummary, ...] = ()
    """Actions after the last turn, which are not judged."""

    def to_json(self, *, explain: bool = False) -> dict[str, Any]:
        """Return the verdict as JSON values; with `explain`, soft checks have the prompt that was asked."""
        value = asdict(self)
        value["soft_checks"] = [
            {**asdict(each.check), "passed": each.answer.passed, "reply": each.answer.reply}
            | ({"prompt": each.check.prompt()} if explain else {})
            for each in self.soft_checks
        ]
        return value

    def __str__(self) -> str:
        """Return the verdict as text."""
        return "\n".join(render_verdict(self))
