"""What a model turn converts and hashes does not depend on the session's length, and yet every edit is recorded."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.agents.callback_context import CallbackContext
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from scripted_model import ScriptedModel, call_response, text_response

from adk_agent_sim import Simulation
from adk_agent_sim.timeline import blocks
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import TurnAsked
from adk_agent_sim.timeline.json_conversion import to_json_value


def add(a: int, b: int) -> dict[str, Any]:
    """Add two numbers."""
    return {"sum": a + b, "terms": [a, b]}


class _AddingModel:
    """Plays a model that calls `add` and then answers; keeps what it was sent, as JSON."""

    def __init__(self) -> None:
        self.sent: list[Json] = []

    def __call__(self, request: LlmRequest) -> LlmResponse:
        self.sent.append(to_json_value(request.contents))
        is_call = len(self.sent) % 2
        response = call_response(("add", {"a": 1, "b": len(self.sent)})) if is_call else text_response("done")
        return LlmResponse.model_validate(response)


def _build_agent(before_model: Callable[[CallbackContext, LlmRequest], None] | None = None) -> LlmAgent:
    return LlmAgent(
        name="adder",
        model=ScriptedModel(script=[]),
        tools=[add],
        before_model_callback=before_model,
        instruction="Add.",
    )


async def _read_recorded_contents(sim: Simulation) -> list[Json]:
    asked = [event for event in sim.log() if isinstance(event.payload, TurnAsked)]
    return [(await sim.timeline.read_request(event)).contents for event in asked]


async def test_what_a_turn_hashes_does_not_depend_on_the_length_of_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    hashed: list[int] = []

    def count_and_hash(data: bytes, *, digest_size: int) -> Any:
        hashed.append(len(data))
        return hashlib.blake2b(data, digest_size=digest_size)

    monkeypatch.setattr(blocks, "blake2b", count_and_hash)
    counts: list[int] = []
    async with Simulation(_build_agent(), model=_AddingModel()) as sim:
        for number in range(32):
            hashed.clear()
            await sim.send(f"question {number}")
            counts.append(len(hashed))

    # Two turns: a new content or two each, the instruction, the config, and now and then a group of 16 ids.
    assert max(counts[4:12]) > 0
    assert max(counts[-8:]) <= max(counts[4:12]) + 1
    assert sum(counts[-8:]) <= sum(counts[4:12]) + 2


def _edit_oldest_call(request: LlmRequest) -> None:
    args = next(
        part.function_call.args
        for content in request.contents
        for part in content.parts or ()
        if part.function_call is not None and part.function_call.args is not None
    )
    args["a"] = True if args["a"] is not True else 1


def _edit_oldest_text(request: LlmRequest) -> None:
    (request.contents[0].parts or [])[0].text = f"redacted {len(request.contents)}"


_EDITS: dict[str, Callable[[LlmRequest], object]] = {
    "the arguments of an old call": _edit_oldest_call,
    "an old text": _edit_oldest_text,
    "the order of contents": lambda request: request.contents.reverse(),
    "only the last contents": lambda request: request.contents.__delitem__(slice(0, -5)),
    "a content in front": lambda request: request.contents.insert(
        0, types.Content(role="user", parts=[types.Part(text=f"{len(request.contents)} contents follow")])
    ),
}


@pytest.mark.parametrize("edit", _EDITS)
async def test_an_edit_of_old_contents_by_a_callback_is_recorded_exactly(edit: str) -> None:
    turns: list[int] = []

    def before_model(callback_context: CallbackContext, llm_request: LlmRequest) -> None:
        turns.append(len(turns))
        # Not in all turns: the contents that follow an edited one must be found again, and the edit be undone.
        if len(turns) > 4 and len(turns) % 3 != 0:
            _EDITS[edit](llm_request)

    model = _AddingModel()
    async with Simulation(_build_agent(before_model), model=model) as sim:
        for number in range(8):
            await sim.send(f"question {number}")

        assert len(turns) == len(model.sent) == 16
        assert await _read_recorded_contents(sim) == model.sent
        # 1 and True are equal to Python, but not as JSON.
        assert repr(await _read_recorded_contents(sim)) == repr(model.sent)
