"""Benches over real sockets: what is new since a request before, a pause, runs to repeat, and pages of runs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from api_client import ApiClient, serve_simulator
from bench_builders import build_result, build_runs, write_results
from bench_folders import build_test_plan, write_scenarios

from adk_agent_sim import AgentSimulator
from adk_agent_sim.bench.bench_control import BenchControl, read_activity
from adk_agent_sim.bench.bench_plan import BenchPlan
from adk_agent_sim.bench.results_file import open_results
from adk_agent_sim.server.benches.bench_catalog import BenchCatalog


@pytest.fixture
def plan(tmp_path: Path) -> BenchPlan:
    return build_test_plan(write_scenarios(tmp_path, 2), models=("m1", "m2"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "nightly"


@pytest.fixture
async def browser(folder: Path) -> AsyncIterator[ApiClient]:
    async with serve_simulator(AgentSimulator([], benches=BenchCatalog([folder]))) as client:
        yield client


async def _get_news(browser: ApiClient, before: dict[str, Any]) -> dict[str, Any]:
    return await browser.get("/benches/nightly", generation=before["generation"], after=before["next"])


async def test_a_bench_fills_in_while_it_runs(browser: ApiClient, plan: BenchPlan, folder: Path) -> None:
    with open_results(folder, plan) as saved, closing(BenchControl(folder, plan)) as control:
        control.note_running(plan.runs[:1])
        empty = await browser.get("/benches/nightly")
        saved.append([build_result("failed", **plan.runs[0].key.model_dump(), reason="no", input_tokens=3)])
        one = await _get_news(browser, empty)
        saved.append([build_result("passed", **plan.runs[3].key.model_dump())])
        two = await _get_news(browser, one)
        saved.sort()  # a new file: what was known is dropped
        again = await _get_news(browser, two)

    assert (empty["planned"], empty["scenarios"], len(empty["variants"])) == (4, ["mail_0", "mail_1"], 2)
    assert (empty["is_running"], [run["model"] for run in empty["running"]]) == (True, ["m1"])
    assert empty["runs"] == []
    assert [(run["scenario"], run["model"], run["outcome"], run["input_tokens"]) for run in one["runs"]] == [
        ("mail_0", "m1", "failed", 3)
    ]
    assert [(run["scenario"], run["model"], run["outcome"]) for run in two["runs"]] == [("mail_1", "m2", "passed")]
    assert again["generation"] != two["generation"]
    assert [run["outcome"] for run in again["runs"]] == ["failed", "passed"]
    (entry,) = await browser.get("/benches")
    assert (entry["finished"], entry["passed"], entry["planned"], entry["is_running"]) == (2, 1, 4, False)


async def test_a_torn_line_is_read_when_it_is_complete(browser: ApiClient, folder: Path) -> None:
    write_results(folder, [build_result("passed")])
    with (folder / "results.jsonl").open("r+", encoding="utf-8") as file:
        line = file.read()
        file.seek(0)
        file.truncate(0)
        file.write(line[:20])
        file.flush()
        before = await browser.get("/benches/nightly")
        file.write(line[20:])
        file.flush()
        after = await _get_news(browser, before)

    assert (before["runs"], len(after["runs"])) == ([], 1)


async def test_a_running_bench_is_paused_and_a_run_repeated(browser: ApiClient, plan: BenchPlan, folder: Path) -> None:
    with open_results(folder, plan) as saved, closing(BenchControl(folder, plan)) as control:
        saved.append([build_result("error", **plan.runs[1].key.model_dump())])
        paused = await browser.post("/benches/nightly/pause", {"paused": True})
        assert (paused["is_paused"], control.is_paused) == (True, True)
        await browser.post("/benches/nightly/pause", {"paused": False})
        assert not control.is_paused
        asked = await browser.post(f"/benches/nightly/runs/{plan.runs[1].key.run_id}/repeat", None)
        assert [run["model"] for run in asked["requested"]] == ["m2"]
        assert control.take_requests() == [plan.runs[1]]


async def test_what_cannot_be_done_is_said(browser: ApiClient, plan: BenchPlan, folder: Path) -> None:
    write_results(folder, build_runs("s1", "+"))

    stopped = await browser.post_refused("/benches/nightly/pause", {"paused": True}, 409)
    assert "--resume" in stopped["message"]
    await browser.post_refused(f"/benches/nightly/runs/{plan.runs[0].key.run_id}/repeat", None, 404)
    assert read_activity(folder).requested == ()


@pytest.mark.parametrize("report", ["../secret.html", "runs/other.html", "runs/link.html", "", "results.jsonl"])
async def test_only_pages_of_runs_are_served(browser: ApiClient, folder: Path, report: str) -> None:
    write_results(
        folder,
        [
            build_result(report=each, run=number)
            for number, each in enumerate(("../secret.html", "runs/link.html", "results.jsonl", ""))
        ],
    )
    (folder / "runs").mkdir()
    (folder.parent / "secret.html").write_text("secret", encoding="utf-8")
    (folder / "runs" / "other.html").write_text("not of a run", encoding="utf-8")
    (folder / "runs" / "link.html").symlink_to(folder.parent / "secret.html")
    await browser.get("/benches/nightly")

    answer = await browser.client.get("/api/benches/nightly/report", params={"report": report})

    assert (answer.status_code, answer.json()["error"]) == (404, "NotFound")


async def test_the_page_of_a_run_cannot_use_the_api(browser: ApiClient, folder: Path) -> None:
    write_results(folder, [build_result(report="runs/1.html")])
    (folder / "runs").mkdir()
    (folder / "runs" / "1.html").write_text("<p>a run</p>", encoding="utf-8")
    await browser.get("/benches/nightly")

    answer = await browser.client.get("/api/benches/nightly/report", params={"report": "runs/1.html"})

    assert (answer.text, answer.headers["Content-Type"]) == ("<p>a run</p>", "text/html; charset=utf-8")
    assert answer.headers["Content-Security-Policy"].startswith("sandbox; default-src 'none'")


async def test_secrets_in_reasons_are_masked(browser: ApiClient, folder: Path) -> None:
    secret = "AIza" + "SyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY"
    write_results(folder, [build_result("failed", reason=f"the key {secret} was rejected")])

    assert secret not in str(await browser.get("/benches/nightly"))
