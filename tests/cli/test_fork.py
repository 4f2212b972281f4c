"""`adksim fork`, and the commands of the terminal that go back in time."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from agent_folders import write_agent
from click.testing import CliRunner, Result
from google.adk.sessions.sqlite_session_service import SqliteSessionService
from pausing_agents import build_trip_app

from adk_agent_sim import Simulation
from adk_agent_sim.adk.loading.agent_loader import get_demo_folder, load_app
from adk_agent_sim.adk.steps.steps import InputRequest
from adk_agent_sim.cli.main import adksim
from adk_agent_sim.cli.play.prompts import ScriptedPrompts
from adk_agent_sim.cli.play.terminal import play_in_terminal
from adk_agent_sim.persistence.database_store import open_store
from adk_agent_sim.timeline.session_copy import transfer_session

_MATH = str(get_demo_folder("math_agent"))


async def _record(folder: Path) -> str:
    """Store a session of three turns in a database and in a file."""
    async with Simulation(load_app(Path(_MATH))) as sim:
        turn = await sim.send("What is 2+2, doubled?")
        turn = await turn.call("add", {"a": 2, "b": 2})
        turn = await turn.call("multiply", {"a": 4, "b": 2})
        await turn.respond("8")
    await sim.export_jsonl(folder / "math.jsonl")
    async with open_store(str(folder / "sessions.db")) as store:
        await transfer_session(sim._store, await sim.timeline.get_session(sim.session_id), store)  # pyright: ignore[reportPrivateUsage]
    return sim.session_id


@pytest.fixture
def session_id(tmp_path: Path) -> str:
    return asyncio.run(_record(tmp_path))


def _fork(tmp_path: Path, *arguments: str) -> Result:
    result = CliRunner().invoke(adksim, ["fork", *arguments, "--db", str(tmp_path / "sessions.db")])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def _read_json(result: Result) -> Any:
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_the_turns_of_a_session_are_listed(tmp_path: Path, session_id: str) -> None:
    listed = _fork(tmp_path, "last").stdout.splitlines()
    found = _read_json(_fork(tmp_path, session_id[:8], "--json"))

    assert listed[1] == '    2  math_agent (human): multiply({"a": 4, "b": 2})'
    assert [turn["decision"] for turn in found["turns"]] == ['add({"a": 2, "b": 2})', 'multiply({"a": 4, "b": 2})', "8"]


def test_a_fork_is_stored_beside_the_session(tmp_path: Path, session_id: str) -> None:
    arguments = ["--turn", "2", "--agent", _MATH, "--json"]
    forked = _read_json(_fork(tmp_path, "last", *arguments))
    again = _read_json(_fork(tmp_path, forked["session_id"], "--json"))

    assert forked["waits_for"] == "the model of 'math_agent' must decide"
    assert (forked["source_session_id"], forked["replayed_turns"], forked["difference"]) == (session_id, 1, None)
    assert [turn["decision"] for turn in again["turns"]] == ['add({"a": 2, "b": 2})']
    assert len(_read_json(_fork(tmp_path, session_id, "--json"))["turns"]) == 3


def test_the_session_of_a_fork_is_in_the_service_that_is_named(tmp_path: Path, session_id: str) -> None:
    file = tmp_path / "adk.db"
    arguments = ["--turn", "3", "--response", "It is 8.", "--json", "--session_service_uri", f"sqlite:///{file}"]
    assert "The services need --agent" in _fork(tmp_path, "last", *arguments[:2], *arguments[5:]).stderr
    _read_json(_fork(tmp_path, "last", "--agent", _MATH, *arguments))

    service = SqliteSessionService(str(file))
    (found,) = asyncio.run(service.list_sessions(app_name="math_agent", user_id="user")).sessions
    session = asyncio.run(service.get_session(app_name="math_agent", user_id="user", session_id=found.id))
    assert session is not None
    assert "It is 8." in str(session.events[-1].content)


def test_a_response_is_edited_in_a_file(tmp_path: Path, session_id: str) -> None:
    file, out = str(tmp_path / "math.jsonl"), str(tmp_path / "edited.jsonl")
    arguments = ["--turn", "3", "--agent", _MATH, "--response", "It is 8.", "--out", out]
    forked = _read_json(_fork(tmp_path, file, *arguments, "--json"))
    edited = _read_json(_fork(tmp_path, out, "--json"))

    assert forked["final_response"] == "It is 8."
    assert edited["turns"][2]["decision"] == "It is 8."


def test_a_difference_is_named_with_the_option_that_accepts_it(tmp_path: Path, session_id: str) -> None:
    agent = tmp_path / "changed"
    shutil.copytree(_MATH, agent)
    (agent / "agent.py").write_text((agent / "agent.py").read_text().replace("You are a careful", "You are a quick"))
    arguments = ["--turn", "2", "--agent", str(agent), "--json"]
    refused = _fork(tmp_path, "last", *arguments)

    assert refused.exit_code == 1
    assert "replay differs from the recording" in refused.stderr
    assert "Add --force to continue anyway" in refused.stderr
    assert _read_json(_fork(tmp_path, "last", *arguments, "--force"))["difference"]


def test_a_message_is_edited(tmp_path: Path, session_id: str) -> None:
    arguments = ["--turn", "3", "--agent", _MATH, "--message", "What is 1+1?", "--json"]
    forked = _read_json(_fork(tmp_path, "last", *arguments))

    assert forked["waits_for"] == "the model of 'math_agent' must decide"
    assert _read_json(_fork(tmp_path, forked["session_id"], "--json"))["turns"] == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["last", "--turn", "2"], "--turn needs --agent"),
        (["last", "--turn", "9", "--agent", _MATH], "There is no turn 9: the session has 3 turns."),
        (["last", "--response", "x"], "need --turn"),
        (["nothing"], "nothing"),
        (["missing.jsonl"], "missing.jsonl"),
    ],
)
def test_errors_say_what_to_do(tmp_path: Path, session_id: str, arguments: list[str], message: str) -> None:
    result = _fork(tmp_path, *arguments)

    assert result.exit_code != 0
    assert message in result.stderr


_TRIPS = """
from pausing_agents import build_trip_app

app = build_trip_app()
root_agent = app.root_agent
"""


async def _record_question(path: Path) -> None:
    async with Simulation(build_trip_app()) as sim:
        assert isinstance(await sim.send("hello"), InputRequest)
        await sim.export_jsonl(path)


def test_a_session_without_turns_continues_where_it_waits_for_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    asyncio.run(_record_question(tmp_path / "asked.jsonl"))
    write_agent(tmp_path, "trips", _TRIPS)
    listed = CliRunner().invoke(adksim, ["fork", "asked.jsonl"])
    assert "it has no turns. Continue where it is" in listed.output
    assert "--turn" not in listed.output

    typed = "city=Rome nights=2\n/done\n"
    played = CliRunner().invoke(adksim, ["fork", "asked.jsonl", "--agent", "trips"], input=typed)

    assert played.exit_code == 0, played.output
    assert "Where to?" in played.output
    assert "Booked {'city': 'Rome', 'nights': 2}" in played.output


async def test_the_terminal_goes_back_in_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    eval_set = tmp_path / "math.evalset.json"
    lines = [
        "What is 2+2?",
        "/redo",
        "add a=2 b=2",
        "say five",
        "/undo",
        "/turns",
        "say four",
        "/undo",
        "/undo",
        "/redo",
        "say 4",
        "/fork 9",
        "/fork",
        "/fork 2",
        "say quatre",
        "/done",
    ]
    assert await play_in_terminal(load_app(Path(_MATH)), ScriptedPrompts(lines), eval_set)
    shown = capsys.readouterr()
    (case,) = json.loads(eval_set.read_text())["eval_cases"]

    assert case["conversation"][0]["final_response"]["parts"][0]["text"] == "quatre"
    assert "There is nothing to redo" in shown.err
    assert "There is no turn 9: the session has 2 turns" in shown.err
    assert "such as /fork 2" in shown.err
    assert "This is a new session, which continues from turn 2." in shown.out
    assert "    2  math_agent: (waits for a decision)" in shown.out
