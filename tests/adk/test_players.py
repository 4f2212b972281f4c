from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from adk_agent_sim.adk.players.cassette_player import CassettePlayer
from adk_agent_sim.adk.players.players import create_player_factory
from adk_agent_sim.adk.players.recording_player import RecordingPlayer
from adk_agent_sim.adk.plugins.simulator_plugin import SimulatorPlugin
from adk_agent_sim.adk.steps.steps import Done
from adk_agent_sim.errors import ImportRefused, InvalidPlayer, PlayerNotAvailable, ReplayImpossible, RunFailed
from adk_agent_sim.simulation.simulation import Simulation
from adk_agent_sim.timeline.events import Player, TurnDecided
from adk_agent_sim.timeline.player_spec import SEAT_PLAYERS, PlayerKind, Seat


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


def _create_agent() -> LlmAgent:
    return LlmAgent(name="math", model="no/such/model", tools=[add])


def answer_ok(request: LlmRequest) -> LlmResponse:
    return LlmResponse(content=types.Content(role="model", parts=[types.Part(text="ok")]))


@pytest.fixture
async def trace(tmp_path: Path) -> Path:
    async with Simulation(_create_agent()) as sim:
        turn = await sim.send("2+2?")
        turn = await turn.call("add", {"a": 2, "b": 2})
        await turn.respond("4")
        turn = await sim.send("and again?")
        await turn.respond("still 4")
        sim.export(tmp_path / "math.evalset.json")
    return tmp_path / "math.evalset.json"


def test_every_player_of_the_model_seat_can_be_made(trace: Path) -> None:
    made = {
        PlayerKind.REAL: create_player_factory("real")(),
        PlayerKind.HUMAN: create_player_factory("human")(),
        PlayerKind.REPLAY: create_player_factory(f"replay:{trace}")(),
        PlayerKind.RECORD: create_player_factory(f"record:{trace.with_name('new.json')}")(),
        PlayerKind.FUNCTION: create_player_factory(answer_ok)(),
    }

    assert made.keys() == SEAT_PLAYERS[Seat.MODEL]
    assert made[PlayerKind.REAL] is Player.REAL
    assert made[PlayerKind.HUMAN] is Player.HUMAN
    assert isinstance(made[PlayerKind.REPLAY], RecordingPlayer)
    assert isinstance(made[PlayerKind.RECORD], CassettePlayer)
    assert made[PlayerKind.FUNCTION] is answer_ok


def test_each_session_gets_a_trace_player_of_its_own(trace: Path) -> None:
    create_player = create_player_factory(f"replay:{trace}")
    trace.unlink()  # it was read before

    assert create_player() is not create_player()


def _create_simulation(player: Any) -> object:
    return Simulation(_create_agent(), model=player)


def _create_plugin(player: Any) -> object:
    return SimulatorPlugin(player=player)


@pytest.mark.parametrize("create", [_create_simulation, _create_plugin])
class TestEveryEntryPoint:
    def test_an_unknown_player_is_refused(self, create: Callable[[Any], object]) -> None:
        with pytest.raises(InvalidPlayer, match="The player 'robot' cannot be used: a player is one of real, human"):
            create("robot")

    def test_a_player_of_another_seat_is_refused_as_such(self, create: Callable[[Any], object]) -> None:
        with pytest.raises(PlayerNotAvailable, match="mock cannot play the model"):
            create("mock:llm")

    def test_a_replay_of_what_is_no_eval_set_is_refused_at_once(
        self, create: Callable[[Any], object], tmp_path: Path
    ) -> None:
        with pytest.raises(ImportRefused, match="no such file"):
            create(f"replay:{tmp_path / 'none.json'}")

    @pytest.mark.parametrize("player", ["human", "real", Player.HUMAN, answer_ok])
    def test_the_players_of_the_model_seat_are_accepted(self, create: Callable[[Any], object], player: Any) -> None:
        create(player)


async def test_a_simulation_is_played_by_a_golden_trace(trace: Path) -> None:
    async with Simulation(_create_agent(), model=f"replay:{trace}") as sim:
        first = await sim.send("2+2?")
        second = await sim.send("and again?")

        assert isinstance(first, Done)
        assert (first.text, second.text) == ("4", "still 4")
        decided = [event for event in sim.log() if isinstance(event.payload, TurnDecided)]
        assert [event.player for event in decided] == [Player.RECORDED] * 3


async def test_a_message_that_the_trace_does_not_have_fails_the_run(trace: Path) -> None:
    async with Simulation(_create_agent(), model=f"replay:{trace}") as sim:
        with pytest.raises(RunFailed, match="does not fit this session: it has no user message 'hello'") as raised:
            await sim.send("hello")

    assert isinstance(raised.value.__cause__, ReplayImpossible)
