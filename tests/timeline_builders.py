"""Builds small timelines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.canonical_json import encode_json
from adk_agent_sim.timeline.events import Event, Session
from adk_agent_sim.timeline.model_request import RequestBlocks
from adk_agent_sim.timeline.submissions import TurnRequest
from adk_agent_sim.timeline.timeline import Timeline

ADD_DECLARATION = {
    "name": "add",
    "description": "Add two numbers.",
    "parameters_json_schema": {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a", "b"],
    },
}


class ManualClock:
    """A clock whose time a test sets."""

    def __init__(self, time: float = 1_000.0) -> None:
        self.time = time

    def now(self) -> float:
        return self.time

    def monotonic(self) -> float:
        return self.time


def user_content(text: str) -> dict[str, Any]:
    return {"parts": [{"text": text}], "role": "user"}


def build_request_blocks(
    contents: Sequence[dict[str, Any]] = (),
    tools: Sequence[dict[str, Any]] = (ADD_DECLARATION,),
    response_schema: Any = None,
) -> RequestBlocks:
    config: dict[str, Any] = {"model": "m", "config": {}}
    if response_schema is not None:
        config["config"]["response_schema"] = response_schema
    return RequestBlocks(
        contents=[Block.from_data(encode_json(content)) for content in contents],
        tools=Block.from_data(encode_json([{"function_declarations": list(tools)}])),
        instruction=Block.from_data(encode_json("Be kind.")),
        config=Block.from_data(encode_json(config)),
    )


async def ask_turn(
    timeline: Timeline, session_id: str, turn_id: str, request: RequestBlocks | None = None, agent_name: str = "math"
) -> Event:
    return await timeline.ask(
        TurnRequest(
            session_id,
            turn_id=turn_id,
            invocation_id="inv",
            agent_name=agent_name,
            request=request or build_request_blocks([user_content("hi")]),
        )
    )


def text_decision(answer: str) -> dict[str, Any]:
    return {"content": {"role": "model", "parts": [{"text": answer}]}}


def call_decision(name: str, **args: Any) -> dict[str, Any]:
    return {"content": {"role": "model", "parts": [{"function_call": {"name": name, "args": args}}]}}


async def list_sessions(timeline: Timeline) -> list[Session]:
    """Return all sessions, oldest first."""
    return [summary.session for summary in reversed(await timeline.list_summaries())]


async def list_waiting_turns(timeline: Timeline) -> list[Event]:
    """Return the `TurnAsked` events that wait for a person in all sessions, oldest first."""
    entries = await timeline.list_pending()
    return [await timeline.get_turn(each.summary.session.session_id, each.request.request_id) for each in entries]
