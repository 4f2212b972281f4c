"""The examples and the code of the README run."""

import json
import os
import re
from pathlib import Path
from typing import Any

import fork_server
import pytest
from google.adk.evaluation.eval_set import EvalSet
from scenario_corpus import load_scenarios

pytestmark = pytest.mark.process

_ROOT = Path(__file__).parents[1]

_MY_AGENT = """
from google.adk.agents import LlmAgent

def add(a: int, b: int) -> int:
    "Add two numbers."
    return a + b

root_agent = LlmAgent(name="math_agent", model="gemini-2.5-flash", instruction="Calculate.", tools=[add])
"""


def _run(*command: str, cwd: Path) -> str:
    done = fork_server.run(command, environment=os.environ, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("example", sorted((_ROOT / "examples").glob("*.py")), ids=lambda path: path.name)
def test_an_example_runs(example: Path, tmp_path: Path) -> None:
    assert "exported" in _run(str(example), cwd=tmp_path)


def test_the_scenarios_of_the_comparison_are_those_of_the_corpus_with_a_part_of_its_universe() -> None:
    corpus = load_scenarios()
    files = sorted((_ROOT / "tests" / "corpus" / "are" / "compact").iterdir())
    assert len(files) == len(corpus) == 9

    for file in files:
        scenario = json.loads(file.read_text(encoding="utf-8"))
        original = corpus.pop(scenario["metadata"]["definition"]["scenario_id"])
        universe = {app["name"]: app for app in original["apps"]}
        assert scenario["apps"]
        assert all(_is_part(app, universe[app["name"]]) for app in scenario["apps"]), file.name
        assert {**scenario, "apps": None} == {**original, "apps": None}


def _is_part(value: Any, whole: Any) -> bool:
    """Return whether a value is another one, or results from it by leaving out entries."""
    if isinstance(whole, dict):
        return all(key in whole and _is_part(value[key], whole[key]) for key in value)
    if isinstance(whole, list):
        return all(each in whole for each in value)
    return value == whole


def _readme() -> list[str]:
    """Return the Python blocks of the README: with a browser, without one, and with an agent in another process."""
    return re.findall(r"```python\n(.*?)```", (_ROOT / "README.md").read_text(encoding="utf-8"), flags=re.S)


@pytest.fixture
def reader(tmp_path: Path) -> Path:
    """Create a folder with a reader's agent."""
    agent = tmp_path / "my_agents" / "math_agent"
    agent.mkdir(parents=True)
    (agent / "agent.py").write_text(_MY_AGENT)
    return tmp_path


def test_the_readmes_session_runs_on_the_readers_agent(reader: Path) -> None:
    _, code, _ = _readme()
    (reader / "play.py").write_text(code)

    shown = _run("play.py", cwd=reader)

    assert "Calculate." in shown
    assert "['add']" in shown
    path = reader / "evals" / "math.evalset.json"
    assert len(EvalSet.model_validate_json(path.read_text(encoding="utf-8")).eval_cases) == 1


def test_the_readmes_server_starts_on_the_readers_agent(reader: Path) -> None:
    code, _, _ = _readme()
    (reader / "play.py").write_text(code.replace(".run()", ".run(port=0)"))
    with fork_server.open_process(["play.py"], environment=os.environ, cwd=reader) as process:
        address = process.stdout.readline()
        process.terminate()
    assert re.match(r"Open http://127\.0\.0\.1:\d+/\?code=\S+", address)


def test_the_readmes_plugin_goes_into_the_readers_app(reader: Path) -> None:
    _, _, code = _readme()
    before = "from google.adk.apps import App\nfrom my_agents.math_agent.agent import root_agent\n"
    (reader / "app.py").write_text(f"{before}{code}\nprint([plugin.name for plugin in app.plugins])")
    assert "sim" in _run("app.py", cwd=reader)
