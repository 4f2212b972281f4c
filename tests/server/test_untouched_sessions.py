"""Sessions in which nothing happened are not kept: the page begins one whenever it is opened."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from api_client import ApiClient, serve_agents
from google.adk.agents import LlmAgent


def _create_agent() -> LlmAgent:
    return LlmAgent(name="walker", model="gemini-2.5-flash")


async def _start_sessions(browser: ApiClient) -> dict[str, str]:
    """Start a session in which nothing happens, and others in which something does; returns their names by id."""
    kept: dict[str, str] = {await browser.start_session("walker"): "untouched"}
    named = await browser.start_session("walker")
    assert (await browser.client.patch(f"/api/sessions/{named}", json={"name": "Mine"})).status_code == 200
    edited = await browser.start_session("walker")
    await browser.post(f"/sessions/{edited}/state", {"changes": json.dumps({"mood": "calm"})})
    spoken = await browser.start_session("walker", "hi")
    await browser.wait_for_turn(spoken)
    return {**kept, named: "named", edited: "edited", spoken: "spoken"}


async def _list_names(browser: ApiClient, names: dict[str, str]) -> list[str]:
    return sorted(names[session["session_id"]] for session in await browser.list_sessions())


@pytest.mark.parametrize("is_killed", [False, True])
async def test_a_restarted_server_has_the_sessions_in_which_something_happened(tmp_path: Path, is_killed: bool) -> None:
    used, left = tmp_path / "used", tmp_path / "left"
    used.mkdir()
    async with serve_agents(tmp_path, _create_agent(), database=used / "kept.db") as browser:
        names = await _start_sessions(browser)
        assert await _list_names(browser, names) == ["edited", "named", "spoken", "untouched"]
        if is_killed:
            shutil.copytree(used, left)  # what the files are like after a kill at this moment
    database = (left if is_killed else used) / "kept.db"
    for _ in range(2):
        async with serve_agents(tmp_path, _create_agent(), database=database) as browser:
            assert await _list_names(browser, names) == ["edited", "named", "spoken"]
            await browser.start_session("walker")
