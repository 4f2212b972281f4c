"""Somebody sees the printed address, or steals a cookie: codes work once and not for long, and a cookie is no token."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from api_client import NO_TLS, serve_sessions
from timeline_builders import ManualClock

from adk_agent_sim.persistence.access_tokens import MemoryTokenStore, TokenKind, create_token
from adk_agent_sim.server.access.access_control import (
    CODE_LIFETIME_SECONDS,
    SESSION_LIFETIME_SECONDS,
    open_access_control,
)
from adk_agent_sim.server.agents.agent_catalog import AgentCatalog
from adk_agent_sim.server.composition import ServeSettings, run_services
from adk_agent_sim.server.sessions.session_services import SessionServices
from adk_agent_sim.server.web.web_server import RunningServer
from adk_agent_sim.timeline.timeline import Timeline

_DAY = 24 * 3600.0


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(1_000_000.0)


@pytest.fixture
def store() -> MemoryTokenStore:
    return MemoryTokenStore()


@pytest.fixture
async def server(clock: ManualClock, store: MemoryTokenStore) -> AsyncIterator[RunningServer]:
    services = SessionServices(AgentCatalog([]), Timeline(), allow_remote_agents=True)
    async with serve_sessions(services, store=store, clock=clock) as running:
        yield running


@asynccontextmanager
async def open_browser(server: RunningServer) -> AsyncGenerator[httpx.AsyncClient]:
    """A browser with cookies of its own."""
    async with httpx.AsyncClient(verify=NO_TLS, base_url=f"http://127.0.0.1:{server.port}") as client:
        yield client


async def test_a_code_works_once(server: RunningServer) -> None:
    url = server.url
    async with open_browser(server) as person, open_browser(server) as thief:
        assert (await person.get(url)).status_code == 303
        stolen = await thief.get(url)

        assert stolen.status_code == 401
        assert "adksim open" in stolen.text
        assert "set-cookie" not in stolen.headers
        assert (await thief.get("/api/server")).status_code == 401
        # The person reloads the printed address: their session is still theirs.
        assert (await person.get(url)).status_code == 303
        assert (await person.get("/api/server")).status_code == 200


async def test_a_code_expires(server: RunningServer, clock: ManualClock) -> None:
    late, in_time = server.url, server.url
    clock.time += CODE_LIFETIME_SECONDS - 1
    async with open_browser(server) as person:
        assert (await person.get(in_time)).status_code == 303
    clock.time += 1
    async with open_browser(server) as person:
        assert (await person.get(late)).status_code == 401


async def test_a_browser_that_guesses_the_address_does_not_use_up_the_code(server: RunningServer) -> None:
    url = server.url
    async with open_browser(server) as person:
        assert (await person.get(url, headers={"Sec-Purpose": "prefetch;prerender"})).status_code == 503
        assert (await person.get(url)).status_code == 303


async def test_old_codes_are_dropped_if_there_are_too_many(server: RunningServer) -> None:
    first = server.url
    for _ in range(100):
        assert server.url
    async with open_browser(server) as person:
        assert (await person.get(first)).status_code == 401


async def test_a_cookie_is_neither_the_token_nor_usable_as_one(server: RunningServer) -> None:
    async with open_browser(server) as person, open_browser(server) as thief:
        await person.get(server.url)
        ((name, secret),) = person.cookies.items()
        as_token = await thief.get("/api/server", headers={"Authorization": f"Bearer {secret}"})
        as_cookie = await thief.get("/api/server", headers={"Cookie": f"{name}={server.token}"})

        assert secret != server.token
        assert as_token.status_code == as_cookie.status_code == 401


async def test_a_session_cannot_open_others(server: RunningServer) -> None:
    async with open_browser(server) as person:
        await person.get(server.url)
        refused = await person.post("/api/login-url")
        given = await person.post("/api/login-url", headers={"Authorization": f"Bearer {server.token}"})

    assert refused.status_code == 403
    assert given.status_code == 200
    async with open_browser(server) as other:
        assert (await other.get(given.json()["url"])).status_code == 303


async def test_a_session_that_is_not_used_expires(server: RunningServer, clock: ManualClock) -> None:
    async with open_browser(server) as person:
        cookie = (await person.get(server.url)).headers["set-cookie"]
        secret = dict(person.cookies)
        assert f"Max-Age={SESSION_LIFETIME_SECONDS:.0f}" in cookie
        clock.time += SESSION_LIFETIME_SECONDS
        person.cookies.update(secret)

        assert (await person.get("/api/server")).status_code == 401


async def test_a_session_that_is_used_is_extended(
    server: RunningServer, clock: ManualClock, store: MemoryTokenStore
) -> None:
    async with open_browser(server) as person:
        await person.get(server.url)
        assert "set-cookie" not in (await person.get("/api/server")).headers
        for _ in range(40):
            clock.time += 2 * _DAY
            answer = await person.get("/api/server")
            assert answer.status_code == 200
            assert f"Max-Age={SESSION_LIFETIME_SECONDS:.0f}" in answer.headers["set-cookie"]
    (session,) = [token for token in await store.list_tokens() if token.kind is TokenKind.BROWSER]

    assert session.expires_at == clock.time + SESSION_LIFETIME_SECONDS


async def test_a_session_does_not_outlive_the_token_it_was_opened_with(
    server: RunningServer, clock: ManualClock, store: MemoryTokenStore
) -> None:
    secret, token = create_token("ann", TokenKind.NAMED, now=clock.time, expires_at=clock.time + _DAY)
    await store.add_token(token)
    async with open_browser(server) as person:
        headers = {"Authorization": f"Bearer {secret}"}
        url = (await person.post("/api/login-url", headers=headers)).json()["url"]
        assert f"Max-Age={_DAY:.0f}" in (await person.get(url)).headers["set-cookie"]
        too_late = (await person.post("/api/login-url", headers=headers)).json()["url"]
        await store.remove_tokens([token.token_id])
        await person.get("/api/server", headers={"Authorization": "Bearer adksim_unknown"})  # reads the store again

        assert (await person.get(too_late, headers={"Cookie": ""})).status_code == 401


async def test_open_tabs_survive_a_restart(tmp_path: Path) -> None:
    settings = ServeSettings(database=tmp_path / "s.db", grpc_port=0, port=0)
    async with run_services(settings) as served:
        assert served.web
        port, token = served.web.port, served.token
        async with open_browser(served.web) as person:
            await person.get(served.web.url)
            cookies = dict(person.cookies)
    settings = ServeSettings(database=tmp_path / "s.db", grpc_port=0, port=port)
    async with run_services(settings) as served:
        assert served.web
        assert served.web.port == port
        async with open_browser(served.web) as person:
            person.cookies.update(cookies)
            assert (await person.get("/api/server")).status_code == 200
            person.cookies.clear()
            assert (await person.get("/api/server", headers={"Authorization": f"Bearer {token}"})).status_code == 401


async def test_the_token_of_a_server_ends_with_it() -> None:
    store = MemoryTokenStore()
    async with open_access_control(store) as access:
        assert [token.kind for token in await store.list_tokens()] == [TokenKind.SERVER]
        assert await access.authenticate(access.server_token)

    assert await store.list_tokens() == []
