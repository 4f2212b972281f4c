"""Toolsets that need the user's credential before they list their tools, such as MCP servers with a sign-in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from api_client import serve_agents
from fidelity_runs import normalize_events
from google.adk.agents import LlmAgent
from google.adk.agents.readonly_context import ReadonlyContext
from google.adk.auth.auth_tool import AuthConfig
from google.adk.tools import BaseTool, FunctionTool
from google.adk.tools.base_toolset import BaseToolset
from guarded_mcp_server import TOKEN, build_guarded_app, serve_guarded_mcp
from pausing_agents import OAUTH
from plain_pauses import find_answer, replace_oauth_state, run_plainly
from scripted_model import ScriptedModel, call_response, text_response

from adk_agent_sim import RunFailed, Simulation
from adk_agent_sim.adk.steps.steps import CredentialRequest, Done, ModelTurn

CONFIG = OAUTH.model_copy(update={"credential_key": "desk"})


def greet(name: str) -> str:
    """Greet somebody."""
    return f"Hello {name}"


def count(things: list[str]) -> int:
    """Count things."""
    return len(things)


class SignedInToolset(BaseToolset):
    """Lists its tools only for a user who has signed in."""

    def get_auth_config(self) -> AuthConfig | None:
        return CONFIG

    async def get_tools(self, readonly_context: ReadonlyContext | None = None) -> list[BaseTool]:
        if readonly_context is None or readonly_context.get_credential("desk") is None:
            raise ConnectionError("401 Unauthorized")
        return [FunctionTool(greet)]


@pytest.fixture
def mcp_url() -> Iterator[str]:
    with serve_guarded_mcp() as url:
        yield url


async def test_an_mcp_server_with_a_sign_in_is_used_as_on_a_plain_runner(mcp_url: str) -> None:
    call = ("put", {"thing": "book", "times": 2})
    async with Simulation(build_guarded_app("m", mcp_url)) as sim:
        asked = await sim.send("Two books")
        assert isinstance(asked, CredentialRequest)
        assert asked.form.title == "OAuth 2.0 sign-in"
        turn = await asked.answer({"access_token": TOKEN})
        assert isinstance(turn, ModelTurn)
        assert list(turn.tools) == ["put"]
        turn = await turn.call(*call)
        assert isinstance(turn, ModelTurn)
        assert isinstance(await turn.respond("Done"), Done)
        assert TOKEN not in repr(sim.log())
        played, answer = normalize_events(sim.events()), find_answer(sim)

    script = [call_response(call), text_response("Done")]
    plain = await run_plainly(build_guarded_app(ScriptedModel(script=script), mcp_url), "Two books", answer)
    for events in (played, plain):
        replace_oauth_state(events)
    assert played == plain
    assert "2 x book" in str(plain[-2])
    assert len(plain) == 6


async def test_an_mcp_server_that_rejects_the_credential_is_reported(mcp_url: str) -> None:
    async with Simulation(build_guarded_app("m", mcp_url)) as sim:
        asked = await sim.send("Two books")
        assert isinstance(asked, CredentialRequest)
        with pytest.raises(RunFailed, match=f"cannot load its tools from McpToolset .{mcp_url}.*sign in with a cred"):
            await asked.sign_in()


async def test_the_user_signs_in_for_a_toolset_of_any_kind() -> None:
    agent = LlmAgent(name="desk", model="m", tools=[SignedInToolset(), count])
    async with Simulation(agent) as sim:
        asked = await sim.send("Greet Ada")
        assert isinstance(asked, CredentialRequest)
        turn = await asked.sign_in()
        assert isinstance(turn, ModelTurn)
        assert list(turn.tools) == ["greet", "count"]
        turn = await turn.call("greet", {"name": "Ada"})
        assert isinstance(turn, ModelTurn)
        assert turn.results == [{"result": "Hello Ada"}]


async def test_the_other_tools_are_shown_before_the_sign_in(tmp_path: Path) -> None:
    agent = LlmAgent(name="desk", model="m", tools=[SignedInToolset(), count])
    async with serve_agents(tmp_path, agent) as browser:
        session_id = await browser.start_session("desk")
        briefing = await browser.get(f"/sessions/{session_id}/briefing")
        assert [tool["name"] for tool in briefing["tools"]] == ["count"]
        assert briefing["problem"] == ""
        await browser.send_message(session_id, "Greet Ada")
        request = await browser.wait_for_request(session_id, "credential")
        assert request["pause"]["kind"] == "credential"
