"""Servers for tests: in this process, on a port of their own."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any, cast

import grpc

from adk_agent_sim.generated.adksim.v1 import simulator_service_pb2_grpc
from adk_agent_sim.server.grpc_server import grpc_serving
from adk_agent_sim.timeline.timeline import Timeline


def stub(channel: grpc.aio.Channel) -> Any:
    """The client that was generated, which has no types."""
    return cast("Any", simulator_service_pb2_grpc).SimulatorServiceStub(channel)


@asynccontextmanager
async def served(
    timeline: Timeline, *, patience: float = 60.0, web_url: Callable[[str], str] = lambda session_id: ""
) -> AsyncGenerator[Any]:
    """A client of a server on the timeline."""
    async with (
        grpc_serving(timeline, patience=patience, web_url=web_url) as server,
        grpc.aio.insecure_channel(server.address, [("grpc.max_receive_message_length", -1)]) as channel,
    ):
        yield stub(channel)
