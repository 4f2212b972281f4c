"""Judges runs by what their scenarios expect: traces in files, and sessions of a timeline, which show the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adk_agent_sim.errors import ImportRefused, InvalidScenario, NotJudgeable
from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.verdict.checker_params import CheckerParams
from adk_agent_sim.scenario.verdict.judge import Judge
from adk_agent_sim.scenario.verdict.soft_check import SoftJudge
from adk_agent_sim.scenario.verdict.trace_files import FoundTrace, build_session_trace, find_traces
from adk_agent_sim.scenario.verdict.verdict import Verdict
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.submissions import EventBatch
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.timeline.world_events import VerdictReached


@dataclass(frozen=True, kw_only=True)
class TraceResult:
    """The outcome of one trace: a verdict, or the reason why there is none."""

    trace: str
    """The file, or the session."""

    verdict: Verdict | None = None

    problem: str = ""
    """Why there is no verdict; empty if there is one."""

    @property
    def passed(self) -> bool | None:
        """Whether the run does what is expected; None if it was not judged."""
        return None if self.verdict is None else self.verdict.passed

    def to_json(self, *, explain: bool = False) -> dict[str, Any]:
        """Return the result as JSON; `explain` adds what was asked for each soft check."""
        if self.verdict is None:
            return {"trace": self.trace, "passed": None, "problem": self.problem}
        return {"trace": self.trace, **self.verdict.to_json(explain=explain)}


class RunJudging:
    """Judges runs of several scenarios; the judge of each is prepared once."""

    def __init__(
        self,
        scenarios: Sequence[ScenarioImportedFromJson],
        soft: SoftJudge | str | None = None,
        checker_params: CheckerParams | None = None,
    ) -> None:
        """Prepare to judge.

        Args:
            scenarios: The scenarios; of several, a run is judged by the one with its id.
            soft: Who answers soft checks; None if texts are not compared.
            checker_params: Additional checks by the id of the expected event.
        """
        self._scenarios = scenarios
        self._soft = soft
        self._checker_params = checker_params
        self._judges: dict[int, Judge] = {}

    def judge_traces(self, path: Path) -> Iterator[TraceResult]:
        """Judge the traces of a file or folder; what cannot be judged is a result too."""
        try:
            for trace in find_traces(path, self._scenarios):
                yield self._judge(trace)
        except (NotJudgeable, InvalidScenario, ImportRefused) as error:
            yield TraceResult(trace=str(path), problem=str(error))

    async def judge_session(self, timeline: Timeline, session_id: str, *, save_as: str | None) -> TraceResult:
        """Judge a session.

        Args:
            timeline: The timeline of the session.
            session_id: The session.
            save_as: Who judges, for people who read the verdict on the timeline; None to leave the timeline alone.

        Raises:
            SessionNotFound: There is no such session.
        """
        name = f"session {session_id}"
        events = await timeline.read_events(session_id)
        try:
            result = self._judge(build_session_trace(name, events, self._scenarios))
        except NotJudgeable as error:
            return TraceResult(trace=name, problem=str(error))
        if result.verdict is not None and save_as is not None:
            reached = VerdictReached(
                # Turn 0 stands for a verdict on the whole run.
                turn=0,
                passed=result.verdict.passed,
                reason=result.verdict.reason,
                verdict=to_json_value(result.verdict.to_json()),
                judge=save_as,
            )
            await timeline.append(EventBatch(session_id, [reached]))
        return result

    def _judge(self, trace: FoundTrace) -> TraceResult:
        # By identity, because scenarios cannot be hashed; the list keeps them alive, so no id is used twice.
        number = id(trace.scenario)
        try:
            if number not in self._judges:
                self._judges[number] = Judge(trace.scenario, soft=self._soft, checker_params=self._checker_params)
            return TraceResult(trace=trace.name, verdict=self._judges[number].judge(trace.events))
        except NotJudgeable as error:
            return TraceResult(trace=trace.name, problem=str(error))
