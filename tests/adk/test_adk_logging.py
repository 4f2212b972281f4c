"""ADK's warnings that a player of the model causes: hidden while one plays, and nothing else is."""

from __future__ import annotations

import logging

import pytest
from google.adk.agents import LlmAgent
from scripted_model import ScriptedModel, call_response, text_response

from adk_agent_sim import Simulation
from adk_agent_sim.adk.compat import hide_player_warnings

USAGE_LOGGER = logging.getLogger("google_adk.google.adk.telemetry._metrics")
USAGE_WARNING = "Skipping missing token usage metadata"


def shout() -> str:
    """Warn as a tool of a user does, through a logger of ADK."""
    USAGE_LOGGER.warning("Another warning")
    logging.getLogger("google_adk.google.adk.runners").warning("A real warning")
    return "done"


@pytest.fixture(autouse=True)
def _hear_adk(caplog: pytest.LogCaptureFixture) -> None:  # pyright: ignore[reportUnusedFunction]
    """A test that ran before may have changed the level."""
    caplog.set_level(logging.WARNING, "google_adk")


def build_agent() -> LlmAgent:
    return LlmAgent(name="shouter", model=ScriptedModel(script=[text_response("hi")]), tools=[shout])


async def test_a_person_is_not_warned_about_token_counts_but_about_all_else(caplog: pytest.LogCaptureFixture) -> None:
    filters = list(USAGE_LOGGER.filters)
    async with Simulation(build_agent()) as sim:
        turn = await sim.send("hello")
        assert USAGE_LOGGER.filters != filters
        await (await turn.call("shout", {})).respond("done")

    assert USAGE_WARNING not in caplog.text
    assert "Another warning" in caplog.text
    assert "A real warning" in caplog.text
    assert filters == USAGE_LOGGER.filters


async def test_the_filter_is_removed_after_a_stopped_run(caplog: pytest.LogCaptureFixture) -> None:
    filters = list(USAGE_LOGGER.filters)
    async with Simulation(build_agent()) as sim:
        await sim.send("hello")

    assert filters == USAGE_LOGGER.filters


async def test_a_real_model_without_token_counts_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    async with Simulation(build_agent()) as played:
        await played.send("hello")
        async with Simulation(build_agent(), model="real") as sim:
            await sim.send("hello")

    assert caplog.text.count(USAGE_WARNING) == 1


async def test_a_tool_that_a_person_made_up_is_no_warning(caplog: pytest.LogCaptureFixture) -> None:
    async with Simulation(build_agent()) as sim:
        turn = await sim.send("hello")
        await (await turn.call("make_tea", {}, force=True)).respond("done")

    assert "make_tea" not in caplog.text


async def test_a_tool_that_a_real_model_made_up_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    model = ScriptedModel(script=[call_response(("make_tea", {})), text_response("done")])
    async with Simulation(LlmAgent(name="maker", model=model, tools=[shout]), model="real") as sim:
        await sim.send("hello")

    assert "Tool 'make_tea' not found." in caplog.text


def test_only_warnings_of_played_models_are_hidden_and_only_until_the_end(caplog: pytest.LogCaptureFixture) -> None:
    is_played = True
    stop_hiding = hide_player_warnings(lambda: is_played)
    stop_hiding_others = hide_player_warnings(lambda: False)
    text = "Skipping missing token usage metadata for agent %s and model %s"
    USAGE_LOGGER.warning(text, "hidden", "m")
    is_played = False
    USAGE_LOGGER.warning(text, "real", "m")
    is_played = True
    stop_hiding_others()
    USAGE_LOGGER.warning(text, "hidden", "m")
    stop_hiding()
    USAGE_LOGGER.warning(text, "later", "m")

    assert [record.args for record in caplog.records] == [("real", "m"), ("later", "m")]
