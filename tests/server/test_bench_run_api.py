"""A run of a bench that goes on in another process, over real sockets: its rows so far, what follows, and its end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from api_client import ApiClient, serve_simulator
from bench_builders import build_result
from bench_folders import (
    build_test_plan,
    keep_bench_running,
    let_agent_continue,
    run_bench_command,
    write_agent,
    write_scenarios,
)
from polling import MAX_WAIT_SECONDS, pause

from adk_agent_sim import AgentSimulator
from adk_agent_sim.bench.bench_control import BenchControl
from adk_agent_sim.bench.bench_plan import BenchPlan, PlannedRun, find_run_index
from adk_agent_sim.bench.results_file import open_results
from adk_agent_sim.bench.run_journal import get_journal_path, remove_journal
from adk_agent_sim.server.benches.bench_catalog import BenchCatalog
from adk_agent_sim.timeline import jsonl
from adk_agent_sim.timeline.events import AgentPath, ArtifactSaved, Event, Payload, Session, ToolStarted, UserSpoke


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    """An agent that blocks its process between the mail and its answer."""
    return write_agent(tmp_path / "patient", [0], "wait")


@pytest.fixture
def plan(tmp_path: Path, agent: Path) -> BenchPlan:
    return build_test_plan(write_scenarios(tmp_path, 2), agent)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "nightly"


@pytest.fixture
async def browser(folder: Path) -> AsyncIterator[ApiClient]:
    async with serve_simulator(AgentSimulator([], benches=BenchCatalog([folder]))) as client:
        yield client


async def _poll(
    browser: ApiClient, run_id: str, condition: Callable[[Any], bool], before: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Ask for a run, as the page does, until something has happened."""
    news = {"attempt": before["attempt"], "after_seq": before["last_seq"]} if before else {}
    async with asyncio.timeout(MAX_WAIT_SECONDS):
        while not condition(detail := await browser.get(f"/benches/nightly/runs/{run_id}", **news)):
            await pause()
    return detail


@pytest.mark.process
async def test_a_run_is_read_while_it_is_executed_and_to_its_end(
    browser: ApiClient, plan: BenchPlan, agent: Path, folder: Path
) -> None:
    run_id = plan.runs[0].key.run_id
    with keep_bench_running(plan.runs[0].task.file, "--agent", agent, "--limit", "1", "--out", folder) as process:
        async with asyncio.timeout(MAX_WAIT_SECONDS):
            while not (bench := await browser.get("/benches/nightly"))["running"]:
                await pause()
        first = await _poll(browser, run_id, lambda detail: any(row["result"] for row in detail["rows"]))
        call = next(row for row in first["rows"] if row["kind"] == "call")
        detail = await browser.get(f"/benches/nightly/runs/{run_id}/rows/{call['index']}")
        listed = await browser.get(f"/benches/nightly/runs/{run_id}/rows", start=call["index"], count=1)
        let_agent_continue(agent)
        _, errors = await asyncio.to_thread(process.communicate)
    assert process.returncode == 0, errors
    last = await _poll(browser, run_id, lambda detail: detail["status"] == "ended", first)

    (running,) = bench["running"]
    assert (running["run_id"], running["scenario"]) == (run_id, "mail_0")
    assert running["started_at"] == first["run"]["started_at"] > 0
    assert (first["status"], first["result"], first["variant_name"]) == ("running", None, "patient")
    assert (call["subject"], call["status"]) == ("Emails__send_email", "done")
    assert "0@example.org" in next(value["text"] for value in detail["values"] if value["label"] == "arguments")
    assert listed == [call]
    assert not get_journal_path(folder, plan.runs[0].key).exists()
    assert (last["attempt"], last["result"]["outcome"]) == (first["attempt"], "passed")
    assert min(row["updated_seq"] for row in last["rows"]) > first["last_seq"]
    verdict = next(row for row in last["rows"] if row["subject"] == "verdict")
    judged = await browser.get(f"/benches/nightly/runs/{run_id}/rows/{verdict['index']}/verdict")
    assert judged["verdict"]["passed"] is True
    page = await browser.client.get("/api/benches/nightly/report", params={"report": last["result"]["report"]})
    assert (page.status_code, "mail_0" in page.text) == (200, True)


@pytest.mark.process
@pytest.mark.parametrize("options", [["--timeline"], ["--timeline", "--no-report"], []])
async def test_a_run_that_ended_before_the_server_started_has_the_rows_that_are_stored(
    plan: BenchPlan, folder: Path, tmp_path: Path, options: list[str]
) -> None:
    task = plan.runs[0].task.file
    agents = [str(write_agent(tmp_path / name, [0, 1])) for name in ("first", "second")]
    done = run_bench_command(task, "--agent", agents[0], "--agent", agents[1], "--runs", "2", "--out", folder, *options)
    assert done.returncode == 0, done.stderr
    own = build_test_plan(Path(task), *map(Path, agents), runs=2)
    async with serve_simulator(AgentSimulator([], benches=BenchCatalog([folder]))) as browser:
        bench = await browser.get("/benches/nightly")
        details = [await browser.get(f"/benches/nightly/runs/{run.key.run_id}") for run in own.runs]
        path = f"/benches/nightly/runs/{own.runs[0].key.run_id}"
        again = await browser.get(path, attempt=details[0]["attempt"], after_seq=details[0]["last_seq"])
        if options:
            verdict = next(row for row in details[0]["rows"] if row["subject"] == "verdict")
            judged = await browser.get(f"{path}/rows/{verdict['index']}/verdict")
            assert judged["verdict"]["passed"] is True

    assert bench["keeps_timelines"] is bool(options)
    assert {detail["status"] for detail in details} == {"ended"}
    if not options:
        assert all((detail["attempt"], detail["rows"]) == ("", []) for detail in details)
        return
    for run, detail in zip(own.runs, details, strict=True):
        texts = [row["summary"] for row in detail["rows"] if row["kind"] == "user"]
        assert f"mail {run.key.scenario.removeprefix('mail_')}" in texts[0]
        assert detail["result"]["agent"] == run.key.agent
        assert {row["status"] for row in detail["rows"]} <= {"done", "passed"}
    assert (again["attempt"], again["rows"]) == (details[0]["attempt"], [])


def test_the_place_of_each_run_is_found_in_its_plan(tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text("rules: [{match: {tool: add}, do: {respond: 5}}]\n", encoding="utf-8")
    scenarios, agents = write_scenarios(tmp_path, 3), [write_agent(tmp_path / name, [0]) for name in ("b", "a")]
    axes: dict[str, Any] = {"players": ("oracle", "nothing"), "rules": ("none", str(rules))}
    for seeds in ((), (5, 3)):
        built = build_test_plan(scenarios, *agents, runs=2, seeds=seeds, **axes)
        stored = json.loads(json.dumps(built.description))
        assert [find_run_index(stored, run.key) for run in built.runs] == list(range(len(built)))
        assert find_run_index(stored, built.runs[0].key.model_copy(update={"run": 9})) is None


def _write_journal(folder: Path, run: PlannedRun, *payloads: Payload, add: str = "") -> None:
    path = get_journal_path(folder, run.key)
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    events = [
        Event(session_id="s", seq=seq, event_id=f"e{seq}", timestamp=1.0, payload=payload, agent_path=AgentPath())
        for seq, payload in enumerate(payloads, start=1)
    ]
    records = [Session(session_id="s", created_at=1.0), *events]
    path.write_text("".join(f"{jsonl.encode_line(each)}\n" for each in records) + add, encoding="ascii")


_ASKED = UserSpoke(content={"role": "user", "parts": [{"text": "Hello"}]})
_CALLED = ToolStarted(call_id="c1", tool_name="add", arguments={"a": 1})


async def test_another_attempt_is_shown_from_its_beginning(browser: ApiClient, plan: BenchPlan, folder: Path) -> None:
    run = plan.runs[0]
    path = f"/benches/nightly/runs/{run.key.run_id}"
    with open_results(folder, plan) as saved, closing(BenchControl(folder, plan)) as control:
        control.note_running([run])
        nothing = await browser.get(path)
        _write_journal(folder, run, _ASKED, _CALLED)
        first = await browser.get(path)
        control.note_running([])  # its worker has ended
        lost = await browser.get(path, attempt=first["attempt"], after_seq=first["last_seq"])
        _write_journal(folder, run, _ASKED)
        control.note_running([run])
        again = await browser.get(path, attempt=first["attempt"], after_seq=first["last_seq"])
        control.note_running([])
        remove_journal(folder, run.key)
        saved.append([build_result("error", **run.key.model_dump(), reason="no")])
        ended = await browser.get(path, attempt=again["attempt"], after_seq=again["last_seq"])
    stopped = await browser.get("/benches/nightly")

    assert (nothing["status"], nothing["attempt"], nothing["rows"]) == ("running", "", [])
    assert [(row["kind"], row["status"]) for row in first["rows"]] == [("user", "done"), ("call", "running")]
    assert lost["status"] == "waiting"
    assert [row["status"] for row in lost["rows"]] == ["cancelled"]  # nobody continues the call
    assert again["attempt"] != first["attempt"]
    assert [row["kind"] for row in again["rows"]] == ["user"]
    assert (ended["status"], ended["result"]["reason"], ended["rows"]) == ("ended", "no", [])
    assert (stopped["is_running"], stopped["running"]) == (False, [])


async def test_a_damaged_journal_is_read_as_far_as_possible(browser: ApiClient, plan: BenchPlan, folder: Path) -> None:
    missing = ArtifactSaved(filename="a.txt", version=0, mime_type="text/plain", block="0" * 32)
    with open_results(folder, plan), closing(BenchControl(folder, plan)) as control:
        control.note_running(plan.runs)
        _write_journal(folder, plan.runs[0], _ASKED, missing, add="[" * 100_000 + "\n")
        _write_journal(folder, plan.runs[1], _ASKED, add='{"event": ')  # not all of the line yet
        deep = await browser.get(f"/benches/nightly/runs/{plan.runs[0].key.run_id}")
        torn = await browser.get(f"/benches/nightly/runs/{plan.runs[1].key.run_id}")
        path = f"/api/benches/nightly/runs/{plan.runs[0].key.run_id}/rows"
        answers = [
            await browser.client.get(f"{path}/{rest}")
            for rest in ("1", "1/media/0", "0/media/0", "0/verdict", "2", "-1", f"{2**70}")
        ]

    assert (len(deep["rows"]), "cannot be read further" in deep["problem"]) == (2, True)
    assert (len(torn["rows"]), torn["problem"]) == (1, "")
    assert {answer.status_code for answer in answers} == {404}


async def test_only_runs_of_the_bench_are_read(browser: ApiClient, plan: BenchPlan, folder: Path) -> None:
    with open_results(folder, plan), closing(BenchControl(folder, plan)) as control:
        control.note_running(plan.runs[:1])
        _write_journal(folder, plan.runs[1], _ASKED)  # which has not started
        names = [plan.runs[1].key.run_id, "..%2F..%2Fsecret", "%2e%2e", "x" * 1_000]
        addresses = [f"/api/benches/nightly/runs/{name}{rest}" for name in names for rest in ("", "/rows", "/rows/0")]
        answers = [await browser.client.get(address) for address in addresses]

    assert {answer.status_code for answer in answers} == {404}
