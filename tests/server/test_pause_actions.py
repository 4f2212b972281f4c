"""Paused agents over the web API: the form of a request, its answer, and a database without the credential."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from api_client import serve_agents
from pausing_agents import build_credential_app, build_trip_app
from polling import wait_until

from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.link.agent_restarts import AgentRestarts
from adk_agent_sim.server.agents.agent_catalog import AgentCatalog
from adk_agent_sim.server.sessions.session_services import ServedSession, SessionServices
from adk_agent_sim.timeline.timeline import Timeline

SECRET = "sk-live-Zq81mQ0vXe"  # noqa: S105 - a made-up one


async def test_a_workflow_gets_the_input_that_it_asks_for(tmp_path: Path) -> None:
    async with serve_agents(tmp_path, build_trip_app()) as client:
        session_id = await client.start_session("trips", "hello")
        session = await client.wait_for_request(session_id, "input")
        (item,) = (await client.get("/queue"))["items"]
        assert item["request"]["kind"] == "input"
        pause = session["pause"]
        assert (pause["kind"], pause["message"], pause["title"]) == ("input", "Where to?", "")
        assert json.loads(pause["payload"]) == {"from": "Bern"}
        assert list(pause["response_schema"]["properties"]) == ["city", "nights"]
        (row,) = [row for row in await client.get_rows(session_id) if row["kind"] == "request"]
        assert (row["subject"], row["summary"], row["status"]) == ("input", "Where to?", "confirm")

        check = {"target": "input", "value": '{"nights": 2}'}
        (problem,) = await client.post(f"/sessions/{session_id}/check?turn_id={pause['request_id']}", check)
        url = f"/sessions/{session_id}/requests/{pause['request_id']}/answer"
        refused = await client.post_refused(url, {"value": '{"nights": 2}'}, 422)
        assert problem["path"] == "city"
        assert refused["can_override"]
        await client.post(url, {"value": '{"city": "Rome", "nights": 2}'})

        session = await client.wait_for_status(session_id, "done")
        assert session["pause"] is None
        rows = await client.get_rows(session_id)
        assert [row["kind"] for row in rows] == ["user", "request", "answer"]
        assert (rows[1]["status"], rows[1]["result"]) == ("done", '{"city": "Rome", "nights": 2}')
        assert (await client.post_refused(url, {"value": "{}"}, 404))["error"] == "NotFound"


async def test_a_credential_reaches_the_tool_and_is_in_no_database_log_or_response(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Even if the tool returns it to the model, and keeps it in the state."""
    caplog.set_level(logging.DEBUG)
    database = tmp_path / "simulator.db"
    async with serve_agents(tmp_path, build_credential_app("m", echoes=True), database=database) as client:
        session_id = await client.start_session("weather", "How is Rome?")
        await client.call_tools(session_id, ("get_weather", {"city": "Rome"}))
        pause = (await client.wait_for_request(session_id, "credential"))["pause"]
        assert (pause["kind"], pause["title"]) == ("credential", "API key X-Weather-Key (header)")
        assert pause["response_schema"]["required"] == ["api_key"]
        url = f"/sessions/{session_id}/requests/{pause['request_id']}/answer"
        refused = await client.post_refused(url, {"value": json.dumps({"key": SECRET})}, 422)
        assert refused["error"] == "InvalidCredential"
        assert SECRET not in json.dumps(refused)

        answered = await client.post(url, {"value": json.dumps({"api_key": SECRET})})
        await client.respond(session_id, "Sunny")
        await client.wait_for_status(session_id, "done")
        rows = await client.get_rows(session_id)
        (request,) = [row for row in rows if row["kind"] == "request"]
        assert (request["status"], request["result"]) == ("done", '{"credential": "not recorded"}')
        details = [await client.get_row_detail(session_id, row["index"]) for row in rows]
        exported = await client.post(f"/sessions/{session_id}/export", {"format": "evalset"})
        seen = json.dumps([answered, rows, details, exported])
        assert "X-Weather-Key: [redacted]" in seen
        assert SECRET not in seen
    written = _read_files(tmp_path)
    assert {"simulator.db"} < written.keys()
    assert b"get_weather" in b"".join(written.values())
    assert [name for name, data in written.items() if SECRET.encode() in data] == []
    assert SECRET not in caplog.text


async def test_a_sign_in_is_simulated(tmp_path: Path) -> None:
    async with serve_agents(tmp_path, build_credential_app("m", "oauth")) as client:
        session_id = await client.start_session("weather", "How is Rome?")
        await client.call_tools(session_id, ("get_weather", {"city": "Rome"}))
        pause = (await client.wait_for_request(session_id, "credential"))["pause"]
        assert pause["auth_uri"].startswith("https://login.example/auth?")
        await client.post(f"/sessions/{session_id}/requests/{pause['request_id']}/answer", {"value": None})
        await client.wait_for_turn(session_id)
        rows = await client.get_rows(session_id)
        assert [row["result"] for row in rows if row["kind"] == "request"] == ['{"credential": "simulated"}']


def _read_files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


async def test_a_process_that_is_gone_can_no_longer_be_answered() -> None:
    timeline = Timeline()
    session = await timeline.create_session(description="trips", session_id="s1")
    restarts = AgentRestarts(timeline)
    services = SessionServices(AgentCatalog([]), timeline, allow_remote_agents=True, restarts=restarts)
    opened = ServedSession(services, session.session_id)
    assert "Pass `restart=`" in opened.answer_problem

    async def offer() -> AsyncIterator[v1.RestartReport]:
        yield v1.RestartReport(session_ids=[session.session_id])
        await asyncio.Event().wait()

    orders = asyncio.ensure_future(anext(restarts.serve(offer())))
    await wait_until(lambda: opened.answer_problem == "")
    orders.cancel()
    await asyncio.wait({orders})
    assert "could continue it and has ended" in opened.answer_problem
