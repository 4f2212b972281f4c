"""Somebody opens connections and sends nothing, or a header byte by byte (Slowloris): others are served anyway."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

import httpx
import pytest
from api_client import NO_TLS, ApiClient, bearer_headers, serve_sessions
from polling import MAX_WAIT_SECONDS, pause

from adk_agent_sim.server.access.connection_limits import IdleConnections
from adk_agent_sim.server.agents.agent_catalog import AgentCatalog
from adk_agent_sim.server.sessions.session_services import SessionServices
from adk_agent_sim.server.web.web_server import RunningServer
from adk_agent_sim.timeline.timeline import Timeline

_NEVER = 10 * MAX_WAIT_SECONDS
_AT_ONCE = 0.05

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@asynccontextmanager
async def serve(idle: IdleConnections) -> AsyncGenerator[RunningServer]:
    services = SessionServices(AgentCatalog([]), Timeline(), allow_remote_agents=True)
    async with serve_sessions(services, idle_connections=idle) as server:
        yield server


@asynccontextmanager
async def open_connection(server: RunningServer) -> AsyncGenerator[Connection]:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    try:
        yield reader, writer
    finally:
        writer.close()


async def read_to_end(reader: asyncio.StreamReader) -> bytes:
    """Wait until the server closes the connection."""
    async with asyncio.timeout(MAX_WAIT_SECONDS):
        try:
            return await reader.read()
        except ConnectionResetError:
            return b""


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "])
async def test_a_header_that_does_not_end_is_not_waited_for(sent: bytes) -> None:
    async with serve(IdleConnections(header_timeout=_AT_ONCE)) as server, open_connection(server) as (reader, writer):
        writer.write(sent)

        assert await read_to_end(reader) == b""


async def test_a_header_sent_byte_by_byte_gains_no_time() -> None:
    async with serve(IdleConnections(header_timeout=_AT_ONCE)) as server, open_connection(server) as (reader, writer):
        ended = asyncio.create_task(read_to_end(reader))
        writer.write(b"GET / HTTP/1.1\r\nX-Slow: ")
        while not ended.done():
            writer.write(b"x")
            await pause()

        assert await ended == b""


async def test_the_second_header_of_a_connection_has_the_same_time() -> None:
    async with serve(IdleConnections(header_timeout=_AT_ONCE)) as server, open_connection(server) as (reader, writer):
        writer.write(f"GET /api/server HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\nGET /slow".encode())

        assert (await read_to_end(reader)).startswith(b"HTTP/1.1 401")


async def test_a_flood_of_connections_closes_the_oldest_and_serves_the_newest() -> None:
    async with serve(IdleConnections(limit=3, header_timeout=_NEVER)) as server, AsyncExitStack() as flood:
        connections = [await flood.enter_async_context(open_connection(server)) for _ in range(20)]
        async with httpx.AsyncClient(verify=NO_TLS, headers=bearer_headers(server)) as client:
            answer = await client.get(f"http://127.0.0.1:{server.port}/api/server")
        assert answer.status_code == 200
        for reader, _ in connections[:17]:
            assert await read_to_end(reader) == b""


async def test_an_open_tab_is_not_idle() -> None:
    async with (
        serve(IdleConnections(limit=1, header_timeout=_AT_ONCE)) as server,
        httpx.AsyncClient(verify=NO_TLS) as client,
        ApiClient(server, client).open_tab() as tab,
    ):
        await tab.wait_for_update(type="sessions")
        async with open_connection(server) as (reader, _):
            assert await read_to_end(reader) == b""  # the time is over, for the tab as well
        await tab.socket.send(json.dumps({"session_id": "none", "after_seq": 0, "tail": 0}))

        assert (await tab.wait_for_update(type="gone"))["session_id"] == "none"
