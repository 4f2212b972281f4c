"""The players of a world by the names under which commands offer them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from adk_agent_sim.scenario.players.oracle_player import OraclePlayer
from adk_agent_sim.scenario.players.random_player import RandomPlayer
from adk_agent_sim.scenario.players.world_player import IdlePlayer, WorldPlayer
from adk_agent_sim.scenario.world.world import World

ORACLE, NOTHING, RANDOM = "oracle", "nothing", "random"

WORLD_PLAYERS: Mapping[str, Callable[[World, int], WorldPlayer]] = MappingProxyType(
    {
        ORACLE: lambda world, seed: OraclePlayer(world),
        NOTHING: lambda world, seed: IdlePlayer(),
        RANDOM: lambda world, seed: RandomPlayer(world.scenario, seed=seed),
    }
)
"""Creates a player for one run in a world; the seed decides what a random player does."""
