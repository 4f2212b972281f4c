"""Servers for tests, in this process and on a free port."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any, cast

import grpc

from adk_agent_sim.generated.adksim.v1 import simulator_service_pb2_grpc
from adk_agent_sim.server.grpc_server import serve_grpc
from adk_agent_sim.timeline.timeline import Timeline


def build_stub(channel: grpc.aio.Channel) -> Any:
    """Return the generated client, which has no types."""
    return cast("Any", simulator_service_pb2_grpc).SimulatorServiceStub(channel)


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
