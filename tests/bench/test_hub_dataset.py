"""`--hf`: scenarios of a dataset in the layout of the Hugging Face Hub, and results in that layout."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import pytest
from bench_folders import build_mail_scenario, run_bench_command
from click.testing import CliRunner

from adk_agent_sim.bench.bench_task import find_tasks
from adk_agent_sim.bench.hub_dataset import DATASET_NAME, download_split, write_hub_results
from adk_agent_sim.cli.main import adksim
from adk_agent_sim.errors import InvalidBench


def _write_rows(path: Path, count: int) -> None:
    """Write rows as Gaia2 has them: the scenario is a text."""
    path.parent.mkdir(parents=True)
    rows = [{"id": str(number), "data": json.dumps(build_mail_scenario(number))} for number in range(count)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def test_without_the_library_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)  # importing it fails, as if it were not installed
    options = ["--hf", "some/dataset", "--hf-split", "validation", "--player", "oracle", "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(adksim, ["bench", *options])
    assert result.exit_code == 1
    assert "pip install 'adk-agent-sim[hf]'" in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--hf", "x"], "--hf needs --hf-split SPLIT"),
        (["--hf", "x", "--hf-split", "y", "PATH"], "Give either PATH... or --hf DATASET"),
        (["--hf-split", "y", "PATH"], "need --hf DATASET"),
        ([], "Give either PATH... or --hf DATASET"),
    ],
)
def test_incomplete_options_are_refused(tmp_path: Path, options: list[str], message: str) -> None:
    result = CliRunner().invoke(
        adksim, ["bench", "run", *options, "--player", "oracle", "--out", str(tmp_path / "out")]
    )
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())
    assert not (tmp_path / "out").exists()


def test_what_is_there_is_not_downloaded_again(tmp_path: Path) -> None:
    _write_rows(tmp_path / "out" / DATASET_NAME, 2)
    path = download_split(tmp_path / "out", "no/such", "split")
    assert [task.task_id for task in find_tasks([str(path)])] == ["mail_0", "mail_1"]
    assert [task.read_scenario().scenario_id for task in find_tasks([str(path)])] == ["mail_0", "mail_1"]


def test_results_are_written_in_the_layout_of_the_hub(tmp_path: Path) -> None:
    (tmp_path / "results.jsonl").write_text('{"scenario": "x"}\n', encoding="utf-8")
    hub = write_hub_results(tmp_path)
    assert (hub / "data" / "results.jsonl").read_text(encoding="utf-8") == '{"scenario": "x"}\n'
    assert "path: data/results.jsonl" in (hub / "README.md").read_text(encoding="utf-8")


@pytest.mark.process
@pytest.mark.req("004/example-run-hugging-face")
def test_a_bench_takes_the_scenarios_of_a_dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "cache"))
    _write_rows(tmp_path / "gaia" / "data" / "validation.jsonl", 3)
    out = tmp_path / "out"
    options = ["--hf", str(tmp_path / "gaia"), "--hf-split", "validation", "--limit", "2", "--player", "oracle"]
    done = run_bench_command(*options, "--out", out)
    assert done.returncode == 0, done.stderr
    rows = (out / "hub" / "data" / "results.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(row)["scenario"] for row in rows] == ["mail_0", "mail_1"]
    datasets = importlib.import_module("datasets")
    assert datasets.load_dataset(str(out / "hub"), split="results")["passed"] == [True, True]


def test_a_dataset_that_cannot_be_loaded_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "cache"))
    with pytest.raises(InvalidBench, match=r"cannot be loaded: .* Check its name"):
        download_split(tmp_path / "out", str(tmp_path / "nowhere"), "validation")
    other = tmp_path / "other" / "data" / "validation.jsonl"
    other.parent.mkdir(parents=True)
    other.write_text('{"text": "x"}\n', encoding="utf-8")
    with pytest.raises(InvalidBench, match="its rows need the column 'data', and have text"):
        download_split(tmp_path / "out", str(tmp_path / "other"), "validation")
