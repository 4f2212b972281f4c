"""`--engine ray`: a cluster gives the same results as the processes of one machine."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from bench_folders import build_test_plan, read_outcomes, write_agent, write_scenarios
from click.testing import CliRunner

from adk_agent_sim.bench.bench_run import BenchOptions, Engine, execute_bench
from adk_agent_sim.bench.process_pool import ProcessPool
from adk_agent_sim.bench.ray_engine import RayEngine
from adk_agent_sim.bench.run_queue import RunQueue
from adk_agent_sim.cli.main import adksim
from adk_agent_sim.errors import SimulatorError

_HAS_RAY = importlib.util.find_spec("ray") is not None
needs_ray = pytest.mark.skipif(not _HAS_RAY, reason="needs ray, which `make test-newest` installs")

_MEETING = """
import sys, time
from pathlib import Path

if "ray" in sys.modules and sys.modules["ray"].is_initialized():
    folder = Path(__file__).with_name("nodes")
    folder.mkdir(exist_ok=True)
    (folder / sys.modules["ray"].get_runtime_context().get_node_id()).touch()
    while len(list(folder.iterdir())) < 2:
        time.sleep(0.05)
"""
"""On a cluster, no run of an agent with this code ends before runs have started on two nodes."""


_STARTED = """
from pathlib import Path
from uuid import uuid4

(Path(__file__).parent / f"{uuid4().hex}.started").touch()
"""


class _StartClock:
    """A clock by which 1,000 seconds pass whenever a run of an agent starts that ends with `_STARTED`."""

    def __init__(self, agent: Path) -> None:
        self._agent = agent

    def now(self) -> float:
        return self.monotonic()

    def monotonic(self) -> float:
        return 1000.0 * len(list(self._agent.glob("*.started")))


def test_without_ray_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)  # importing it fails, as if it were not installed
    scenarios, out = write_scenarios(tmp_path, 1), tmp_path / "out"
    result = CliRunner().invoke(
        adksim, ["bench", str(scenarios), "--player", "oracle", "--engine", "ray", "--out", str(out)]
    )
    assert result.exit_code == 1
    assert "pip install 'ray>=2.40'" in " ".join(result.output.split())
    assert not out.exists()


@pytest.fixture(scope="module")
def cluster() -> Generator[str]:
    """Two nodes on this machine; only these end afterwards, not another cluster that somebody has here."""
    small = {"num_cpus": 1, "object_store_memory": 80_000_000}
    nodes: Any = importlib.import_module("ray.cluster_utils").Cluster(
        initialize_head=True, head_node_args={**small, "include_dashboard": False}
    )
    try:
        nodes.add_node(**small)
        yield nodes.address
    finally:
        nodes.shutdown()


@needs_ray
@pytest.mark.process
def test_two_nodes_give_the_results_of_the_process_pool(cluster: str, tmp_path: Path) -> None:
    agents = [write_agent(tmp_path / "good", range(5)), write_agent(tmp_path / "raises", [1], "raise")]
    _append(agents[0], _MEETING)
    plan = build_test_plan(write_scenarios(tmp_path, 5), *agents, runs=3, report=True)
    engines: dict[str, Engine] = {
        "ray": RayEngine(tmp_path / "ray", plan.files, 2, address=cluster, runs_per_actor=9),
        "pool": ProcessPool(tmp_path / "pool", plan.files, 2),
    }
    for name, engine in engines.items():
        execute_bench(plan, tmp_path / name, engine, BenchOptions(worker_count=2))
    assert len(list((agents[0] / "nodes").iterdir())) == 2
    assert len(read_outcomes(tmp_path / "ray")) == 30
    # Runs that go on at the same time end in any order.
    found = [sorted(read_outcomes(tmp_path / name), key=str) for name in engines]
    assert found[0] == found[1]
    assert _list_files(tmp_path / "ray") == _list_files(tmp_path / "pool")
    assert "printed by the agent" in (tmp_path / "ray" / "workers.log").read_text(encoding="utf-8")


@needs_ray
@pytest.mark.process
def test_a_run_whose_process_dies_is_an_error(cluster: str, tmp_path: Path) -> None:
    plan = build_test_plan(write_scenarios(tmp_path, 2), write_agent(tmp_path / "kills", [0], "kill"))
    execute_bench(plan, tmp_path / "out", RayEngine(tmp_path / "out", plan.files, 1, address=cluster), BenchOptions())
    results = read_outcomes(tmp_path / "out")
    assert [each.outcome for each in results] == ["passed", "error"]
    assert "ended on the cluster" in results[1].reason


@needs_ray
@pytest.mark.process
def test_a_run_that_takes_too_long_is_stopped(cluster: str, tmp_path: Path) -> None:
    agent = write_agent(tmp_path / "hangs", [], "hang")
    _append(agent, _STARTED)
    plan = build_test_plan(write_scenarios(tmp_path, 2), agent)
    engine = RayEngine(tmp_path / "out", plan.files, 1, address=cluster, run_timeout=500, clock=_StartClock(agent))
    execute_bench(plan, tmp_path / "out", engine, BenchOptions())
    assert [each.outcome for each in read_outcomes(tmp_path / "out")] == ["timeout", "timeout"]


@needs_ray
@pytest.mark.process
def test_actors_that_do_not_start_are_not_mistaken_for_runs_that_fail(cluster: str, tmp_path: Path) -> None:
    plan = build_test_plan(write_scenarios(tmp_path, 1), write_agent(tmp_path / "good", [0]))
    engine = RayEngine(tmp_path / "no_such_folder", plan.files, 1, address=cluster)
    with pytest.raises(SimulatorError, match=r"Actors do not start on the Ray cluster .*no_such_folder"):
        list(engine.execute(RunQueue(plan.runs, 1)))


def _append(agent: Path, text: str) -> None:
    with (agent / "agent.py").open("a", encoding="utf-8") as file:
        file.write(text)


def _list_files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}
