"""`adksim scenario run --web`: the run is played or watched in the browser, and judged here."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import httpx
import pytest
from api_client import NO_TLS
from click.testing import CliRunner
from fork_server import OpenProcess
from polling import MAX_WAIT_SECONDS
from processes import open_adksim
from world_builders import build_reply_event, build_scenario_file, build_world_event
from world_runs import SEND_A

from adk_agent_sim.cli.main import adksim

pytestmark = pytest.mark.process


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    file = build_scenario_file(
        build_world_event("ask", "USER", delay=0, call="AgentUserInterface__send_message_to_agent", content="Mail"),
        build_world_event("mail", "AGENT", ("ask",), SEND_A[0], delay=1, at=None, **SEND_A[1]),
        build_reply_event("told", "mail"),
    )
    path = tmp_path / "small.json"
    path.write_text(json.dumps(file), encoding="utf-8")
    return path


class Player:
    """Plays the session that a command serves, over HTTP as the page does."""

    def __init__(self, client: httpx.Client, session_id: str) -> None:
        self._client = client
        self._path = f"/api/sessions/{session_id}"

    def get(self, path: str = "") -> Any:
        answer = self._client.get(self._path + path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def decide(self, **decision: Any) -> None:
        """Decide the next turn, once there is one."""
        while (session := self.get())["status"] != "waiting":
            pass
        body = {"decision_id": uuid4().hex, **decision}
        turn = session["pending"][0]["request_id"]
        answer = self._client.post(f"{self._path}/turns/{turn}/decision", json=body)
        assert answer.status_code == 200, answer.text


@contextmanager
def _start(*arguments: str | Path) -> Generator[tuple[OpenProcess, Player]]:
    with open_adksim("scenario", "run", *arguments, "--web", "--port", "0") as process, process.stdout:
        address = re.search(r"http://\S+", process.stdout.readline())
        assert address is not None
        url = urlsplit(address[0])
        with httpx.Client(base_url=f"http://{url.netloc}", timeout=MAX_WAIT_SECONDS, verify=NO_TLS) as client:
            assert client.get(address[0]).status_code == 303
            yield process, Player(client, url.path.rpartition("/")[2])


@pytest.mark.parametrize(
    ("recipient", "code", "word"), [("a@example.org", 0, "PASSED"), ("x@example.org", 1, "FAILED")]
)
def test_a_person_plays_the_agent_and_the_command_ends_with_the_verdict(
    scenario: Path, tmp_path: Path, recipient: str, code: int, word: str
) -> None:
    timeline = tmp_path / "session.jsonl"
    with _start(scenario, "--player", "human", "--timeline", timeline) as (process, player):
        assert player.get("/world/graph")["hides_answer"]
        mail = {"name": SEND_A[0], "arguments": json.dumps({**SEND_A[1], "recipients": [recipient]})}
        player.decide(calls=[mail])
        player.decide(text="Done.")
        lines: list[str] = []
        while not lines or "stays open" not in lines[-1]:
            lines.append(process.stdout.readline())
        process.send_signal(signal.SIGINT)
        process.wait()
        output = "".join(lines)
    assert (process.returncode, word in output) == (code, True), output
    assert "Model calls: 2, calls of the world's tools: 1, messages to the user: 1" in output
    judged = CliRunner().invoke(adksim, ["scenario", "judge", str(scenario), str(timeline)])
    assert judged.exit_code == code, judged.output


def test_a_person_who_stops_is_not_judged(scenario: Path) -> None:
    with _start(scenario, "--player", "human") as (process, player):
        assert player.get()["status"] in ("waiting", "running")
        process.send_signal(signal.SIGINT)
        process.wait()
    assert process.returncode == 3


def test_an_agent_is_watched_until_the_page_is_closed(scenario: Path) -> None:
    with _start(scenario, "--player", "oracle") as (process, player):
        while "PASSED" not in process.stdout.readline():
            pass
        graph = player.get("/world/graph")
        process.send_signal(signal.SIGINT)
        process.wait()
    assert (graph["is_over"], {each["state"] for each in graph["events"]}) == (True, {"happened"})
    assert process.returncode == 0
