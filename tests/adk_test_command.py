"""Runs the real `adk test` as a user would: a subprocess, offline, on an agent folder with a fixture."""

from __future__ import annotations

import os
from pathlib import Path

import fork_server
from fork_request import PYTHON_VARIABLE

_AGENT = """\
from adk_agent_sim.adk.demo.{demo}.agent import *
from adk_agent_sim.adk.demo.{demo}.agent import app, root_agent
"""


def create_agent_folder(folder: Path, demo: str, source: str = "") -> Path:
    """Create an agent folder with a demo agent, or with the agent that `source` defines; its fixtures go to `tests`."""
    agent = folder / demo
    (agent / "tests").mkdir(parents=True)
    (agent / "__init__.py").write_text("from . import agent\n")
    (agent / "agent.py").write_text(source or _AGENT.format(demo=demo))
    return agent


def run_adk_test(agent: Path) -> tuple[bool, str]:
    """Return whether `adk test` passes on all fixtures of the folder, and its output."""
    config = agent / "pytest.ini"
    config.write_text("[pytest]\n")
    done = fork_server.run(
        [*("-m", "google.adk.cli", "test", str(agent)), *("--", "-c", str(config))],
        cwd=agent,
        environment={
            **os.environ,
            "PYTHONPATH": str(Path(__file__).parent),
            PYTHON_VARIABLE: fork_server.find_forking_python(),  # `adk test` starts pytest
        },
    )
    output = done.stdout + done.stderr
    return done.returncode == 0 and " passed" in output and " skipped" not in output, output
