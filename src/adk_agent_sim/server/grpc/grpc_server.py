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
from adk_agent_sim.link.agent_restarts import AgentRestarts
from adk_agent_sim.link.channel import MAX_MESSAGE_BYTES, build_ping_options
from adk_agent_sim.link.server_entry import format_address
from adk_agent_sim.server.access.access_control import AccessControl
from adk_agent_sim.server.access.exposure import Exposure
from adk_agent_sim.server.grpc.agent_presence import ABANDON_AFTER_SECONDS, AgentPresence
from adk_agent_sim.server.grpc.grpc_service import SimulatorService
from adk_agent_sim.server.grpc.interceptors import MessageParser, TokenInterceptor
from adk_agent_sim.timeline.timeline import Timeline

SHUTDOWN_GRACE_SECONDS = 2.0
"""How long calls in progress may take to finish when the server stops."""

_STREAM_LIMITS = [
    ("grpc.max_concurrent_streams", 1_000),
    ("grpc.max_metadata_size", 16 * 1024),
    ("grpc.absolute_max_metadata_size", 16 * 1024),
]
"""What a client can use of one connection."""


@dataclass(frozen=True, kw_only=True)
class GrpcConnectionLimits:
    """How long a client may keep a connection without using it, in seconds."""

    handshake: float = 10.0
    """A connection that does not begin with the handshake is closed."""

    idle: float = 60.0
    """One without calls is closed; a client that has more to say connects again."""

    ping_interval: float = 20.0
    """A client with calls is asked so often whether it is still there: one that loses power closes nothing."""

    ping_timeout: float = 10.0
    """One that does not answer in this time is disconnected, so that the pending turns of its agents are abandoned."""

    def build_options(self) -> list[tuple[str, int]]:
        """Return the limits as gRPC's options."""
        return [
            ("grpc.server_handshake_timeout_ms", round(self.handshake * 1000)),
            ("grpc.max_connection_idle_ms", round(self.idle * 1000)),
            *build_ping_options(self.ping_interval, self.ping_timeout),
        ]


_DEFAULT_LIMITS = GrpcConnectionLimits()

_LOCAL = Exposure()

_SERVICE_NAME = simulator_service_pb2.DESCRIPTOR.services_by_name["SimulatorService"].full_name


@dataclass(frozen=True, kw_only=True)
class GrpcServer:
    """The address of a running gRPC server."""

    address: str
    """As clients take it: `host:port`, or a URL if it uses TLS."""
    port: int


@asynccontextmanager
async def serve_grpc(
    timeline: Timeline,
    *,
    access: AccessControl | None,
    port: int = 0,
    exposure: Exposure = _LOCAL,
    on_bound: Callable[[int], object] = lambda port: None,
    web_url: Callable[[str], str] = lambda session_id: "",
    abandon_after: float = ABANDON_AFTER_SECONDS,
    restarts: AgentRestarts | None = None,
    message_limit: int = MAX_MESSAGE_BYTES,
    connection_limits: GrpcConnectionLimits = _DEFAULT_LIMITS,
) -> AsyncGenerator[GrpcServer]:
    """Serve a timeline; on exit, end every subscription with a reason and wait for calls in progress.

    Args:
        timeline: The timeline to serve.
        access: Checks the tokens of calls; None lets everyone read and decide everything who reaches the server.
        port: The port to listen on; 0 picks a free one.
        exposure: The address to listen on, and the certificate.
        on_bound: Called with the port before the first call is accepted.
        web_url: Maps a session id to the address where a person can play it; empty if there is none.
        abandon_after: How many seconds an agent may be disconnected before its pending turns are abandoned.
        restarts: Where processes offer to restart their sessions; by default nobody takes these offers.
        message_limit: The largest message, in bytes.
        connection_limits: When connections that are not used are closed.

    Raises:
        PortInUse: The port cannot be bound.
    """
    server = _create_server(access, message_limit, connection_limits)
    presence = AgentPresence(timeline, abandon_after)
    service = SimulatorService(timeline, presence, restarts or AgentRestarts(timeline), web_url)
    health_service = cast("Any", health).aio.HealthServicer()
    _add_services(server, service, health_service)
    bound = _bind_port(server, exposure, port)
    # Before the first call: it withdraws tool requests without a client, which must all be of an earlier server.
    await presence.start()
    on_bound(bound)
    await server.start()
    for name in ("", _SERVICE_NAME):
        await health_service.set(name, health_pb2.HealthCheckResponse.SERVING)
    try:
        yield GrpcServer(address=exposure.build_grpc_url(bound), port=bound)
    finally:
        await health_service.enter_graceful_shutdown()
        # Subscriptions do not end by themselves; gRPC would cancel them without a reason after the grace period.
        service.close("The server is shutting down; reconnect to continue.")
        await server.stop(SHUTDOWN_GRACE_SECONDS)
        await presence.close()


def _create_server(
    access: AccessControl | None, message_limit: int, connection_limits: GrpcConnectionLimits
) -> grpc.aio.Server:
    options = [
        ("grpc.max_receive_message_length", message_limit),
        ("grpc.max_send_message_length", message_limit),
        *_STREAM_LIMITS,
        *connection_limits.build_options(),
        ("grpc.http2.max_ping_strikes", 0),  # otherwise gRPC drops clients that send keepalive pings while idle
        ("grpc.so_reuseport", 0),  # otherwise a second server could bind the same port and get half of the clients
    ]
    # Tokens are checked first, so that nothing of a stranger's message is parsed.
    checks = [TokenInterceptor(access)] if access else []
    return grpc.aio.server(options=options, interceptors=[*checks, MessageParser()])


def _add_services(server: grpc.aio.Server, service: SimulatorService, health_service: Any) -> None:
    cast("Any", simulator_service_pb2_grpc).add_SimulatorServiceServicer_to_server(service, server)
    cast("Any", health_pb2_grpc).add_HealthServicer_to_server(health_service, server)
    cast("Any", reflection).enable_server_reflection(
        (_SERVICE_NAME, health.SERVICE_NAME, reflection.SERVICE_NAME), server
    )


def _bind_port(server: grpc.aio.Server, exposure: Exposure, port: int) -> int:
    address = format_address(exposure.bound_host, port)
    try:
        if exposure.tls is None:
            bound = server.add_insecure_port(address)
        else:
            pair = exposure.tls.key.read_bytes(), exposure.tls.certificate.read_bytes()
            bound = server.add_secure_port(address, grpc.ssl_server_credentials([pair]))
    except RuntimeError:  # some versions of gRPC raise, others return 0
        bound = 0
    if not bound:
        raise PortInUse(address, "another port with --grpc-port")
    return bound
