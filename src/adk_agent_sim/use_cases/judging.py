"""Judges runs by what their scenarios expect: traces in files, and sessions of a timeline, which show the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import Field, computed_field

from adk_agent_sim.errors import ImportRefused, InvalidScenario, NotJudgeable
from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.verdict.checker_params import CheckerParams
from adk_agent_sim.scenario.verdict.judge import Judge
from adk_agent_sim.scenario.verdict.soft_check import SoftJudge
from adk_agent_sim.scenario.verdict.trace_files import FoundTrace, build_session_trace, find_traces
from adk_agent_sim.timeline.submissions import EventBatch
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.timeline.verdict import Verdict
from adk_agent_sim.timeline.world_events import VerdictReached
from adk_agent_sim.use_cases.record import Record


class TraceResult(Record):
    """The outcome of one trace: a verdict, or the reason why there is none."""

    trace: str = Field(description="The file, or the session")
    verdict: Verdict | None = None
    problem: str = Field(default="", description="Why there is no verdict; empty if there is one")

    @computed_field
    @property
    def passed(self) -> bool | None:
        """Whether the run does what is expected; None if it was not judged."""
        return None if self.verdict is None else self.verdict.passed

    @computed_field
    @property
    def reason(self) -> str:
        """Why the run did not pass; empty if it did."""
        return self.problem if self.verdict is None else self.verdict.reason


class ScenarioJudges:
    """The judges of several scenarios; each is prepared when its first run is judged."""

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
        self.scenarios = scenarios
        self._soft = soft
        self._checker_params = checker_params
        self._judges: dict[int, Judge] = {}

    def judge(self, trace: FoundTrace) -> TraceResult:
        """Judge a trace; that it cannot be judged is a result too."""
        # By identity, because scenarios cannot be hashed; the list keeps them alive, so no id is used twice.
        number = id(trace.scenario)
        try:
            if number not in self._judges:
                self._judges[number] = Judge(trace.scenario, soft=self._soft, checker_params=self._checker_params)
            return TraceResult(trace=trace.name, verdict=self._judges[number].judge(trace.events))
        except NotJudgeable as error:
            return TraceResult(trace=trace.name, problem=str(error))


def judge_traces(judges: ScenarioJudges, path: Path) -> list[TraceResult]:
    """Judge the traces of a file or folder; what cannot be judged is a result too."""
    found: list[TraceResult] = []
    try:
        for trace in find_traces(path, judges.scenarios):
            found.append(judges.judge(trace))  # noqa: PERF401 - those before an unreadable one are kept
    except (NotJudgeable, InvalidScenario, ImportRefused) as error:
        found.append(TraceResult(trace=str(path), problem=str(error)))
    return found


async def judge_session(
    judges: ScenarioJudges, timeline: Timeline, session_id: str, *, save_as: str | None
) -> TraceResult:
    """Judge a session.

    Args:
        judges: Those who judge.
        timeline: The timeline of the session.
        session_id: The session.
        save_as: Who judges, for people who read the verdict on the timeline; None to leave the timeline alone.

    Raises:
        SessionNotFound: There is no such session.
    """
    name = f"session {session_id}"
    events = await timeline.read_events(session_id)
    try:
        result = judges.judge(build_session_trace(name, events, judges.scenarios))
    except NotJudgeable as error:
        return TraceResult(trace=name, problem=str(error))
    if result.verdict is not None and save_as is not None:
        reached = VerdictReached(
            # Turn 0 stands for a verdict on the whole run.
            turn=0,
            passed=result.verdict.passed,
            reason=result.verdict.reason,
            verdict=result.verdict.to_json(),
            judge=save_as,
        )
        await timeline.append(EventBatch(session_id, [reached]))
    return result
