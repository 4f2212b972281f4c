"""`adksim bench watch` can be started before the bench."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from bench_builders import build_result
from bench_folders import build_test_plan, write_scenarios
from polling import MAX_WAIT_SECONDS
from processes import invoke_adksim, open_adksim

from adk_agent_sim.bench.results_file import open_results


@pytest.mark.process
def test_a_bench_is_shown_as_soon_as_it_starts(tmp_path: Path) -> None:
    folder, plan = tmp_path / "nightly", build_test_plan(write_scenarios(tmp_path, 2))
    with open_adksim("bench", "watch", folder, "--port", "0", keep_errors=True) as process:
        try:
            address = re.search(r"http://\S+", process.stdout.readline())
            assert address is not None
            with httpx.Client(base_url=f"http://{urlsplit(address[0]).netloc}", timeout=MAX_WAIT_SECONDS) as client:
                assert client.get(address[0]).status_code == 303
                before = client.get("/api/benches/nightly").json()
                refused = client.post("/api/benches/nightly/pause", json={"paused": True})
                with open_results(folder, plan) as saved:
                    saved.append([build_result(**plan.runs[0].key.model_dump())])
                    after = client.get("/api/benches/nightly").json()
        finally:
            process.terminate()
        _, errors = process.communicate()
    assert (before["planned"], before["is_running"], before["runs"]) == (0, False, [])
    assert refused.is_client_error
    assert (after["planned"], [run["outcome"] for run in after["runs"]]) == (2, ["passed"])
    assert f"There is no bench in {folder} yet: it will be shown when it starts." in errors
    assert process.returncode == 0


def test_a_file_is_no_bench(tmp_path: Path) -> None:
    result = invoke_adksim("bench", "watch", write_scenarios(tmp_path, 1))
    assert result.exit_code == 2
    assert "is a file" in result.stderr
