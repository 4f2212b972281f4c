"""An App with the plugin is simulated by ADK's own commands too: `adk eval`, `adk api_server`, `adk web`."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from google.adk.evaluation.eval_case import EvalCase, IntermediateData, Invocation
from google.adk.evaluation.eval_set import EvalSet
from google.genai import types
from polling import MAX_WAIT_SECONDS, wait_until

pytestmark = pytest.mark.process

_AGENT = """\
from pathlib import Path
from google.adk.agents import LlmAgent
from google.adk.apps import App
from scripted_model import ScriptedModel, call_response, text_response
from adk_agent_sim import EnvironmentSimulationFactory

def lookup(key: str) -> str:
    "Look up."
    raise SystemExit("the real tool must not run")

root_agent = LlmAgent(
    name="looker",
    model=ScriptedModel(script=[call_response(("lookup", {"key": "a"})), text_response("It is 7.")]),
    tools=[lookup],
)
rules = Path(__file__).with_name("rules.yaml")
app = App(name="looker", root_agent=root_agent, plugins=[EnvironmentSimulationFactory.create_plugin(rules)])
"""

_RULES = "rules: [{match: {tool: lookup, args: {key: a}}, do: [{delay: 0.01}, {respond: {value: 7}}]}]"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    agent = tmp_path / "looker"
    agent.mkdir()
    (agent / "__init__.py").write_text("from . import agent\n")
    (agent / "agent.py").write_text(_AGENT)
    (agent / "rules.yaml").write_text(_RULES)
    return tmp_path


def _environment() -> dict[str, str]:
    path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": path}


def _content(role: str, text: str) -> types.Content:
    return types.Content(role=role, parts=[types.Part(text=text)])


@pytest.mark.req("002/offline", "002/create_plugin")
def test_adk_eval_scores_an_agent_whose_tools_are_simulated(folder: Path) -> None:
    wanted = Invocation(
        user_content=_content("user", "go"),
        final_response=_content("model", "It is 7."),
        intermediate_data=IntermediateData(tool_uses=[types.FunctionCall(name="lookup", args={"key": "a"})]),
    )
    eval_set = EvalSet(eval_set_id="one", eval_cases=[EvalCase(eval_id="one", conversation=[wanted])])
    (folder / "one.evalset.json").write_text(eval_set.model_dump_json())
    (folder / "config.json").write_text(json.dumps({"criteria": {"tool_trajectory_avg_score": 1.0}}))

    done = subprocess.run(
        [
            *(sys.executable, "-m", "google.adk.cli", "eval", "looker", "one.evalset.json"),
            *("--config_file_path", "config.json"),
        ],
        capture_output=True,
        text=True,
        timeout=MAX_WAIT_SECONDS,
        check=False,
        cwd=folder,
        env=_environment(),
    )

    assert (done.returncode, "Tests passed: 1" in done.stdout) == (0, True), done.stdout + done.stderr


@pytest.mark.parametrize("command", ["api_server", "web"])
async def test_adks_servers_run_an_agent_whose_tools_are_simulated(folder: Path, command: str) -> None:
    with _served(folder, command) as (url, server):
        async with httpx.AsyncClient(base_url=url, timeout=MAX_WAIT_SECONDS) as client:
            await wait_until(lambda: server.poll() is not None or _listens(url))
            session: dict[str, Any] = (await client.post("/apps/looker/users/u/sessions", json={})).json()
            message = {"role": "user", "parts": [{"text": "go"}]}
            run = {"appName": "looker", "userId": "u", "sessionId": session["id"], "newMessage": message}
            events: list[dict[str, Any]] = (await client.post("/run", json=run)).json()

    parts = [part for event in events for part in event["content"]["parts"]]
    assert [part["functionResponse"]["response"] for part in parts if "functionResponse" in part] == [{"value": 7}]
    assert parts[-1]["text"] == "It is 7."


@contextmanager
def _served(folder: Path, command: str) -> Generator[tuple[str, subprocess.Popen[bytes]]]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "google.adk.cli", command, "--port", str(port), str(folder)],
            stdout=log,
            stderr=log,
            cwd=folder,
            env=_environment(),
        )
        try:
            yield f"http://127.0.0.1:{port}", server
        finally:
            server.terminate()
            server.wait(MAX_WAIT_SECONDS)


def _listens(url: str) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", int(url.rpartition(":")[2]))) == 0
