"""`adksim bench` as a process: results, exit codes, and what survives kills of its workers and of itself."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from bench_folders import (
    build_mail_scenario,
    build_test_plan,
    count_lines,
    is_running,
    list_worker_pids,
    open_bench_command,
    read_outcomes,
    run_bench_command,
    write_agent,
    write_scenarios,
)
from click.testing import CliRunner
from fork_server import OpenProcess
from polling import wait_until

from adk_agent_sim.bench.bench_run import BenchOptions, execute_bench
from adk_agent_sim.bench.process_pool import ProcessPool
from adk_agent_sim.cli.main import adksim

pytestmark = pytest.mark.process


@pytest.fixture
def options(tmp_path: Path) -> list[str | Path]:
    """Two agents of known quality in five scenarios."""
    agents = [write_agent(tmp_path / "good", range(5)), write_agent(tmp_path / "bad", [1])]
    return [write_scenarios(tmp_path, 5), *(each for agent in agents for each in ("--agent", agent)), "--workers", "2"]


@pytest.mark.req("004/example-run-local")
def test_a_bench_saves_and_prints_what_the_agents_did(options: list[str | Path], tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = run_bench_command(*options, "--out", out)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^bad +20\.0 % ", done.stdout, re.MULTILINE)
    assert re.search(r"^good +100 % ", done.stdout, re.MULTILINE)
    assert "printed by the agent" not in done.stdout + done.stderr
    assert (out / "workers.log").read_text(encoding="utf-8").count("printed by the agent") == 10
    results = read_outcomes(out)
    assert [(each.scenario, each.agent) for each in results] == [
        (f"mail_{number}", agent) for number in range(5) for agent in ("good", "bad")
    ]
    assert Counter((each.agent, each.passed) for each in results) == {
        ("good", True): 5,
        ("bad", True): 1,
        ("bad", False): 4,
    }
    assert all((out / each.report).exists() for each in results)
    assert (out / "summary.md").exists()
    assert (out / "junit.xml").exists()


def test_the_error_of_a_bench_that_nobody_could_judge_has_the_whole_reason(tmp_path: Path) -> None:
    scenarios = tmp_path / "scenarios.jsonl"
    scenario = build_mail_scenario(1, scenario_id="mail 17")
    scenario["events"] = scenario["events"][:1]
    scenarios.write_text(json.dumps(scenario) + "\n", encoding="utf-8")
    done = run_bench_command(scenarios, "--agent", write_agent(tmp_path / "good", [0]), "--out", tmp_path / "out")
    assert done.returncode == 3
    assert "Cannot judge mail 17: " in done.stdout
    error = done.stderr[done.stderr.index("Error: No run could be judged. ") :]
    assert read_outcomes(tmp_path / "out")[0].reason in error.strip()


def test_exit_codes_follow_the_share_that_passed(options: list[str | Path], tmp_path: Path) -> None:
    first = run_bench_command(*options, "--out", tmp_path / "out", "--fail-under", "0.7", "--json")
    assert (first.returncode, json.loads(first.stdout)["overall"]["success"]["value"]) == (1, 0.6)
    assert "60.0% of the runs passed, fewer than the 70.0% of --fail-under" in first.stderr
    again = run_bench_command(*options, "--out", tmp_path / "out", "--fail-under", "0.6", "--resume", "--no-report")
    assert "it has another plan, which differs in the files that runs leave" in again.stderr
    resumed = run_bench_command(*options, "--out", tmp_path / "out", "--fail-under", "0.6", "--resume")
    assert resumed.returncode == 0


@pytest.mark.parametrize(
    ("judge", "message"),
    [("no-such-model", "The model 'no-such-model' cannot be used"), ("replay:nowhere.jsonl", "nowhere.jsonl")],
)
def test_a_judge_that_cannot_be_used_is_refused_before_any_run(tmp_path: Path, judge: str, message: str) -> None:
    options: list[str | Path] = ["--player", "oracle", "--judge", judge, "--out", tmp_path / "out"]
    done = run_bench_command(write_scenarios(tmp_path, 1), *options)
    assert done.returncode == 2
    assert message in done.stderr
    assert not (tmp_path / "out").exists()


def test_an_agent_without_a_judged_run_does_not_meet_a_share(tmp_path: Path) -> None:
    out = tmp_path / "out"
    players: list[str | Path] = ["--player", "oracle", "--player", "nothing", "--out", out, "--no-report"]
    options = [write_scenarios(tmp_path, 1), *players, "--fail-under", "0.5"]
    assert run_bench_command(*options).returncode == 0
    lines = (out / "results.jsonl").read_text(encoding="utf-8")
    (out / "results.jsonl").write_text(lines.replace('"failed"', '"not_judged"'), encoding="utf-8")
    done = run_bench_command(*options, "--resume")
    assert done.returncode == 3
    assert "No run of default · nothing could be judged, so --fail-under says nothing about it." in done.stderr


def _kill_at_random(options: list[str | Path], out: Path, chance: random.Random, total: int) -> list[str]:
    """Run a bench until all results are there; kill workers and the bench itself meanwhile. Return what was killed."""
    killed: list[str] = []
    while count_lines(out) < total and len(killed) < 20:
        process = open_bench_command(*options, "--out", out, "--resume")
        goals = sorted(chance.sample(range(count_lines(out), total), min(3, total - count_lines(out))))
        for goal in goals[:-1]:
            _wait_for_results(process, out, goal)
            if workers := list_worker_pids(process.pid):
                os.kill(chance.choice(workers), signal.SIGKILL)
                killed.append("worker")
        _wait_for_results(process, out, goals[-1])
        _kill_bench(process)
        killed.append("bench")
    return killed


def _wait_for_results(process: OpenProcess, out: Path, goal: int) -> None:
    _wait(lambda: count_lines(out) > goal or process.poll() is not None)


def _kill_bench(process: OpenProcess) -> None:
    """Kill a bench; its workers end by themselves."""
    workers = list_worker_pids(process.pid)
    process.kill()
    process.wait()
    _wait(lambda: not any(map(is_running, workers)))


def _wait(condition: Callable[[], bool]) -> None:
    asyncio.run(wait_until(condition))


@pytest.mark.parametrize("runs", [3, pytest.param(30, marks=pytest.mark.long)])
def test_a_bench_that_is_killed_anywhere_gives_the_same_results(
    options: list[str | Path], tmp_path: Path, runs: int
) -> None:
    options = [*options, "--runs", str(runs), "--no-report"]
    whole = run_bench_command(*options, "--out", tmp_path / "whole")
    assert whole.returncode == 0, whole.stderr
    out = tmp_path / "killed"
    killed = _kill_at_random(options, out, random.Random(runs), 10 * runs)  # noqa: S311 - the same kills each time
    assert {"bench", "worker"} <= set(killed)
    finished = run_bench_command(*options, "--out", out, "--resume")
    assert finished.returncode == 0, finished.stderr
    assert len(read_outcomes(out)) == 10 * runs
    assert read_outcomes(out) == read_outcomes(tmp_path / "whole")


def test_a_run_that_takes_too_long_is_killed_and_recorded(tmp_path: Path) -> None:
    options: list[str | Path] = [write_scenarios(tmp_path, 2), "--agent", write_agent(tmp_path / "slow", [], "hang")]
    # With one worker, the second run needs another one.
    done = run_bench_command(*options, "--out", tmp_path / "out", "--run-timeout", "1s", "--workers", "1")
    assert done.returncode == 1
    assert "2 of 2 runs ended with an error or a timeout" in done.stderr
    results = read_outcomes(tmp_path / "out")
    assert [each.outcome for each in results] == ["timeout", "timeout"]
    assert "stopped after 1 s of real time" in results[0].reason
    write_agent(tmp_path / "slow", [0, 1])
    resumed = run_bench_command(*options, "--out", tmp_path / "out", "--resume")
    assert resumed.returncode == 0, resumed.stderr
    assert [each.outcome for each in read_outcomes(tmp_path / "out")] == ["passed"] * 2


def test_runs_wait_after_a_rate_limit_and_then_pass(tmp_path: Path) -> None:
    agent = write_agent(tmp_path / "limited", [], "limit")
    options = ["--workers", "2", "--rate-limit-wait", "10ms", "--no-report"]
    done = run_bench_command(write_scenarios(tmp_path, 4), "--agent", agent, "--out", tmp_path / "out", *options)
    assert done.returncode == 0, done.stderr
    assert [each.outcome for each in read_outcomes(tmp_path / "out")] == ["passed"] * 4
    assert len((agent / "attempts").read_text(encoding="ascii")) == 3 + 4


def test_sessions_are_stored_once_in_a_database(options: list[str | Path], tmp_path: Path) -> None:
    out, database = tmp_path / "out", tmp_path / "sessions.db"
    options = [*options, "--out", out, "--db", database, "--no-report"]
    done = run_bench_command(*options, "--limit", "2")
    assert done.returncode == 0, done.stderr
    lines = (out / "results.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (out / "results.jsonl").write_text("".join(lines[:2]), encoding="utf-8")
    resumed = run_bench_command(*options, "--limit", "2", "--resume")
    assert resumed.returncode == 0, resumed.stderr
    listed = json.loads(CliRunner().invoke(adksim, ["sessions", "--db", str(database), "--json"]).stdout)
    ids = {each.session_id for each in read_outcomes(out)}
    assert len(ids) == 4
    assert {each["session_id"] for each in listed} == ids
    judged = CliRunner().invoke(
        adksim, ["scenario", "judge", str(options[0]), "--session", sorted(ids)[0], "--db", str(database), "--json"]
    )
    assert judged.exit_code in (0, 1), judged.output


def test_a_run_that_ends_its_process_twice_is_an_error(tmp_path: Path) -> None:
    options: list[str | Path] = [
        write_scenarios(tmp_path, 4),
        "--agent",
        write_agent(tmp_path / "deadly", [0, 3], "kill"),
    ]
    done = run_bench_command(*options, "--out", tmp_path / "out", "--workers", "2", "--no-report")
    assert done.returncode == 1
    results = read_outcomes(tmp_path / "out")
    assert [each.outcome for each in results] == ["passed", "error", "error", "passed"]
    assert results[1].reason == (
        "The worker process ended during the run (signal SIGKILL), and again when it was repeated."
    )


def test_ctrl_c_stops_and_says_how_to_go_on(tmp_path: Path) -> None:
    out = tmp_path / "out"
    options: list[str | Path] = [write_scenarios(tmp_path, 3), "--agent", write_agent(tmp_path / "slow", [0], "hang")]
    process = open_bench_command(*options, "--out", out, "--workers", "2", "--no-report")
    _wait(lambda: count_lines(out) == 1)
    workers = list_worker_pids(process.pid)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert process.returncode == 1
    assert "Interrupted. The results so far are in" in errors
    assert "with --resume" in errors
    assert "Traceback" not in errors
    assert workers
    assert not any(map(is_running, workers))
    assert [each.scenario for each in read_outcomes(out)] == ["mail_0"]


def _write_agent_with_child(folder: Path) -> Path:
    """Write an agent that starts a process, puts its id into the file `child`, and then hangs."""
    agent = write_agent(folder, [], "hang")
    text = (agent / "agent.py").read_text(encoding="utf-8")
    lines = [
        "import subprocess",
        "child = subprocess.Popen(['sleep', '1000'])",
        "Path(__file__).with_name('started').write_text(str(child.pid))",
        "Path(__file__).with_name('started').rename(Path(__file__).with_name('child'))",
        "global CALLS",
    ]
    (agent / "agent.py").write_text(text.replace("global CALLS", "\n        ".join(lines)), encoding="utf-8")
    return agent


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_what_an_agent_has_started_ends_with_a_bench_that_is_killed(tmp_path: Path, number: signal.Signals) -> None:
    out, agent = tmp_path / "out", _write_agent_with_child(tmp_path / "starts")
    process = open_bench_command(write_scenarios(tmp_path, 1), "--agent", agent, "--out", out, "--no-report")
    _wait((agent / "child").exists)
    child, workers = int((agent / "child").read_text(encoding="ascii")), list_worker_pids(process.pid)
    assert workers
    assert is_running(child)
    process.send_signal(number)
    _, errors = process.communicate()
    _wait(lambda: not any(map(is_running, [child, *workers])))
    if number is signal.SIGTERM:
        assert process.returncode == 1
        assert "Interrupted. The results so far are in" in errors
        assert "Traceback" not in errors
        assert not (out / "running.json").exists()
        assert not (out / "running").exists()


def test_a_worker_is_replaced_after_a_number_of_runs(tmp_path: Path) -> None:
    plan = build_test_plan(write_scenarios(tmp_path, 4), write_agent(tmp_path / "agent", range(4)))
    out = tmp_path / "out"
    execute_bench(plan, out, ProcessPool(out, plan.files, 1, runs_per_worker=2), BenchOptions())
    assert [each.outcome for each in read_outcomes(out)] == ["passed"] * 4
    pids = (out / "workers.log").read_text(encoding="utf-8").splitlines()
    assert [pids.count(each) for each in dict.fromkeys(pids)] == [2, 2]


def test_the_default_way_to_start_processes_works_too(tmp_path: Path) -> None:
    scenarios = write_scenarios(tmp_path, 2)
    arguments = ["bench", str(scenarios), "--player", "oracle", "--out", str(tmp_path / "out"), "--workers", "2"]
    result = CliRunner().invoke(adksim, arguments)
    assert result.exit_code == 0, result.output
    assert [each.outcome for each in read_outcomes(tmp_path / "out")] == ["passed", "passed"]
