"""The fixture and the marker of the pytest plugin, each tested in a pytest process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path

import fork_server
import pytest

pytestmark = pytest.mark.process

_HEAD = """
from pathlib import Path
import pytest
from scripted_agent import build_scripted_agent, run_scripted_agent
from google.adk.tools import AgentTool
from adk_agent_sim import ToolErrorPlugin

def lookup(key: str = "") -> str:
    "Look up."
    return "real"

RULES = {"rules": [{"name": "hit", "match": {"tool": "lookup", "args": {"key": "a"}}, "do": {"respond": {"hit": 1}}}]}
"""


def _pytest(folder: Path, tests: str, **variables: str) -> str:
    (folder / "test_it.py").write_text(textwrap.dedent(_HEAD) + textwrap.dedent(tests))
    (folder / "pytest.ini").write_text("[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\n")
    path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    done = fork_server.run(
        [
            *("-m", "pytest", "-q", "--strict-markers", "-W", "ignore", "-p", "no:cacheprovider"),
            *("-p", "pytest_asyncio.plugin", "-p", "adk_agent_sim.adk.plugins.pytest_plugin", str(folder)),
        ],
        environment={**os.environ, "PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **variables},
    )
    return done.stdout + done.stderr


def test_the_fixture_makes_a_plugin_and_a_failing_test_shows_what_it_did(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text("rules: [{match: {tool: lookup}, do: {respond: {file: 1}}}]")
    output = _pytest(
        tmp_path,
        """
        async def test_dict(simulated_environment):
            shop = build_scripted_agent([lookup], [("lookup", {"key": "a"})])
            assert await run_scripted_agent(shop, simulated_environment(RULES)) == [{"hit": 1}]

        async def test_file(simulated_environment):
            plugin = simulated_environment("rules.yaml")
            assert await run_scripted_agent(build_scripted_agent([lookup], [("lookup", {})]), plugin) == [{"file": 1}]

        async def test_fails(simulated_environment):
            shop = build_scripted_agent([lookup], [("lookup", {"key": "a"}), ("lookup", {})])
            await run_scripted_agent(shop, simulated_environment(RULES))
            assert False
        """,
    )

    assert "1 failed, 2 passed" in output
    assert "simulated environment" in output
    assert "lookup: 2 calls, 1 real, 1 simulated" in output


@pytest.mark.req("002/offline")
def test_the_marker_fails_a_test_in_which_a_tool_would_run_for_real(tmp_path: Path) -> None:
    output = _pytest(
        tmp_path,
        """
        ran = []

        def touch() -> str:
            "Touch."
            ran.append(1)
            return "real"

        @pytest.mark.no_real_tools
        async def test_simulated(simulated_environment):
            helper = build_scripted_agent([lookup], [("lookup", {"key": "a"})], name="helper")
            calls = [("lookup", {"key": "a"}), ("helper", {"request": "x"})]
            shop = build_scripted_agent([lookup, AgentTool(helper)], calls)
            assert await run_scripted_agent(shop, simulated_environment(RULES)) == [{"hit": 1}, {"result": "done"}]

        @pytest.mark.no_real_tools
        async def test_swallowed():
            (answer,) = await run_scripted_agent(build_scripted_agent([touch], [("touch", {})]), ToolErrorPlugin())
            assert answer["error"]["type"] == "RealToolRefused"

        @pytest.mark.no_real_tools
        async def test_uncovered(simulated_environment):
            shop = build_scripted_agent([lookup], [("lookup", {"key": "b"})])
            await run_scripted_agent(shop, simulated_environment(RULES))

        async def test_unmarked():
            assert ran == []
            await run_scripted_agent(build_scripted_agent([touch], [("touch", {})]))
            assert ran == [1]
        """,
    )

    assert "2 failed, 2 passed" in output
    assert "real tools were called: touch" in output
    assert "lookup would run for real: the test allows no real tools" in output


def test_the_fixture_of_a_cassette_records_only_if_it_is_told_to(tmp_path: Path) -> None:
    test = """
        import os
        from google.adk.agents import LlmAgent
        from scripted_model import ScriptedModel, text_response
        from adk_agent_sim import Simulation

        @pytest.mark.parametrize("number", [1, 2])
        async def test_it(model_cassette, number):
            script = [text_response("hello")] if "ADK_SIM_CASSETTE" in os.environ else []  # it can only be asked then
            agent = LlmAgent(name="shop", model=ScriptedModel(script=script))
            async with Simulation(agent, model=model_cassette) as sim:
                assert (await sim.send(f"message {number}")).text == "hello"
    """
    files = [tmp_path / f"test_it.test_it_{number}_.cassette.json" for number in (1, 2)]

    missing = _pytest(tmp_path, test)
    assert "2 errors" in missing
    assert "there is no model cassette test_it.test_it_1_.cassette.json beside the test" in missing
    assert "ADK_SIM_CASSETTE=record pytest " in missing
    assert "test_it.py::test_it[1]'" in missing
    assert not any(file.exists() for file in files)

    assert "2 passed" in _pytest(tmp_path, test, ADK_SIM_CASSETTE="record")
    written = files[0].read_bytes()
    files[1].unlink()
    assert "1 passed, 1 error" in _pytest(tmp_path, test)
    assert files[0].read_bytes() == written


def test_pytest_finds_it_by_itself_and_it_does_not_import_adk() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (module,) = project["entry-points"]["pytest11"].values()
    code = f"import sys, {module}; print('google.adk' in sys.modules)"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "False"
