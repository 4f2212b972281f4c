"""What the documentation shows, runs."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from google.adk.evaluation.eval_set import EvalSet

_ROOT = Path(__file__).parents[1]

_MY_AGENT = """
from google.adk.agents import LlmAgent

def add(a: int, b: int) -> int:
    "Add two numbers."
    return a + b

root_agent = LlmAgent(name="math_agent", model="gemini-2.5-flash", instruction="Calculate.", tools=[add])
"""


def _run(*command: str, cwd: Path) -> str:
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False, cwd=cwd, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("example", sorted((_ROOT / "examples").glob("*.py")), ids=lambda path: path.name)
def test_an_example_runs(example: Path, tmp_path: Path) -> None:
    assert "exported" in _run(str(example), cwd=tmp_path)


def test_the_readmes_python_runs_on_the_readers_agent(tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (_ROOT / "README.md").read_text(encoding="utf-8"), flags=re.S)
    agent = tmp_path / "my_agents" / "math_agent"
    agent.mkdir(parents=True)
    (agent / "agent.py").write_text(_MY_AGENT)
    (tmp_path / "play.py").write_text(code)

    shown = _run("play.py", cwd=tmp_path)

    assert "Calculate." in shown
    assert "['add']" in shown
    path = tmp_path / "evals" / "math.evalset.json"
    assert len(EvalSet.model_validate_json(path.read_text(encoding="utf-8")).eval_cases) == 1
