"""The badge of an eval case: whether it replays equal on the current tools, has drifted, or cannot be replayed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from google.adk.apps import App

from adk_agent_sim.adk.evals.recording_replay import Replay, replay_recording
from adk_agent_sim.errors import SimulatorError
from adk_agent_sim.golden.eval_file import OpenedCase
from adk_agent_sim.golden.recording import Recording

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
