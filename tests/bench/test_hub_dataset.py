"""`--hf`: scenarios of a dataset in the layout of the Hugging Face Hub, and results in that layout."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import pytest
from bench_builders import build_result, write_results
from bench_folders import build_mail_scenario, read_outcomes, run_bench_command, write_agent
from click.testing import CliRunner

from adk_agent_sim.bench.bench_task import find_tasks
from adk_agent_sim.bench.hub_dataset import DATASET_NAME, SOURCE_NAME, HubSplit, download_split, write_hub_results
from adk_agent_sim.bench.results_file import read_results
from adk_agent_sim.cli.main import adksim
from adk_agent_sim.errors import BenchFolderRefused, InvalidBench

_SPLIT = HubSplit(dataset="no/such", split="split")


def _write_rows(path: Path, count: int, first: int = 0) -> None:
    """Write rows as Gaia2 has them: the scenario is a text."""
    path.parent.mkdir(parents=True)
    rows = [{"id": str(number), "data": json.dumps(build_mail_scenario(first + number))} for number in range(count)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def _write_source(folder: Path, source: HubSplit = _SPLIT) -> None:
    (folder / SOURCE_NAME).write_text(json.dumps(source.describe()), encoding="utf-8")


def test_without_the_library_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)  # importing it fails, as if it were not installed
    options = ["--hf", "some/dataset", "--hf-split", "validation", "--player", "oracle", "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(adksim, ["bench", *options])
    assert result.exit_code == 1
    assert "pip install 'datasets>=3'" in " ".join(result.output.split())


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
    _write_source(tmp_path / "out")
    path = download_split(tmp_path / "out", _SPLIT)
    assert [task.task_id for task in find_tasks([str(path)])] == ["mail_0", "mail_1"]
    assert [task.read_scenario().scenario_id for task in find_tasks([str(path)])] == ["mail_0", "mail_1"]


@pytest.mark.parametrize(
    "other",
    [
        HubSplit(dataset="no/other", split="split"),
        HubSplit(dataset="no/such", split="other"),
        HubSplit(dataset="no/such", split="split", config="other"),
    ],
)
def test_the_rows_of_another_dataset_split_or_configuration_are_not_used(tmp_path: Path, other: HubSplit) -> None:
    out = tmp_path / "out"
    _write_rows(out / DATASET_NAME, 2)
    _write_source(out)
    (out / "plan.json").write_text("{}", encoding="utf-8")
    with pytest.raises(BenchFolderRefused, match="it has another plan, which differs in dataset"):
        download_split(out, other)
    assert download_split(out, _SPLIT).exists()


@pytest.mark.parametrize("source", [None, "", "[1]", "{"])
def test_rows_of_unknown_origin_are_neither_used_nor_replaced(tmp_path: Path, source: str | None) -> None:
    out = tmp_path / "out"
    _write_rows(out / DATASET_NAME, 2)
    before = (out / DATASET_NAME).read_bytes()
    if source is not None:
        (out / SOURCE_NAME).write_text(source, encoding="utf-8")
    with pytest.raises(BenchFolderRefused, match=r"it has dataset\.jsonl without dataset\.json.* Remove the file"):
        download_split(out, _SPLIT)
    assert (out / DATASET_NAME).read_bytes() == before


def test_a_local_dataset_is_the_same_from_every_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gaia").mkdir()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    here = HubSplit(dataset="gaia", split="validation").describe()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert HubSplit(dataset="../gaia", split="validation").describe() == here
    assert HubSplit(dataset="meta/gaia", split="validation").describe()["dataset"] == "meta/gaia"


@pytest.mark.process
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--agent", "no_such_agent"], "there is no such folder"),
        (["--player", "no_such_player"], "no_such_player"),
        (["--player", "human"], "human cannot be used in a bench"),
        (["--player", "oracle", "--rules", "nowhere.yaml"], "nowhere.yaml"),
    ],
)
def test_the_axes_are_checked_before_the_download(tmp_path: Path, options: list[str], message: str) -> None:
    done = run_bench_command(*options, "--hf", "no/such", "--hf-split", "validation", "--out", tmp_path / "out")
    assert done.returncode == 2
    assert message in done.stderr
    assert "The dataset no/such" not in done.stderr
    assert not (tmp_path / "out").exists()


def test_results_are_written_in_the_layout_of_the_hub_without_secrets(tmp_path: Path) -> None:
    secret = "AIza" + "SyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY"
    results = [build_result(), build_result("failed", run=2, reason=f"the key {secret} was rejected")]
    hub = write_hub_results(write_results(tmp_path, results))
    published = read_results(hub / "data" / "results.jsonl")
    assert published[0] == results[0]
    assert published[1].reason.startswith("the key ")
    assert secret not in (hub / "data" / "results.jsonl").read_text(encoding="utf-8")
    assert "path: data/results.jsonl" in (hub / "README.md").read_text(encoding="utf-8")


@pytest.mark.process
@pytest.mark.req("004/example-run-hugging-face")
def test_a_bench_takes_the_scenarios_of_a_dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "cache"))
    _write_rows(tmp_path / "gaia" / "data" / "validation.jsonl", 3)
    out = tmp_path / "out"
    options = ["--hf", str(tmp_path / "gaia"), "--hf-split", "validation", "--limit", "2"]
    done = run_bench_command(*options, "--agent", write_agent(tmp_path / "good", range(2)), "--out", out)
    assert done.returncode == 0, done.stderr
    rows = (out / "hub" / "data" / "results.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(row)["scenario"] for row in rows] == ["mail_0", "mail_1"]
    datasets = importlib.import_module("datasets")
    assert datasets.load_dataset(str(out / "hub"), split="results")["passed"] == [True, True]


@pytest.mark.process
def test_a_folder_with_another_dataset_never_runs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "cache"))
    first, second, out = tmp_path / "first", tmp_path / "second", tmp_path / "out"
    _write_rows(first / "data" / "validation.jsonl", 1)
    _write_rows(second / "data" / "validation.jsonl", 1, first=7)
    download_split(out, HubSplit(dataset=str(first), split="validation"))  # by a bench that failed before its plan
    options = ["--hf-split", "validation", "--player", "oracle", "--out", out]
    done = run_bench_command("--hf", second, *options)
    assert done.returncode == 0, done.stderr
    assert [each.scenario for each in read_outcomes(out)] == ["mail_7"]
    assert json.loads((out / "plan.json").read_text(encoding="utf-8"))["dataset"] == {
        "dataset": str(second),
        "split": "validation",
        "config": None,
    }
    resumed = run_bench_command("--hf", first, *options, "--resume")
    assert resumed.returncode == 2
    assert "it has another plan, which differs in dataset" in " ".join(resumed.stderr.split())
    assert run_bench_command("--hf", second, *options, "--resume").returncode == 0


def test_a_dataset_that_cannot_be_loaded_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "cache"))
    with pytest.raises(InvalidBench, match=r"cannot be loaded: .* Check its name"):
        download_split(tmp_path / "out", HubSplit(dataset=str(tmp_path / "nowhere"), split="validation"))
    other = tmp_path / "other" / "data" / "validation.jsonl"
    other.parent.mkdir(parents=True)
    other.write_text('{"text": "x"}\n', encoding="utf-8")
    with pytest.raises(InvalidBench, match="its rows need the column 'data', and have text"):
        download_split(tmp_path / "out", HubSplit(dataset=str(tmp_path / "other"), split="validation"))
