"""Who can play the models of a session: a person, the agent's own model, or a recording that this server knows.

Recordings are the agent's EvalSet, fixtures of `adk test` in its folder, and its other sessions on the timeline. A
request chooses from them and never names a path, so that nobody can read other files of the server.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field

from adk_agent_sim.adk.players.players import create_player_factory
from adk_agent_sim.adk.players.recording_player import RecordingPlayer
from adk_agent_sim.errors import ForkRefused, NotFound
from adk_agent_sim.golden.export_formats import EXPORT_FORMATS
from adk_agent_sim.golden.export_paths import find_export_folder
from adk_agent_sim.golden.recording import build_recording
from adk_agent_sim.golden.session import SimulatedAgentConfig
from adk_agent_sim.golden.trace_kind import detect_trace_kind
from adk_agent_sim.server.agents.playable_agent import PlayableAgent
from adk_agent_sim.server.sessions.session_runs import HUMAN
from adk_agent_sim.server.sessions.session_services import ServedSession
from adk_agent_sim.timeline.events import Player
from adk_agent_sim.timeline.player_spec import PlayerKind
from adk_agent_sim.timeline.session_queries import SessionFilter
from adk_agent_sim.use_cases import turns
from adk_agent_sim.use_cases.record import OperationResult, Record
from adk_agent_sim.use_cases.time_travel import CreatePlayer

REAL = str(PlayerKind.REAL)
_SESSION_PREFIX = "session:"

_MAX_RECORDINGS = 20
"""How many files, and how many sessions, are offered; the newest ones."""


class PlayerOption(Record):
    """A player that can take the seats of a session's models."""

    player: str = Field(description="`human`, `real`, or the key of a recording")
    kind: Literal["human", "real", "recording"]
    label: str
    note: str = Field(description="What it does, or where the recording comes from")


@dataclass(frozen=True, kw_only=True)
class _Recording:
    """A recording that can play a session."""

    option: PlayerOption
    path: Path | None = None
    """Its file; None for a session of this server."""


async def list_players(session: ServedSession) -> list[PlayerOption]:
    """Return who can play the models of a session.

    Raises:
        ForkRefused: The session does not run on this server.
    """
    recordings = await _list_recordings(session, await _require_agent(session))
    return [
        PlayerOption(player=HUMAN, kind="human", label="You", note="Each turn waits for a person"),
        PlayerOption(player=REAL, kind="real", label="The agent's own model", note="It answers every turn itself"),
        *(recording.option for recording in recordings),
    ]


async def choose_player(session: ServedSession, player: str) -> OperationResult:
    """Let a player take the seats of the models, from the turn on that waits now, or else from the next one.

    Raises:
        ForkRefused: The session does not run on this server.
        NotFound: There is no such player.
    """
    create_player = await _find_player(session, await _require_agent(session), player)
    turns.choose_player(session, create_player(), await session.timeline.read_events(session.session_id))
    session.services.runs.set_player(session.session_id, player)
    session.timeline.announce_change(session.session_id)
    return await session.build_result()


async def _find_player(session: ServedSession, agent: PlayableAgent, player: str) -> CreatePlayer:
    if player in (HUMAN, REAL):
        return lambda: Player.HUMAN if player == HUMAN else Player.REAL
    recordings = {each.option.player: each for each in await _list_recordings(session, agent)}
    if player not in recordings:
        raise NotFound("This recording is not offered for the session; it may have been deleted.")
    chosen = recordings[player]
    if chosen.path is not None:
        return await asyncio.to_thread(create_player_factory, f"{PlayerKind.REPLAY}:{chosen.path}")
    recorded_id = player.removeprefix(_SESSION_PREFIX)
    recording = build_recording(await session.timeline.read_events(recorded_id), recorded_id)
    return lambda: RecordingPlayer([recording], f"of session {chosen.option.label!r}")


async def _require_agent(session: ServedSession) -> PlayableAgent:
    summary = await session.timeline.get_summary(session.session_id)
    agent = session.services.runs.find_agent(summary)
    if (problem := session.find_player_problem(summary)) or agent is None:
        raise ForkRefused(problem)
    return agent


async def _list_recordings(session: ServedSession, agent: PlayableAgent) -> list[_Recording]:
    files = await asyncio.to_thread(_list_files, agent.config)
    others = await session.timeline.list_summaries(
        SessionFilter(of_agents=session.services.runs.select_sessions(lambda name: name == agent.config.name)),
        # One more, because the session itself may be among them.
        _MAX_RECORDINGS + 1,
    )
    sessions = [
        _Recording(
            option=PlayerOption(
                player=f"{_SESSION_PREFIX}{other.session.session_id}",
                kind="recording",
                label=other.name,
                note="A session of this agent",
            )
        )
        for other in others
        if other.session.session_id != session.session_id and other.turn_count > 0
    ]
    return [*files, *sessions[:_MAX_RECORDINGS]]


def _list_files(config: SimulatedAgentConfig) -> list[_Recording]:
    """Return the recordings among the files that the agent's config names."""
    folder = find_export_folder(config, "adk-test")
    fixtures = sorted(folder.glob(f"*{EXPORT_FORMATS['adk-test'].extension}")) if folder.is_dir() else []
    paths = [config.resolve_eval_set_path(), *fixtures]
    found = [path for path in paths if path.is_file() and detect_trace_kind(path) is not None]
    return [
        _Recording(
            option=PlayerOption(player=str(path), kind="recording", label=path.name, note=f"A file in {path.parent}"),
            path=path,
        )
        for path in found[:_MAX_RECORDINGS]
    ]
