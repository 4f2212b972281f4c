"""Measures benches: what the process pool adds to a plain loop, what a second worker gains, memory and many episodes.

    python benchmarks/bench.py                    all of it; the 1,000 runs of a large scenario take minutes
    python benchmarks/bench.py overhead workers   some of it
    python benchmarks/bench.py --quick            the smallest size, which measures nothing

The agent's model is the scenario's oracle, so that runs are CPU-bound. Peers are run in turns, and the time of starting
processes is left out: a bench is measured from its first result to its last. The figures are medians, with the
interval that contains the middle half of the rounds. Figures are for `benchmarks/README.md`; nothing passes or fails.
"""

from __future__ import annotations

import json
import multiprocessing
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import arguments
from bench_folders import build_mail_scenario

from adk_agent_sim.adk.worlds.run_exports import RunExports
from adk_agent_sim.adk.worlds.run_plan import execute_plan
from adk_agent_sim.bench.bench_plan import BenchAxes, BenchPlan, RunFiles, build_plan
from adk_agent_sim.bench.bench_run import BenchOptions, BenchStatus, execute_bench
from adk_agent_sim.bench.bench_task import find_tasks
from adk_agent_sim.bench.process_pool import ProcessPool


@dataclass(frozen=True, kw_only=True)
class Size:
    """How much is run, and how often."""

    rounds: int = 9
    runs: int = 100
    memory_runs: int = 1_000
    memory_bytes: int = 1_840_000
    episodes: int = 1_280
    start_method: str | None = None


QUICK = Size(rounds=1, runs=4, memory_runs=3, memory_bytes=1, episodes=4, start_method="fork")


def overhead(size: Size) -> None:
    """One worker, which saves each result, against a loop over the same runs in one process."""
    print(f"\nOverhead: {size.runs} runs, each with its page of HTML, in a bench of one worker and in a plain loop")
    peers: dict[str, Callable[[], float]] = {
        "loop": lambda: _measure_loop(size),
        "bench": lambda: _measure_bench(size, 1),
    }
    measured = _measure_in_turns(peers, size.rounds)
    for name, seconds in measured.items():
        print(f"  {name:<6} {_format(seconds, 1000)} ms a run")
    ratios = [ours / theirs for ours, theirs in zip(measured["bench"], measured["loop"], strict=True)]
    print(f"  bench against loop: {_format(ratios, 1, digits=3)}x")


def workers(size: Size) -> None:
    """Two workers against one."""
    print(f"\nWorkers: runs a second of a bench of {size.runs} CPU-bound runs")
    peers = {"1 worker": lambda: _measure_bench(size, 1), "2 workers": lambda: _measure_bench(size, 2)}
    measured = _measure_in_turns(peers, size.rounds)
    for name, seconds in measured.items():
        print(f"  {name:<9} {_format([1 / each for each in seconds], 1)} runs/s")
    gains = [one / two for one, two in zip(measured["1 worker"], measured["2 workers"], strict=True)]
    print(f"  2 workers against 1: {_format(gains, 1)}x")


def memory(size: Size) -> None:
    """The memory of a worker over many runs of a large scenario."""
    with tempfile.TemporaryDirectory() as name:
        plan = _build_plan(Path(name), size.memory_runs, size.memory_bytes)
        megabytes = plan.runs[0].task.length / 1e6
        print(f"\nMemory: a worker over {size.memory_runs:,} runs of a scenario of {megabytes:.2f} MB")
        marks = {max(1, size.memory_runs * part // 10) for part in range(1, 11)}
        start = time.perf_counter()

        def report(status: BenchStatus) -> None:
            if (done := len(status.results)) in marks:
                marks.remove(done)
                seconds = time.perf_counter() - start
                print(
                    f"  {done:>5,} runs   {_read_worker_memory():6.0f} MB   {seconds * 1000:9,.0f} ms",
                    flush=True,
                )

        _run(plan, Path(name), 1, size, report)


def episodes(size: Size) -> None:
    """Many runs on two workers, from the start of the bench to its end."""
    with tempfile.TemporaryDirectory() as name:
        plan = _build_plan(Path(name), size.episodes)
        start = time.perf_counter()
        _run(plan, Path(name), 2, size, lambda status: None)
        seconds = time.perf_counter() - start
    print(f"\nEpisodes: {size.episodes:,} scripted runs on 2 workers, with the start of the processes")
    print(f"  {seconds:.1f} s, {size.episodes / seconds:.1f} runs/s")


def _measure_in_turns(peers: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, list[float]]:
    measured: dict[str, list[float]] = {name: [] for name in peers}
    for _ in range(rounds):
        for name, measure in peers.items():
            measured[name].append(measure())
    return measured


def _measure_bench(size: Size, worker_count: int) -> float:
    """Return the seconds per run, from the first results to the last."""
    moments: list[float] = []
    with tempfile.TemporaryDirectory() as name:
        plan = _build_plan(Path(name), size.runs)

        def take_time(status: BenchStatus) -> None:
            moments.extend([time.perf_counter()] * (len(status.results) - len(moments)))

        _run(plan, Path(name), worker_count, size, take_time)
    # Each worker's first run is left out: it also imports and compiles what an agent needs.
    return (moments[-1] - moments[worker_count - 1]) / (len(moments) - worker_count)


def _run(
    plan: BenchPlan, folder: Path, worker_count: int, size: Size, on_progress: Callable[[BenchStatus], object]
) -> None:
    out = folder / "out"
    pool = ProcessPool(out, plan.files, worker_count, start_method=size.start_method)
    results = execute_bench(plan, out, pool, BenchOptions(worker_count=worker_count), on_progress)
    if wrong := [each.reason for each in results.values() if not each.passed]:
        raise RuntimeError(f"{len(wrong)} runs did not pass: {wrong[0]}")


def _measure_loop(size: Size) -> float:
    """Return the seconds per run of a loop in a process of its own, without the first one."""
    context: Any = multiprocessing.get_context(size.start_method or "forkserver")
    ours, theirs = context.Pipe()
    with tempfile.TemporaryDirectory() as name:
        plan = _build_plan(Path(name), size.runs)
        process = context.Process(target=run_loop, args=(plan, Path(name) / "page.html", theirs))
        process.start()
        moments: list[float] = ours.recv()
        process.join()
    return (moments[-1] - moments[0]) / (len(moments) - 1)


def run_loop(plan: BenchPlan, page: Path, connection: Any) -> None:
    """Execute the runs of a plan one after the other, and send the times when they ended."""
    arguments.be_quiet()
    moments: list[float] = []
    for run in plan.runs:
        result = execute_plan(replace(run.plan, exports=RunExports(report=str(page))))
        if not result.passed:
            raise RuntimeError(result.reason)
        moments.append(time.perf_counter())
    connection.send(moments)


def _build_plan(folder: Path, runs: int, size: int = 0) -> BenchPlan:
    scenario = build_mail_scenario(1)
    mail = {
        "sender": "a@example.org",
        "recipients": ["me@example.org"],
        "subject": "Minutes",
        "content": "We met and talked about the plans for the next weeks. " * 20,
        "email_id": "",
        "timestamp": 900.0,
    }
    count = size // len(json.dumps(mail))
    emails = [mail | {"email_id": f"mail-{number}"} for number in range(count)]
    scenario["apps"][1]["app_state"]["folders"]["INBOX"]["emails"] = emails
    path = folder / "scenario.json"
    path.write_text(json.dumps(scenario), encoding="utf-8")
    agent = folder / "office"
    agent.mkdir()
    text = 'from google.adk.agents import LlmAgent\nroot_agent = LlmAgent(name="office", model="gemini-2.5-flash")\n'
    (agent / "__init__.py").write_text(text, encoding="utf-8")
    axes = BenchAxes(agents=(str(agent),), players=("oracle",), runs=runs)
    return build_plan(find_tasks([str(path)]), axes, files=RunFiles(report=True))


def _read_worker_memory() -> float:
    """Return the memory of the workers of this process, in MB."""
    total = 0.0
    for child in multiprocessing.active_children():
        status = Path(f"/proc/{child.pid}/status").read_text(encoding="ascii")
        total += sum(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:")) / 1024
    return total


def _format(values: Sequence[float], factor: float, *, digits: int = 2) -> str:
    scaled = sorted(value * factor for value in values)
    low, high = scaled[len(scaled) // 4], scaled[-1 - len(scaled) // 4]
    return f"{statistics.median(scaled):8.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


BENCHMARKS: Mapping[str, Callable[[Size], None]] = {
    "overhead": overhead,
    "workers": workers,
    "memory": memory,
    "episodes": episodes,
}


if __name__ == "__main__":
    given = arguments.read(__doc__, list(BENCHMARKS))
    print("Benches of an agent in a small scenario")
    for each in given.benchmarks or BENCHMARKS:
        BENCHMARKS[each](QUICK if given.quick else Size())
