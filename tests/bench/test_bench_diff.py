"""The comparison of two benches, and the commands `adksim bench report` and `adksim bench diff`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from bench_builders import build_runs, iter_large_bench, write_results
from click.testing import CliRunner, Result

from adk_agent_sim.bench.bench_diff import compare_benches
from adk_agent_sim.bench.bench_result import BenchResult
from adk_agent_sim.bench.bench_summary import BenchSummary, summarize_bench
from adk_agent_sim.bench.statistics import MCNEMAR, SIGN_FLIP
from adk_agent_sim.cli.benches.bench import report_command
from adk_agent_sim.cli.benches.bench_diff import diff_command
from adk_agent_sim.errors import BenchesNotComparable


def _build_bench(outcomes: dict[str, str], agent: str = "a") -> list[BenchResult]:
    return [each for scenario, runs in outcomes.items() for each in build_runs(scenario, runs, agent=agent)]


def _summarize(outcomes: dict[str, str], agent: str = "a") -> BenchSummary:
    return summarize_bench(_build_bench(outcomes, agent))


def test_scenarios_are_better_worse_or_unchanged() -> None:
    before = _summarize({"s1": "+--", "s2": "+++", "s3": "++-", "s4": "---", "gone": "+++"})
    after = _summarize({"s1": "++-", "s2": "---", "s3": "-++", "s4": "---", "new": "+++"})

    diff = compare_benches(before, after)

    assert [(each.scenario, each.change, each.before, each.after) for each in diff.variants[0].scenarios] == [
        ("s2", "worse", (3, 3), (0, 3)),
        ("s3", "unchanged", (2, 3), (2, 3)),
        ("s4", "unchanged", (0, 3), (0, 3)),
        ("s1", "better", (1, 3), (2, 3)),
    ]
    assert diff.variants[0].difference == pytest.approx((1 / 3 - 1) / 4)
    assert (diff.only_before, diff.only_after) == (("gone",), ("new",))
    assert diff.variants[0].before.runs == 12  # those of the common scenarios


def test_a_difference_is_tested_on_pairs_and_the_test_is_named() -> None:
    names = [f"s{number}" for number in range(10)]
    before = _summarize(dict.fromkeys(names, "+"))

    once = compare_benches(before, _summarize(dict.fromkeys(names, "-"))).variants[0]
    thrice = compare_benches(before, _summarize(dict.fromkeys(names, "--+"))).variants[0]

    assert (once.test.name, once.p_value) == (MCNEMAR, 2 / 2**10)
    assert (thrice.test.name, thrice.p_value) == (SIGN_FLIP, 2 / 2**10)
    assert once.is_worse
    assert not compare_benches(before, _summarize(dict.fromkeys(names, "-")), alpha=0.001).is_worse


def test_runs_that_nobody_could_judge_are_not_compared() -> None:
    diff = compare_benches(_summarize({"s1": "+?", "s2": "??"}), _summarize({"s1": "-", "s2": "+"}))

    assert [(each.scenario, each.before, each.after) for each in diff.variants[0].scenarios] == [("s1", (1, 1), (0, 1))]


def test_agents_of_the_same_name_are_compared_and_p_is_adjusted() -> None:
    names = [f"s{number}" for number in range(8)]
    before = summarize_bench(_build_bench(dict.fromkeys(names, "+")) + _build_bench(dict.fromkeys(names, "+"), "b"))
    after = summarize_bench(_build_bench(dict.fromkeys(names, "-")) + _build_bench(dict.fromkeys(names, "+"), "b"))

    diff = compare_benches(before, after)

    assert [(each.before_label, each.test.p_value, each.p_value) for each in diff.variants] == [
        ("a", 2 / 2**8, 4 / 2**8),
        ("b", 1.0, 1.0),
    ]


def test_two_agents_of_one_bench_can_be_compared() -> None:
    bench = summarize_bench(_build_bench({"s1": "+"}, "old") + _build_bench({"s1": "-"}, "new"))

    diff = compare_benches(bench, bench, "old", "new")

    assert [(each.before_label, each.after_label, each.difference) for each in diff.variants] == [("old", "new", -1.0)]


@pytest.mark.parametrize(
    ("after", "names", "message"),
    [
        ({"s2": "+"}, ("", ""), "no scenario has judged runs of a in the first and of b"),
        ({"s1": "?"}, ("", ""), "no scenario has judged runs"),
        ({"s1": "+"}, ("x", ""), "the first bench has no agent x. Name one of these: a."),
        ({}, ("", ""), "a bench has no results"),
    ],
)
def test_what_cannot_be_compared_is_said(after: dict[str, str], names: tuple[str, str], message: str) -> None:
    with pytest.raises(BenchesNotComparable) as caught:
        compare_benches(_summarize({"s1": "+"}), _summarize(after, "b"), *names)

    assert message in str(caught.value)


def test_several_agents_without_a_common_name_must_be_chosen() -> None:
    before = summarize_bench(_build_bench({"s1": "+"}, "a") + _build_bench({"s1": "+"}, "b"))

    with pytest.raises(
        BenchesNotComparable, match=r"no agent in common, but a, b and c\. Name one of each with --before"
    ):
        compare_benches(before, _summarize({"s1": "+"}, "c"))


def _diff(folder: Path, before: list[BenchResult], after: list[BenchResult], *options: str) -> Result:
    paths = [str(write_results(folder / name, runs)) for name, runs in (("one", before), ("two", after))]
    return CliRunner().invoke(diff_command, [*paths, *options])


def test_the_command_fails_if_an_agent_is_significantly_worse(tmp_path: Path) -> None:
    names = [f"s{number}" for number in range(10)]
    good, bad = (_build_bench(dict.fromkeys(names, runs)) for runs in ("++", "+-"))

    worse, better = _diff(tmp_path, good, bad), _diff(tmp_path, bad, good)

    assert (worse.exit_code, better.exit_code) == (1, 0)
    assert "  worse   2/2 -> 1/2    s0\n" in worse.stdout
    assert "scenarios: 0 better, 10 worse, 0 unchanged\n" in worse.stdout
    assert "success: 100 % -> 50.0 %, -50.0 points per scenario\n" in worse.stdout
    assert f"{SIGN_FLIP}: p = 0.0020: significantly worse at 0.05\n" in worse.stdout
    assert "significantly better at 0.05" in better.stdout


def test_the_command_succeeds_if_the_difference_can_be_chance(tmp_path: Path) -> None:
    result = _diff(tmp_path, _build_bench({"s1": "+", "s2": "+"}), _build_bench({"s1": "-", "s2": "+"}))

    assert result.exit_code == 0
    assert f"{MCNEMAR}: p = 1.0000: no significant difference at 0.05\n" in result.stdout


def test_the_command_prints_json(tmp_path: Path) -> None:
    result = _diff(tmp_path, _build_bench({"s1": "+", "s2": "+"}), _build_bench({"s1": "-", "s2": "+"}), "--json")

    value = json.loads(result.stdout)
    variant = value["variants"][0]
    assert (value["is_worse"], variant["test"]["name"], variant["p_value"]) == (False, MCNEMAR, 1.0)
    assert (variant["counts"], variant["difference"]) == ({"better": 0, "worse": 1, "unchanged": 1}, -0.5)
    assert variant["scenarios"][0] == {
        "scenario": "s1",
        "before": [1, 1],
        "after": [0, 1],
        "reason": "",
        "difference": -1.0,
        "change": "worse",
    }


def test_nothing_to_compare_has_its_own_exit_code(tmp_path: Path) -> None:
    result = _diff(tmp_path, _build_bench({"s1": "+"}), _build_bench({"s2": "+"}))

    assert result.exit_code == 3
    assert "Compare benches of the same scenarios." in result.stderr


def test_the_command_escapes_what_it_prints(tmp_path: Path) -> None:
    hostile = "s\x1b[31m\nFAKE"
    result = _diff(tmp_path, _build_bench({hostile: "+"}), _build_bench({hostile: "-"}))

    assert "\x1b" not in result.stdout
    assert "\nFAKE" not in result.stdout
    assert r"s\x1b[31m\nFAKE" in result.stdout


def test_reports_are_written_again(tmp_path: Path) -> None:
    folder = write_results(tmp_path / "bench", iter_large_bench(2, 6, 2))

    result = CliRunner().invoke(report_command, [str(folder)])

    assert result.exit_code == 0
    assert {"report.html", "summary.md", "junit.xml"} <= {each.name for each in folder.iterdir()}
    tables = result.stdout.split("\n\n")
    assert [re.split("  +", table.splitlines()[0]) for table in tables[:3]] == [
        ["agent", "success", "95 % interval", "passed", "pass@2", "pass^2", "errors"],
        ["means per run", "tokens", "model calls", "tool calls", "simulated", "wall"],
        ["success per tag", "baseline", "planner"],
    ]
    assert f"See {folder / 'report.html'}" in result.stdout


def test_reports_of_an_unfinished_bench_say_what_is_missing(tmp_path: Path) -> None:
    folder = write_results(tmp_path / "bench", _build_bench({"s1": "+-"}))
    (folder / "plan.json").write_text('{"run_count": 12}', encoding="utf-8")

    result = CliRunner().invoke(report_command, [str(folder)])

    assert "10 of 12 runs have not ended yet.\n" in result.stdout
    assert "10 of 12 runs are missing" in (folder / "report.html").read_text("utf-8")
    assert "10 of 12 runs are missing" in (folder / "summary.md").read_text("utf-8")


def test_the_table_is_aligned_whatever_the_names(tmp_path: Path) -> None:
    runs = [
        *build_runs("s1", "+", agent="x"),
        *build_runs("s1", "-", agent="模型\x1b[31m"),
        *build_runs("s1", "+", agent="y" * 99),
    ]

    result = CliRunner().invoke(report_command, [str(write_results(tmp_path, runs))])

    table = result.stdout.splitlines()[1:4]
    ends = [len(line) + sum(ord(each) > 0x3000 for each in line) for line in table]
    assert len(set(ends)) == 1
    assert "\x1b" not in result.stdout


def test_the_report_prints_json(tmp_path: Path) -> None:
    folder = write_results(tmp_path, _build_bench({"s1": "++-", "s2": "+++"}))

    value = json.loads(CliRunner().invoke(report_command, [str(folder), "--json"]).stdout)

    assert (value["overall"]["runs"], value["overall"]["success"]["value"]) == (6, 5 / 6)
    assert value["variants"][0]["overall"]["attempts"][2] == {
        "k": 3,
        "pass_at_k": 1.0,
        "pass_hat_k": 0.5,
        "scenarios": 2,
    }


def test_a_report_without_judged_runs_has_its_own_exit_code(tmp_path: Path) -> None:
    folder = write_results(tmp_path, _build_bench({"s1": "?"}))

    assert CliRunner().invoke(report_command, [str(folder)]).exit_code == 3
