"""Runs the real `adk eval` as a user would: a subprocess, offline, on an agent folder."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fork_server

_AGENT = """\
import json, pathlib
from scripted_model import ScriptedModel, replace_model
from adk_agent_sim.adk.demo.{demo}.agent import app as demo
script = json.loads(pathlib.Path(__file__).with_name("script.json").read_text())
app = replace_model(demo, ScriptedModel(script=script))
root_agent = app.root_agent
"""

_CRITERIA = {"criteria": {"tool_trajectory_avg_score": 1.0, "response_match_score": 0.8}}


@dataclass(frozen=True)
class EvalRun:
    exit_code: int
    output: str

    @property
    def passed(self) -> bool:
        return self.exit_code == 0 and "Tests passed: 1" in self.output and "Tests failed: 0" in self.output


def run_adk_eval(folder: Path, demo: str, eval_set: Path, script: Sequence[dict[str, Any]]) -> EvalRun:
    """Evaluate a demo agent whose model repeats `script`."""
    agent = folder / demo
    agent.mkdir(parents=True)
    (agent / "__init__.py").write_text("from . import agent\n")
    (agent / "agent.py").write_text(_AGENT.format(demo=demo))
    (agent / "script.json").write_text(json.dumps(script))
    config = folder / "test_config.json"
    config.write_text(json.dumps(_CRITERIA))
    return evaluate([str(agent), str(eval_set), "--config_file_path", str(config), "--print_detailed_results"], folder)


def evaluate(arguments: Sequence[str], folder: Path) -> EvalRun:
    """Call `adk eval` in a folder; the agent can import the modules of the tests."""
    done = fork_server.run(
        ["-m", "google.adk.cli", "eval", *arguments],
        cwd=folder,
        environment={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
    )
    return EvalRun(done.returncode, done.stdout + done.stderr)
