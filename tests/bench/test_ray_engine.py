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

from adk_agent_sim.bench.bench_run import BenchOptions, Engine, run_bench
from adk_agent_sim.bench.process_pool import ProcessPool
from adk_agent_sim.bench.ray_engine import RayEngine
from adk_agent_sim.cli.main import adksim

_HAS_RAY = importlib.util.find_spec("ray") is not None
needs_ray = pytest.mark.skipif(not _HAS_RAY, reason="needs adk-agent-sim[ray], which `make test-newest` installs")


def test_without_ray_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)  # importing it fails, as if it were not installed
    scenarios, out = write_scenarios(tmp_path, 1), tmp_path / "out"
    result = CliRunner().invoke(
        adksim, ["bench", str(scenarios), "--player", "oracle", "--engine", "ray", "--out", str(out)]
    )
    assert result.exit_code == 1
    assert "pip install 'adk-agent-sim[ray]'" in " ".join(result.output.split())
    assert not out.exists()


@pytest.fixture(scope="module")
def cluster() -> Generator[str]:
    """Two nodes on this machine; only these end afterwards, not another cluster that somebody has here."""
    nodes: Any = importlib.import_module("ray.cluster_utils").Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
    )
    try:
        nodes.add_node(num_cpus=1)
        yield nodes.address
    finally:
        nodes.shutdown()


@needs_ray
@pytest.mark.process
def test_two_nodes_give_the_results_of_the_process_pool(cluster: str, tmp_path: Path) -> None:
    agents = [write_agent(tmp_path / "good", range(5)), write_agent(tmp_path / "raises", [1], "raise")]
    plan = build_test_plan(write_scenarios(tmp_path, 5), *agents, runs=3)
    engines: dict[str, Engine] = {
        "ray": RayEngine(tmp_path / "ray", plan.files, 2, address=cluster),
        "pool": ProcessPool(tmp_path / "pool", plan.files, 2),
    }
    for name, engine in engines.items():
        run_bench(plan, tmp_path / name, engine, BenchOptions(worker_count=2))
    assert len(read_outcomes(tmp_path / "ray")) == 30
    assert read_outcomes(tmp_path / "ray") == read_outcomes(tmp_path / "pool")


@needs_ray
@pytest.mark.process
def test_lost_and_slow_runs_are_recorded(cluster: str, tmp_path: Path) -> None:
    scenarios = write_scenarios(tmp_path, 2)
    for otherwise, outcome in (("kill", "error"), ("hang", "timeout")):
        plan = build_test_plan(scenarios, write_agent(tmp_path / otherwise, [], otherwise))
        engine = RayEngine(tmp_path / "out" / otherwise, plan.files, 1, address=cluster, run_timeout=60)
        run_bench(plan, tmp_path / "out" / otherwise, engine, BenchOptions())
        assert [each.outcome for each in read_outcomes(tmp_path / "out" / otherwise)] == [outcome, outcome]
