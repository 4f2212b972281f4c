"""The revisions of the list of sessions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from api_client import serve_agents
from google.adk.agents import LlmAgent


async def test_a_tab_of_an_earlier_server_reloads_its_list_however_much_has_changed_since(tmp_path: Path) -> None:
    agent = LlmAgent(name="agent", model="gemini-2.5-flash")
    async with serve_agents(tmp_path, agent) as client, client.open_tab() as tab:
        await tab.follow(None)
        earlier: Any = await tab.wait_for_update(type="sessions")
    async with serve_agents(tmp_path, agent) as client, client.open_tab() as other_tab, client.open_tab() as tab:
        await other_tab.follow(None)
        await client.start_session("agent")
        await client.start_session("agent")
        await other_tab.wait_for_update(reload=False)
        await tab.socket.send(f'{{"session_id": null, "revision": {earlier["revision"]}}}')
        assert (await tab.wait_for_update(type="sessions"))["reload"]
