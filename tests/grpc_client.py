"""Servers for tests, in this process and on a free port."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any, cast

import grpc

from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.generated.adksim.v1 import simulator_service_pb2_grpc
from adk_agent_sim.server.grpc.grpc_server import serve_grpc
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.timeline import Timeline


def build_stub(channel: grpc.aio.Channel) -> Any:
    """Return the generated client, which has no types."""
    return cast("Any", simulator_service_pb2_grpc).SimulatorServiceStub(channel)


def build_agent_turn(session_id: str, turn_id: str, client_id: str) -> v1.SubmitRequestRequest:
    """Return a turn of an agent whose turns are abandoned if it stays disconnected."""
    blocks = [b"[]", b"{}", b"null", b'{"config":{}}']
    tools, _, instruction, config = (bytes.fromhex(Block.from_data(data).block_id) for data in blocks)
    asked = v1.TurnAsked(tools=tools, instruction=instruction, config=config, client_id=client_id)
    return v1.SubmitRequestRequest(
        session_id=session_id, turn_id=turn_id, agent_name="math", asked=asked, blocks=blocks
    )


@asynccontextmanager
async def serve_timeline(
    timeline: Timeline, *, abandon_after: float = 60.0, web_url: Callable[[str], str] = lambda session_id: ""
) -> AsyncGenerator[Any]:
    """Serve a timeline, and yield a client of the server."""
    async with (
        serve_grpc(timeline, access=None, abandon_after=abandon_after, web_url=web_url) as server,
        grpc.aio.insecure_channel(server.address, [("grpc.max_receive_message_length", -1)]) as channel,
    ):
        yield build_stub(channel)
