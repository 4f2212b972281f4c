"""Paused agents of other processes: what a person at the server answers, their own process continues with."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable
from pathlib import Path

import pytest
from api_client import ApiClient
from google.adk.apps import App
from google.adk.runners import InMemoryRunner, Runner
from google.genai import types
from guarded_mcp_server import TOKEN, build_guarded_app, serve_guarded_mcp
from pausing_agents import build_credential_app, build_trip_app
from polling import pause

from adk_agent_sim import SimulatorPlugin
from adk_agent_sim.adk.time_travel.restart_input import SessionRestart
from adk_agent_sim.server.composition import RunningServices

SECRET = "sk-live-Zq81mQ0vXe"  # noqa: S105 - a made-up one


def _build_runner(app: App, served: RunningServices, *, can_restart: bool = True) -> Runner:
    def restart(session: SessionRestart) -> Awaitable[None]:
        return session.run(runner)

    plugin = SimulatorPlugin(served.grpc.address, restart=restart if can_restart else None)
    runner = InMemoryRunner(app=app.model_copy(update={"plugins": [plugin]}))
    return runner


async def _run(runner: Runner, text: str) -> None:
    session = await runner.session_service.create_session(app_name=runner.app_name, user_id="u")
    message = types.Content(role="user", parts=[types.Part(text=text)])
    async for _ in runner.run_async(user_id="u", session_id=session.id, new_message=message):
        pass


def _find_files_with_secret(folder: Path) -> list[Path]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    return [path for path in files if SECRET.encode() in path.read_bytes()]


async def _find_session(browser: ApiClient) -> str:
    while not (sessions := await browser.list_sessions()):
        await pause()
    return sessions[0]["session_id"]


async def test_a_workflow_gets_its_input_from_the_server(served: RunningServices, browser: ApiClient) -> None:
    runner = _build_runner(build_trip_app(), served)
    await _run(runner, "hello")
    session_id = await _find_session(browser)
    pause_info = (await browser.wait_for_request(session_id, "input"))["pause"]
    url = f"/sessions/{session_id}/requests/{pause_info['request_id']}/answer"
    await browser.post(url, {"value": '{"city": "Rome", "nights": 2}'})
    await browser.wait_for_status(session_id, "done")
    rows = await browser.get_rows(session_id)
    assert rows[-1]["summary"] == "Booked {'city': 'Rome', 'nights': 2}"
    await runner.close()


async def test_a_tool_gets_a_credential_that_the_server_does_not_store(
    served: RunningServices, browser: ApiClient, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    runner = _build_runner(build_credential_app("m", echoes=True), served)
    running = asyncio.ensure_future(_run(runner, "How is Rome?"))
    session_id = await _find_session(browser)
    await browser.call_tools(session_id, ("get_weather", {"city": "Rome"}))
    pause_info = (await browser.wait_for_request(session_id, "credential"))["pause"]
    await running
    url = f"/sessions/{session_id}/requests/{pause_info['request_id']}/answer"
    await browser.post(url, {"value": json.dumps({"api_key": SECRET})})
    await browser.respond(session_id, "Sunny")
    await browser.wait_for_status(session_id, "done")
    results = [row["result"] for row in await browser.get_rows(session_id) if row["kind"] == "call"]
    assert "X-Weather-Key: [redacted]" in results[-1]
    await runner.close()
    assert _find_files_with_secret(tmp_path) == []
    assert SECRET not in caplog.text


async def test_the_tools_of_an_mcp_server_are_there_when_the_user_has_signed_in_at_the_server(
    served: RunningServices, browser: ApiClient
) -> None:
    with serve_guarded_mcp() as url:
        runner = _build_runner(build_guarded_app("m", url), served)
        await _run(runner, "Two books")
        session_id = await _find_session(browser)
        pause_info = (await browser.wait_for_request(session_id, "credential"))["pause"]
        answer_url = f"/sessions/{session_id}/requests/{pause_info['request_id']}/answer"
        await browser.post(answer_url, {"value": json.dumps({"access_token": TOKEN})})
        await browser.call_tools(session_id, ("put", {"thing": "book", "times": 2}))
        await browser.respond(session_id, "Done")
        await browser.wait_for_status(session_id, "done")
        results = [row["result"] for row in await browser.get_rows(session_id) if row["kind"] == "call"]
        assert "2 x book" in results[-1]
        await runner.close()


async def test_a_process_that_cannot_be_told_to_continue_says_what_to_do(
    served: RunningServices, browser: ApiClient
) -> None:
    runner = _build_runner(build_trip_app(), served, can_restart=False)
    await _run(runner, "hello")
    session_id = await _find_session(browser)
    session = await browser.wait_for_request(session_id, "input")
    assert "Pass `restart=` to its SimulatorPlugin" in session["answer_problem"]
    url = f"/sessions/{session_id}/requests/{session['pause']['request_id']}/answer"
    refused = await browser.post_refused(url, {"value": '{"city": "Rome"}'}, 409)
    assert refused["message"] == session["answer_problem"]
    await runner.close()


async def test_a_process_that_can_be_told_to_continue_can_be_answered(
    served: RunningServices, browser: ApiClient
) -> None:
    runner = _build_runner(build_trip_app(), served)
    await _run(runner, "hello")
    session_id = await _find_session(browser)
    await browser.wait_for_request(session_id, "input")
    while (await browser.get(f"/sessions/{session_id}"))["answer_problem"]:
        await pause()
    await runner.close()
