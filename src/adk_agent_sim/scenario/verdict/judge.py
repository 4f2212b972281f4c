"""The judge of a scenario: prepared once, it compares runs with what the scenario expects.

judge = Judge(load_scenario("lunch.json"))
verdict = judge.judge("trace.json")
print(verdict.passed, verdict)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from adk_agent_sim.errors import NotJudgeable
from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.format.models import ExportedTrace
from adk_agent_sim.scenario.verdict.checker_params import CheckerParams, read_checker_params
from adk_agent_sim.scenario.verdict.checker_table import MESSAGE_TO_USER
from adk_agent_sim.scenario.verdict.oracle_plan import ExpectedTurn, OraclePlan, build_oracle_plan
from adk_agent_sim.scenario.verdict.soft_check import SoftJudge, SoftPanel, find_soft_judge
from adk_agent_sim.scenario.verdict.trace_files import load_trace
from adk_agent_sim.scenario.verdict.traced_action import (
    AnyCompletedEvent,
    TracedAction,
    assign_turns,
    list_traced_actions,
)
from adk_agent_sim.scenario.verdict.turn_matching import ActionMatching
from adk_agent_sim.scenario.verdict.turn_report import explain_turn, summarize_action
from adk_agent_sim.scenario.world.event_queue import TurnVerdict
from adk_agent_sim.scenario.world.world import World
from adk_agent_sim.timeline.verdict import (
    CountDifference,
    JudgedEvent,
    JudgedTurn,
    JudgedValidation,
    Verdict,
    describe_failure,
)

EXTRA_MESSAGES = 1
"""How many messages more than expected the agent may send to the user in a turn."""

Trace: TypeAlias = str | Path | ScenarioImportedFromJson | ExportedTrace | World | Sequence[AnyCompletedEvent]
"""What a judge reads: the path of a trace or timeline, a trace, a world after a run, or completed events."""


class Judge:
    """Judges runs of one scenario."""

    def __init__(
        self,
        scenario: ScenarioImportedFromJson,
        *,
        soft: SoftJudge | str | None = None,
        checker_params: CheckerParams | None = None,
    ) -> None:
        """Prepare a judge: run the scenario's oracle and work out what to compare.

        Args:
            scenario: The scenario.
            soft: Answers whether texts mean the same: a callable, or `replay:FILE` with recorded answers. None selects
                the scripted judge, which does not compare texts.
            checker_params: Additional checks by the id of the expected event.

        Raises:
            NotJudgeable: The scenario expects nothing, or its oracle fails.
            InvalidCheckerParam: An additional check is invalid.
            InvalidAnswersFile: The file with recorded answers cannot be used.
        """
        self.scenario = scenario
        self.plan: OraclePlan = build_oracle_plan(scenario, read_checker_params(checker_params))
        answering = find_soft_judge(soft)
        self._panel = None if answering is None else SoftPanel(answering)

    @property
    def turn_count(self) -> int:
        """The number of turns that the scenario expects."""
        return len(self.plan.turns)

    @property
    def compares_texts(self) -> bool:
        """Whether it asks if texts mean the same; the scripted judge does not."""
        return self._panel is not None

    def judge(self, trace: Trace) -> Verdict:
        """Return the verdict on a complete run.

        Raises:
            NotJudgeable: The trace has no events, or a recorded answer is missing.
            InvalidScenario: The file is no trace.
            ImportRefused: The file is a timeline that cannot be read.
        """
        return self._judge(trace, self.turn_count)

    def judge_turns(self, trace: Trace, count: int) -> Verdict:
        """Return the verdict on the first turns of a run, which may still go on."""
        return self._judge(trace, max(0, min(count, self.turn_count)))

    def watch_turns(self, on_verdict: Callable[[Verdict], object] | None = None, *, stops: bool = True) -> TurnWatch:
        """Return a turn condition for `World`: it judges each turn when the agent ends it.

        Args:
            on_verdict: Called with the verdict on the turns so far.
            stops: Whether the world stops when a turn is rejected.
        """
        return TurnWatch(self, on_verdict, stops=stops)

    def _judge(self, trace: Trace, turn_count: int) -> Verdict:
        events = self._list_events(trace)
        if not events:
            raise NotJudgeable(
                self.scenario.scenario_id,
                "the trace has no completed events, so there is nothing to judge. Give the trace of a run",
            )
        if self._panel is not None:
            self._panel.asked = {}
        happened = list_traced_actions(events, self.plan.class_names)
        judged = assign_turns(happened)
        matching = ActionMatching(self.plan, self._panel)
        turns, matches, reason = self._judge_turns(matching, happened, judged, turn_count)
        # Validations are decided at the end of a run, so they say nothing about its first turns.
        validations = self._judge_validations(happened) if turn_count == self.turn_count else ()
        failed = next((each for each in validations if not each.passed), None)
        if not reason and failed is not None:
            reason = f"The validation {failed.event_id!r:.120} failed: {failed.reason}"
        start = self.plan.start_time
        return Verdict(
            scenario_id=self.scenario.scenario_id,
            passed=not reason,
            reason=reason,
            turns=tuple(turns),
            validations=validations,
            matches=matches,
            soft_checks=tuple(self._panel.asked.values()) if self._panel is not None else (),
            after_end=tuple(
                summarize_action(each, start)
                for each in judged
                if each.turn >= self.turn_count and each.kind == "AGENT"
            ),
        )

    def _judge_turns(
        self, matching: ActionMatching, happened: list[TracedAction], judged: list[TracedAction], turn_count: int
    ) -> tuple[list[JudgedTurn], dict[str, str], str]:
        """Return the turns, the matches until the decision, and why it failed."""
        by_turn: list[list[TracedAction]] = [[] for _ in self.plan.turns]
        for each in judged:
            if each.turn < len(by_turn):
                by_turn[each.turn].append(each)
        turns: list[JudgedTurn] = []
        matches: dict[str, str] = {}
        for number, turn in enumerate(self.plan.turns[:turn_count]):
            counts, events = _judge_turn(matching, turn, by_turn[number])
            matches.update({each.agent_event_id: name for name, each in events.items() if each.agent_event_id})
            if counts or len(events) < len(turn.events):
                report = explain_turn(matching, number, turn, events, happened, counts)
                turns.append(report)
                skipped = range(number + 1, len(self.plan.turns))
                turns += [JudgedTurn(number=each + 1, status="not judged") for each in skipped]
                return turns, matches, describe_failure(report)
            turns.append(
                JudgedTurn(
                    number=number + 1, status="passed", events=tuple(events[each.event_id] for each in turn.events)
                )
            )
        return turns, matches, ""

    def _list_events(self, trace: Trace) -> Sequence[AnyCompletedEvent]:
        match trace:
            case str() | Path():
                return load_trace(trace, self.scenario).events
            case World():
                return trace.event_log()
            case ScenarioImportedFromJson() | ExportedTrace():
                return trace.completed_events
            case _:
                return trace

    def _judge_validations(self, happened: Sequence[TracedAction]) -> tuple[JudgedValidation, ...]:
        decided = {each.event_id: each for each in happened if each.kind == "VALIDATION"}
        names = dict.fromkeys((*self.plan.validation_ids, *decided))
        return tuple(
            JudgedValidation(
                event_id=name,
                passed=name in decided and decided[name].error is None,
                reason=(decided[name].error or "") if name in decided else "the run does not say how it ended",
            )
            for name in names
        )


class TurnWatch:
    """Judges each turn of a running world when the agent ends it."""

    def __init__(self, judge: Judge, on_verdict: Callable[[Verdict], object] | None, *, stops: bool) -> None:
        self._judge = judge
        self._on_verdict = on_verdict
        self._stops = stops

    def __call__(self, world: World, turn: int) -> TurnVerdict:
        """Judge the turns so far; the agent's events take over the ids of the events that they match."""
        verdict = self._judge.judge_turns(world, turn)
        if self._on_verdict is not None:
            self._on_verdict(verdict)
        return TurnVerdict(passed=verdict.passed or not self._stops, matches=verdict.matches)


def judge(
    scenario: ScenarioImportedFromJson,
    trace: Trace,
    *,
    soft: SoftJudge | str | None = None,
    checker_params: CheckerParams | None = None,
) -> Verdict:
    """Return the verdict on one run; to judge several runs of a scenario, prepare a `Judge`."""
    return Judge(scenario, soft=soft, checker_params=checker_params).judge(trace)


def _judge_turn(
    matching: ActionMatching, turn: ExpectedTurn, actions: list[TracedAction]
) -> tuple[list[CountDifference], dict[str, JudgedEvent]]:
    """Return the tools whose numbers of calls differ, and the matched events by id until the first that is not."""
    matching.add_turn(actions)
    counts = _compare_counts(turn, actions)
    events: dict[str, JudgedEvent] = {}
    for event in turn.events if not counts else ():
        found = matching.match_event(event, turn)
        if found is None:
            break
        events[event.event_id] = found
    return counts, events


def _compare_counts(turn: ExpectedTurn, actions: list[TracedAction]) -> list[CountDifference]:
    got: dict[str, int] = {}
    for each in actions:
        got[each.tool] = got.get(each.tool, 0) + 1
    differing: list[CountDifference] = []
    for tool in dict.fromkeys((*turn.tool_counts, *got)):
        expected, done = turn.tool_counts.get(tool, 0), got.get(tool, 0)
        allowed = EXTRA_MESSAGES if tool == MESSAGE_TO_USER else 0
        if not expected <= done <= expected + allowed:
            differing.append(CountDifference(tool=tool, expected=expected, got=done))
    return differing
