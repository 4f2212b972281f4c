from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_agent_sim.environment.tool_choices import ToolPlayer
from adk_agent_sim.errors import InvalidPlayer, PlayerNotAvailable
from adk_agent_sim.scenario.players.random_player import WORLD_PLAYERS
from adk_agent_sim.timeline.player_spec import (
    MOCK_STRATEGIES,
    SEAT_PLAYERS,
    PlayerKind,
    PlayerSpec,
    Seat,
    parse_player,
    parse_seat_player,
)


@pytest.mark.parametrize(
    ("text", "kind", "argument"),
    [
        ("real", PlayerKind.REAL, ""),
        ("human", PlayerKind.HUMAN, ""),
        ("oracle", PlayerKind.ORACLE, ""),
        ("nothing", PlayerKind.NOTHING, ""),
        ("random", PlayerKind.RANDOM, ""),
        ("replay:evals/a.evalset.json", PlayerKind.REPLAY, "evals/a.evalset.json"),
        (r"replay:C:\evals\a.json", PlayerKind.REPLAY, r"C:\evals\a.json"),
        ("record:a.json", PlayerKind.RECORD, "a.json"),
        ("script:a.yaml", PlayerKind.SCRIPT, "a.yaml"),
        *((f"mock:{strategy}", PlayerKind.MOCK, strategy) for strategy in MOCK_STRATEGIES),
    ],
)
def test_every_form_of_the_grammar_is_parsed_and_written_back(text: str, kind: PlayerKind, argument: str) -> None:
    spec = parse_player(text)

    assert spec == PlayerSpec(kind=kind, argument=argument)
    assert str(spec) == text


def test_a_function_is_a_player() -> None:
    assert parse_player(len) == PlayerSpec(kind=PlayerKind.FUNCTION, function=len)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("robot", "a player is one of real, human, replay:FILE, record:FILE, script:FILE, mock:schema|stateful|llm|"),
        ("", "a player is one of"),
        ("function", "a player is one of"),
        ("Human", "a player is one of"),
        ("replay", "write it as replay:FILE"),
        ("replay:", "write it as replay:FILE"),
        ("mock", "write it as mock:schema|stateful|llm|replay"),
        ("mock:magic", "write it as mock:schema|stateful|llm|replay"),
        ("human:me", "human takes no argument; write 'human'"),
        ("real:", "real takes no argument; write 'real'"),
    ],
)
def test_what_is_no_player_is_refused_with_what_would_be(text: str, reason: str) -> None:
    with pytest.raises(InvalidPlayer) as raised:
        parse_player(text)

    assert str(raised.value).startswith(f"The player {text!r} cannot be used: {reason}")
    assert not isinstance(raised.value, PlayerNotAvailable)


@given(st.text(max_size=20))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    try:
        spec = parse_player(text)
    except InvalidPlayer:
        return
    assert str(spec) == text


@pytest.mark.parametrize("text", ["script:a.yaml", "mock:llm", "oracle"])
def test_a_player_of_another_seat_is_not_called_unknown(text: str) -> None:
    with pytest.raises(PlayerNotAvailable) as raised:
        parse_seat_player(Seat.MODEL, text)

    assert str(raised.value) == (
        f"The player {text!r} cannot be used: {text.partition(':')[0]} cannot play the model; "
        "give real, human, replay:FILE, record:FILE or a function."
    )


def test_a_seat_takes_the_players_that_the_registry_lists() -> None:
    assert SEAT_PLAYERS.keys() == set(Seat)
    assert parse_seat_player(Seat.TOOL, "real").kind is PlayerKind.REAL
    assert parse_seat_player(Seat.WORLD_MODEL, "oracle").kind is PlayerKind.ORACLE
    with pytest.raises(PlayerNotAvailable, match="human cannot play the model in a bench; give real, replay:FILE"):
        parse_seat_player(Seat.BENCH_MODEL, "human")


def test_a_tool_has_the_players_that_the_registry_lists_and_those_that_rules_choose() -> None:
    mocks_and_others = {*MOCK_STRATEGIES, *(SEAT_PLAYERS[Seat.TOOL] - {PlayerKind.MOCK})}
    assert {*get_args(ToolPlayer)} == {*mocks_and_others, "rules"}


def test_the_players_of_scenarios_are_those_that_the_registry_lists() -> None:
    assert WORLD_PLAYERS.keys() == {PlayerKind.ORACLE, PlayerKind.NOTHING, PlayerKind.RANDOM}
    assert WORLD_PLAYERS.keys() <= SEAT_PLAYERS[Seat.WORLD_MODEL] & SEAT_PLAYERS[Seat.BENCH_MODEL]
