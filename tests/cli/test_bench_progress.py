"""The progress of a bench: a line that changes on a terminal and is erased at the end, lines elsewhere."""

from __future__ import annotations

import asyncio
import os
import pty
import re
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench_builders import build_result
from bench_folders import build_test_plan, count_lines, open_bench_command, write_agent, write_scenarios
from fork_server import OpenProcess
from polling import MAX_WAIT_SECONDS, wait_until
from timeline_builders import ManualClock

from adk_agent_sim.bench.bench_control import BenchControl, pause_bench
from adk_agent_sim.bench.bench_plan import PlannedRun
from adk_agent_sim.bench.bench_result import BenchResult
from adk_agent_sim.bench.bench_run import BenchStatus
from adk_agent_sim.bench.rate_limits import BackoffPolicy
from adk_agent_sim.bench.run_queue import RunQueue, RunReport
from adk_agent_sim.cli.benches.bench_progress import BenchProgress

_CONTROL = re.compile(r"\x1b\[(?P<argument>[0-9;?]*)(?P<kind>[A-Za-z])")


def _status(*results: BenchResult, queue: RunQueue | None = None) -> BenchStatus:
    return BenchStatus(results={each.key: each for each in results}, queue=queue or RunQueue([], 1))


def test_without_a_terminal_a_line_is_printed_every_15_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    clock = ManualClock()
    progress = BenchProgress(1_003, clock, is_terminal=False)
    old = [build_result(run=number) for number in (1, 2)]
    progress(_status(*old))
    clock.time += 10
    new = [build_result("failed", run=3, input_tokens=9_000), build_result("timeout", run=4, output_tokens=2_000)]
    progress(_status(*old, *new))
    assert capsys.readouterr().err == ""
    clock.time += 10
    progress(_status(*old, *new))
    progress(_status(*old, *new))
    progress.close()
    # 2 of the 4 results are from an earlier start, so a run took 10 s.
    assert capsys.readouterr() == (
        "",
        "4 of 1,003 runs, 2 passed, 1 failed, 1 errors, 11k tokens, 2.8 h left\n",
    )


def _fail_at_rate_limit(queue: RunQueue, run: PlannedRun | None, now: float) -> None:
    assert run is not None
    report = RunReport(result=build_result("error", **run.key.model_dump()), is_rate_limited=True)
    assert queue.finish(run, report, now) is None


def test_it_says_for_what_the_bench_waits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = build_test_plan(write_scenarios(tmp_path, 1), models=("fast", "\x1b[2Jslow"))
    clock, control = ManualClock(), BenchControl(tmp_path, plan)
    queue = RunQueue(plan.runs, 2, BackoffPolicy(first_seconds=20), control)
    progress = BenchProgress(2, clock, is_terminal=False)
    progress(_status(queue=queue))
    for run in [queue.take(clock.time), queue.take(clock.time)]:
        _fail_at_rate_limit(queue, run, clock.time)
    clock.time += 15
    progress(_status(queue=queue))
    pause_bench(tmp_path, paused=True)
    clock.time += 15
    progress(_status(queue=queue))
    pause_bench(tmp_path, paused=False)
    clock.time += 15
    progress(_status(queue=queue))
    counts = "0 passed, 0 failed, 0 errors"
    assert capsys.readouterr().err.splitlines() == [
        f"0 of 2 runs, waiting for the rate limit of fast and \\x1b[2Jslow, {counts}",
        f"0 of 2 runs, paused, {counts}",
        f"0 of 2 runs, {counts}",
    ]


def test_results_whose_runs_are_repeated_do_not_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = build_test_plan(write_scenarios(tmp_path, 4))
    old = [build_result("error", **run.key.model_dump()) for run in plan.runs[:3]]
    old.append(build_result(**plan.runs[3].key.model_dump()))
    clock, queue = ManualClock(), RunQueue(plan.runs[:3], 1)
    progress = BenchProgress(4, clock, is_terminal=False)
    progress(_status(*old, queue=queue))
    clock.time += 15
    progress(_status(*old, queue=queue))
    run = queue.take(clock.time)
    assert run is not None
    new = queue.finish(run, RunReport(result=build_result(**run.key.model_dump())), clock.time)
    assert new is not None
    clock.time += 15
    progress(_status(*old, new, queue=queue))
    assert capsys.readouterr().err.splitlines() == [
        "1 of 4 runs, 1 passed, 0 failed, 0 errors",
        "2 of 4 runs, 2 passed, 0 failed, 0 errors, 60 s left",
    ]


class _Screen:
    """A pseudo-terminal on which a bench runs, and what a person sees there."""

    def __init__(self, *arguments: str | Path, **environment: str) -> None:
        self._descriptor, terminal = pty.openpty()
        variables = {"TERM": "xterm-256color", "COLUMNS": "100", "CI": "", **environment}
        self.process: OpenProcess = open_bench_command(*arguments, terminal=terminal, **variables)
        os.close(terminal)
        self.written = ""

    def read_until(self, text: str) -> None:
        """Read until the process has written a text."""
        while text not in self.written:
            assert self._read_piece(), f"{text!r} was not shown: {self.written!r}"

    def read_all(self) -> list[str]:
        """Read until the process ends, and return the lines that are on the screen then."""
        while self._read_piece():
            pass
        os.close(self._descriptor)
        self.process.wait(MAX_WAIT_SECONDS)
        return list(_iter_lines(self.written))

    def _read_piece(self) -> bool:
        ready, _, _ = select.select([self._descriptor], [], [], MAX_WAIT_SECONDS)
        assert ready, f"Nothing more was shown: {self.written!r}"
        try:
            piece = os.read(self._descriptor, 65_536)
        except OSError:  # the last process has closed the terminal
            return False
        self.written += piece.decode(errors="replace")
        return bool(piece)


def _iter_lines(written: str) -> Iterator[str]:
    """Yield the lines of a terminal after it was written to; it understands colours, erased lines and movements up."""
    lines, row, column, position = [""], 0, 0, 0
    while position < len(written):
        character = written[position]
        if match := _CONTROL.match(written, position):
            position = match.end()
            kind, argument = match["kind"], match["argument"]
            assert kind in "mAK", f"an unexpected control sequence: {match[0]!r}"
            if kind == "A":
                row -= int(argument or 1)
            elif kind == "K":
                assert argument == "2"
                lines[row] = ""
            continue
        position += 1
        if character == "\n":
            row += 1
            lines += [""] * (row == len(lines))
        elif character == "\r":
            column = 0
        else:
            lines[row] = lines[row][:column].ljust(column) + character + lines[row][column + 1 :]
            column += 1
    yield from (line.rstrip() for line in lines)


@pytest.mark.process
def test_a_terminal_shows_a_bar_and_counts_which_are_erased_at_the_end(tmp_path: Path) -> None:
    agent = write_agent(tmp_path / "good", [0, 1, 2])
    screen = _Screen(write_scenarios(tmp_path, 3), "--agent", agent, "--out", tmp_path / "out", "--no-report")
    lines = screen.read_all()
    assert screen.process.returncode == 0
    assert "━" in screen.written
    assert "0 of 3 runs" in screen.written
    assert "0 failed, 0 errors" in screen.written
    assert lines[0].split() == ["agent", "success", "95", "%", "interval", "passed", "errors"]
    assert not any("of 3 runs" in line for line in lines)


@pytest.mark.process
def test_ctrl_c_leaves_the_terminal_clean(tmp_path: Path) -> None:
    out = tmp_path / "out"
    agent = write_agent(tmp_path / "slow", [0], "hang")
    screen = _Screen(write_scenarios(tmp_path, 3), "--agent", agent, "--out", out, "--workers", "2", "--no-report")
    screen.read_until("0 of 3 runs")
    asyncio.run(wait_until(lambda: count_lines(out) == 1))
    screen.process.send_signal(signal.SIGINT)
    lines = screen.read_all()
    assert screen.process.returncode == 1
    assert lines[0].startswith("Error: Interrupted. The results so far are in")
    assert not any("of 3 runs" in line for line in lines)


@pytest.mark.process
def test_a_bench_in_which_no_run_ends_shows_why(tmp_path: Path) -> None:
    out = tmp_path / "out"
    agent = write_agent(tmp_path / "limited", [], "always limit")
    options: list[str | Path] = ["--workers", "1", "--rate-limit-wait", "10m", "--no-report"]
    screen = _Screen(write_scenarios(tmp_path, 2), "--agent", agent, "--out", out, *options, COLUMNS="150")
    screen.read_until("waiting for the rate limit of the models of limited")
    pause_bench(out, paused=True)
    screen.read_until("paused")
    screen.process.send_signal(signal.SIGINT)
    assert screen.read_all()[0].startswith("Error: Interrupted. The results so far are in")


@pytest.mark.process
@pytest.mark.parametrize("environment", [{"CI": "true"}, {"TERM": "dumb"}], ids=["CI", "dumb terminal"])
def test_where_lines_cannot_be_replaced_there_is_no_bar(tmp_path: Path, environment: dict[str, str]) -> None:
    agent = write_agent(tmp_path / "good", [0])
    command: list[str | Path] = [write_scenarios(tmp_path, 1), "--agent", agent, "--out", tmp_path / "out"]
    screen = _Screen(*command, "--no-report", **environment)
    lines = screen.read_all()
    assert screen.process.returncode == 0
    assert "1 of 1" in screen.written
    assert "runs" not in "".join(lines[:1])
    assert "━" not in screen.written
    assert "\x1b[2K" not in screen.written


@pytest.mark.process
def test_help_does_not_import_rich() -> None:
    program = (
        "import sys; from adk_agent_sim.cli.main import adksim\n"
        "try: adksim(['bench', 'run', '--help'])\n"
        "except SystemExit: print('rich' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("\nFalse\n")
    assert "--resume" in done.stdout
