from __future__ import annotations

from typing import Any

from genai_strategies import JSON, OBJECT
from google.adk.agents import LlmAgent
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from hypothesis import given

from adk_agent_sim import Simulation
from adk_agent_sim.timeline.canonical_json import encode_json
from adk_agent_sim.timeline.events import ToolFinished
from adk_agent_sim.timeline.json_conversion import to_json_value


@given(JSON)
def test_json_is_its_own_json(value: Any) -> None:
    assert encode_json(to_json_value(value)) == encode_json(value)


@given(OBJECT)
def test_arguments_come_back_from_a_dump_and_from_text(args: dict[str, Any]) -> None:
    content = types.Content(parts=[types.Part(function_call=types.FunctionCall(name="f", args=args))])

    found = to_json_value(LlmResponse(content=content))

    assert encode_json(found) == encode_json({"content": {"parts": [{"function_call": {"args": args, "name": "f"}}]}})
    assert encode_json(to_json_value(LlmResponse.model_validate(found))) == encode_json(found)


def test_a_lone_surrogate_in_a_key_is_kept() -> None:
    args = {"\ud800": {"\ud801a": 1, "\ud802b": b"\xff", "kind": types.Type.STRING}}

    assert to_json_value(types.FunctionCall(args=args)) == {
        "args": {"\ud800": {"\ud801a": 1, "\ud802b": "_w==", "kind": "STRING"}}
    }
    assert to_json_value({"\ud800": {1: (2, {3})}}) == {"\ud800": {"1": [2, [3]]}}


def test_a_model_beside_a_lone_surrogate_is_written_too() -> None:
    assert to_json_value({"\ud800": types.LatLng(latitude=1.0)}) == {"\ud800": {"latitude": 1.0}}


def test_a_value_without_a_json_form_becomes_its_repr() -> None:
    assert to_json_value({"\ud800": len, "a": len}) == {"\ud800": repr(len), "a": repr(len)}


def test_bytes_and_enums_are_loaded_from_their_json() -> None:
    part = types.Part.from_bytes(data=bytes(range(256)), mime_type="image/png")
    response = LlmResponse(content=types.Content(parts=[part]), finish_reason=types.FinishReason.STOP)

    assert LlmResponse.model_validate(to_json_value(response)) == response


async def test_a_lone_surrogate_in_a_decision_reaches_the_tool_and_the_timeline() -> None:
    def echo(box: dict[str, str]) -> dict[str, str]:
        """Give it back."""
        return box

    async with Simulation(LlmAgent(name="parrot", model="gemini-2.5-flash", tools=[echo])) as sim:
        turn = await sim.send("hi \ud800")
        turn = await turn.call("echo", {"box": {"\ud801": "\ud802"}})
        await turn.respond("done \ud803")

    results = [event.payload.result for event in sim.log() if isinstance(event.payload, ToolFinished)]
    assert results == [{"\ud801": "\ud802"}]
