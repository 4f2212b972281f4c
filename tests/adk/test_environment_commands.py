"""ADK's own commands simulate tools too: `adk eval`, `adk api_server`, `adk web`; with rules in Python or without."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import fork_server
import httpx
import pytest
from fork_server import OpenProcess
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

_PLAIN_AGENT = """\
from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm
from google.adk.models.llm_response import LlmResponse
from scripted_model import call_response, text_response

def lookup(key: str) -> str:
    "Look up."
    raise SystemExit("the real tool must not run")

class Looks(BaseLlm):
    "Looks up, then answers; cases of an EvalSet run side by side, so it keeps no state."
    async def generate_content_async(self, llm_request, stream=False):
        is_answered = llm_request.contents[-1].parts[0].function_response is not None
        answer = text_response("It is 7.") if is_answered else call_response(("lookup", {"key": "a"}))
        yield LlmResponse.model_validate(answer)

root_agent = LlmAgent(name="looker", model=Looks(model="looks"), tools=[lookup])
"""

_SIMULATED_AGENT = f"""\
{_PLAIN_AGENT}
from google.adk.apps import App
from adk_agent_sim import simulated
app = simulated(App(name="looker", root_agent=root_agent))
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


def _environment(**variables: str) -> dict[str, str]:
    path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": path, **variables}


def _content(role: str, text: str) -> types.Content:
    return types.Content(role=role, parts=[types.Part(text=text)])


def _run_adk_eval(folder: Path, *cases: str, **environment: str) -> str:
    """Return what `adk eval` prints, after checking that every case passed."""
    wanted = Invocation(
        user_content=_content("user", "go"),
        final_response=_content("model", "It is 7."),
        intermediate_data=IntermediateData(tool_uses=[types.FunctionCall(name="lookup", args={"key": "a"})]),
    )
    eval_set = EvalSet(eval_set_id="one", eval_cases=[EvalCase(eval_id=case, conversation=[wanted]) for case in cases])
    (folder / "one.evalset.json").write_text(eval_set.model_dump_json())
    (folder / "config.json").write_text(json.dumps({"criteria": {"tool_trajectory_avg_score": 1.0}}))

    command = ["-m", "google.adk.cli", "eval", "looker", "one.evalset.json", "--config_file_path", "config.json"]
    done = fork_server.run(command, cwd=folder, environment=_environment(**environment))

    output = done.stdout + done.stderr
    assert (done.returncode, f"Tests passed: {len(cases)}" in output) == (0, True), output
    return output


@pytest.mark.req("002/offline", "002/create_plugin")
def test_adk_eval_scores_an_agent_whose_tools_are_simulated(folder: Path) -> None:
    _run_adk_eval(folder, "one")


def test_adk_eval_reads_the_rules_of_the_variable_and_says_which_cases_share_their_draws(folder: Path) -> None:
    (folder / "looker" / "agent.py").write_text(_SIMULATED_AGENT)
    (folder / "seeded.yaml").write_text(
        "seed: 1\nrules: [{match: {tool: lookup}, do: [{delay: {uniform: [0, 9]}}, {respond: {value: 7}}]}]"
    )

    output = _run_adk_eval(folder, "one", "two", ADK_SIM_RULES="seeded.yaml")

    assert "lookup: 2 calls, 0 real, 2 simulated" in output
    assert "2 sessions start the same way, or have the same label, and share their random draws" in output
    assert "under `adk eval`, these are the cases with the same first message and initial state" in output


async def test_the_api_server_takes_the_plugin_and_the_rules_without_python(folder: Path) -> None:
    (folder / "looker" / "agent.py").write_text(_PLAIN_AGENT)
    plugin = ("--extra_plugins", "adk_agent_sim.EnvironmentSimulationPlugin")
    with _serve(folder, "api_server", *plugin, ADK_SIM_RULES=str(folder / "looker" / "rules.yaml")) as (url, server):
        response = await _send_message(url, server, "/run")

    parts = [part for event in response.json() for part in event["content"]["parts"]]
    assert [part["functionResponse"]["response"] for part in parts if "functionResponse" in part] == [{"value": 7}]
    assert parts[-1]["text"] == "It is 7."


async def test_adk_web_rejects_every_run_with_the_error_of_the_rules(folder: Path) -> None:
    (folder / "looker" / "agent.py").write_text(_PLAIN_AGENT)
    (folder / "broken.yaml").write_text("rules: [{match: {tool: lookup}, do: {respnd: 1}}]")
    plugin = ("--extra_plugins", "adk_agent_sim.EnvironmentSimulationPlugin")
    with _serve(folder, "web", *plugin, ADK_SIM_RULES=str(folder / "broken.yaml")) as (url, server):
        response = await _send_message(url, server, "/run_sse")

    assert "broken.yaml:1: error" in response.text
    assert "functionCall" not in response.text


async def _send_message(url: str, server: OpenProcess, path: str) -> httpx.Response:
    async with httpx.AsyncClient(base_url=url, timeout=MAX_WAIT_SECONDS) as client:
        await wait_until(lambda: server.poll() is not None or _listens(url))
        session: dict[str, Any] = (await client.post("/apps/looker/users/u/sessions", json={})).json()
        message = {"role": "user", "parts": [{"text": "go"}]}
        run = {"appName": "looker", "userId": "u", "sessionId": session["id"], "newMessage": message}
        return await client.post(path, json=run)


@contextmanager
def _serve(folder: Path, command: str, *options: str, **environment: str) -> Generator[tuple[str, OpenProcess]]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    arguments = ["-m", "google.adk.cli", command, "--port", str(port), *options, str(folder)]
    with fork_server.open_process(
        arguments, cwd=folder, environment=_environment(**environment), keep_errors=True
    ) as server:
        try:
            yield f"http://127.0.0.1:{port}", server
        finally:
            server.terminate()


def _listens(url: str) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", int(url.rpartition(":")[2]))) == 0
