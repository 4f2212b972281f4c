"""A gRPC server for a timeline: the service, health and reflection, on one port of this machine."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, cast

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from adk_agent_sim.errors import PortInUse
from adk_agent_sim.generated.adksim.v1 import simulator_service_pb2, simulator_service_pb2_grpc
from adk_agent_sim.link.channel import MAX_MESSAGE_BYTES
from adk_agent_sim.server.agent_presence import ABANDON_AFTER_SECONDS, AgentPresence
from adk_agent_sim.server.grpc_service import SimulatorService
from adk_agent_sim.timeline.timeline import Timeline

SHUTDOWN_GRACE_SECONDS = 2.0
"""Seconds that calls have to end when the server stops."""

_SERVICE_NAME = simulator_service_pb2.DESCRIPTOR.services_by_name["SimulatorService"].full_name

_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class GrpcServer:
    """A server that runs."""

    host: str
    port: int

    @property
    def address(self) -> str:
        """As a client takes it."""
        return f"{self.host}:{self.port}"


@asynccontextmanager
async def serve_grpc(
    timeline: Timeline,
    *,
    port: int = 0,
    host: str = "127.0.0.1",
    web_url: Callable[[str], str] = lambda session_id: "",
    abandon_after: float = ABANDON_AFTER_SECONDS,
    message_limit: int = MAX_MESSAGE_BYTES,
) -> AsyncGenerator[GrpcServer]:
    """Serve a timeline; leaving ends every subscription with a reason, and waits for calls that are under way.

    Args:
        timeline: What is served.
        port: Where to listen; 0 finds a free one.
        host: The address to listen at. There is no token: whoever reaches it can read and decide everything.
        web_url: From a session's id to where a person can play it; empty if nowhere.
        patience: Seconds after which a turn without its agent's stream is abandoned.
        message_limit: The size of the largest message, in bytes.
    """
    options = [
        ("grpc.max_receive_message_length", message_limit),
        ("grpc.max_send_message_length", message_limit),
        ("grpc.http2.max_ping_strikes", 0),  # clients ask now and then whether the server is there
        ("grpc.so_reuseport", 0),  # two servers at one port would share its clients between two timelines
    ]
    server = grpc.aio.server(options=options)
    presence = AgentPresence(timeline, abandon_after)
    service = SimulatorService(timeline, presence, web_url)
    checks = cast("Any", health).aio.HealthServicer()
    added = cast("Any", simulator_service_pb2_grpc)
    added.add_SimulatorServiceServicer_to_server(service, server)
    cast("Any", health_pb2_grpc).add_HealthServicer_to_server(checks, server)
    cast("Any", reflection).enable_server_reflection(
        (_SERVICE_NAME, health.SERVICE_NAME, reflection.SERVICE_NAME), server
    )
    bound = _bind_port(server, host, port)
    await presence.start()
    await server.start()
    for name in ("", _SERVICE_NAME):
        await checks.set(name, health_pb2.HealthCheckResponse.SERVING)
    try:
        yield GrpcServer(host=host, port=bound)
    finally:
        await checks.enter_graceful_shutdown()
        service.close("The server is shutting down; connect again to go on.")
        await server.stop(SHUTDOWN_GRACE_SECONDS)
        await presence.close()


def _bind_port(server: grpc.aio.Server, host: str, port: int) -> int:
    try:
        bound = server.add_insecure_port(f"{host}:{port}")
    except RuntimeError:
        bound = 0
    if not bound:
        raise PortInUse(f"{host}:{port}", "another port with --grpc-port")
    return bound
