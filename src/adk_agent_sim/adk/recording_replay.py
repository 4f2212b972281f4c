"""Replays a recording on the agent's real tools and compares what happens with what was recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from google.adk.apps import App
from google.genai import types

from adk_agent_sim.adk.recording_player import RecordingPlayer
from adk_agent_sim.adk.simulation import Simulation
from adk_agent_sim.adk.steps import Confirmation, Step
from adk_agent_sim.errors import SimulatorError
from adk_agent_sim.golden.comparison import Comparison, compare_recordings
from adk_agent_sim.golden.recording import RecordedRun, Recording
from adk_agent_sim.golden.recording_builder import build_recording
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.framework_calls import is_request_call


@dataclass(frozen=True, kw_only=True)
class Replay:
    """The result of replaying one recording."""

    name: str
    comparison: Comparison

    notes: Sequence[str]
    """What was not replayed, and why."""

    problem: str = ""
    """Why the replay stopped early; empty if it did not."""

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
    problem = ""
    async with Simulation(app, model=player, state=recording.state) as sim:
        for place, run in enumerate(recording.runs):
            try:
                step = await sim.send(_build_message(sim, run))
            except SimulatorError as error:
                problem = str(error)
                break
            following = recording.runs[place + 1] if place + 1 < len(recording.runs) else None
            problem = _find_problem(step, player, following)
            if problem:
                break
        current = build_recording(sim.log(), recording.name)
    return Replay(
        name=recording.name,
        comparison=compare_recordings(recording, current, ignored_paths),
        notes=[
            f"agent {name!r} did not run: the recording has its result, but not its decisions"
            for name in sorted(player.skipped_agents)
        ],
        problem=problem,
    )


def _find_problem(step: Step, player: RecordingPlayer, following: RecordedRun | None) -> str:
    """Return why the replay cannot go on after a run; empty if it can."""
    if isinstance(step, Confirmation) and (following is None or following.is_query):
        return (
            f"The call of {step.pending_call.name!r} waits for the user's consent, which the recording does not "
            "contain. A timeline does: export the session with `adksim export --format jsonl`."
        )
    unplayed_count = player.count_unplayed()
    return f"The agents did not make {unplayed_count} of the recorded decisions." if unplayed_count else ""


def _build_message(sim: Simulation, run: RecordedRun) -> types.Content:
    """Return the recorded message; an answer to a question of ADK gets the id that the question has now."""
    message = cast("Mapping[str, Json]", run.message)
    if run.is_query:
        return types.Content.model_validate(message)
    question_ids = iter(_find_open_questions(sim))
    parts = [
        {**part, "function_response": {**part["function_response"], "id": next(question_ids, "")}}
        if _answers_question(part)
        else part
        for part in cast("Sequence[Mapping[str, Json]]", message.get("parts") or ())
    ]
    return types.Content.model_validate({**message, "parts": parts})


def _answers_question(part: Mapping[str, Json]) -> bool:
    response: Mapping[str, Json] = part.get("function_response") or {}
    return is_request_call(response.get("name") or "")


def _find_open_questions(sim: Simulation) -> list[str]:
    """Return the ids of ADK's questions to the user that have no answer yet, oldest first."""
    asked: dict[str, None] = {}
    for event in sim.events():
        for call in event.get_function_calls():
            if is_request_call(call.name or "") and call.id:
                asked[call.id] = None
        for response in event.get_function_responses():
            asked.pop(response.id or "", None)
    return list(asked)
