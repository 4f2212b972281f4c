"""What can be done with eval cases: describe, check, compare, replay and convert them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import Field, computed_field

from adk_agent_sim.adk.evals.case_metrics import (
    CallStatus,
    CaseScores,
    ComparedCall,
    MetricScore,
    convert_events,
    list_invocations,
    score_case,
)
from adk_agent_sim.adk.evals.eval_set_conversion import convert_beside, convert_file
from adk_agent_sim.adk.evals.recording_replay import (
    BadgeState,
    CaseBadge,
    create_first_badge,
    find_recording_obstacle,
    replay_case,
)
from adk_agent_sim.adk.evals.recording_replay import replay_recording as replay_on_tools
from adk_agent_sim.adk.loading.agent_loader import App
from adk_agent_sim.errors import SimulatorError
from adk_agent_sim.golden.comparison import RecordingDifference
from adk_agent_sim.golden.eval_file import EvalFile, OpenedCase, summarize_case, summarize_recording
from adk_agent_sim.golden.recording import Recording
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.json_conversion import format_json_value
from adk_agent_sim.use_cases.record import Record


class BadgeInfo(Record):
    """What is known about a case: whether it still replays as recorded."""

    state: BadgeState
    reason: str = Field(description="One sentence")


class EvalCaseInfo(Record):
    """A case in a list."""

    key: str = Field(description="Its key in its file")
    eval_id: str
    fingerprint: str = Field(description="Differs if the content does: an edit says which content it is about")
    app_name: str
    first_message: str
    turn_count: int
    call_count: int
    badge: BadgeInfo
    metrics: list[MetricScore] = Field(description="The scores of the last check; empty before one")
    problem: str = Field(description="Why the case has no timeline; empty if it has one")


class ReplayDifferenceInfo(Record):
    """Something that is not as recorded in a replay."""

    message_number: int = Field(description="The user message that it follows, from 1")
    agent_name: str
    what: str
    recorded: str = Field(description="The recorded value as JSON text, so that numbers keep their digits")
    found: str = Field(description="The current value as JSON text")
    call_id: str = Field(description="The call that differs; empty if it is something else")


class ComparedCallInfo(Record):
    """A call of the case beside the call that was made."""

    status: CallStatus
    expected_name: str = Field(description="The tool in the case; empty if the call is extra")
    expected_arguments: str = Field(description="JSON text; empty if the call is extra")
    actual_name: str = Field(description="The tool that was called; empty if the call is missing")
    actual_arguments: str = Field(description="JSON text; empty if the call is missing")


class ComparedTurnInfo(Record):
    """A user turn of the case beside what happened."""

    calls: list[ComparedCallInfo]
    expected_response: str
    actual_response: str


class CaseCheckInfo(Record):
    """What a replay or a comparison of a case found."""

    source: str = Field(description="What the case was compared with: a replay, or another recording")
    differences: list[ReplayDifferenceInfo]
    notes: list[str]
    metrics: list[MetricScore]
    turns: list[ComparedTurnInfo]
    config_path: str = Field(description="The file that the criteria are from; empty if they are ADK's own")
    problem: str = Field(description="Why there are no scores; empty if there are")


class CheckedCase(Record):
    """A case, and what its replay found."""

    case: EvalCaseInfo
    check: CaseCheckInfo | None = Field(description="None if the case was not replayed")
    has_compared: bool = Field(description="Whether there was anything to compare, or something kept it from that")

    @computed_field
    @property
    def is_good(self) -> bool:
        """Whether the case replays as recorded and passes its metrics."""
        has_failed = self.check is not None and (
            bool(self.check.problem) or any(metric.is_passed is False for metric in self.check.metrics)
        )
        return self.case.badge.state is BadgeState.EQUAL and not has_failed


class ReplayRecord(Record):
    """What a replay of a recording found."""

    name: str
    is_unchanged: bool = Field(description="Whether all that could be compared is as recorded, up to the end")
    call_count: int
    compared_call_count: int = Field(description="How many calls have a recorded response, which was compared")
    compared_text_count: int
    problem: str = Field(description="Why the replay stopped early; empty if it did not")
    notes: list[str] = Field(description="What was not replayed, and why")
    differences: list[ReplayDifferenceInfo]

    @property
    def has_compared(self) -> bool:
        """Whether there was anything that could differ."""
        return bool(self.compared_call_count or self.compared_text_count)


class ConvertedCases(Record):
    """The new file that has the cases of one that can only be read."""

    source: str
    kind: Literal["evalset", "session"] = Field(description="What the source is")
    path: str
    case_count: int
    omitted_turn_count: int = Field(description="How many user turns of a session have no final response")


def describe_case(case: OpenedCase, *, has_agent: bool) -> EvalCaseInfo:
    """Describe a case as far as its content tells, without a replay, which calls real tools."""
    try:
        recording = case.build_recording()
    except ValueError as error:
        summary, obstacle = summarize_case(case), f"It cannot be replayed: {error}."
    else:
        summary, obstacle = summarize_recording(case, recording), find_recording_obstacle(recording)
    badge = create_first_badge(obstacle, has_agent=has_agent)
    return EvalCaseInfo(
        key=case.key,
        eval_id=case.eval_id,
        fingerprint=case.fingerprint,
        badge=_build_badge(badge),
        metrics=[],
        **vars(summary),
    )


async def check_case(
    app: App | None, file: EvalFile, case: OpenedCase, ignored_paths: Sequence[str] = ()
) -> CheckedCase:
    """Replay a case on the app's real tools, and score the replay with ADK's metrics that need no model.

    Args:
        app: The app; None to say only what the content of the case tells.
        file: The file of the case, beside which the criteria are.
        case: The case.
        ignored_paths: The values in results that may differ.
    """
    described = describe_case(case, has_agent=app is not None)
    is_comparable = described.badge.state is not BadgeState.NOT_REPLAYABLE
    if app is None or described.problem:
        return CheckedCase(case=described, check=None, has_compared=is_comparable)
    badge = await replay_case(app, case, ignored_paths)
    replay, scores, problem = badge.replay, None, ""
    try:
        if replay is not None:
            scores = score_case(list_invocations(case), convert_events(replay.adk_events), file.path)
    except SimulatorError as error:
        problem = str(error)
    check = CaseCheckInfo(
        source="a replay on the current tools",
        differences=_build_differences(replay.comparison.differences) if replay else [],
        notes=list(replay.notes) if replay else [],
        problem=problem,
        **_build_score_fields(scores),
    )
    described = described.model_copy(update={"badge": _build_badge(badge), "metrics": check.metrics})
    has_stopped = replay is not None and bool(replay.problem or replay.comparison.differences)
    return CheckedCase(case=described, check=check, has_compared=is_comparable or has_stopped)


def compare_case(file: EvalFile, case: OpenedCase, other: OpenedCase, source: str) -> CaseCheckInfo:
    """Score another recording of the same conversation with ADK's metrics.

    Args:
        file: The file of the case, beside which the criteria are.
        case: The case.
        other: The other recording.
        source: What it is, for people.
    """
    scores = score_case(list_invocations(case), list_invocations(other), file.path)
    return CaseCheckInfo(source=source, differences=[], notes=[], problem="", **_build_score_fields(scores))


async def replay_recording(app: App, recording: Recording, ignored_paths: Sequence[str] = ()) -> ReplayRecord:
    """Call the app's real tools again as in a recording, without a model, and compare what they return.

    Args:
        app: The app whose tools run.
        recording: The recording.
        ignored_paths: The values in responses that may differ.
    """
    replay = await replay_on_tools(app, recording, ignored_paths)
    comparison = replay.comparison
    return ReplayRecord(
        name=replay.name,
        is_unchanged=replay.is_unchanged,
        call_count=comparison.call_count,
        compared_call_count=comparison.compared_call_count,
        compared_text_count=comparison.compared_text_count,
        problem=replay.problem,
        notes=list(replay.notes),
        differences=_build_differences(comparison.differences),
    )


def convert_cases(file: EvalFile, target: Path | None = None) -> ConvertedCases:
    """Write the cases of a file that can only be read to a new EvalSet, which can be edited.

    Args:
        file: The file.
        target: The file to write; by default a new one beside it.

    Raises:
        ExportRefused: There is nothing to convert, or the target exists or cannot be written.
    """
    converted = convert_beside(file) if target is None else convert_file(file, target)
    return ConvertedCases(
        source=str(file.path),
        kind=file.kind,
        path=str(converted.path),
        case_count=converted.case_count,
        omitted_turn_count=converted.omitted_turn_count,
    )


def _build_badge(badge: CaseBadge) -> BadgeInfo:
    return BadgeInfo(state=badge.state, reason=badge.reason)


def _build_differences(differences: Sequence[RecordingDifference]) -> list[ReplayDifferenceInfo]:
    return [
        ReplayDifferenceInfo(
            message_number=each.message_number,
            agent_name=each.agent_name,
            what=each.what,
            recorded=format_json_value(each.recorded),
            found=format_json_value(each.found),
            call_id=each.call_id,
        )
        for each in differences
    ]


def _build_score_fields(scores: CaseScores | None) -> dict[str, Json]:
    return {
        "metrics": list(scores.metrics) if scores else [],
        "turns": [
            ComparedTurnInfo(
                calls=[_build_call(call) for call in turn.calls],
                expected_response=turn.expected_response,
                actual_response=turn.actual_response,
            )
            for turn in (scores.turns if scores else ())
        ],
        "config_path": scores.config_path if scores else "",
    }


def _build_call(call: ComparedCall) -> ComparedCallInfo:
    return ComparedCallInfo(
        status=call.status,
        expected_name=call.expected["name"] if call.expected else "",
        expected_arguments=format_json_value(call.expected["args"]) if call.expected else "",
        actual_name=call.actual["name"] if call.actual else "",
        actual_arguments=format_json_value(call.actual["args"]) if call.actual else "",
    )
