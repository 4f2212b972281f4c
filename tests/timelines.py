"""Builds small timelines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.canonical import encode
from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.request import RequestBlocks
from adk_agent_sim.timeline.timeline import Timeline

ADD = {
    "name": "add",
    "description": "Add two numbers.",
    "parameters_json_schema": {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a", "b"],
    },
}


class SetClock:
    """A clock that a test sets."""

    def __init__(self, time: float = 1_000.0) -> None:
        self.time = time

    def now(self) -> float:
        return self.time

    def measured(self) -> float:
        return self.time


def user(text: str) -> dict[str, Any]:
    return {"parts": [{"text": text}], "role": "user"}


def model_request(
    contents: Sequence[dict[str, Any]] = (), tools: Sequence[dict[str, Any]] = (ADD,), response_schema: Any = None
) -> RequestBlocks:
    config: dict[str, Any] = {"model": "m", "config": {}}
    if response_schema is not None:
        config["config"]["response_schema"] = response_schema
    return RequestBlocks(
        contents=[Block.of(encode(content)) for content in contents],
        tools=Block.of(encode([{"function_declarations": list(tools)}])),
        instruction=Block.of(encode("Be kind.")),
        config=Block.of(encode(config)),
    )


async def ask(
    timeline: Timeline, session_id: str, turn_id: str, request: RequestBlocks | None = None, agent_name: str = "math"
) -> Event:
    return await timeline.ask(
        session_id,
        turn_id=turn_id,
        invocation_id="inv",
        agent_name=agent_name,
        request=request or model_request([user("hi")]),
    )


def text(answer: str) -> dict[str, Any]:
    return {"content": {"role": "model", "parts": [{"text": answer}]}}


def call(name: str, **args: Any) -> dict[str, Any]:
    return {"content": {"role": "model", "parts": [{"function_call": {"name": name, "args": args}}]}}
