"""A token is revoked or expires: nothing that was opened with it goes on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import httpx
import pytest
from api_client import NO_TLS
from grpc_client import build_stub
from polling import MAX_WAIT_SECONDS, pause
from processes import invoke_adksim
from timeline_builders import ManualClock
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from adk_agent_sim.errors import TokenRejected
from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.link.channel import Credentials
from adk_agent_sim.link.remote_link import RemoteLink
from adk_agent_sim.persistence.access_tokens import MemoryTokenStore, TokenKind, create_token
from adk_agent_sim.server.access.access_control import open_access_control
from adk_agent_sim.server.composition import RunningServices, ServeSettings, run_services


@pytest.fixture
def database(tmp_path: Path) -> str:
    return str(tmp_path / "s.db")


@pytest.fixture
async def served(database: str) -> AsyncIterator[RunningServices]:
    async with run_services(ServeSettings(database=database, grpc_port=0, port=0)) as running:
        yield running


async def _run_token(*arguments: str) -> str:
    """Run `adksim token`, which has an event loop of its own."""
    result = await asyncio.to_thread(invoke_adksim, "token", *arguments)
    assert result.exit_code == 0, result.stderr
    return result.stdout.strip()


async def test_a_token_works_from_its_creation_to_its_revocation(served: RunningServices, database: str) -> None:
    secret = await _run_token("new", "ann", "--db", database)
    async with RemoteLink(served.grpc.address, credentials=Credentials(token=secret)) as link:
        await link.create_session("hers")
        await _run_token("revoke", "ann", "--db", database)

        async def call_until_rejected() -> None:
            async with asyncio.timeout(MAX_WAIT_SECONDS):
                while True:
                    await link.list_sessions()
                    await pause()

        with pytest.raises(TokenRejected, match="wrong, expired or revoked"):
            await call_until_rejected()


async def test_an_open_stream_ends(served: RunningServices, database: str) -> None:
    session = await served.timeline.create_session("followed")
    secret = await _run_token("new", "ann", "--db", database)
    async with grpc.aio.insecure_channel(served.grpc.address) as channel:
        metadata = (("authorization", f"Bearer {secret}"),)
        stream = build_stub(channel).Subscribe(v1.SubscribeRequest(session_id=session.session_id), metadata=metadata)
        assert (await stream.read()).event.HasField("history_complete")
        await _run_token("revoke", "ann", "--db", database)
        with pytest.raises(grpc.aio.AioRpcError) as ended:
            await stream.read()

    assert ended.value.code() is grpc.StatusCode.UNAUTHENTICATED


async def test_an_open_tab_of_the_token_is_closed(served: RunningServices, database: str) -> None:
    assert served.web
    address = f"127.0.0.1:{served.web.port}"
    secret = await _run_token("new", "ann", "--db", database)
    async with httpx.AsyncClient(verify=NO_TLS, base_url=f"http://{address}") as browser:
        answer = await browser.post("/api/login-url", headers={"Authorization": f"Bearer {secret}"})
        await browser.get(answer.json()["url"])
        ((name, value),) = browser.cookies.items()
        async with connect(f"ws://{address}/api/live", additional_headers={"Cookie": f"{name}={value}"}) as tab:
            await tab.send(json.dumps({"session_id": None, "after_seq": 0, "tail": 0}))
            await tab.recv()
            await _run_token("revoke", "ann", "--db", database)
            with pytest.raises(ConnectionClosed) as closed:
                await tab.recv()
        assert (await browser.get("/api/server")).status_code == 401

    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1008


async def test_an_expired_token_is_rejected_and_ends_what_it_opened() -> None:
    clock, store = ManualClock(1_000.0), MemoryTokenStore()
    secret, row = create_token("ann", TokenKind.NAMED, now=clock.time, expires_at=1_060.0)
    await store.add_token(row)
    async with open_access_control(store, clock) as access:
        grant = await access.authenticate(secret)
        assert grant is not None
        clock.time = 1_060.0
        assert await access.authenticate(secret) is None
        async with asyncio.timeout(MAX_WAIT_SECONDS):
            await grant.ended.wait()


async def test_an_agent_survives_a_restart_with_another_token(database: str) -> None:
    async with run_services(ServeSettings(database=database, grpc_port=0, web=False)) as served:
        port = served.grpc.port
        link = RemoteLink(f"127.0.0.1:{port}")
        session = await link.create_session("before")
        first = served.token
    async with run_services(ServeSettings(database=database, grpc_port=port, web=False)) as served:
        assert served.token != first
        async with link:
            # All of these calls are rejected with the old token, and only the first finds the new one.
            found = await asyncio.gather(*(link.list_sessions() for _ in range(5)))
            assert [[each.session_id for each in sessions] for sessions in found] == [[session.session_id]] * 5
