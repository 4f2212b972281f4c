"""Attacks on the server over real sockets: each must be rejected."""

from __future__ import annotations

import asyncio
import http.client
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from api_client import NO_TLS, ApiClient, bearer_headers, serve_agents
from google.adk.agents import LlmAgent
from polling import MAX_WAIT_SECONDS
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from adk_agent_sim.persistence.access_tokens import MemoryTokenStore
from adk_agent_sim.server.access.access_control import open_access_control
from adk_agent_sim.server.access.exposure import Exposure
from adk_agent_sim.server.access.guard import MAX_BODY_BYTES, Guard

_CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
    "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

_LINK_FROM_ANOTHER_SITE = {
    "Sec-Fetch-Site": "cross-site",
    "Sec-Fetch-Mode": "navigate",
    "Sec-Fetch-Dest": "document",
}


@pytest.fixture
async def browser(tmp_path: Path) -> AsyncIterator[ApiClient]:
    async with serve_agents(tmp_path, LlmAgent(name="agent", model="gemini-2.5-flash")) as client:
        yield client


@pytest.fixture
async def stranger(browser: ApiClient) -> AsyncIterator[httpx.AsyncClient]:
    """A client without a token or a session."""
    async with httpx.AsyncClient(verify=NO_TLS, base_url=f"http://127.0.0.1:{browser.server.port}") as client:
        yield client


class TestToken:
    @pytest.mark.parametrize(
        "headers",
        [
            {},
            {"Authorization": "Bearer wrong"},
            {"Authorization": "Bearer"},
            {"Authorization": "Basic x"},
            {"Cookie": "adksim_1_2=x"},
            {"Cookie": "\x01=;;;"},
        ],
    )
    async def test_without_it_the_api_rejects_every_request(
        self, stranger: httpx.AsyncClient, headers: dict[str, str]
    ) -> None:
        for method, path in [("GET", "/api/server"), ("POST", "/api/sessions"), ("GET", "/api/nothing")]:
            answer = await stranger.request(method, path, headers=headers)
            assert answer.status_code == 401
            assert answer.json()["error"] == "TokenRejected"

    async def test_it_is_not_taken_from_an_address(self, browser: ApiClient, stranger: httpx.AsyncClient) -> None:
        for path in ("/", "/api/server"):
            for name in ("token", "code"):
                answer = await stranger.get(path, params={name: browser.server.token})

                assert answer.status_code == 401
                assert "set-cookie" not in answer.headers

    async def test_a_code_is_not_taken_from_the_address_of_an_api_call(
        self, browser: ApiClient, stranger: httpx.AsyncClient
    ) -> None:
        answer = await stranger.get("/api/server", params={"code": _create_code(browser)})

        assert answer.status_code == 401
        assert "set-cookie" not in answer.headers

    async def test_a_page_without_it_says_how_to_get_one_without_a_script(self, stranger: httpx.AsyncClient) -> None:
        for path in ("/", "/sessions/1", "/assets/index.js", "/?code=wrong", "/?code=%FF%00"):
            answer = await stranger.get(path)
            assert answer.status_code == 401
            assert "adksim open" in answer.text
            assert "<script" not in answer.text
            assert "set-cookie" not in answer.headers

    async def test_the_printed_address_gives_a_cookie_and_leaves_no_code_behind(
        self, browser: ApiClient, stranger: httpx.AsyncClient
    ) -> None:
        answer = await stranger.get(browser.server.url)
        cookie = answer.headers["set-cookie"]
        name = cookie.partition("=")[0]

        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        assert str(browser.server.port) in name
        assert (await browser.get("/server"))["server_id"] in name
        assert "HttpOnly" in cookie
        assert "samesite=strict" in cookie.lower()
        assert answer.headers["cache-control"] == "no-store"
        assert (await stranger.get("/api/server")).status_code == 200

    async def test_cookies_of_other_servers_of_this_machine_do_no_harm(
        self, browser: ApiClient, stranger: httpx.AsyncClient
    ) -> None:
        ours = (await stranger.get(browser.server.url)).headers["set-cookie"].partition(";")[0]
        stranger.cookies.clear()
        for cookie in (f'a={{"json": [1]}}; {ours}', f"=; b c=d; {ours}; x"):
            assert (await stranger.get("/api/server", headers={"Cookie": cookie})).status_code == 200

    async def test_the_clean_address_keeps_the_path_and_stays_on_this_server(
        self, browser: ApiClient, stranger: httpx.AsyncClient
    ) -> None:
        deep = await stranger.get(f"/sessions/1?a=b%26c&code={_create_code(browser)}")
        path = f"//evil.example/x?code={_create_code(browser)}"
        other = await asyncio.to_thread(_send_raw_request, browser, path, {})

        assert deep.headers["location"] == "/sessions/1?a=b%26c"
        assert other.headers["location"] == "/evil.example/x"

    async def test_a_visit_from_another_site_continues_from_our_own_page(
        self, browser: ApiClient, stranger: httpx.AsyncClient
    ) -> None:
        answer = await stranger.get(
            f'/x"><script>?q="><script>&code={_create_code(browser)}', headers=_LINK_FROM_ANOTHER_SITE
        )

        assert answer.status_code == 200
        assert "set-cookie" in answer.headers
        assert 'http-equiv="refresh" content="0; url=/x%22%3E%3Cscript%3E?q=%22%3E%3Cscript%3E"' in answer.text
        assert "<script" not in answer.text


class TestHost:
    @pytest.mark.parametrize(
        "host",
        ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:{port}", "127.0.0.1:{port}.evil", ""],
    )
    async def test_another_host_name_is_not_served(self, browser: ApiClient, host: str) -> None:
        headers = {**bearer_headers(browser.server), "Host": host.format(port=browser.server.port)}
        for path in ("/", "/api/server", f"/?code={_create_code(browser)}"):
            answer = await asyncio.to_thread(_send_raw_request, browser, path, headers)
            assert answer.status == 421
            assert "set-cookie" not in answer.headers

    async def test_the_loopback_names_are_served(self, browser: ApiClient) -> None:
        for name in ("127.0.0.1", "localhost", "LOCALHOST", "[::1]"):
            headers = {**bearer_headers(browser.server), "Host": f"{name}:{browser.server.port}"}
            assert (await asyncio.to_thread(_send_raw_request, browser, "/api/server", headers)).status == 200

    async def test_on_port_80_browsers_name_no_port(self) -> None:
        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            await PlainTextResponse("in")(scope, receive, send)

        async with open_access_control(MemoryTokenStore()) as access:
            hosts = Exposure(allow_hosts=["build-box:8080"]).list_web_hosts(80)
            guard = Guard(answer, access=access, hosts=hosts, cookie="x")
            token = {"Authorization": f"Bearer {access.server_token}"}
            async with httpx.AsyncClient(transport=httpx.ASGITransport(guard), base_url="http://127.0.0.1") as client:
                statuses = {
                    host: (await client.get("/api/x", headers={"Host": host, **token})).status_code
                    for host in ("127.0.0.1", "localhost", "[::1]", "127.0.0.1:80", "build-box", "evil.example")
                }
                same = {"Origin": "http://127.0.0.1", **token}
                assert (await client.get("/api/x", headers=same)).status_code == 200

        assert list(statuses.values()) == [200, 200, 200, 200, 421, 421]

    async def test_the_rejection_says_how_to_allow_a_name(self, browser: ApiClient) -> None:
        answer = await browser.client.get("/", headers={"Host": "build-box:8080"})

        assert answer.status_code == 421
        assert "--allow-host NAME:PORT" in answer.text
        assert "allow_hosts" in answer.text

    async def test_two_host_headers_are_rejected(self, browser: ApiClient) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", browser.server.port)
        good = f"127.0.0.1:{browser.server.port}"
        writer.write(
            f"GET /api/server HTTP/1.1\r\nHost: {good}\r\nHost: evil.example\r\nConnection: close\r\n"
            f"Authorization: Bearer {browser.server.token}\r\n\r\n".encode()
        )
        answer = await reader.read()
        writer.close()
        await writer.wait_closed()

        assert answer.split(b" ", 2)[1] in (b"400", b"421")


class TestOrigin:
    @pytest.mark.parametrize(
        "origin", ["https://evil.example", "null", "http://127.0.0.1", "http://127.0.0.1:1", "file://", ""]
    )
    async def test_another_origin_is_refused_whatever_the_method(self, browser: ApiClient, origin: str) -> None:
        for method in ("GET", "POST", "PATCH", "OPTIONS", "HEAD", "DELETE"):
            answer = await browser.client.request(method, "/api/sessions", headers={"Origin": origin})
            assert answer.status_code == 403
            assert not [name for name in answer.headers if name.startswith("access-control")]

    async def test_our_own_origin_is_accepted(self, browser: ApiClient) -> None:
        origin = f"http://localhost:{browser.server.port}"

        assert (await browser.client.get("/api/sessions", headers={"Origin": origin})).status_code == 200


class TestSocket:
    @pytest.mark.parametrize(
        "headers",
        [
            {},
            {"Authorization": "Bearer wrong"},
            {"Authorization": "{token}", "Origin": "https://evil.example"},
            {"Authorization": "{token}", "Origin": "null"},
        ],
    )
    async def test_strangers_are_refused_before_it_opens(self, browser: ApiClient, headers: dict[str, str]) -> None:
        token = bearer_headers(browser.server)["Authorization"]
        given = {name: value.format(token=token) for name, value in headers.items()}
        with pytest.raises(InvalidStatus) as refused:
            await connect(f"ws://127.0.0.1:{browser.server.port}/api/live", additional_headers=given)

        assert refused.value.response.status_code == 403

    async def test_another_host_is_refused(self, browser: ApiClient) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", browser.server.port)
        writer.write(
            b"GET /api/live HTTP/1.1\r\nHost: evil.example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
            + f"Authorization: Bearer {browser.server.token}\r\n\r\n".encode()
        )
        answer = await reader.readline()
        writer.close()
        await writer.wait_closed()

        assert b" 403 " in answer


class TestEveryAnswer:
    async def test_it_forbids_foreign_content(self, browser: ApiClient, stranger: httpx.AsyncClient) -> None:
        evil = {"Origin": "https://evil.example"}
        answers = [
            await browser.client.get("/"),
            await browser.client.get("/api/server"),
            await browser.client.get("/api/nothing"),
            await browser.client.post("/api/sessions", content=b"{"),
            await browser.client.get("/api/sessions", headers=evil),
            await stranger.get("/"),
            await stranger.get("/api/server"),
            await stranger.get(browser.server.url),
        ]

        for answer in answers:
            assert answer.headers["content-security-policy"] == _CSP
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["referrer-policy"] == "no-referrer"
            assert answer.headers["cross-origin-opener-policy"] == "same-origin"
            assert answer.headers["cross-origin-resource-policy"] == "same-origin"
            assert "server" not in answer.headers

    async def test_no_page_loads_from_another_server(self, browser: ApiClient) -> None:
        for path in ("/docs", "/redoc", "/openapi.json"):
            assert "swagger" not in (await browser.client.get(path)).text.lower()


class TestSize:
    async def test_a_body_that_says_it_is_too_long_is_not_read(self, browser: ApiClient) -> None:
        headers = {**bearer_headers(browser.server), "Content-Length": str(MAX_BODY_BYTES + 1)}
        answer = await asyncio.to_thread(_send_raw_request, browser, "/api/sessions", headers, "POST")

        assert answer.status == 413

    async def test_a_body_that_does_not_say_so_is_cut_off(self, browser: ApiClient) -> None:
        async def endless() -> AsyncIterator[bytes]:
            for _ in range(MAX_BODY_BYTES // 1_000_000 + 2):
                yield b" " * 1_000_000

        answer = await browser.client.post("/api/sessions", content=endless())

        assert answer.status_code == 413
        assert answer.json()["error"] == "Http413"


def _create_code(browser: ApiClient) -> str:
    return browser.server.url.partition("?code=")[2]


def _send_raw_request(
    browser: ApiClient, path: str, headers: dict[str, str], method: str = "GET"
) -> http.client.HTTPResponse:
    """Sends a request exactly as given; a client library would normalize it."""
    connection = http.client.HTTPConnection("127.0.0.1", browser.server.port, timeout=MAX_WAIT_SECONDS)
    try:
        connection.putrequest(method, path, skip_host="Host" in headers)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        answer.read()
        return answer
    finally:
        connection.close()
