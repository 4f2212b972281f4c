"""`adksim run` with services by URI, as `adk web` takes them, and with criteria for `adk eval`."""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from api_client import NO_TLS
from click.testing import CliRunner
from google.adk.sessions.sqlite_session_service import SqliteSessionService
from polling import MAX_WAIT_SECONDS
from processes import open_adksim

from adk_agent_sim.cli.main import adksim

_AGENT = '''
from google.adk.agents import LlmAgent
from google.adk.tools import ToolContext


def note(text: str, tool_context: ToolContext) -> str:
    """Write a note."""
    tool_context.state["note"] = text
    return "noted"


root_agent = LlmAgent(name="noter", model="none", tools=[note])
'''

_SERVICES = """
from google.adk.cli.service_registry import get_service_registry
from google.adk.sessions.sqlite_session_service import SqliteSessionService
from polling import MAX_WAIT_SECONDS
from processes import open_adksim


def create(uri, **settings):
    return SqliteSessionService(db_path=uri.removeprefix("notes://"))


get_service_registry().register_session_service("notes", create)
"""

_SCRIPT = """
steps:
  - user: Note a.
  - call: note
    args: {text: a}
    expect: noted
  - respond: Done.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    agent = tmp_path / "noter"
    agent.mkdir()
    (agent / "agent.py").write_text(_AGENT)
    (tmp_path / "script.yaml").write_text(_SCRIPT)
    return agent


def _read_states(path: Path) -> list[dict[str, object]]:
    service = SqliteSessionService(db_path=str(path))
    return [each.state for each in asyncio.run(service.list_sessions(app_name="noter")).sessions]


@pytest.mark.parametrize("option", ["--session_service_uri", "--session-service-uri"])
def test_a_session_is_stored_where_the_uri_says(folder: Path, option: str) -> None:
    database = folder.parent / "sessions.db"
    arguments = ["run", str(folder), "--script", str(folder.parent / "script.yaml")]

    result = CliRunner().invoke(adksim, [*arguments, option, f"sqlite:///{database}"])

    assert result.exit_code == 0, result.output
    assert _read_states(database) == [{"note": "a"}]


def test_a_terminal_session_is_stored_where_the_uri_says(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder.parent)
    typed = "Note b.\nnote text=b\nsay Done.\n/quit\n"

    result = CliRunner().invoke(adksim, ["run", str(folder), "--session_service_uri", "sqlite:///mine.db"], input=typed)

    assert result.exit_code == 0, result.output
    assert _read_states(folder.parent / "mine.db") == [{"note": "b"}]


@pytest.mark.process
def test_the_browsers_sessions_are_stored_where_the_uri_says_and_the_server_ends_without_errors(folder: Path) -> None:
    database = folder.parent / "web.db"
    services = ["--session_service_uri", f"sqlite+aiosqlite:///{database}", "--memory_service_uri", "memory://"]
    process = open_adksim("run", folder, "--web", "--port", "0", *services, cwd=folder.parent, keep_errors=True)
    try:
        url = httpx.URL(process.stdout.readline().split()[1])
        with httpx.Client(base_url=url.join("/"), follow_redirects=True, verify=NO_TLS) as client:
            client.get(url)
            started = client.post("/api/sessions", json={"agent_key": "noter", "state": '{"note": "a"}'})
            assert started.status_code == 200, started.text
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=MAX_WAIT_SECONDS)
    finally:
        process.kill()
        process.wait()

    with closing(sqlite3.connect(database)) as connection:
        stored = connection.execute("SELECT app_name, user_id, state FROM sessions").fetchall()
    assert stored == [("noter", "user", '{"note": "a"}')]
    assert (process.returncode, errors) == (0, "")


def test_a_scheme_that_the_agent_folder_registers_can_be_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "services.py").write_text(_SERVICES)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "services", raising=False)
    database = folder.parent / "notes.db"
    arguments = ["run", str(folder), "--script", str(folder.parent / "script.yaml")]

    result = CliRunner().invoke(adksim, [*arguments, "--session_service_uri", f"notes://{database}"])
    sys.modules.pop("services", None)

    assert result.exit_code == 0, result.output
    assert _read_states(database) == [{"note": "a"}]


def test_a_session_is_exported_with_criteria(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder.parent)
    typed = "Note b.\nnote text=b\nsay Done.\n/done\n"

    result = CliRunner().invoke(
        adksim, ["run", "noter", "--criteria", "any-order", "--criteria", "rouge=off"], input=typed
    )
    refused = CliRunner().invoke(adksim, ["run", "noter", "--criteria", "fuzzy"])

    assert "eval noter noter.evalset.json --config_file_path test_config.json" in result.output
    assert json.loads(Path("test_config.json").read_text()) == {
        "criteria": {"tool_trajectory_avg_score": {"threshold": 1.0, "match_type": "ANY_ORDER"}}
    }
    assert refused.exit_code == 2
    assert "There is no criterion 'fuzzy'" in refused.output


def test_criteria_that_compare_nothing_are_refused_before_anything_is_played(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent)
    nothing = ["--criteria", "calls=off", "--criteria", "rouge=off"]

    refused = CliRunner().invoke(adksim, ["run", "noter", *nothing], input="Note b.\nsay Done.\n/done\n")

    assert refused.exit_code == 1
    assert "`adk eval` would compare nothing, and every model would pass" in refused.output
    assert "user>" not in refused.output
    assert not Path("noter.evalset.json").exists()
    assert not Path("test_config.json").exists()

    Path("test_config.json").write_text('{"criteria": {"my_metric": 0.5}}')
    allowed = CliRunner().invoke(adksim, ["run", "noter", *nothing], input="Note b.\nsay Done.\n/done\n")
    assert "Exported" in allowed.output
    assert json.loads(Path("test_config.json").read_text()) == {"criteria": {"my_metric": 0.5}}


def test_a_wrong_uri_is_refused_before_anything_runs(folder: Path) -> None:
    result = CliRunner().invoke(adksim, ["run", str(folder), "--memory_service_uri", "nonsense://"])

    assert result.exit_code == 2, result.output
    assert "The memory service cannot be created from --memory_service_uri" in result.stderr
