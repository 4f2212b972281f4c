"""Every benchmark runs, at its smallest size; what it would measure is for people to read."""

from __future__ import annotations

import ast
import os
import runpy
import sys
from pathlib import Path

import fork_server
import pytest
from fork_request import PYTHON_VARIABLE

_FOLDER = Path(__file__).parents[1] / "benchmarks"
_SCRIPTS = sorted(path for path in _FOLDER.glob("*.py") if "__main__" in path.read_text(encoding="utf-8"))
_SOME = {"run": ["turn", "stored", "export", "import", "store"]}
"""All but what is a script of its own."""


@pytest.mark.process
@pytest.mark.parametrize("script", _SCRIPTS, ids=lambda path: path.stem)
def test_a_benchmark_prints_its_table_and_nothing_else(script: Path, tmp_path: Path) -> None:
    done = fork_server.run(
        [str(script), "--quick", *_SOME.get(script.stem, ())],
        cwd=tmp_path,
        environment={**os.environ, "PYTHONWARNINGS": "default", PYTHON_VARIABLE: fork_server.find_forking_python()},
    )
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert any(unit in done.stdout for unit in (" ms", " us", "/s")), done.stdout
    assert [line for line in lines if "WARNING" in line or "ERROR" in line or " - INFO - " in line] == []


@pytest.mark.parametrize("script", _SCRIPTS, ids=lambda path: path.stem)
def test_a_benchmark_explains_itself(
    script: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [str(script), "--help"])
    monkeypatch.setattr(sys, "path", [str(_FOLDER), *sys.path])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(script), run_name="__main__")
    shown = capsys.readouterr().out
    assert ended.value.code == 0
    assert "--quick" in shown
    documented = ast.get_docstring(ast.parse(script.read_text(encoding="utf-8")))
    assert documented
    assert documented.splitlines()[0] in shown


def test_there_are_benchmarks() -> None:
    assert {path.stem for path in _SCRIPTS} >= {"environment", "opening", "remote", "run", "scenario"}
