"""What a second worker gains, counted in CPU seconds, which are nearly the same on an idle and on a busy machine.

    1 worker    |parent|run|run|run|run|
    2 workers   |parent|run|run|
                       |run|run|

The runs are divided among the workers, and the parent's work is not. So the gain is the CPU time of a bench of one
worker divided by the parent's time and half the workers' time of a bench of two. Workers that do work twice and a
parent that works for every run make it smaller. That the workers run at the same time is tested by itself.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import fork_server
import pytest
from bench_folders import read_outcomes, run_bench_command, write_agent, write_scenarios
from processes import ENVIRONMENT

pytestmark = pytest.mark.process

_MEASURE = """
import json, multiprocessing, resource, sys, time
from pathlib import Path

sys.path.insert(0, sys.argv[2])
from bench_folders import build_test_plan
from adk_agent_sim.bench.bench_run import BenchOptions, execute_bench
from adk_agent_sim.bench.process_pool import ProcessPool


def measure():
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time(), children.ru_utime + children.ru_stime


folder = Path(sys.argv[1])
plan = build_test_plan(folder / "scenarios.jsonl", folder / "busy", runs=8)
figures = []
for count in (1, 2):
    out = folder / f"out-{count}"
    parent, workers = measure()
    pool = ProcessPool(out, plan.files, count, start_method="fork")
    results = execute_bench(plan, out, pool, BenchOptions(worker_count=count))
    assert len(results) == 32 and all(each.passed for each in results.values())
    parent_end, workers_end = measure()
    figures.append((parent_end - parent, workers_end - workers))
print(json.dumps(figures))
"""


def test_two_workers_need_little_more_than_half_the_time_of_one(tmp_path: Path) -> None:
    write_scenarios(tmp_path, 4)
    write_agent(tmp_path / "busy", (), "work")
    arguments = ["-c", _MEASURE, str(tmp_path), str(Path(__file__).parents[1])]
    done = fork_server.run(arguments, environment=ENVIRONMENT)
    assert done.returncode == 0, done.stderr
    (parent_of_one, worker), (parent_of_two, workers) = json.loads(done.stdout.splitlines()[-1])
    gain = (parent_of_one + worker) / (parent_of_two + workers / 2)
    assert gain >= 1.3, done.stdout


def test_two_workers_run_at_the_same_time(tmp_path: Path) -> None:
    agent = write_agent(tmp_path / "meets", (), "meet")  # each of the two runs waits until the other one has begun
    done = run_bench_command(
        write_scenarios(tmp_path, 2), "--agent", agent, "--workers", "2", "--out", tmp_path / "out"
    )
    assert done.returncode == 0, done.stderr
    assert Counter(each.outcome for each in read_outcomes(tmp_path / "out")) == {"passed": 2}
