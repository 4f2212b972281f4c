"""The agents' own models are recorded to a cassette, and answered from it without any model."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from scripted_model import ScriptedModel, call_response, text_response

from adk_agent_sim import Simulation
from adk_agent_sim.adk.steps import Done

SUM = [call_response(("add", {"a": 2, "b": 2})), text_response("It is 4.")]


class NoModel(BaseLlm):
    """A model that must not be asked; it has the name of the scripted one."""

    model: str = "scripted"

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        raise AssertionError("the model was asked")
        yield LlmResponse()


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


def build_agent(model: BaseLlm | None = None, **settings: Any) -> LlmAgent:
    settings = {"name": "math", "instruction": "Be polite.", "tools": [add], **settings}
    return LlmAgent(model=model or NoModel(), **settings)


async def say(agent: LlmAgent, player: str, *messages: str, state: dict[str, Any] | None = None) -> list[str]:
    """Return the answers to messages."""
    answers: list[str] = []
    async with Simulation(agent, model=player, state=state) as sim:
        for message in messages:
            done = await sim.send(message)
            assert isinstance(done, Done)
            answers.append(done.text)
    return answers


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "math.cassette.json"


async def record(file: Path, *messages: str, script: Sequence[dict[str, Any]] = SUM, **settings: Any) -> None:
    await say(build_agent(ScriptedModel(script=list(script)), **settings), f"record:{file}", *messages)


async def test_a_recorded_model_is_replayed_without_a_model(file: Path) -> None:
    await record(file, "2+2?", "again?", script=[*SUM, text_response("Still 4.")])

    assert await say(build_agent(), f"replay:{file}", "2+2?", "again?") == ["It is 4.", "Still 4."]
    assert json.loads(file.read_text())["format"] == "adksim.cassette"
