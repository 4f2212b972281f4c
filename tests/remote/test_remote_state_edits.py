"""The state of sessions whose agents run in other processes is edited at the server, in the process's own service."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import pytest
from api_client import ApiClient
from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.runners import InMemoryRunner, Runner
from google.adk.tools import ToolContext
from google.genai import types
from polling import pause

from adk_agent_sim import SimulatorPlugin
from adk_agent_sim.errors import RunUndone
from adk_agent_sim.server.composition import RunningServices


def read_mood(tool_context: ToolContext) -> str:
    """Return the mood."""
    return str(tool_context.state.get("mood"))


def _build_runner(served: RunningServices, *, can_restart: bool = True) -> Runner:
    agent = LlmAgent(name="mood", model="none", instruction="Be {mood?}.", tools=[read_mood])
    plugin = SimulatorPlugin(
        served.grpc.address, restart=(lambda session: session.run(runner)) if can_restart else None
    )
    runner = InMemoryRunner(app=App(name="mood", root_agent=agent, plugins=[plugin]))
    return runner


async def _run(runner: Runner) -> None:
    await runner.session_service.create_session(app_name="mood", user_id="u", session_id="s", state={"mood": "grim"})
    message = types.Content(role="user", parts=[types.Part(text="hi")])
    with suppress(RunUndone):
        async for _ in runner.run_async(user_id="u", session_id="s", new_message=message):
            pass


async def _wait_for_session(browser: ApiClient, *, has_control: bool = True) -> str:
    while not (sessions := await browser.list_sessions()):
        await pause()
    session_id = sessions[0]["session_id"]
    await browser.wait_for_turn(session_id)
    while (await browser.get(f"/sessions/{session_id}"))["has_control"] is not has_control:
        await pause()
    return session_id


async def _read_state(runner: Runner) -> Mapping[str, Any]:
    session = await runner.session_service.get_session(app_name="mood", user_id="u", session_id="s")
    assert session is not None
    return session.state


async def _read_results(browser: ApiClient, session_id: str) -> list[str]:
    return [row["result"] for row in await browser.get_rows(session_id) if row["kind"] == "call"]


async def test_the_state_is_edited_while_a_turn_waits_and_between_two_runs(
    served: RunningServices, browser: ApiClient
) -> None:
    runner = _build_runner(served)
    running = asyncio.ensure_future(_run(runner))
    session_id = await _wait_for_session(browser)
    await browser.post(f"/sessions/{session_id}/state", {"changes": '{"mood": "calm"}'})
    assert (await browser.get(f"/sessions/{session_id}/state"))["mood"] == "calm"
    await browser.call_tools(session_id, ("read_mood", {}))
    await browser.wait_for_turn(session_id)
    assert await _read_results(browser, session_id) == ["calm"]
    assert "Be calm." in (await browser.get(f"/sessions/{session_id}/briefing"))["instruction"]
    await browser.respond(session_id, "Done")
    await running
    await browser.wait_for_status(session_id, "done")
    assert (await _read_state(runner))["mood"] == "calm"

    await browser.post(f"/sessions/{session_id}/state", {"changes": '{"mood": "brisk"}'})
    assert (await _read_state(runner))["mood"] == "brisk"
    await runner.close()


async def test_an_undo_repeats_the_edits_before_it(served: RunningServices, browser: ApiClient) -> None:
    runner = _build_runner(served)
    running = asyncio.ensure_future(_run(runner))
    session_id = await _wait_for_session(browser)
    await browser.call_tools(session_id, ("read_mood", {}))
    await browser.wait_for_turn(session_id)
    await browser.post(f"/sessions/{session_id}/state", {"changes": '{"mood": "calm"}'})
    await browser.call_tools(session_id, ("read_mood", {}))
    await browser.wait_for_turn(session_id)
    await browser.call_tools(session_id, ("read_mood", {}))
    await browser.wait_for_turn(session_id)
    await browser.post(f"/sessions/{session_id}/time-travel", {"action": "undo"})
    await browser.wait_for_turn(session_id)
    await browser.call_tools(session_id, ("read_mood", {}))
    await browser.wait_for_turn(session_id)
    assert await _read_results(browser, session_id) == ["grim", "calm", "calm", "calm"]  # the third was undone
    await browser.respond(session_id, "Done")
    await running
    await browser.wait_for_status(session_id, "done")
    await runner.close()


async def test_a_fork_has_the_edits_before_its_turn_and_the_process_goes_on(
    served: RunningServices, browser: ApiClient
) -> None:
    runner = _build_runner(served)
    running = asyncio.ensure_future(_run(runner))
    session_id = await _wait_for_session(browser)
    await browser.post(f"/sessions/{session_id}/state", {"changes": '{"mood": "calm"}'})
    await browser.call_tools(session_id, ("read_mood", {}))
    await browser.wait_for_turn(session_id)
    await browser.post(f"/sessions/{session_id}/state", {"changes": '{"mood": "brisk"}'})

    fork_id = (await browser.post(f"/sessions/{session_id}/time-travel", {"action": "fork"}))["session_id"]
    await browser.wait_for_turn(fork_id)
    await browser.call_tools(fork_id, ("read_mood", {}))
    await browser.wait_for_turn(fork_id)
    assert await _read_results(browser, fork_id) == ["calm", "calm"]  # the edit of the waiting turn is after its point
    for each in (fork_id, session_id):
        await browser.respond(each, "Done")
        await browser.wait_for_status(each, "done")
    await running
    assert (await _read_state(runner))["mood"] == "brisk"
    await runner.close()


@pytest.mark.parametrize(("changes", "reason"), [("{}", "nothing to set"), ('{"temp:x": 1}', "cannot be set")])
async def test_changes_that_cannot_be_made_are_refused(
    served: RunningServices, browser: ApiClient, changes: str, reason: str
) -> None:
    runner = _build_runner(served)
    running = asyncio.ensure_future(_run(runner))
    session_id = await _wait_for_session(browser)
    refused = await browser.post_refused(f"/sessions/{session_id}/state", {"changes": changes}, 409)
    assert reason in refused["message"]
    await browser.respond(session_id, "Done")
    await running
    assert (await _read_state(runner))["mood"] == "grim"
    await runner.close()


async def test_a_process_that_takes_no_orders_says_what_to_do(served: RunningServices, browser: ApiClient) -> None:
    runner = _build_runner(served, can_restart=False)
    running = asyncio.ensure_future(_run(runner))
    session_id = await _wait_for_session(browser, has_control=False)
    refused = await browser.post_refused(f"/sessions/{session_id}/state", {"changes": '{"mood": "calm"}'}, 409)
    assert "Pass `restart=` to its SimulatorPlugin" in refused["message"]
    await browser.respond(session_id, "Done")
    await running
    await runner.close()
