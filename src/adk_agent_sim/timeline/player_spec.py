"""How a player is written, the same for every seat, and which seats support which player.

    real | human | replay:FILE | record:FILE | script:FILE | mock:schema|stateful|llm|replay | oracle | nothing | random
    | a function

This module only parses: whoever owns a seat makes the player (adk/players/players.py for models). `Player` in events.py
is coarser: it is what a timeline records of who played.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from adk_agent_sim.errors import InvalidPlayer, PlayerNotAvailable


class Seat(StrEnum):
    """A role in an agent's run for which a player can be named."""

    MODEL = "model"
    """The model of an agent in a session."""

    WORLD_MODEL = "model in a world"
    """The model of an agent that acts in the world of a scenario."""

    BENCH_MODEL = "model in a bench"
    """The same, in runs that nobody watches."""

    TOOL = "tool"
    """A tool while a session runs; rules, which simulate tools too, are not players."""


class PlayerKind(StrEnum):
    """The word before the colon."""

    REAL = "real"
    """The agent's own model, or the tool's own code."""

    HUMAN = "human"
    """A person."""

    REPLAY = "replay"
    """A recording; the argument is its file."""

    RECORD = "record"
    """The real player, whose answers are added to a recording; the argument is its file."""

    SCRIPT = "script"
    """A script; the argument is its file."""

    MOCK = "mock"
    """Generated answers; the argument is the strategy, see `MOCK_STRATEGIES`."""

    ORACLE = "oracle"
    """The actions that a scenario expects."""

    NOTHING = "nothing"
    """No action at all: the lowest result that a scenario allows."""

    RANDOM = "random"
    """Random actions in a scenario."""

    FUNCTION = "function"
    """A Python function. It has no text form."""


MOCK_STRATEGIES = ("schema", "stateful", "llm", "replay")

_SCENARIO_PLAYERS = (PlayerKind.ORACLE, PlayerKind.NOTHING, PlayerKind.RANDOM)

SEAT_PLAYERS: Mapping[Seat, frozenset[PlayerKind]] = {
    Seat.MODEL: frozenset(
        {PlayerKind.REAL, PlayerKind.HUMAN, PlayerKind.REPLAY, PlayerKind.RECORD, PlayerKind.FUNCTION}
    ),
    Seat.WORLD_MODEL: frozenset(
        {PlayerKind.REAL, PlayerKind.HUMAN, PlayerKind.REPLAY, PlayerKind.RECORD, PlayerKind.SCRIPT, *_SCENARIO_PLAYERS}
    ),
    Seat.BENCH_MODEL: frozenset({PlayerKind.REAL, PlayerKind.REPLAY, PlayerKind.SCRIPT, *_SCENARIO_PLAYERS}),
    Seat.TOOL: frozenset({PlayerKind.REAL, PlayerKind.HUMAN, PlayerKind.MOCK}),
}
"""The players that each seat can have."""

_ARGUMENT_NAMES: Mapping[PlayerKind, str] = {
    PlayerKind.REPLAY: "FILE",
    PlayerKind.RECORD: "FILE",
    PlayerKind.SCRIPT: "FILE",
    PlayerKind.MOCK: "|".join(MOCK_STRATEGIES),
}
_TEXT_KINDS = tuple(kind for kind in PlayerKind if kind is not PlayerKind.FUNCTION)


@dataclass(frozen=True, kw_only=True)
class PlayerSpec:
    """A player as somebody asked for it."""

    kind: PlayerKind

    argument: str = ""
    """The file or the mock strategy, if the kind takes one."""

    function: Callable[..., object] | None = None
    """The function, if the kind is FUNCTION."""

    def __str__(self) -> str:
        return f"{self.kind}:{self.argument}" if self.argument else str(self.kind)


def parse_player(player: str | Callable[..., object]) -> PlayerSpec:
    """Parse a player.

    Raises:
        InvalidPlayer: The text names no player, or its argument is missing or wrong.
    """
    if not isinstance(player, str):
        return PlayerSpec(kind=PlayerKind.FUNCTION, function=player)
    word, colon, argument = player.partition(":")
    kind = next((kind for kind in _TEXT_KINDS if kind == word), None)
    if kind is None:
        raise InvalidPlayer(player, f"a player is one of {', '.join(map(_format_kind, _TEXT_KINDS))}")
    if kind not in _ARGUMENT_NAMES:
        if colon:
            raise InvalidPlayer(player, f"{kind} takes no argument; write {str(kind)!r}")
    elif not argument or (kind is PlayerKind.MOCK and argument not in MOCK_STRATEGIES):
        raise InvalidPlayer(player, f"write it as {_format_kind(kind)}")
    return PlayerSpec(kind=kind, argument=argument)


def parse_seat_player(seat: Seat, player: str | Callable[..., object]) -> PlayerSpec:
    """Parse a player for a seat.

    Raises:
        InvalidPlayer: The text names no player, or its argument is missing or wrong.
        PlayerNotAvailable: The player cannot take this seat.
    """
    spec = parse_player(player)
    if spec.kind not in SEAT_PLAYERS[seat]:
        raise PlayerNotAvailable(str(spec), f"{spec.kind} cannot play the {seat}; give {format_players(seat)}")
    return spec


def format_players(seat: Seat) -> str:
    """Return how the players of a seat are written, such as `real, human or replay:FILE`."""
    *others, last = (_format_kind(kind) for kind in PlayerKind if kind in SEAT_PLAYERS[seat])
    return f"{', '.join(others)} or {last}"


def _format_kind(kind: PlayerKind) -> str:
    if kind is PlayerKind.FUNCTION:
        return "a function"
    return f"{kind}:{_ARGUMENT_NAMES[kind]}" if kind in _ARGUMENT_NAMES else str(kind)
