"""Somebody reads what the server prints, logs, answers, stores and shows in the process list: no token is there."""

from __future__ import annotations

import asyncio
import json
import subprocess
from pathlib import Path

import grpc
import httpx
import pytest
from api_client import NO_TLS
from google.protobuf.json_format import MessageToJson
from grpc_client import build_stub
from processes import ServerProcess, invoke_adksim

from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.link.remote_link import RemoteLink
from adk_agent_sim.link.server_entry import find_entry
from adk_agent_sim.server.composition import ServeSettings, run_services
from adk_agent_sim.timeline.events import UserSpoke
from adk_agent_sim.timeline.submissions import EventBatch


def _check_files(folder: Path, token: str) -> None:
    paths = list(folder.rglob("*"))
    assert paths
    assert [path for path in paths if token.encode() in path.read_bytes()] == []


@pytest.mark.process
async def test_the_process_list_and_the_output_have_no_token(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "s.db", web=True, in_new_interpreter=True)
    await server.start()
    try:
        entry = find_entry(server.port)
        assert entry is not None
        async with RemoteLink(server.url) as link:
            await link.create_session("mine")
        listed = await asyncio.to_thread(subprocess.run, ["ps", "axww", "-o", "args"], capture_output=True, check=True)
        assert str(server.database).encode() in listed.stdout
        assert entry.token.encode() not in listed.stdout
        assert "?code=" in server.web_url
        assert entry.token not in server.web_url
    finally:
        await server.stop()
    assert find_entry(server.port) is None

    _check_files(tmp_path, entry.token)


async def test_no_answer_event_log_or_file_has_a_token(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    async with run_services(ServeSettings(database=tmp_path / "s.db", grpc_port=0, port=0)) as served:
        assert served.web
        token = served.token
        metadata = (("authorization", f"Bearer {token}"),)
        seen: list[str] = [repr(served), repr(served.web), repr(served.grpc)]
        async with grpc.aio.insecure_channel(served.grpc.address) as channel:
            stub = build_stub(channel)
            created = await stub.CreateSession(v1.CreateSessionRequest(), metadata=metadata)
            session_id = created.session.id
            await served.timeline.append(EventBatch(session_id, [UserSpoke(content={"parts": [{"text": "hi"}]})]))
            got = await stub.GetSession(v1.GetSessionRequest(session_id=session_id), metadata=metadata)
            listed = await stub.ListSessions(v1.ListSessionsRequest(), metadata=metadata)
            seen += [MessageToJson(message) for message in (created, got, listed)]
            assert got.web_url == f"http://127.0.0.1:{served.web.port}/sessions/{session_id}"
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx.AsyncClient(verify=NO_TLS, base_url=served.web.base_url, headers=headers) as client:
            for path in ("/", "/api/server", "/api/sessions", f"/api/sessions/{session_id}", "/api/nothing"):
                answer = await client.get(path)
                seen += [answer.text, str(answer.headers)]
            opened = await client.post("/api/login-url")
            seen.append(opened.text)
            entered = await client.get(opened.json()["url"], headers={"Authorization": ""})
            seen += [entered.text, str(entered.headers)]
        seen += [repr(event) for event in await served.timeline.read_events(session_id)]
    seen += [record.getMessage() for record in caplog.records]

    assert len(seen) > 10
    assert [text for text in seen if token in text] == []
    _check_files(tmp_path, token)


def test_tokens_are_shown_once_and_stored_as_hashes(tmp_path: Path) -> None:
    database = tmp_path / "s.db"
    created = json.loads(invoke_adksim("token", "new", "ann", "--expires", "30d", "--db", database, "--json").stdout)
    listed = invoke_adksim("token", "list", "--db", database)
    as_json = invoke_adksim("token", "list", "--db", database, "--json")
    again = invoke_adksim("token", "new", "ann", "--db", database)

    assert created["token"].startswith("adksim_")
    assert "ann" in listed.stdout
    assert [(each["name"], each["kind"]) for each in json.loads(as_json.stdout)] == [("ann", "named")]
    assert again.exit_code == 1
    assert "There is a token named 'ann' already" in again.stderr
    for text in (listed.stdout, as_json.stdout, again.stderr):
        assert created["token"] not in text
    _check_files(tmp_path, created["token"])


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["new", ""], 2, "printable characters"),
        (["new", "a\nb"], 2, "printable characters"),
        (["new", "ann", "--expires", "soon"], 2, "such as 12h or 30d"),
        (["revoke", "nobody"], 1, "There is no token named 'nobody'"),
    ],
)
def test_wrong_arguments_are_explained(tmp_path: Path, arguments: list[str], code: int, message: str) -> None:
    failed = invoke_adksim("token", *arguments, "--db", tmp_path / "s.db")

    assert failed.exit_code == code
    assert message in failed.stderr


def test_open_says_when_there_is_no_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    failed = invoke_adksim("open")

    assert failed.exit_code == 1
    assert "Start one with `adksim serve`" in failed.stderr


async def test_open_prints_a_new_address_and_asks_which_server_if_there_are_several(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    async with run_services(ServeSettings(database=tmp_path / "s.db", grpc_port=0, port=0)) as served:
        assert served.web
        printed = await asyncio.to_thread(invoke_adksim, "open")
        async with httpx.AsyncClient(verify=NO_TLS) as browser:
            assert (await browser.get(printed.stdout.strip())).status_code == 303
        async with run_services(ServeSettings(database=tmp_path / "t.db", grpc_port=0, port=0)):
            several = await asyncio.to_thread(invoke_adksim, "open")
            one = await asyncio.to_thread(invoke_adksim, "open", "--port", str(served.web.port), "--json")

    assert several.exit_code == 1
    assert f"{served.web.port}" in several.stderr
    assert f":{served.web.port}/?code=" in json.loads(one.stdout)["url"]
