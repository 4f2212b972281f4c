"""ADK's warnings about missing token counts: hidden while a person plays, and nothing else is."""

from __future__ import annotations

import logging

import pytest
from google.adk.agents import LlmAgent
from scripted_model import ScriptedModel, text_response

from adk_agent_sim import Simulation
from adk_agent_sim.adk.compat import hide_missing_token_counts

USAGE_LOGGER = logging.getLogger("google_adk.google.adk.telemetry._metrics")
USAGE_WARNING = "Skipping missing token usage metadata"


def shout() -> str:
    """Warn as a tool of a user does, through a logger of ADK."""
    USAGE_LOGGER.warning("Another warning")
    logging.getLogger("google_adk.google.adk.runners").warning("A real warning")
    return "done"


@pytest.fixture(autouse=True)
def _hear_adk(caplog: pytest.LogCaptureFixture) -> None:  # pyright: ignore[reportUnusedFunction]
    """Commands that ran before in this process have silenced ADK."""
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


def test_only_warnings_inside_the_context_are_hidden(caplog: pytest.LogCaptureFixture) -> None:
    with hide_missing_token_counts():
        USAGE_LOGGER.warning("Skipping missing token usage metadata for agent %s and model %s", "a", "m")
    USAGE_LOGGER.warning("Skipping missing token usage metadata for agent %s and model %s", "b", "m")

    assert [record.getMessage() for record in caplog.records] == [
        "Skipping missing token usage metadata for agent b and model m"
    ]
