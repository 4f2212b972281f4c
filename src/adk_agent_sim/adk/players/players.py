"""Makes the players of the model seat from how they are written (timeline/player_spec.py)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias, cast

from adk_agent_sim.adk.players.cassette_player import CassetteMode, CassettePlayer, read_cassette_mode
from adk_agent_sim.adk.players.recording_player import RecordingPlayer
from adk_agent_sim.adk.players.session_player import ModelFunction, SessionPlayer, StreamPlayer
from adk_agent_sim.golden.cassette import Cassette
from adk_agent_sim.golden.cassette_files import CassetteFile, read_cassette
from adk_agent_sim.golden.recording_files import read_recordings
from adk_agent_sim.golden.trace_kind import detect_trace_kind
from adk_agent_sim.timeline.events import Player
from adk_agent_sim.timeline.player_spec import PlayerKind, PlayerSpec, Seat, parse_player, parse_seat_player

ModelPlayerFactory: TypeAlias = Callable[[], SessionPlayer]
"""Returns the player of one session."""


def create_player_factory(player: str | ModelFunction | StreamPlayer) -> ModelPlayerFactory:
    """Return what makes the model's player of each session; files are read now, once for all sessions.

    Args:
        player: "human", "real", "replay:FILE" with the path of a recording or a model cassette, "record:FILE" to write
            a cassette, a function from request to response, or a player that decides by agent, which plays one session
            only.

    Raises:
        InvalidPlayer: There is no such player, or it cannot play a model.
        ImportRefused: The file of a replay is not a recording, or that of a cassette is something else.
        InvalidCassetteMode: ADK_SIM_CASSETTE has a value that means nothing.
    """
    if isinstance(player, StreamPlayer):
        return lambda: player
    spec = parse_seat_player(Seat.MODEL, player)
    return _FACTORIES[spec.kind](spec)


def needs_no_server(player: str | ModelFunction | StreamPlayer) -> bool:
    """Return whether a player works from a file alone, so that a server would only be told about it."""
    return isinstance(player, str) and parse_player(player).kind in (
        PlayerKind.REPLAY,
        PlayerKind.RECORD,
    )


def _replay_file(spec: PlayerSpec) -> ModelPlayerFactory:
    path = Path(spec.argument)
    if detect_trace_kind(path) == "cassette":
        mode = read_cassette_mode(os.environ)
        # A replay records only to update: the variable's other value is for cassettes that are missing.
        mode = mode if mode is CassetteMode.UPDATE else CassetteMode.REPLAY
        file, cassette = CassetteFile(path), read_cassette(path)
        return lambda: CassettePlayer(file, cassette, mode)
    recordings = read_recordings(Path(spec.argument))
    # A player remembers how far its session has come, so every session needs its own.
    return lambda: RecordingPlayer(recordings, spec.argument)


def _record_cassette(spec: PlayerSpec) -> ModelPlayerFactory:
    # The mode is not needed, but a value that means nothing is reported before anything runs.
    read_cassette_mode(os.environ)
    file = CassetteFile(Path(spec.argument))
    return lambda: CassettePlayer(file, Cassette(), CassetteMode.RECORD)


_FACTORIES: dict[PlayerKind, Callable[[PlayerSpec], ModelPlayerFactory]] = {
    PlayerKind.REAL: lambda _: lambda: Player.REAL,
    PlayerKind.HUMAN: lambda _: lambda: Player.HUMAN,
    PlayerKind.REPLAY: _replay_file,
    PlayerKind.RECORD: _record_cassette,
    PlayerKind.FUNCTION: lambda spec: lambda: cast("ModelFunction", spec.function),
}
"""One entry for each player that `SEAT_PLAYERS` lists for the model seat."""
