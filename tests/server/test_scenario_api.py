"""Scenarios over real sockets: how they are described, annotated in their files, and played."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from api_client import NO_TLS, ApiClient, bearer_headers, serve_agents, serve_simulator
from google.adk.agents import LlmAgent
from scenario_corpus import SPEC_EXAMPLE, load_scenarios

from adk_agent_sim import AgentSimulator
from adk_agent_sim.scenario import Story, load_scenario
from adk_agent_sim.server.scenarios.api_models import AnnotationPatch
from adk_agent_sim.server.scenarios.scenario_catalog import ScenarioCatalog

KEY = "scenario_wait_w01_tiers"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / f"{KEY}.json"
    path.write_text(json.dumps(load_scenarios()[KEY], indent=2), encoding="utf-8")
    return path


@pytest.fixture
async def browser(file: Path) -> AsyncIterator[ApiClient]:
    async with serve_simulator(AgentSimulator([], scenarios=ScenarioCatalog([file]))) as client:
        yield client


def write_scenario(file: Path, scenario: Any) -> Path:
    file.write_text(json.dumps(scenario), encoding="utf-8")
    return file


def read_scenario(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


class TestReading:
    async def test_the_server_reports_how_many_there_are(self, browser: ApiClient, file: Path) -> None:
        [line] = await browser.get("/scenarios")

        assert (await browser.get("/server"))["scenario_count"] == 1
        assert (line["key"], line["event_count"], line["path"]) == (KEY, 13, str(file))

    async def test_events_have_their_kind_their_time_and_what_they_wait_for(self, browser: ApiClient) -> None:
        events = (await browser.get(f"/scenarios/{KEY}"))["events"]

        assert [event["expected_seconds"] for event in events] == sorted(event["expected_seconds"] for event in events)
        assert {event["kind"] for event in events} == {"user", "env", "oracle"}
        assert events[1]["depends_on"] == [events[0]["index"]]

    async def test_hints_context_and_findings_are_reported_and_lists_are_lists(self, tmp_path: Path) -> None:
        story = Story("lunch", start_time=1728975600, duration=600, seed=7)
        story.app("Emails", "EmailClientV2", {"user_email": "me@example.org", "view_limit": 5, "folders": {}})
        story.user("Ask Gus.")
        mail = story.oracle("Emails", "send_email", recipients=["gus@example.org"], subject="Lunch")
        story.hint("He is at work.", step=mail)
        story.hint("It is Tuesday.", about="environment")
        file = tmp_path / "lunch.json"
        scenario = json.loads(story.json()) | {"context": "About lunch."}
        scenario["events"][1]["action"]["args"].append({"name": "bcc", "value": "x", "value_type": "str"})
        catalog = ScenarioCatalog([write_scenario(file, scenario)])
        async with serve_simulator(AgentSimulator([], scenarios=catalog)) as client:
            info = await client.get("/scenarios/lunch")
            found = await client.get("/scenarios/lunch/findings")
            event = await client.get("/scenarios/lunch/events/1")

        assert (info["context"], info["seed"]) == ("About lunch.", 7)
        assert info["hints"] == [
            {"kind": "task", "content": "He is at work.", "event_index": 1},
            {"kind": "environment", "content": "It is Tuesday.", "event_index": None},
        ]
        assert (found["error_count"], found["warning_count"]) == (1, 0)
        assert (found["findings"][0]["code"], found["findings"][0]["event_index"]) == ("argument-unfit", 1)
        assert json.loads(event["arguments"])["recipients"] == ["gus@example.org"]

    async def test_kinds_that_only_traces_have_are_listed_too(self, tmp_path: Path) -> None:
        scenario = load_scenarios()["scenario_synth_s01_search"]
        for event, kind in zip(scenario["events"], ("CONDITION", "VALIDATION"), strict=True):
            event.pop("event_time_comparator", None)
            event |= {"event_type": kind, "class_name": "Event"}
        path = write_scenario(tmp_path / "s.json", scenario)

        [scenario] = ScenarioCatalog([path])

        assert [event.kind for event in scenario.describe().events] == ["condition", "validation"]

    async def test_an_event_has_its_arguments_and_its_json_in_the_file(self, browser: ApiClient) -> None:
        events = (await browser.get(f"/scenarios/{KEY}"))["events"]
        mail = next(event for event in events if event["function"] == "create_and_add_email")

        detail = await browser.get(f"/scenarios/{KEY}/events/{mail['index']}")

        assert json.loads(detail["arguments"])["subject"] == "Tier mail"
        assert json.loads(detail["event_json"])["event_id"] == detail["event_id"] == mail["event_id"]

    async def test_the_state_of_an_app_is_that_of_the_file(self, browser: ApiClient, file: Path) -> None:
        state = await browser.get(f"/scenarios/{KEY}/state", app="Emails")

        assert state == next(each["app_state"] for each in read_scenario(file)["apps"] if each["name"] == "Emails")

    async def test_a_directory_and_lines_are_many_scenarios_with_names_of_their_own(self, tmp_path: Path) -> None:
        one = json.dumps(load_scenarios()[KEY])
        (tmp_path / "many.jsonl").write_text(f"{one}\n{one}\n", encoding="utf-8")

        catalog = ScenarioCatalog([tmp_path])

        assert [line.key for line in catalog.list_summaries()] == [KEY, f"{KEY}_2"]
        assert not catalog[KEY].get_annotation().editable

    async def test_a_scenario_in_a_line_is_annotated_in_that_line(self, tmp_path: Path) -> None:
        one, two = (load_scenarios()[name] for name in (KEY, "scenario_synth_s01_search"))
        lines = [json.dumps(one, separators=(",", ":")), json.dumps(two)]
        file = tmp_path / "many.jsonl"
        file.write_text("\n".join(lines), encoding="utf-8")
        catalog = ScenarioCatalog([file])

        saved = await catalog[KEY].annotate(AnnotationPatch(comment="ok"))

        assert (saved.editable, saved.comment) == (True, "ok")
        first, second = file.read_text(encoding="utf-8").split("\n")
        assert second == lines[1]
        assert '"annotation":{' in first
        assert json.loads(first)["metadata"]["annotation"]["comment"] == "ok"


class TestRefusing:
    @pytest.mark.parametrize("path", ["/scenarios", f"/scenarios/{KEY}", f"/scenarios/{KEY}/state?app=Emails"])
    async def test_without_the_token_nothing_is_returned(self, browser: ApiClient, path: str) -> None:
        async with httpx.AsyncClient(verify=NO_TLS, base_url=f"http://127.0.0.1:{browser.server.port}") as stranger:
            assert (await stranger.get(f"/api{path}")).status_code == 401

    async def test_another_origin_cannot_annotate(self, browser: ApiClient, file: Path) -> None:
        before = read_scenario(file)

        answer = await browser.client.patch(
            f"/api/scenarios/{KEY}/annotation", json={"comment": "x"}, headers={"Origin": "http://evil.example"}
        )

        assert answer.status_code == 403
        assert read_scenario(file) == before

    async def test_a_server_without_scenarios_has_no_such_pages(self, tmp_path: Path) -> None:
        async with serve_agents(tmp_path, LlmAgent(name="agent", model="gemini-2.5-flash")) as plain:
            assert (await plain.client.get("/api/scenarios")).status_code == 404
            assert (await plain.get("/server"))["scenario_count"] == 0

    @pytest.mark.parametrize("key", ["nothing", "..%2f..%2fetc%2fpasswd", "%2Fetc%2Fpasswd"])
    async def test_only_keys_name_scenarios(self, browser: ApiClient, key: str) -> None:
        assert (await browser.client.get(f"/api/scenarios/{key}")).status_code == 404

    async def test_unknown_names_are_not_found(self, browser: ApiClient) -> None:
        assert (await browser.client.get(f"/api/scenarios/{KEY}/events/99")).status_code == 404
        assert (await browser.client.get(f"/api/scenarios/{KEY}/state?app=Nope")).status_code == 404

    async def test_a_scenario_with_an_unknown_app_is_shown_but_not_played(self, tmp_path: Path) -> None:
        scenario = load_scenarios()[KEY]
        scenario["apps"][3] |= {"class_name": "os.system"}
        path = write_scenario(tmp_path / "s.json", scenario)
        async with (
            await AgentSimulator([], scenarios=ScenarioCatalog([path])).start(port=0) as server,
            httpx.AsyncClient(
                verify=NO_TLS, base_url=f"http://127.0.0.1:{server.port}", headers=bearer_headers(server)
            ) as client,
        ):
            assert (await client.get(f"/api/scenarios/{KEY}")).status_code == 200
            answer = await client.post(f"/api/scenarios/{KEY}/runs")

        assert (answer.status_code, answer.json()["error"]) == (409, "UnknownApp")


class TestAnnotating:
    async def test_an_annotation_is_written_into_the_file(self, browser: ApiClient, file: Path) -> None:
        annotation = {"validation_decision": "needs_review", "comment": "Why 45 s?", "annotator": "kim"}

        answer = await browser.client.patch(f"/api/scenarios/{KEY}/annotation", json=annotation)
        saved = load_scenario(file).annotation

        assert answer.status_code == 200
        assert (saved.validation_decision, saved.comment, saved.annotator) == tuple(annotation.values())
        assert saved.date == answer.json()["date"]
        assert (await browser.get("/scenarios"))[0]["validation_decision"] == "needs_review"

    async def test_the_rest_of_the_file_stays(self, browser: ApiClient, file: Path) -> None:
        before = read_scenario(file)

        await browser.client.patch(f"/api/scenarios/{KEY}/annotation", json={"comment": "ok"})
        after = read_scenario(file)

        assert after["metadata"].pop("annotation")["comment"] == "ok"
        before["metadata"].pop("annotation", None)
        assert after == before

    async def test_a_file_in_the_dialect_of_the_specification_stays_in_it(self, tmp_path: Path) -> None:
        before = SPEC_EXAMPLE.read_text(encoding="utf-8")
        file = tmp_path / "described.json"
        file.write_text(before, encoding="utf-8")

        async with serve_simulator(AgentSimulator([], scenarios=ScenarioCatalog([file]))) as browser:
            answer = await browser.client.patch("/api/scenarios/email_apology_001/annotation", json={"comment": "ok"})
        after = file.read_text(encoding="utf-8")

        assert answer.status_code == 200
        removed = [line for line in before.splitlines() if line not in after.splitlines()]
        assert [line.strip() for line in removed] == ['"tags": ["email", "communication", "customer-service"]']
        assert f"{removed[0]},\n" in after
        assert "definition" not in json.loads(after)["metadata"]

    async def test_what_was_changed_in_the_file_meanwhile_is_kept(self, browser: ApiClient, file: Path) -> None:
        changed = read_scenario(file)
        changed["metadata"]["definition"]["tags"] = ["Changed"]
        write_scenario(file, changed)

        await browser.client.patch(f"/api/scenarios/{KEY}/annotation", json={"comment": "ok"})

        assert load_scenario(file).tags == ("Changed",)

    async def test_other_decisions_are_refused(self, browser: ApiClient) -> None:
        answer = await browser.client.patch(f"/api/scenarios/{KEY}/annotation", json={"validation_decision": "maybe"})

        assert answer.status_code == 422


class TestPlaying:
    @pytest.fixture
    async def session_id(self, browser: ApiClient) -> str:
        started = (await browser.post(f"/scenarios/{KEY}/runs"))["session_id"]
        await browser.wait_for_turn(started)
        return started

    async def test_time_passes_to_events_by_seconds_and_to_a_time_and_is_undone(
        self, browser: ApiClient, session_id: str
    ) -> None:
        async def pass_time(**control: float) -> float:
            return (await browser.post(f"/sessions/{session_id}/world/time", control))["elapsed_seconds"]

        before = await browser.get(f"/sessions/{session_id}")
        moved = [await pass_time(), await pass_time(seconds=20), await pass_time(until=60)]
        rows = await browser.get_rows(session_id)
        after = await browser.get(f"/sessions/{session_id}")
        await browser.post(f"/sessions/{session_id}/time-travel", {"action": "undo"})
        world = await browser.get(f"/sessions/{session_id}/world")
        detail = await browser.get(f"/sessions/{session_id}")

        assert moved == [30, 50, 60]
        assert (world["elapsed_seconds"], world["status"], world["is_played_by_person"]) == (50, "PAUSED", True)
        assert [row["summary"] for row in rows if row["subject"] == "time"] == [
            "from t+0 s to t+30 s: by a person",
            "from t+30 s to t+50 s: by a person",
            "from t+50 s to t+60 s: by a person",
        ]
        assert "Emails__create_and_add_email" in {row["subject"] for row in rows}
        travels = [each["time_travel"] for each in (before, after, detail)]
        assert [(each["can_undo"], each["can_redo"]) for each in travels] == [
            (False, False),
            (True, False),
            (True, True),
        ]
        assert detail["status"] == "waiting"

    async def test_time_is_moved_only_forward_and_only_by_who_plays(self, browser: ApiClient, session_id: str) -> None:
        path = f"/sessions/{session_id}/world/time"
        await browser.post(path, {"until": 50})
        back = await browser.post_refused(path, {"until": 10}, 409)
        unreadable = await browser.post_refused(path, {"seconds": -1}, 422)
        stranger = await browser.post_refused("/sessions/none/world/time", {}, 404)

        assert "at 50 s, and time only passes. To go back, undo." in back["message"]
        assert unreadable["error"] == "Unreadable"
        assert "There is no session" in stranger["message"]
