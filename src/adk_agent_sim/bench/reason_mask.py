"""Masks secrets in the reasons of results, before they are saved, shown or published."""

from __future__ import annotations

from adk_agent_sim.bench.bench_result import BenchResult
from adk_agent_sim.timeline.redaction.redactor import Redactor


class ReasonMask:
    """Masks reasons, and remembers them: many runs fail for the same reason, and looking for secrets is slow."""

    def __init__(self) -> None:
        self._redactor = Redactor()
        self._masked: dict[str, str] = {"": ""}

    def mask(self, result: BenchResult) -> BenchResult:
        """Return the result with a reason that contains no secrets."""
        if result.reason not in self._masked:
            self._masked[result.reason] = self._redactor.redact_text(result.reason)
        reason = self._masked[result.reason]
        return result if reason == result.reason else result.model_copy(update={"reason": reason})
