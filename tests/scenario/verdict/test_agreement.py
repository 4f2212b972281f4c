"""Verdicts are compared with the labels of people."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from adk_agent_sim.cli.main import adksim
from adk_agent_sim.errors import InvalidLabels
from adk_agent_sim.scenario.verdict.agreement import (
    StoredVerdict,
    compare_with_labels,
    compute_kappa,
    read_labels,
)


def _compute_kappa_alone(shares: list[float]) -> float:
    yes, only_verdict, only_label, no = shares
    expected = (yes + only_verdict) * (yes + only_label) + (no + only_label) * (no + only_verdict)
    return (yes + no - expected) / (1 - expected)


def _compute_error_numerically(yes: int, no: int, only_verdict: int, only_label: int) -> float:
    """Return the standard error by the delta method, with gradients of finite differences."""
    total = yes + no + only_verdict + only_label
    shares = [each / total for each in (yes, only_verdict, only_label, no)]
    step = 1e-6
    moved = [[share + step * (number == each) for number, share in enumerate(shares)] for each in range(4)]
    gradients = [(_compute_kappa_alone(each) - _compute_kappa_alone(shares)) / step for each in moved]
    mean = sum(share * gradient for share, gradient in zip(shares, gradients, strict=True))
    squares = sum(share * gradient**2 for share, gradient in zip(shares, gradients, strict=True))
    return math.sqrt((squares - mean**2) / total)


@pytest.mark.parametrize("table", [(20, 15, 5, 10), (40, 9, 3, 6), (5, 5, 5, 5), (90, 2, 3, 5)])
def test_kappa_and_its_interval(table: tuple[int, int, int, int]) -> None:
    kappa, interval = compute_kappa(*table)
    yes, no, only_verdict, only_label = table
    assert kappa is not None
    assert interval is not None
    shares = [each / sum(table) for each in (yes, only_verdict, only_label, no)]
    assert kappa == pytest.approx(_compute_kappa_alone(shares))
    assert (interval[1] - interval[0]) / 2 == pytest.approx(1.96 * _compute_error_numerically(*table), rel=1e-3)


def test_kappa_of_a_textbook_table() -> None:
    assert compute_kappa(20, 15, 5, 10)[0] == pytest.approx(0.4)


def test_kappa_is_undefined_if_both_always_say_the_same() -> None:
    assert compute_kappa(10, 0, 0, 0) == (None, None)


def _verdicts(**passed: bool) -> list[StoredVerdict]:
    return [StoredVerdict(run=f"runs/{name}.json", passed=each, reason="why") for name, each in passed.items()]


def test_labels_name_runs_by_path_file_name_or_stem() -> None:
    labels = {"runs/a.json": True, "b.json": False, "c": True, "gone": True}
    found = compare_with_labels(_verdicts(a=True, b=True, c=False, d=True), labels)
    assert (found.compared, found.both_passed, found.both_failed) == (3, 1, 0)
    assert [(each.run, each.label, each.verdict) for each in found.disagreements] == [
        ("runs/b.json", False, True),
        ("runs/c.json", True, False),
    ]
    assert (found.without_label, found.without_verdict) == (("runs/d.json",), ("gone",))


def test_a_label_that_fits_several_runs_is_refused() -> None:
    verdicts = [StoredVerdict(run=f"{folder}/a.json", passed=True, reason="") for folder in ("x", "y")]
    with pytest.raises(InvalidLabels, match=r"'a' fits several runs, such as x/a.json and y/a.json"):
        compare_with_labels(verdicts, {"a": True})


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("run,label\na,maybe\n", "line 2: needs the columns `run` and `label`"),
        ("name,label\na,pass\n", "line 2: needs the columns"),
        ("run,label\na,pass\na,fail\n", "line 3: 'a' has two different labels"),
    ],
)
def test_labels_that_mean_nothing_are_refused(text: str, problem: str, tmp_path: Path) -> None:
    file = tmp_path / "labels.csv"
    file.write_text(text)
    with pytest.raises(InvalidLabels, match=problem):
        read_labels(file)


def _run(folder: Path, labels: str, *options: str) -> Result:
    rows = [
        {"trace": "a.json", "passed": True, "reason": ""},
        {"trace": "b.json", "passed": False, "reason": "Turn 1: too late"},
        {"trace": "c.json", "passed": None, "problem": "not judged"},
    ]
    (folder / "verdicts.json").write_text(json.dumps(rows))
    (folder / "labels.csv").write_text(labels)
    paths = [str(folder / name) for name in ("verdicts.json", "labels.csv")]
    return CliRunner().invoke(adksim, ["scenario", "agreement", *paths, *options])


def test_the_command_prints_the_agreement_and_each_disagreement(tmp_path: Path) -> None:
    result = _run(tmp_path, "run,label\na,pass\nb,Pass\n")
    assert result.exit_code == 1
    assert "b.json: people say pass, the judge says fail\n  Turn 1: too late\n" in result.output
    assert "1 of 2 runs agree (50.0%)\nCohen's kappa 0.00, 95 % interval" in result.output


def test_full_agreement_exits_with_0_and_is_json(tmp_path: Path) -> None:
    result = _run(tmp_path, "run,label\na,pass\nb,fail\n", "--json")
    value = json.loads(result.stdout)
    assert result.exit_code == 0
    assert (value["agreement"], value["kappa"], value["disagreements"]) == (1.0, 1.0, [])


def test_labels_of_other_runs_exit_with_3(tmp_path: Path) -> None:
    result = _run(tmp_path, "run,label\nz,pass\n")
    assert result.exit_code == 3
    assert "none of them names a run" in result.stderr
