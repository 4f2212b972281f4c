"""The session of every kind of agent is exported for the real `adk test`, which replays it; or refused for a reason."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import traceback
from pathlib import Path

import fork_server
import pytest
from agent_scripts import AGENTS, KINDS, NOWHERE, REFUSED_BY_ADK_TEST, load_agent, play_conversation, read_agent_script
from fork_request import PYTHON_VARIABLE
from shared_results import compute_once

from adk_agent_sim import Simulation
from adk_agent_sim.errors import NotReplayable

pytestmark = [
    pytest.mark.process,
    pytest.mark.filterwarnings("ignore:(Sequential|Parallel|Loop)Agent is deprecated:DeprecationWarning"),
]

_RESULT = re.compile(r"test_agent_replay\[(?P<kind>\w+)/played\.json\].*?(?P<status>PASSED|FAILED)", re.S)


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the result of each kind: why it was refused, or else PASSED or FAILED."""
    return compute_once(tmp_path_factory, "adk_tested_agents", _test_all)


@pytest.mark.parametrize("kind", KINDS)
def test_the_exported_session_passes_adk_test(kind: str, results: dict[str, str]) -> None:
    if kind in REFUSED_BY_ADK_TEST:
        assert REFUSED_BY_ADK_TEST[kind] in results[kind]
    else:
        assert results[kind] == "PASSED"


def _test_all(folder: Path) -> dict[str, str]:
    for name in ("mcp_server.py", "fork_request.py"):
        shutil.copy(AGENTS.parent / name, folder)
    found: dict[str, str] = {}
    for kind in KINDS:
        shutil.copytree(AGENTS / kind, folder / "agents" / kind)
        try:
            asyncio.run(_export(kind, folder / "agents" / kind / "tests" / "played.json"))
        except NotReplayable as refused:
            found[kind] = str(refused)
        except Exception:  # noqa: BLE001 - it is the result of this kind, and the others go on
            found[kind] = traceback.format_exc()
    return {**found, **_run_adk_test(folder)}


async def _export(kind: str, path: Path) -> None:
    script = read_agent_script(kind)
    async with Simulation(load_agent(kind), state=script.state) as sim:
        await play_conversation(sim, script)
    sim.export_adk_test(path)


def _run_adk_test(folder: Path) -> dict[str, str]:
    (folder / "pytest.ini").write_text("[pytest]\n")
    done = fork_server.run(
        [
            *("-m", "google.adk.cli", "test", str(folder / "agents")),
            *("--", "-c", str(folder / "pytest.ini"), "-p", "no:cacheprovider"),
        ],
        cwd=folder,
        # For the app that has a SimulatorPlugin: nobody plays its agent.
        environment={
            **os.environ,
            "ADK_SIM_SERVER_URL": NOWHERE,
            "ADK_SIM_TARGET_AGENTS": "nobody",
            PYTHON_VARIABLE: fork_server.find_forking_python(),  # `adk test` starts pytest
        },
    )
    return {result["kind"]: result["status"] for result in _RESULT.finditer(done.stdout)}
