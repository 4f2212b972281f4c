"""Replays recordings and eval cases on the agent's real tools, and compares what happens with what was recorded."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import cast

from google.adk.apps import App
from google.adk.events import Event as AdkEvent
from google.genai import types

from adk_agent_sim.adk.players.recording_player import RecordingPlayer
from adk_agent_sim.adk.runs.pause_answers import build_credential_answer
from adk_agent_sim.adk.steps.steps import Confirmation, CredentialRequest, InputRequest, Step
from adk_agent_sim.adk.steps.stepwise_run import StepwiseRun
from adk_agent_sim.errors import SimulatorError
from adk_agent_sim.golden.comparison import Comparison, RecordingDifference, compare_recordings
from adk_agent_sim.golden.eval_file import OpenedCase
from adk_agent_sim.golden.recording import RecordedRun, Recording, build_recording
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.content_parts import as_mapping, get_parts
from adk_agent_sim.timeline.framework_calls import REQUEST_CREDENTIAL, is_request_call
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.redaction.credential_mask import NOT_RECORDED, SIMULATED


@dataclass(frozen=True, kw_only=True)
class Replay:
    """The result of replaying one recording."""

    name: str
    comparison: Comparison

    notes: Sequence[str]
    """What was not replayed, and why."""

    problem: str = ""
    """Why the replay stopped early; empty if it did not."""

    paused_at: int | None = None
    """The user message after which the agent waits for an answer that the recording does not contain; None if none."""

    adk_events: Sequence[AdkEvent] = field(default=(), repr=False)
    """What ADK emitted in the replay."""

    def list_drifts(self) -> list[RecordingDifference]:
        """Return what differs because something has changed, and not because the agent waits for an answer."""
        paused_at = self.paused_at
        return [each for each in self.comparison.differences if paused_at is None or each.message_number < paused_at]

    @property
    def is_unchanged(self) -> bool:
        """Whether everything that could be compared is as recorded, and the replay reached the end."""
        return not self.comparison.differences and not self.problem


async def replay_recording(app: App, recording: Recording, ignored_paths: Sequence[str] = ()) -> Replay:
    """Replay a recording on the app's real tools; no model is called.

    Args:
        app: The app whose tools run.
        recording: The recording.
        ignored_paths: The values in responses that may differ.
    """
    player = RecordingPlayer([recording], repr(recording.name))
    problem, paused_at = "", None
    async with StepwiseRun(app, model=player, state=recording.state, user_id=recording.user_id) as sim:
        for place, run in enumerate(recording.runs):
            if run.keys_edited_in_run:
                keys = ", ".join(run.keys_edited_in_run)
                problem = f"The state was edited while a turn was waiting ({keys}), which a replay does not do again."
                break
            try:
                await sim.agent_run.start(_build_message(sim, run))
                step = await sim.next()
            except SimulatorError as error:
                problem = str(error)
                break
            following = recording.runs[place + 1] if place + 1 < len(recording.runs) else None
            if problem := _find_unanswered_request(step, following):
                paused_at = place + 1
                break
            if unplayed_count := player.count_unplayed():
                problem = f"The agents did not make {unplayed_count} of the recorded decisions."
                break
            if run.state_edits:
                await sim.agent_run.edit_state(run.state_edits)
        current = build_recording(sim.log(), recording.name)
        adk_events = sim.events()
    return Replay(
        name=recording.name,
        comparison=compare_recordings(recording, current, ignored_paths),
        notes=[
            f"agent {name!r} did not run: the recording has its result, but not its decisions"
            for name in sorted(player.skipped_agents)
        ],
        problem=problem,
        paused_at=paused_at,
        adk_events=adk_events,
    )


def _find_unanswered_request(step: Step, following: RecordedRun | None) -> str:
    """Return what the agent waits for after a run, if the recording does not contain the answer; otherwise empty."""
    if isinstance(step, Confirmation) and (following is None or following.is_query):
        return (
            f"The call of {step.pending_call.name!r} waits for the user's consent, which the recording does not "
            "contain. A timeline does: export the session with `adksim export --format jsonl`."
        )
    if isinstance(step, CredentialRequest) and (following is None or not _has_answer(following)):
        asked = _capitalize(str(step))
        if following is not None and not following.is_query:
            return f"{asked}. No recording contains a credential: record a simulated sign-in to replay it."
        return (
            f"{asked}. No recording contains a credential, and only a timeline contains a simulated sign-in: "
            "export a session with one by `adksim export --format jsonl`."
        )
    if isinstance(step, InputRequest) and (following is None or following.is_query):
        return (
            f"{_capitalize(str(step))}, which the recording does not contain. "
            "A timeline does: export the session with `adksim export --format jsonl`."
        )
    return ""


def _build_message(sim: StepwiseRun, run: RecordedRun) -> types.Content:
    """Return the recorded message; an answer to a question of ADK gets the id that the question has now."""
    message = cast("Mapping[str, Json]", run.message)
    if run.is_query:
        return types.Content.model_validate(message)
    # ADK's ids are random, so recorded answers are given to the open questions in their order.
    questions = iter(_find_open_questions(sim))
    parts = [
        {**part, "function_response": _answer_again(part["function_response"], next(questions, None))}
        if _answers_question(part)
        else part
        for part in cast("Sequence[Mapping[str, Json]]", message.get("parts") or ())
    ]
    return types.Content.model_validate({**message, "parts": parts})


def _answers_question(part: Mapping[str, Json]) -> bool:
    response: Mapping[str, Json] = part.get("function_response") or {}
    return is_request_call(response.get("name") or "")


def _has_answer(run: RecordedRun) -> bool:
    """Return whether a run answers a request for a credential, with one that can be given again."""
    responses = [as_mapping(part.get("function_response")) for part in get_parts(run.message)]
    return any(
        response.get("name") != REQUEST_CREDENTIAL or response.get("response") != {"credential": NOT_RECORDED}
        for response in responses
        if response
    )


def _answer_again(response: Mapping[str, Json], question: types.FunctionCall | None) -> Mapping[str, Json]:
    """Return a recorded answer with the id of the question as it is now; a simulated sign-in is simulated again."""
    call_id = (question.id if question else None) or ""
    if question is not None and response.get("response") == {"credential": SIMULATED}:
        answer = build_credential_answer(call_id, question.args or {}, None)
        return to_json_value((answer.parts or [types.Part()])[0].function_response)
    return {**response, "id": call_id}


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]


def _find_open_questions(sim: StepwiseRun) -> list[types.FunctionCall]:
    """Return ADK's questions to the user that have no answer yet, oldest first."""
    asked: dict[str, types.FunctionCall] = {}
    for event in sim.events():
        for call in event.get_function_calls():
            if is_request_call(call.name or "") and call.id:
                asked[call.id] = call
        for response in event.get_function_responses():
            asked.pop(response.id or "", None)
    return list(asked.values())


MAX_REPLAY_SECONDS = 120.0
"""How long the tools of a case may take before it counts as not replayable."""


class BadgeState(StrEnum):
    """What is known about a case."""

    EQUAL = "equal"
    DRIFTED = "drifted"
    NOT_REPLAYABLE = "not_replayable"
    NOT_CHECKED = "not_checked"


@dataclass(frozen=True, kw_only=True)
class CaseBadge:
    """The badge of a case and why it has it."""

    state: BadgeState
    reason: str
    """One sentence for people."""

    replay: Replay | None = None
    """The replay; None if there was none."""


def find_obstacle(case: OpenedCase) -> str:
    """Return why a case cannot be replayed, as far as its content tells; empty if it can be tried."""
    try:
        recording = case.build_recording()
    except ValueError as error:
        return f"It cannot be replayed: {error}."
    return find_recording_obstacle(recording)


def find_recording_obstacle(recording: Recording) -> str:
    """Return why a recording cannot be replayed, as far as its content tells; empty if it can be tried."""
    if not recording.runs:
        return "It has no user message."
    calls = [call for run in recording.runs for call in run.calls]
    if any(run.texts for run in recording.runs) or any(call.response is not None for call in calls):
        return ""
    if calls:
        return "It has no recorded results of tools, so a replay would compare nothing."
    return "It calls no tools, so a replay would compare nothing."


def create_first_badge(obstacle: str, *, has_agent: bool) -> CaseBadge:
    """Return the badge before a replay; `obstacle` says why there cannot be one, if there is such a reason."""
    if obstacle:
        return CaseBadge(state=BadgeState.NOT_REPLAYABLE, reason=obstacle)
    reason = "Not replayed yet." if has_agent else "No agent was named: start with --agent DIR to replay it."
    return CaseBadge(state=BadgeState.NOT_CHECKED, reason=reason)


async def replay_case(
    app: App, case: OpenedCase, ignored_paths: Sequence[str] = (), *, max_seconds: float = MAX_REPLAY_SECONDS
) -> CaseBadge:
    """Replay a case on the real tools of an app, and return its badge.

    Args:
        app: The app whose tools run.
        case: The case.
        ignored_paths: The values in results that may differ.
        max_seconds: How long the replay may take.
    """
    try:
        recording = case.build_recording()
    except ValueError:
        return CaseBadge(state=BadgeState.NOT_REPLAYABLE, reason=find_obstacle(case))
    try:
        async with asyncio.timeout(max_seconds):
            replay = await replay_recording(app, recording, ignored_paths)
    except TimeoutError:
        return CaseBadge(
            state=BadgeState.NOT_REPLAYABLE, reason=f"Its tools took longer than {max_seconds:g} s. Replay it alone."
        )
    except (SimulatorError, ValueError) as error:
        return CaseBadge(state=BadgeState.NOT_REPLAYABLE, reason=f"It cannot be replayed: {error}")
    return _judge_replay(case, replay)


def _judge_replay(case: OpenedCase, replay: Replay) -> CaseBadge:
    comparison = replay.comparison
    if drifts := replay.list_drifts():
        first = drifts[0]
        more = f", and {len(drifts) - 1} more" if len(drifts) > 1 else ""
        reason = f"{first.what} after message {first.message_number} is not as recorded{more}."
        return CaseBadge(state=BadgeState.DRIFTED, reason=reason[:1].upper() + reason[1:], replay=replay)
    if replay.problem:
        return CaseBadge(state=BadgeState.NOT_REPLAYABLE, reason=replay.problem, replay=replay)
    if not comparison.has_compared:
        reason = find_obstacle(case) or "The replay had nothing to compare."
        return CaseBadge(state=BadgeState.NOT_REPLAYABLE, reason=reason, replay=replay)
    count = comparison.compared_call_count
    what = "The result of its call is" if count == 1 else f"The results of its {count} calls are"
    return CaseBadge(
        state=BadgeState.EQUAL, reason=f"{what} as recorded." if count else "Its texts are as recorded.", replay=replay
    )
