"""Makes the players of the model seat from how they are written (timeline/player_spec.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, cast

from adk_agent_sim.adk.recorded_session import ModelFunction
from adk_agent_sim.adk.trace_player import TraceFile, TracePlayer
from adk_agent_sim.timeline.events import Player
from adk_agent_sim.timeline.player_spec import PlayerKind, PlayerSpec, Seat, parse_seat_player

ModelPlayerFactory: TypeAlias = Callable[[], Player | ModelFunction]
"""Returns the player of one session."""


def create_player_factory(player: str | ModelFunction) -> ModelPlayerFactory:
    """Return what makes the model's player of each session; files are read now, once for all sessions.

    Args:
        player: "human", "real", "replay:FILE" with the path of an EvalSet, or a function from request to response.

    Raises:
        InvalidPlayer: There is no such player, or it cannot play a model.
        NotAnEvalSet: The file of a replay is no EvalSet.
    """
    spec = parse_seat_player(Seat.MODEL, player)
    return _FACTORIES[spec.kind](spec)


def _replay_trace(spec: PlayerSpec) -> ModelPlayerFactory:
    trace_file = TraceFile.read(spec.argument)
    # A trace player remembers how far its session has come, so every session needs its own.
    return lambda: TracePlayer(trace_file)


_FACTORIES: dict[PlayerKind, Callable[[PlayerSpec], ModelPlayerFactory]] = {
    PlayerKind.REAL: lambda _: lambda: Player.REAL,
    PlayerKind.HUMAN: lambda _: lambda: Player.HUMAN,
    PlayerKind.REPLAY: _replay_trace,
    PlayerKind.FUNCTION: lambda spec: lambda: cast("ModelFunction", spec.function),
}
"""One entry for each player that `SEAT_PLAYERS` lists for the model seat."""
