"""Verdicts as the browser gets them: of a played world, and of a session on the timeline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from api_client import NO_TLS, ApiClient, bearer_headers, serve_sessions, serve_simulator
from world_builders import build_world_event, build_world_scenario
from world_timelines import SCENARIO, RecordedWorldRun

from adk_agent_sim import AgentSimulator
from adk_agent_sim.scenario import Judge
from adk_agent_sim.scenario.format.exporter import serialize_trace
from adk_agent_sim.server.agents.agent_catalog import AgentCatalog
from adk_agent_sim.server.scenarios.scenario_catalog import ScenarioCatalog
from adk_agent_sim.server.sessions.session_services import SessionServices
from adk_agent_sim.timeline.timeline import Timeline


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "small.json"
    path.write_text(serialize_trace(SCENARIO.trace), encoding="utf-8")
    return path


def _list_statuses(verdict: Any) -> list[list[tuple[str, str, int | None]]]:
    """Return the outcome of each expected event, with the place of its partner among what happened in the turn."""
    return [
        [(each["event_id"], each["status"], _find_partner(each, happened)) for each in turn["events"]]
        for turn, happened in zip(verdict["verdict"]["turns"], verdict["happened"], strict=True)
    ]


def _find_partner(event: Any, happened: Any) -> int | None:
    nearest: dict[str, Any] = event["nearest"] or {}
    partner = event["agent_event_id"] or nearest.get("event_id")
    return next((place for place, each in enumerate(happened) if each["event_id"] == partner), None)


async def test_a_scenario_is_checked_and_the_list_shows_the_result(file: Path) -> None:
    async with serve_simulator(AgentSimulator([], scenarios=ScenarioCatalog([file]))) as browser:
        before = await browser.get("/scenarios/small")
        check = await browser.post("/scenarios/small/check")
        [listed] = await browser.get("/scenarios")

    assert before["check_status"] == ""
    assert (check["status"], check["problem"]) == ("ok", "")
    assert [check[name]["holds"] for name in ("solvable", "not_trivial", "deterministic")] == [True, True, True]
    assert listed["check_status"] == "ok"
    assert check["findings"] == []


def _add_mistake(file: Path) -> None:
    scenario = json.loads(file.read_text(encoding="utf-8"))
    scenario["events"][0]["action"]["args"].append({"name": "bcc", "value": "x", "value_type": "str"})
    file.write_text(json.dumps(scenario), encoding="utf-8")


async def test_a_check_includes_what_the_linter_finds(file: Path) -> None:
    _add_mistake(file)
    async with serve_simulator(AgentSimulator([], scenarios=ScenarioCatalog([file]))) as browser:
        check = await browser.post("/scenarios/small/check")
        findings = await browser.get("/scenarios/small/findings")

    assert findings["error_count"] > 0
    assert check["findings"] == findings["findings"]
    assert check["status"] != "ok"


async def test_a_person_plays_the_agent_in_the_world_and_is_judged(file: Path) -> None:
    async with serve_simulator(AgentSimulator([], scenarios=ScenarioCatalog([file]))) as browser:
        session_id = (await browser.post("/scenarios/small/runs"))["session_id"]
        other_id = (await browser.post("/scenarios/small/runs"))["session_id"]
        for name, arguments in (
            ("SystemApp__wait_for_notification", {"timeout": 60}),
            ("Emails__send_email", {"recipients": ["a@example.org"], "subject": "Hi"}),
            ("", {}),
            ("Emails__send_email", {"recipients": ["b@example.org"]}),
            ("", {}),
        ):
            if name:
                await browser.decide(session_id, calls=[{"name": name, "arguments": json.dumps(arguments)}])
            else:
                await browser.decide(session_id, text="Done.")
        await browser.wait_for_status(session_id, "closed")
        detail = await browser.get(f"/sessions/{session_id}")
        rows = await browser.get(f"/sessions/{session_id}/rows", start=0, count=100)

    assert other_id != session_id
    assert detail["time_travel"]["rewind_problem"]
    verdicts = [row["summary"] for row in rows if row["subject"] == "verdict"]
    assert verdicts == ["turn 1 passed", "the run passed"]


async def test_an_undo_and_a_fork_restore_the_world(file: Path) -> None:
    def build_call(name: str, **arguments: Any) -> dict[str, Any]:
        return {"name": name, "arguments": json.dumps(arguments)}

    async def count_sent(session_id: str) -> int:
        emails = await browser.get(f"/sessions/{session_id}/world/state", app="Emails")
        return len(emails["folders"]["SENT"]["emails"])

    async with serve_simulator(AgentSimulator([], scenarios=ScenarioCatalog([file]))) as browser:
        session_id = (await browser.post("/scenarios/small/runs"))["session_id"]
        await browser.decide(session_id, calls=[build_call("SystemApp__wait_for_notification", timeout=60)])
        await browser.decide(session_id, calls=[build_call("Emails__send_email", recipients=["x@example.org"])])
        await browser.wait_for_turn(session_id)
        before = (await browser.get(f"/sessions/{session_id}"))["time_travel"]
        sent = [await count_sent(session_id)]
        plan = await browser.post(f"/sessions/{session_id}/time-travel/plan", {"action": "undo"})
        fork_id = (await browser.post(f"/sessions/{session_id}/time-travel", {"action": "fork"}))["session_id"]
        await browser.post(f"/sessions/{session_id}/time-travel", {"action": "undo"})
        sent += [await count_sent(session_id), await count_sent(fork_id)]
        for decision in (
            {"calls": [build_call("Emails__send_email", recipients=["a@example.org"], subject="Hi")]},
            {"text": "Done."},
            {"calls": [build_call("Emails__send_email", recipients=["b@example.org"])]},
            {"text": "Done."},
        ):
            await browser.decide(session_id, **decision)
        await browser.wait_for_status(session_id, "closed")
        await browser.decide(fork_id, text="Done.")
        await browser.wait_for_status(fork_id, "closed")
        over = await browser.post_refused(f"/sessions/{session_id}/time-travel", {"action": "undo"}, 409)
        verdicts = [
            [row["summary"] for row in await browser.get_rows(each) if row["subject"] == "verdict"]
            for each in (session_id, fork_id)
        ]

    assert (before["can_undo"], before["rewind_problem"], before["fork_problem"]) == (True, "", "")
    assert "adksim scenario run" in before["player_problem"]
    assert (plan["replayed_turns"], plan["replayed_calls"], plan["callbacks"]) == (1, 1, [])
    assert sent == [1, 0, 1]
    assert verdicts[0] == ["turn 1 passed", "the run passed"]
    assert "failed" in verdicts[1][-1]
    assert "Fork it" in over["message"]


async def test_a_session_whose_world_is_gone_is_not_continued() -> None:
    timeline = Timeline()
    session_id = await RecordedWorldRun(Judge(SCENARIO)).write(timeline)
    async with (
        serve_sessions(SessionServices(AgentCatalog([]), timeline)) as server,
        httpx.AsyncClient(
            verify=NO_TLS, base_url=f"http://127.0.0.1:{server.port}", headers=bearer_headers(server)
        ) as client,
    ):
        browser = ApiClient(server, client)
        refusals = [
            await browser.post_refused(f"/sessions/{session_id}/time-travel", {"action": action}, 409)
            for action in ("undo", "fork")
        ]
    assert all("the world is no longer here" in each["message"] for each in refusals)
    assert all("adksim scenario run" in each["message"] for each in refusals)


async def test_a_scenario_that_expects_nothing_is_not_judged(tmp_path: Path) -> None:
    file = tmp_path / "small.json"
    file.write_text(serialize_trace(build_world_scenario(build_world_event("u", "USER")).trace), encoding="utf-8")
    async with serve_simulator(AgentSimulator([], scenarios=ScenarioCatalog([file]))) as browser:
        refusal = await browser.post_refused("/scenarios/small/runs", None, 409)
    assert "it expects nothing of the agent" in refusal["message"]


async def test_a_verdict_on_the_timeline_leads_to_the_rows_of_its_events() -> None:
    timeline = Timeline()
    services = SessionServices(AgentCatalog([]), timeline, allow_remote_agents=True)
    session_id = await RecordedWorldRun(Judge(SCENARIO), second="c@example.org").write(timeline)
    async with (
        serve_sessions(services) as server,
        httpx.AsyncClient(
            verify=NO_TLS, base_url=f"http://127.0.0.1:{server.port}", headers=bearer_headers(server)
        ) as client,
    ):
        browser = ApiClient(server, client)
        rows = await browser.get(f"/sessions/{session_id}/rows", start=0, count=50)
        [first, last] = [row["index"] for row in rows if row["subject"] == "verdict"]
        verdict = await browser.get(f"/sessions/{session_id}/rows/{last}/verdict")
        before = await browser.get(f"/sessions/{session_id}/rows/{first}/verdict")
        missing = await client.get(f"/api/sessions/{session_id}/rows/0/verdict")

    assert [(row["kind"], row["subject"]) for row in rows] == [
        ("world", "started"),
        ("user", ""),
        ("world", "Emails__create_and_add_email"),
        ("call", "Emails__send_email"),
        ("answer", ""),
        ("world", "verdict"),
        ("user", ""),
        ("call", "Emails__send_email"),
        ("answer", ""),
        ("world", "verdict"),
    ]
    assert _list_statuses(verdict) == [
        [("u", "matched", 0), ("mail", "matched", 1), ("a", "matched", 2), ("m", "matched", 3)],
        [("v", "matched", 0), ("b", "wrong", 1), ("n", "matched", 2)],
    ]
    [difference] = verdict["verdict"]["turns"][1]["events"][1]["differences"]
    assert [difference["argument"], difference["expected"], difference["got"]] == [
        "recipients",
        ["b@example.org"],
        ["c@example.org"],
    ]
    assert [[each["row_index"] for each in happened] for happened in verdict["happened"]] == [[1, 2, 3, 4], [6, 7, 8]]
    assert [turn["status"] for turn in before["verdict"]["turns"]] == ["passed"]
    assert [each["row_index"] for each in before["happened"][0]] == [1, 2, 3, 4]
    assert missing.status_code == 404
