"""The gRPC server of a timeline: `SimulatorService`, health checks and reflection on one port."""

from __future__ import annotations

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
from adk_agent_sim.server.grpc_messages import MessageParser
from adk_agent_sim.server.grpc_service import SimulatorService
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.timeline.timeline import Timeline

SHUTDOWN_GRACE_SECONDS = 2.0
"""How long calls in progress may take to finish when the server stops."""

_SERVICE_NAME = simulator_service_pb2.DESCRIPTOR.services_by_name["SimulatorService"].full_name

_log = get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class GrpcServer:
    """The address of a running gRPC server."""

    host: str
    port: int

    @property
    def address(self) -> str:
        """`host:port`, as clients take it."""
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
    """Serve a timeline; on exit, end every subscription with a reason and wait for calls in progress.

    Args:
        timeline: The timeline to serve.
        port: The port to listen on; 0 picks a free one.
        host: The address to listen on. There is no token: whoever reaches it can read and decide everything.
        web_url: Maps a session id to the address where a person can play it; empty if there is none.
        abandon_after: How many seconds an agent may be disconnected before its pending turns are abandoned.
        message_limit: The largest message, in bytes.

    Raises:
        PortInUse: The port cannot be bound.
    """
    options = [
        ("grpc.max_receive_message_length", message_limit),
        ("grpc.max_send_message_length", message_limit),
        ("grpc.http2.max_ping_strikes", 0),  # otherwise gRPC drops clients that send keepalive pings while idle
        ("grpc.so_reuseport", 0),  # otherwise a second server could bind the same port and get half of the clients
    ]
    server = grpc.aio.server(options=options, interceptors=[MessageParser()])
    presence = AgentPresence(timeline, abandon_after)
    service = SimulatorService(timeline, presence, web_url)
    health_service = cast("Any", health).aio.HealthServicer()
    cast("Any", simulator_service_pb2_grpc).add_SimulatorServiceServicer_to_server(service, server)
    cast("Any", health_pb2_grpc).add_HealthServicer_to_server(health_service, server)
    cast("Any", reflection).enable_server_reflection(
        (_SERVICE_NAME, health.SERVICE_NAME, reflection.SERVICE_NAME), server
    )
    bound = _bind_port(server, host, port)
    await presence.start()
    await server.start()
    for name in ("", _SERVICE_NAME):
        await health_service.set(name, health_pb2.HealthCheckResponse.SERVING)
    try:
        yield GrpcServer(host=host, port=bound)
    finally:
        await health_service.enter_graceful_shutdown()
        service.close("The server is shutting down; reconnect to continue.")
        await server.stop(SHUTDOWN_GRACE_SECONDS)
        await presence.close()


def _bind_port(server: grpc.aio.Server, host: str, port: int) -> int:
    try:
        bound = server.add_insecure_port(f"{host}:{port}")
    except RuntimeError:  # some versions of gRPC raise, others return 0
        bound = 0
    if not bound:
        raise PortInUse(f"{host}:{port}", "another port with --grpc-port")
    return bound
