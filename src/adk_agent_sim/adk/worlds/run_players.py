"""The players that can take the model's seat of an agent in a world, by how they are written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from adk_agent_sim.adk.players.players import create_player_factory
from adk_agent_sim.adk.players.session_player import SessionPlayer
from adk_agent_sim.adk.worlds.model_players import WorldModelPlayer
from adk_agent_sim.adk.worlds.script_player import read_script_player
from adk_agent_sim.scenario.players.player_names import WORLD_PLAYERS
from adk_agent_sim.timeline.events import Player
from adk_agent_sim.timeline.player_spec import PlayerKind, Seat, parse_seat_player

if TYPE_CHECKING:
    from adk_agent_sim.adk.worlds.world_run import WorldRun


def create_run_player(player: str) -> Callable[[WorldRun], SessionPlayer]:
    """Return what makes the player of a run. Files are read now.

    Args:
        player: `real` for the agent's own model; `human` for a person in the browser; `oracle`, `nothing` or `random`;
            `script:FILE` with the calls and responses of the model; `replay:FILE` with a recording, or `record:FILE`
            to make one.

    Raises:
        InvalidPlayer: There is no such player, or it cannot play a model.
        InvalidScript: The script has errors.
        ImportRefused: The file of a replay is not a recording.
    """
    spec = parse_seat_player(Seat.WORLD_MODEL, player)
    if create_world_player := WORLD_PLAYERS.get(spec.kind):

        def create(run: WorldRun) -> SessionPlayer:
            # The first run plays with the seed as it was given, and each later one with another.
            seed = run.world.seed + run.options.run_number - 1
            return WorldModelPlayer(create_world_player(run.world, seed), run.session)

        return create
    if spec.kind is PlayerKind.SCRIPT:
        path = Path(spec.argument)
        read_script_player(path)  # errors are reported before the run
        return lambda run: read_script_player(path)
    if spec.kind is PlayerKind.HUMAN:
        return lambda run: Player.HUMAN
    create_recorded = create_player_factory(player)
    return lambda run: create_recorded()
