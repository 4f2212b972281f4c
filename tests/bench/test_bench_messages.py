"""What `adksim bench` says about wrong values: what differs, what there is, and what was probably meant."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from bench_folders import build_test_plan, write_agent, write_scenarios
from click.testing import CliRunner

from adk_agent_sim.adk.worlds.run_options import parse_duration
from adk_agent_sim.bench.bench_plan import BenchAxes, RunFiles, build_plan
from adk_agent_sim.bench.bench_task import find_tasks, parse_filter
from adk_agent_sim.bench.results_file import open_results
from adk_agent_sim.cli.main import adksim
from adk_agent_sim.errors import BenchFolderRefused, InvalidBench


def test_a_refused_plan_says_what_differs(tmp_path: Path) -> None:
    scenarios, agents = write_scenarios(tmp_path, 1), [write_agent(tmp_path / name, [0]) for name in ("a", "b")]
    plan = build_test_plan(scenarios, *agents)
    with open_results(tmp_path / "out", plan):
        pass
    with (
        pytest.raises(BenchFolderRefused, match="differs in the order of agents"),
        open_results(tmp_path / "out", build_test_plan(scenarios, *agents[::-1]), resume=True),
    ):
        pass
    axes = BenchAxes(agents=tuple(map(str, agents)))
    stored = build_plan(find_tasks([str(scenarios)]), axes, files=replace(plan.files, timeline=True))
    assert stored.files != RunFiles()
    with (
        pytest.raises(BenchFolderRefused, match=r"differs in the files that runs leave .*--db"),
        open_results(tmp_path / "out", stored, resume=True),
    ):
        pass


def test_an_agent_that_is_given_twice_is_named_by_its_path(tmp_path: Path) -> None:
    agent = write_agent(tmp_path / "a", [0])
    with pytest.raises(InvalidBench, match=f"The agent {agent} is given 2 times"):
        build_test_plan(write_scenarios(tmp_path, 1), agent, agent / ".." / "a")


def test_a_filter_that_matches_no_tag_lists_the_tags(tmp_path: Path) -> None:
    tasks = find_tasks([str(write_scenarios(tmp_path, 2))])
    with pytest.raises(InvalidBench, match="The tags are: even, odd"):
        parse_filter(["tag=nope"]).select_some(tasks)


def test_durations_may_be_hours() -> None:
    assert parse_duration("2h") == 7_200


def test_a_mistyped_command_is_suggested() -> None:
    done = CliRunner().invoke(adksim, ["bench", "dif", "a", "b"])
    assert done.exit_code == 2
    assert "Did you mean diff?" in done.output


@pytest.mark.parametrize(
    ("option", "value"), [("--run-timeout", "abc"), ("--rate-limit-wait", "1w"), ("--filter", "colour=red")]
)
def test_a_wrong_value_exits_with_2_and_names_its_option(option: str, value: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = CliRunner().invoke(adksim, ["bench", str(write_scenarios(tmp_path, 1)), "--out", str(out), option, value])
    assert done.exit_code == 2, done.output
    assert f"Invalid value for {option}: " in done.output
    assert not out.exists()
