"""The gRPC server closes connections that are not used, and notices clients that vanished without a word."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import grpc
from grpc_client import build_agent_turn, build_stub
from polling import MAX_WAIT_SECONDS, wait_until
from proxy import run_proxy
from timeline_builders import ask_turn

from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.link.channel import build_ping_options
from adk_agent_sim.server.grpc.grpc_server import GrpcConnectionLimits, GrpcServer, serve_grpc
from adk_agent_sim.timeline.events import TurnAsked, TurnWithdrawn
from adk_agent_sim.timeline.timeline import Timeline

_NEVER = 10 * MAX_WAIT_SECONDS
_AT_ONCE = 0.05
_PING_TIMEOUT = 1.0
"""Long enough for a client on a busy machine that is still there."""


def build_limits(**limits: float) -> GrpcConnectionLimits:
    """Return limits of which only the given ones can be reached in a test."""
    names = ("handshake", "idle", "ping_interval", "ping_timeout")
    return GrpcConnectionLimits(**{**dict.fromkeys(names, _NEVER), **limits})


def open_channel(port: int, *options: tuple[str, int]) -> grpc.aio.Channel:
    # gRPC would share one connection between channels with the same options.
    return grpc.aio.insecure_channel(f"127.0.0.1:{port}", [("grpc.primary_user_agent", uuid4().hex), *options])


async def wait_until_disconnected(channel: grpc.aio.Channel) -> None:
    async with asyncio.timeout(MAX_WAIT_SECONDS):
        while (state := channel.get_state()) is grpc.ChannelConnectivity.READY:
            await channel.wait_for_state_change(state)


async def wait_until_closed(server: GrpcServer) -> None:
    """Connect, send nothing, and wait until the server closes the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    try:
        async with asyncio.timeout(MAX_WAIT_SECONDS):
            while await reader.read(65_536):
                pass
    except ConnectionResetError:
        pass
    finally:
        writer.close()


async def create_session(client: Any) -> str:
    return (await client.CreateSession(v1.CreateSessionRequest())).session.id


async def test_a_connection_without_a_handshake_is_closed() -> None:
    async with serve_grpc(Timeline(), access=None, connection_limits=build_limits(handshake=_AT_ONCE)) as server:
        await wait_until_closed(server)


async def test_a_connection_without_calls_is_closed_and_the_client_connects_again() -> None:
    limits = build_limits(idle=_AT_ONCE)
    async with (
        serve_grpc(Timeline(), access=None, connection_limits=limits) as server,
        open_channel(server.port) as channel,
    ):
        client = build_stub(channel)
        assert await create_session(client)
        await wait_until_disconnected(channel)

        assert await create_session(client)


async def test_a_connection_with_an_open_stream_is_not_idle() -> None:
    timeline = Timeline()
    session_id, turn_id = (await timeline.create_session()).session_id, str(uuid4())
    limits = build_limits(idle=_AT_ONCE)
    async with (
        serve_grpc(timeline, access=None, connection_limits=limits) as server,
        open_channel(server.port) as following,
        open_channel(server.port) as idle,
    ):
        stream = build_stub(following).Subscribe(v1.SubscribeRequest(session_id=session_id, client_id="agent"))
        await stream.read()
        await create_session(build_stub(idle))
        await wait_until_disconnected(idle)  # the time is over, for the stream as well
        await ask_turn(timeline, session_id, turn_id)

        async with asyncio.timeout(MAX_WAIT_SECONDS):
            assert (await stream.read()).event.turn_id == turn_id
        stream.cancel()


async def test_the_turn_of_an_agent_that_answers_no_pings_is_abandoned() -> None:
    """As after a power failure: the connection stays open, but nothing comes through it."""
    timeline = Timeline()
    limits = build_limits(ping_interval=_AT_ONCE, ping_timeout=_PING_TIMEOUT)
    async with (
        serve_grpc(timeline, access=None, connection_limits=limits, abandon_after=_AT_ONCE) as server,
        run_proxy(server.port) as proxy,
        open_channel(proxy.port) as channel,
    ):
        client = build_stub(channel)
        session_id, turn_id = await create_session(client), str(uuid4())
        stream = client.Subscribe(v1.SubscribeRequest(session_id=session_id, client_id="agent"))
        await stream.read()
        await client.SubmitRequest(build_agent_turn(session_id, turn_id, "agent"))
        assert [asked.turn_id for asked in timeline.peek_pending_turns(session_id)] == [turn_id]

        proxy.freeze()
        await wait_until(lambda: not timeline.peek_pending_turns(session_id))

    assert [type(event.payload) for event in await timeline.read_events(session_id)] == [TurnAsked, TurnWithdrawn]


async def test_a_client_notices_that_its_server_is_gone() -> None:
    pings = [*build_ping_options(_AT_ONCE, _PING_TIMEOUT), ("grpc.keepalive_permit_without_calls", 1)]
    async with (
        serve_grpc(Timeline(), access=None, connection_limits=build_limits()) as server,
        run_proxy(server.port) as proxy,
        open_channel(proxy.port, *pings) as channel,
    ):
        assert await create_session(build_stub(channel))
        proxy.freeze()

        await wait_until_disconnected(channel)
