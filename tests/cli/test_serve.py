"""`adksim serve` in real processes, and `sessions` and `export` on real databases."""

from __future__ import annotations

import asyncio
import json
import os
import stat
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import click
import httpx
import pytest
from api_client import NO_TLS
from processes import ServerProcess, invoke_adksim, run_adksim
from timeline_builders import (
    ManualClock,
    ask_turn,
    build_request_blocks,
    call_decision,
    list_sessions,
    text_decision,
    user_content,
)

from adk_agent_sim.cli.servers.serve import serve
from adk_agent_sim.errors import StoreNotOpened
from adk_agent_sim.link.remote_link import RemoteLink
from adk_agent_sim.persistence.database_store import open_store
from adk_agent_sim.persistence.default_path import get_default_database_path
from adk_agent_sim.server.composition import ServeSettings, run_services
from adk_agent_sim.timeline import jsonl
from adk_agent_sim.timeline.events import (
    AgentEvent,
    AgentJoined,
    CancelAsked,
    RunEnded,
    RunOutcome,
    ToolFinished,
    TurnDecided,
    UserSpoke,
)
from adk_agent_sim.timeline.store import MemoryStore
from adk_agent_sim.timeline.submissions import EventBatch, TurnDecision, TurnRequest
from adk_agent_sim.timeline.timeline import Timeline


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[ServerProcess]:
    server = ServerProcess(tmp_path / "simulator.db")
    await server.start()
    yield server
    await server.stop()


@pytest.mark.process
@pytest.mark.req("001/FR-017")
async def test_it_serves_until_it_is_stopped_and_nothing_is_lost(server: ServerProcess) -> None:
    async with RemoteLink(server.url) as link:
        session_id = (await link.create_session("kept")).session_id
        await link.append(EventBatch(session_id, [UserSpoke(content=user_content("hi"))]))
    assert await server.stop() == 0

    async with open_store(server.database) as store:
        assert [summary.session.description for summary in await store.list_summaries()] == ["kept"]
        assert len(await store.read_events(session_id)) == 1


@pytest.mark.process
async def test_a_second_server_on_one_database_is_refused(server: ServerProcess) -> None:
    second = await asyncio.to_thread(run_adksim, "serve", "--db", server.database, "--grpc-port", "0")

    assert second.returncode == 1
    assert "another server uses it. Use that server, or run `adksim serve` with another --db." in second.stderr
    assert "Traceback" not in second.stderr


@pytest.mark.process
async def test_a_port_that_is_taken_is_one_readable_line(server: ServerProcess, tmp_path: Path) -> None:
    second = await asyncio.to_thread(
        run_adksim, "serve", "--db", tmp_path / "other.db", "--grpc-port", str(server.port), "--no-web"
    )

    assert second.returncode == 1
    assert f"Cannot listen on 127.0.0.1:{server.port}" in second.stderr
    assert "Traceback" not in second.stderr


async def test_people_answer_in_the_browser_what_agents_ask_over_grpc(tmp_path: Path) -> None:
    settings = ServeSettings(database=tmp_path / "s.db", grpc_port=0, port=0)
    async with run_services(settings) as served, RemoteLink(served.grpc.address) as agent:
        assert served.web
        session_id = (await agent.create_session("remote")).session_id
        page = await agent.get_web_url(session_id)
        assert page == f"http://127.0.0.1:{served.web.port}/sessions/{session_id}"
        turn_id = str(uuid4())
        await agent.ask(
            TurnRequest(
                session_id,
                turn_id=turn_id,
                invocation_id="i",
                agent_name="math",
                request=build_request_blocks([user_content("2+2?")]),
            )
        )
        headers = {"Authorization": f"Bearer {served.web.token}"}
        async with httpx.AsyncClient(
            verify=NO_TLS, base_url=f"http://127.0.0.1:{served.web.port}", headers=headers
        ) as browser:
            (listed,) = (await browser.get("/api/sessions")).json()["sessions"]
            assert [request["request_id"] for request in listed["pending"]] == [turn_id]
            decision = {"decision_id": str(uuid4()), "text": "4"}
            decided = await browser.post(f"/api/sessions/{session_id}/turns/{turn_id}/decision", json=decision)
            assert decided.status_code == 200, decided.text
            await browser.patch(f"/api/sessions/{session_id}", json={"name": "sums"})
            await browser.post(f"/api/sessions/{session_id}/calls/c1/cancel")
        event = await agent.wait_for_decision(session_id, turn_id)
        assert isinstance(event.payload, TurnDecided)
        assert event.payload.response["content"]["parts"] == [{"text": "4"}]
        assert [one.description for one in await agent.list_sessions()] == ["sums"]
        assert (await served.timeline.read_events(session_id))[-1].payload == CancelAsked(call_id="c1")
        token = served.web.token

    if os.name == "posix":
        assert stat.S_IMODE((tmp_path / "s.db.key").stat().st_mode) == 0o600
    async with run_services(settings) as again:
        assert again.web
        assert again.web.token != token


async def test_a_database_where_none_can_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreNotOpened, match="--db"):
        async with run_services(ServeSettings(database=tmp_path / "file" / "s.db", grpc_port=0, web=False)):
            pass


async def test_old_sessions_are_deleted_when_it_starts(tmp_path: Path) -> None:
    async with open_store(tmp_path / "s.db") as store:
        timeline = Timeline(store, ManualClock(1_000.0))
        await timeline.create_session("of 1970")
        await Timeline(store).create_session("of today")

    async with run_services(ServeSettings(database=tmp_path / "s.db", grpc_port=0, web=False, keep_days=30)) as served:
        assert [session.description for session in await list_sessions(served.timeline)] == ["of today"]


@pytest.mark.req("003/schema-12")
def test_by_default_sessions_are_in_the_users_data_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

    assert get_default_database_path() == tmp_path / "data" / "adksim" / "simulator.db"
    (option,) = [each for each in serve.params if each.name == "database"]
    assert option.get_default(click.Context(serve)) == str(get_default_database_path())
    if os.name == "posix":
        assert stat.S_IMODE((tmp_path / "data" / "adksim").stat().st_mode) == 0o700
        monkeypatch.delenv("XDG_DATA_HOME")
        monkeypatch.setenv("HOME", str(tmp_path))
        assert get_default_database_path().is_relative_to(tmp_path)


async def _record_sessions(path: Path) -> str:
    """Create a database with a finished and an open session; returns the id of the finished one."""
    async with open_store(path) as store:
        timeline = Timeline(store)
        session_id = (await timeline.create_session("sums")).session_id
        joined = AgentJoined(app_name="math", user_id="u", adk_session_id="a", state={})
        await timeline.append(EventBatch(session_id, [joined, UserSpoke(content=user_content("2+2?"))]))
        for turn_id, answer in (("t1", call_decision("add", a=2, b=2)), ("t2", text_decision("4"))):
            await ask_turn(timeline, session_id, turn_id)
            await timeline.decide(TurnDecision(session_id, turn_id, answer))
            if turn_id == "t1":
                called = {"id": "c", "name": "add", "args": {"a": 2, "b": 2}}
                event = {"author": "math", "content": {"role": "model", "parts": [{"function_call": called}]}}
                await timeline.append(
                    EventBatch(session_id, [AgentEvent(invocation_id="inv", event=event, final=False)])
                )
                await timeline.append(EventBatch(session_id, [ToolFinished(call_id="c", result=4, duration_ms=1)]))
        event = {"author": "math", "content": text_decision("4")["content"]}
        await timeline.append(EventBatch(session_id, [AgentEvent(invocation_id="inv", event=event, final=True)]))
        await timeline.append(EventBatch(session_id, [RunEnded(invocation_id="inv", outcome=RunOutcome.DONE)]))
        other = (await timeline.create_session("open")).session_id
        await ask_turn(timeline, other, "t1")
        return session_id


def test_sessions_are_listed_with_status_agent_age_and_size(tmp_path: Path) -> None:
    session_id = asyncio.run(_record_sessions(tmp_path / "s.db"))
    shown = invoke_adksim("sessions", "--db", tmp_path / "s.db")
    listed = json.loads(invoke_adksim("sessions", "--db", tmp_path / "s.db", "--json").stdout)

    waiting, done = shown.stdout.splitlines()
    assert "waiting for you" in waiting
    # Nobody has the database any more, so the agent that was in its own process has ended.
    assert done.startswith(f"{session_id}  closed")
    assert "math" in done
    assert done.endswith("sums")
    assert [(one["status"], len(one["pending"]), one["agent_name"]) for one in listed] == [
        ("waiting", 1, "math"),
        ("closed", 0, "math"),
    ]
    assert listed[1]["stored_bytes"] > 100
    assert listed[1]["last_seq"] == 10


def test_listed_sessions_can_be_searched_and_limited(tmp_path: Path) -> None:
    database = tmp_path / "s.db"
    asyncio.run(_record_sessions(database))

    def list_names(*options: str) -> list[str]:
        listed = json.loads(invoke_adksim("sessions", "--db", database, "--json", *options).stdout)
        return [one["name"] for one in listed]

    assert list_names() == ["open", "sums"]
    assert list_names("--search", "SUM") == ["sums"]
    assert list_names("--status", "waiting") == ["open"]
    assert list_names("--status", "waiting", "--status", "closed") == ["open", "sums"]
    assert list_names("--status", "done") == []
    assert list_names("--agent", "math", "--limit", "1") == ["open"]
    assert list_names("--agent", "shop") == []
    shown = invoke_adksim("sessions", "--db", database, "--limit", "1")
    assert len(shown.stdout.splitlines()) == 1
    assert "more than these 1" in shown.stderr
    assert "more than" not in invoke_adksim("sessions", "--db", database, "--limit", "1", "--all").stderr
    assert "No session in" in invoke_adksim("sessions", "--db", database, "--search", "nothing").stdout


def test_a_database_without_sessions_is_reported(tmp_path: Path) -> None:
    shown = invoke_adksim("sessions", "--db", tmp_path / "s.db")

    assert shown.stdout.startswith("There are no sessions in")


def test_a_session_is_exported_in_every_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    database = tmp_path / "s.db"
    session_id = asyncio.run(_record_sessions(database))

    def export(*arguments: str | Path) -> str:
        done = invoke_adksim("export", *arguments, "--db", database)
        assert not done.exit_code, done.stderr
        return done.stdout

    written = json.loads(export(session_id, "--json"))
    (case,) = json.loads((tmp_path / "math.evalset.json").read_text())["eval_cases"]
    assert written["eval_id"] == case["eval_id"]
    assert case["conversation"][0]["intermediate_data"]["tool_uses"][0]["name"] == "add"

    options = ("--again", "--criteria", "in-order", "--criteria", "rouge=0.6")
    judged = export(session_id, "--out", "other.evalset.json", *options)
    command = f"adk eval AGENT_FOLDER {tmp_path}/other.evalset.json --config_file_path {tmp_path}/test_config.json"
    assert command in judged
    criteria = json.loads((tmp_path / "test_config.json").read_text())["criteria"]
    assert (criteria["tool_trajectory_avg_score"]["match_type"], criteria["response_match_score"]) == ("IN_ORDER", 0.6)

    export(session_id[:8], "--format", "jsonl", "--out", tmp_path / "s.jsonl")
    restored = MemoryStore()
    assert asyncio.run(jsonl.load_session(tmp_path / "s.jsonl", restored)).session_id == session_id
    assert len(restored.get_log(session_id)) == 10
    assert "# Session of" in export(session_id, "--format", "markdown")
    printed = json.loads(export(session_id, "--format", "markdown", "--finished-only", "--json"))
    assert printed["path"] is None
    assert printed["text"].startswith("# Session of")
    export(session_id, "--format", "adk-test", "--out", tmp_path / "t.json", "--force")
    assert json.loads((tmp_path / "t.json").read_text())


def test_an_unknown_or_incomplete_session_is_an_error(tmp_path: Path) -> None:
    asyncio.run(_record_sessions(tmp_path / "s.db"))
    unknown = invoke_adksim("export", "nothing", "--db", tmp_path / "s.db")
    unfinished = invoke_adksim("export", "last", "--db", tmp_path / "s.db")

    assert "There is no session 'nothing'" in unknown.stderr
    assert "cannot be exported yet" in unfinished.stderr
    assert unknown.exit_code == unfinished.exit_code == 1
