"""A page of another site, which a person with a session visits, makes their browser send requests here."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest
from api_client import NO_TLS, serve_sessions

from adk_agent_sim.server.agents.agent_catalog import AgentCatalog
from adk_agent_sim.server.sessions.session_services import SessionServices
from adk_agent_sim.timeline.timeline import Timeline

_NAVIGATION = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}


@pytest.fixture
async def person() -> AsyncIterator[httpx.AsyncClient]:
    """A browser with a session."""
    services = SessionServices(AgentCatalog([]), Timeline(), allow_remote_agents=True)
    async with (
        serve_sessions(services) as server,
        httpx.AsyncClient(verify=NO_TLS, base_url=f"http://127.0.0.1:{server.port}") as client,
    ):
        assert (await client.get(server.url)).status_code == 303
        yield client


@pytest.mark.parametrize("site", ["cross-site", "same-site", "unknown"])
@pytest.mark.parametrize(
    ("method", "path", "headers"),
    [
        ("GET", "/api/sessions", {"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}),
        ("GET", "/api/sessions", _NAVIGATION),
        ("POST", "/api/sessions", _NAVIGATION),
        ("GET", "/", {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}),
        ("GET", "/", {"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"}),
        ("GET", "/", {}),
    ],
)
async def test_a_request_of_another_site_is_refused(
    person: httpx.AsyncClient, site: str, method: str, path: str, headers: dict[str, str]
) -> None:
    refused = await person.request(method, path, headers={"Sec-Fetch-Site": site, **headers})

    assert refused.status_code == 403
    assert "set-cookie" not in refused.headers


async def test_a_person_may_follow_a_link_from_another_site(person: httpx.AsyncClient) -> None:
    answer = await person.get("/sessions/1", headers={"Sec-Fetch-Site": "cross-site", **_NAVIGATION})

    assert answer.status_code in (200, 503)  # 503 if the app is not built


async def test_a_link_from_another_site_goes_on_from_our_own_page_so_that_the_cookie_is_sent(
    person: httpx.AsyncClient,
) -> None:
    person.cookies.clear()  # as a browser does, because the cookie is SameSite=Strict
    path = '/sessions/1"><script>?a=b&c="'
    answer = await person.get(path, headers={"Sec-Fetch-Site": "cross-site", **_NAVIGATION})
    again = await person.get("/sessions/1", headers={"Sec-Fetch-Site": "same-origin", **_NAVIGATION})

    assert answer.status_code == 200
    assert 'content="0; url=/sessions/1%22%3E%3Cscript%3E?a=b&amp;c=%22"' in answer.text
    assert "set-cookie" not in answer.headers
    assert again.status_code == 401


@pytest.mark.parametrize("site", ["none", "same-origin"])
async def test_our_own_pages_are_served(person: httpx.AsyncClient, site: str) -> None:
    assert (await person.get("/api/sessions", headers={"Sec-Fetch-Site": site})).status_code == 200
