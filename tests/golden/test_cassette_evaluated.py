"""`adk eval` runs the cases of an EvalSet from one cassette, side by side and without any API key."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import cast

import fork_server
import pytest
from agent_scripts import PlannedDecision
from google.adk.agents import LlmAgent
from planned_model import plan_decisions

from adk_agent_sim import Simulation
from adk_agent_sim.adk.loading.agent_loader import load_app

_AGENT = """\
import os

from google.adk.agents import LlmAgent
from google.adk.apps import App

from adk_agent_sim import SimulatorPlugin


def add(a: int, b: int) -> int:
    "Add."
    return a + b


root_agent = LlmAgent(name="sums", model="gemini-2.5-flash", instruction="Add.", tools=[add])
app = App(name="sums", root_agent=root_agent, plugins=[SimulatorPlugin(player="replay:" + os.environ["CASSETTE"])])
"""

_CRITERIA = {"criteria": {"tool_trajectory_avg_score": 1.0, "response_match_score": 1.0}}


@pytest.mark.process
async def test_adk_eval_needs_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agent, eval_set, cassette = tmp_path / "sums", tmp_path / "sums.evalset.json", tmp_path / "sums.cassette.json"
    _write_agent(agent, tmp_path / "config.json", cassette)
    monkeypatch.setenv("CASSETTE", str(cassette))
    root = cast("LlmAgent", load_app(agent).root_agent)
    for number in (1, 2):
        planned = [
            PlannedDecision(call="add", args={"a": number, "b": number}),
            PlannedDecision(respond=f"It is {2 * number}, which is two times {number}."),
        ]
        with plan_decisions({"sums": planned}):
            async with Simulation(root, model=f"record:{cassette}") as sim:
                await sim.send(f"What is {number}+{number}?")
                sim.export(eval_set, eval_id_style="selectable")

    output = _run_adk_eval(tmp_path)

    assert "Tests passed: 2" in output, output[-3000:]
    assert "Tests failed: 0" in output


def _write_agent(agent: Path, config: Path, cassette: Path) -> None:
    agent.mkdir()
    (agent / "__init__.py").write_text("from . import agent\n")
    (agent / "agent.py").write_text(_AGENT)
    config.write_text(json.dumps(_CRITERIA))
    # The plugin reads the file when the agent is loaded.
    cassette.write_text(json.dumps({"format": "adksim.cassette", "version": 1, "sessions": [], "blocks": {}}))


def _run_adk_eval(folder: Path) -> str:
    options = ["--config_file_path", "config.json", "--print_detailed_results"]
    done = fork_server.run(
        ["-m", "google.adk.cli", "eval", "sums", "sums.evalset.json", *options],
        cwd=folder,
        environment={
            name: value for name, value in os.environ.items() if not name.startswith(("GOOGLE_", "GEMINI_", "ADK_SIM_"))
        },
    )
    return done.stdout + done.stderr
