"""The browser app's files: served by their exact names, and no other file of the disk."""

from __future__ import annotations

import asyncio
import http.client
from pathlib import Path

import pytest
from api_client import bearer_headers, serve_agents
from google.adk.agents import LlmAgent
from polling import MAX_WAIT_SECONDS

from adk_agent_sim.server.web import static_pages


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "static"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><title>the app</title>")
    (folder / "favicon.svg").write_text("<svg/>")
    (folder / "assets" / "index-1a2b.js").write_text("export {}")
    (tmp_path / "secret.txt").write_text("secret")
    monkeypatch.setattr(static_pages, "BUNDLE_FOLDER", folder)
    return folder


_AGENT = LlmAgent(name="agent", model="gemini-2.5-flash")


async def test_files_are_served_with_their_types_and_assets_are_cached_forever(bundle: Path, tmp_path: Path) -> None:
    async with serve_agents(tmp_path, _AGENT) as browser:
        script = await browser.client.get("/assets/index-1a2b.js")
        icon = await browser.client.get("/favicon.svg")
        missing = await browser.client.get("/assets/other.js")

    assert script.headers["content-type"].startswith("text/javascript")
    assert script.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert icon.headers["content-type"] == "image/svg+xml"
    assert icon.headers["cache-control"] == "no-store"
    assert missing.status_code == 404


@pytest.mark.parametrize("path", ["/", "/sessions/1", "/index.html", "/a/b/c.txt"])
async def test_every_other_path_is_the_app(bundle: Path, tmp_path: Path, path: str) -> None:
    async with serve_agents(tmp_path, _AGENT) as browser:
        answer = await browser.client.get(path)

    assert (answer.status_code, "the app" in answer.text) == (200, True)
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/assets/../../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "/assets/..%5c..%5csecret.txt",
        "//secret.txt",
        "/%00",
        "/../../../../../../etc/passwd",
    ],
)
async def test_no_path_leads_out_of_the_bundle(bundle: Path, tmp_path: Path, path: str) -> None:
    async with serve_agents(tmp_path, _AGENT) as browser:

        def fetch() -> bytes:
            connection = http.client.HTTPConnection("127.0.0.1", browser.server.port, timeout=MAX_WAIT_SECONDS)
            connection.request("GET", path, headers=bearer_headers(browser.server))
            body = connection.getresponse().read()
            connection.close()
            return body

        body = await asyncio.to_thread(fetch)

    assert b"secret" not in body.replace(b"secret.txt", b"")
    assert b"root:" not in body


async def test_files_that_begin_with_a_dot_are_not_served(bundle: Path, tmp_path: Path) -> None:
    (bundle / ".env").write_text("secret")
    (bundle / ".git").mkdir()
    (bundle / ".git" / "config").write_text("secret")
    async with serve_agents(tmp_path, _AGENT) as browser:
        answers = [await browser.client.get(path) for path in ("/.env", "/.git/config")]

    assert all("the app" in answer.text for answer in answers)


async def test_without_a_bundle_the_page_says_how_to_build_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(static_pages, "BUNDLE_FOLDER", tmp_path / "nothing")
    async with serve_agents(tmp_path, _AGENT) as browser:
        answer = await browser.client.get("/")

    assert answer.status_code == 503
    assert "npm run build" in answer.text
