"""`adksim run --web`: folders of agents, sessions that are kept, and the options that say otherwise."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from agent_folders import write_agent
from fork_server import OpenProcess
from polling import MAX_WAIT_SECONDS
from processes import invoke_adksim, open_adksim, run_adksim

from adk_agent_sim.persistence.default_path import get_run_database_path


@contextmanager
def _run_web(*arguments: str | Path, **environment: str) -> Generator[tuple[OpenProcess, httpx.Client, list[str]]]:
    """Run the command; yields its process, a client, and the lines that it has printed."""
    process = open_adksim("run", *arguments, "--web", "--port", "0", environment=environment)
    try:
        lines = [process.stdout.readline() for _ in range(2 if "--ephemeral" in arguments else 3)]
        url = httpx.URL(lines[0].split()[1])
        with httpx.Client(base_url=url.join("/"), follow_redirects=True, timeout=MAX_WAIT_SECONDS) as client:
            client.get(url)
            yield process, client, lines
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


def _wait_for_turn(client: httpx.Client, session_id: str) -> str:
    while True:
        pending = client.get(f"/api/sessions/{session_id}").json()["pending"]
        if pending:
            return pending[0]["request_id"]


def _decide(client: httpx.Client, session_id: str, decision_id: str, **decision: Any) -> None:
    turn_id = _wait_for_turn(client, session_id)
    path = f"/api/sessions/{session_id}/turns/{turn_id}/decision"
    assert client.post(path, json={"decision_id": decision_id, **decision}).status_code == 200


@pytest.mark.process
def test_what_was_done_before_the_server_was_killed_is_there_after_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agents = tmp_path / "agents"
    write_agent(agents, "kept_agent")
    write_agent(agents, "fatal_agent", "import os\nos._exit(7)\n")
    data = str(tmp_path / "data")
    with _run_web(agents, XDG_DATA_HOME=data) as (process, client, lines):
        assert "Sessions are kept in " in lines[2]
        session_id = client.post("/api/sessions", json={"agent_key": "kept_agent"}).json()["session_id"]
        client.post(f"/api/sessions/{session_id}/messages", json={"text": "go"})
        _decide(client, session_id, "decision-1", calls=[{"name": "greet", "arguments": '{"name": "Ada"}'}])
        _wait_for_turn(client, session_id)
        monkeypatch.setenv("XDG_DATA_HOME", data)
        assert "waiting for you" in invoke_adksim("sessions", "--db", agents).stdout
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert "  interrupted " in invoke_adksim("sessions", "--db", agents).stdout
    with _run_web(agents, XDG_DATA_HOME=data) as (process, client, _):
        rows = client.get(f"/api/sessions/{session_id}/rows").json()
        assert [row["kind"] for row in rows] == ["user", "call"]
        assert client.get(f"/api/sessions/{session_id}").json()["status"] == "interrupted"
        fork = client.post(f"/api/sessions/{session_id}/time-travel", json={"action": "fork"}).json()["session_id"]
        _decide(client, fork, "decision-2", text="Done.")
        # Nothing can be done against this; the sessions are kept, and the last line names the agent.
        with pytest.raises(httpx.TransportError):
            client.post("/api/sessions", json={"agent_key": "fatal_agent"})
        assert process.wait() == 7
        assert process.stdout.read().splitlines()[-1] == "Loading fatal_agent."
    (database,) = (tmp_path / "data" / "adksim" / "runs").glob("agents-*.db")
    assert oct(database.parent.stat().st_mode & 0o777) == "0o700" or os.name == "nt"


@pytest.mark.process
def test_an_ephemeral_server_leaves_nothing(tmp_path: Path) -> None:
    write_agent(tmp_path, "brief_agent")
    data = tmp_path / "data"
    with _run_web(tmp_path / "brief_agent", "--ephemeral", XDG_DATA_HOME=str(data)) as (_, client, _lines):
        client.post("/api/sessions", json={"agent_key": "brief_agent"})
        assert client.get("/api/server").json()["is_persistent"] is False
    assert list(data.rglob("*.db")) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--reload"], "--reload needs --web"),
        (["--ephemeral"], "--ephemeral needs --web"),
        (["--db", "x.db"], "--db needs --web"),
        (["--web", "--db", "x.db", "--ephemeral"], "--db and --ephemeral exclude each other"),
        (["--web", "--eval-set", "x.json"], "--eval-set is for one agent"),
    ],
)
def test_options_that_contradict_each_other_are_refused(tmp_path: Path, options: list[str], message: str) -> None:
    write_agent(tmp_path, "any_agent")
    result = invoke_adksim("run", tmp_path, *options)
    assert result.exit_code == 2
    assert message in result.stderr


def test_an_agent_that_does_not_load_ends_the_command_if_it_is_the_only_one(tmp_path: Path) -> None:
    folder = write_agent(tmp_path, "hopeless_agent", "import no_such_module_at_all")
    result = invoke_adksim("run", folder, "--web")
    assert result.exit_code == 1
    assert "no_such_module_at_all" in result.stderr
    assert "there is no such folder" in invoke_adksim("run", tmp_path / "nowhere", "--web").stderr


@pytest.mark.process
def test_a_folder_whose_only_agent_does_not_load_is_served_and_its_card_says_why(tmp_path: Path) -> None:
    agents = tmp_path / "agents"
    write_agent(agents, "hopeless_agent", "import no_such_module_at_all")
    with _run_web(agents, "--ephemeral") as (process, client, _):
        refused = client.post("/api/sessions", json={"agent_key": "hopeless_agent"})
        assert refused.status_code == 404
        assert "no_such_module_at_all" in refused.json()["message"]
        (agent,) = client.get("/api/agents").json()
        assert (agent["load_status"], agent["name"]) == ("failed", "hopeless_agent")
        assert "no_such_module_at_all" in agent["load_problem"]
        write_agent(agents, "hopeless_agent")
        assert client.post("/api/agents/hopeless_agent/load").json()["load_status"] == "loaded"
        assert process.poll() is None


@pytest.mark.process
def test_a_second_server_of_the_same_sessions_says_what_this_command_can_do(tmp_path: Path) -> None:
    folder, database = write_agent(tmp_path, "shared_agent"), tmp_path / "kept.db"
    with _run_web(folder, "--db", str(database)):
        second = run_adksim("run", folder, "--web", "--port", "0", "--db", database)
    assert second.returncode == 1
    assert "another server uses it. Use that server (`adksim open` prints a login URL for it)" in second.stderr
    assert "run `adksim run --web` with --db FILE" in second.stderr
    assert "adksim serve" not in second.stderr
    assert "Traceback" not in second.stderr


@pytest.mark.process
def test_a_session_of_a_killed_server_is_interrupted_in_any_database(tmp_path: Path) -> None:
    database = tmp_path / "kept.db"
    with _run_web(write_agent(tmp_path, "killed_agent"), "--db", str(database)) as (process, client, _):
        (agent,) = client.get("/api/agents").json()
        session_id = client.post("/api/sessions", json={"agent_key": agent["key"]}).json()["session_id"]
        client.post(f"/api/sessions/{session_id}/messages", json={"text": "go"})
        _wait_for_turn(client, session_id)
        process.send_signal(signal.SIGKILL)
        process.wait()

    (listed,) = json.loads(invoke_adksim("sessions", "--db", database, "--json", "--status", "interrupted").stdout)

    assert (listed["status"], listed["pending"]) == ("interrupted", [])


def test_a_folder_stands_for_its_sessions_in_other_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    agents = tmp_path / "agents"
    write_agent(agents, "known_agent")
    refused = invoke_adksim("sessions", "--db", agents)
    assert refused.exit_code == 2
    assert "has no kept sessions yet" in refused.stderr
    path = get_run_database_path(agents)
    path.parent.mkdir(parents=True)
    path.touch()
    output = invoke_adksim("sessions", "--db", agents).output.replace("\n", "")
    assert f"There are no sessions in {path}. `adksim run AGENT_DIR --web` keeps those in which you play." in output
