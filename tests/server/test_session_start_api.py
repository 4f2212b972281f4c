"""Starting a session with a state and a user over the API, missing keys, and edits of the state."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from api_client import ApiClient, serve_agents
from google.adk.agents import LlmAgent
from google.adk.tools import ToolContext
from google.adk.workflow import START, Workflow


@pytest.fixture
async def browser(tmp_path: Path) -> AsyncIterator[ApiClient]:
    async with serve_agents(tmp_path, LlmAgent(name="tone", model="none", instruction="Be {mood}.")) as client:
        yield client


async def test_a_session_starts_with_the_state_and_the_user_that_are_given(browser: ApiClient, tmp_path: Path) -> None:
    (agent,) = await browser.get("/agents")
    assert agent["state_keys"] == ["mood"]
    new = {"agent_key": "tone", "state": '{"mood": "calm", "n": 12345678901234567890}', "user_id": "ada"}
    session_id = (await browser.post("/sessions", new))["session_id"]
    assert await browser.get(f"/sessions/{session_id}/state") == {"mood": "calm", "n": 12345678901234567890}
    assert (await browser.get(f"/sessions/{session_id}/state/needs")) == {"missing_keys": []}
    await browser.send_message(session_id, "Hello")
    await browser.respond(session_id, "Hi")
    await browser.wait_for_status(session_id, "done")
    written = await browser.post(f"/sessions/{session_id}/export", {})
    assert '"user_id": "ada"' in written["text"]
    assert '"mood": "calm"' in written["text"]


async def test_a_missing_key_is_named_and_can_be_set(browser: ApiClient) -> None:
    session_id = await browser.start_session("tone", "Hello")
    await browser.wait_for_status(session_id, "failed")
    rows = await browser.get(f"/sessions/{session_id}/rows", start=0, count=100)
    assert rows[-1]["subject"] == "StateKeyMissing"
    failure = await browser.get(f"/sessions/{session_id}/rows/{rows[-1]['index']}")
    assert [value["text"].split(":")[0] for value in failure["values"]] == ["StateKeyMissing", "KeyError"]
    assert (await browser.get(f"/sessions/{session_id}/state/needs")) == {"missing_keys": ["mood"]}

    await browser.post(f"/sessions/{session_id}/state", {"changes": '{"mood": "calm"}'})
    rows = await browser.get(f"/sessions/{session_id}/rows", start=0, count=100)
    assert (rows[-1]["kind"], rows[-1]["subject"], rows[-1]["summary"]) == ("note", "state edited", "mood=calm")
    detail = await browser.get(f"/sessions/{session_id}/rows/{rows[-1]['index']}")
    assert '"mood": "calm"' in str(detail["values"][0]["text"])
    await browser.send_message(session_id, "Hello")
    await browser.wait_for_turn(session_id)
    await browser.post(f"/sessions/{session_id}/state", {"changes": '{"mood": "x"}'})
    edited = await browser.get(f"/sessions/{session_id}")
    assert edited["status"] == "waiting"
    assert await browser.get(f"/sessions/{session_id}/state") == {"mood": "x"}
    await browser.respond(session_id, "Hi")
    await browser.wait_for_status(session_id, "done")


async def test_a_key_that_an_agent_inside_a_workflow_needs_is_named_and_can_be_set(tmp_path: Path) -> None:
    agent = LlmAgent(name="tone", model="none", instruction="Be {mood}.")
    async with serve_agents(tmp_path, Workflow(name="flow", edges=[(START, agent)])) as browser:
        (listed,) = await browser.get("/agents")
        assert listed["state_keys"] == ["mood"]
        session_id = await browser.start_session("flow")
        assert (await browser.get(f"/sessions/{session_id}/state/needs")) == {"missing_keys": ["mood"]}
        await browser.post(f"/sessions/{session_id}/state", {"changes": '{"mood": "calm"}'})
        assert (await browser.get(f"/sessions/{session_id}/state/needs")) == {"missing_keys": []}
        await browser.send_message(session_id, "Hello")
        turn_id = await browser.wait_for_turn(session_id)
        briefing = await browser.get(f"/sessions/{session_id}/briefing", turn_id=turn_id)
        assert "Be calm." in briefing["instruction"]
        await browser.respond(session_id, "Hi")
        await browser.wait_for_status(session_id, "done")


async def test_a_state_that_is_no_object_is_refused(browser: ApiClient) -> None:
    for state in ("[1]", "{", '{"a": NaN}'):
        refused = await browser.post_refused("/sessions", {"agent_key": "tone", "state": state}, 422)
        assert refused["message"].startswith("The state")
    session_id = await browser.start_session("tone")
    await browser.post_refused(f"/sessions/{session_id}/state", {"changes": "3"}, 422)
    await browser.post_refused(f"/sessions/{session_id}/state", {"changes": "{}"}, 409)


async def test_a_fork_of_a_session_of_an_earlier_server_has_its_user_and_its_state(tmp_path: Path) -> None:
    def who(tool_context: ToolContext) -> str:
        """Tell who the user is."""
        return tool_context.user_id

    agent = LlmAgent(name="tone", model="none", instruction="Be {mood}.", tools=[who])
    database = tmp_path / "sessions.db"
    async with serve_agents(tmp_path, agent, database=database) as browser:
        new = {"agent_key": "tone", "user_id": "ada"}
        session_id = (await browser.post("/sessions", new))["session_id"]
        await browser.post(f"/sessions/{session_id}/state", {"changes": '{"mood": "calm"}'})
        await browser.send_message(session_id, "Hello")
        await browser.respond(session_id, "Hi")
        await browser.wait_for_status(session_id, "done")
    async with serve_agents(tmp_path, agent, database=database) as browser:
        forked_id = (await browser.post(f"/sessions/{session_id}/time-travel", {"action": "fork"}))["session_id"]
        assert await browser.get(f"/sessions/{forked_id}/state") == {"mood": "calm"}
        await browser.send_message(forked_id, "Who am I?")
        await browser.call_tools(forked_id, ("who", {}))
        await browser.wait_for_turn(forked_id)
        rows = await browser.get(f"/sessions/{forked_id}/rows", start=0, count=100)
        assert [row["result"] for row in rows if row["kind"] == "call"] == ["ada"]
