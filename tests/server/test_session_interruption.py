"""Sessions whose server stopped say so, and when: in the middle of a run, or between two."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

from api_client import ApiClient, serve_agents
from google.adk.agents import LlmAgent
from google.adk.apps import App
from processes import invoke_adksim

from adk_agent_sim import EnvironmentSimulationFactory
from adk_agent_sim.environment.rules_file import parse_rules

_PROFILES = "{profiles: {down: [fail]}, rules: [{name: fail, match: {tool: walk}, do: {raise: KeyError}}]}"


def _create_agent() -> LlmAgent:
    return LlmAgent(name="walker", model="gemini-2.5-flash")


def walk() -> str:
    """Walk."""
    return "walked"


def _create_app() -> App:
    agent = LlmAgent(name="walker", model="gemini-2.5-flash", tools=[walk])
    plugin = EnvironmentSimulationFactory.create_plugin(parse_rules(_PROFILES))
    return App(name="walker", root_agent=agent, plugins=[plugin])


async def _start_all(browser: ApiClient) -> dict[str, str]:
    """Start a session of each kind; returns their ids by what they wait for."""
    fresh = await browser.start_session("walker")
    await browser.client.patch(f"/api/sessions/{fresh}", json={"name": "Kept"})
    waiting = await browser.start_session("walker", "hi")
    await browser.wait_for_turn(waiting)
    done = await browser.start_session("walker", "hi")
    await browser.respond(done, "Hello")
    await browser.wait_for_status(done, "done")
    closed = await browser.start_session("walker", "hi")
    await browser.wait_for_turn(closed)
    await browser.post(f"/sessions/{closed}/close")
    return {"fresh": fresh, "waiting": waiting, "done": done, "closed": closed}


async def _check_all(browser: ApiClient, sessions: dict[str, str]) -> None:
    found = {name: await browser.get(f"/sessions/{session_id}") for name, session_id in sessions.items()}
    listed = {each["session_id"]: each for each in (await browser.get("/sessions"))["sessions"]}
    statuses = {"fresh": "closed", "waiting": "interrupted", "done": "closed", "closed": "closed"}
    assert {name: session["status"] for name, session in found.items()} == statuses
    assert {name: listed[session_id]["status"] for name, session_id in sessions.items()} == statuses
    for status in ("closed", "interrupted"):
        filtered = {each["session_id"] for each in await browser.list_sessions(status=status)}
        assert filtered == {sessions[name] for name, each in statuses.items() if each == status}
    reasons = {name: session["closing_reason"] for name, session in found.items()}
    assert reasons.pop("closed") == "closed in the browser"
    assert all("server" in reason or "process" in reason for reason in reasons.values())
    assert all(session["time_travel"]["fork_problem"] == "" for session in found.values())


async def test_sessions_of_a_server_that_was_stopped_say_when(tmp_path: Path) -> None:
    async with serve_agents(tmp_path, _create_agent(), database=tmp_path / "kept.db") as browser:
        sessions = await _start_all(browser)
        for session_id in (sessions["fresh"], sessions["waiting"], sessions["done"]):
            assert (await browser.get(f"/sessions/{session_id}"))["closing_reason"] == ""
    async with serve_agents(tmp_path, _create_agent(), database=tmp_path / "kept.db") as browser:
        await _check_all(browser, sessions)
        # A note comes after the end, and is no part of what happened.
        await browser.post(f"/sessions/{sessions['waiting']}/rows/0/note", {"text": "Look here."})
        await _check_all(browser, sessions)
        fork = await browser.time_travel(sessions["waiting"], "fork")
        assert fork["closing_reason"] == ""
        await browser.respond(fork["session_id"], "Hello again")
        await browser.wait_for_status(fork["session_id"], "done")


async def test_the_terminal_lists_the_sessions_that_a_stopped_server_interrupted(tmp_path: Path) -> None:
    database = tmp_path / "kept.db"
    async with serve_agents(tmp_path, _create_agent(), database=database) as browser:
        sessions = await _start_all(browser)

    listed = json.loads((await asyncio.to_thread(invoke_adksim, "sessions", "--db", database, "--json")).stdout)
    lines = (await asyncio.to_thread(invoke_adksim, "sessions", "--db", database)).stdout.splitlines()

    assert {each["session_id"] for each in listed if each["status"] == "interrupted"} == {sessions["waiting"]}
    assert [line.split()[0] for line in lines if "  interrupted " in line] == [sessions["waiting"]]
    assert sum("  closed " in line for line in lines) == 3


async def test_sessions_of_a_server_that_was_killed_say_when(tmp_path: Path) -> None:
    killed, left = tmp_path / "killed", tmp_path / "left"
    killed.mkdir()
    async with serve_agents(tmp_path, _create_agent(), database=killed / "kept.db") as browser:
        sessions = await _start_all(browser)
        shutil.copytree(killed, left)  # what the files are like after a kill at this moment
    async with serve_agents(tmp_path, _create_agent(), database=left / "kept.db") as browser:
        await _check_all(browser, sessions)


async def test_a_profile_that_is_recorded_only_at_the_stop_does_not_finish_the_run(tmp_path: Path) -> None:
    async with serve_agents(tmp_path, _create_app(), database=tmp_path / "kept.db") as browser:
        session_id = await browser.start_session("walker", "hi")
        await browser.wait_for_turn(session_id)
        await browser.post(f"/sessions/{session_id}/environment/profile", {"profile": "down"})
        # The switch came after the turn was asked, so the fork records it with its next call, or at its end.
        fork = {"action": "fork", "turn": 1}
        waiting = (await browser.post(f"/sessions/{session_id}/time-travel", fork))["session_id"]
        await browser.wait_for_turn(waiting)
    async with serve_agents(tmp_path, _create_app(), database=tmp_path / "kept.db") as browser:
        assert (await browser.get(f"/sessions/{waiting}"))["status"] == "interrupted"
        assert "down is active" in [row["summary"] for row in (await browser.get_rows(waiting))[-2:]]
        last = (await browser.post(f"/sessions/{waiting}/time-travel", {"action": "fork"}))["session_id"]
        assert (await browser.get(f"/sessions/{last}/environment"))["profile"] == "down"
        await browser.call_tools(last, ("walk", {}))
        await browser.respond(last, "Not today")
        await browser.wait_for_status(last, "done")
        assert [row["rule"] for row in await browser.get_rows(last) if row.get("rule")] == ["fail"]
