"""Files of eval cases over real sockets: how they are described, checked and edited."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from api_client import ApiClient, serve_simulator
from eval_case_files import (
    DRIFTED,
    EQUAL,
    SCENARIO,
    TALK,
    build_case,
    build_turn,
    write_adk_session,
    write_eval_set,
    write_legacy_eval_set,
)

from adk_agent_sim import AgentSimulator
from adk_agent_sim.adk.demo.math_agent.agent import app as math_app
from adk_agent_sim.golden.eval_file import EvalFile
from adk_agent_sim.server.evals.eval_catalog import MAX_FIELD_CHARS, EvalCatalog

_ANSWER = "conversation/0/final_response/parts/0/text"
_ARGUMENTS = "conversation/0/intermediate_data/tool_uses/0/args"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_eval_set(tmp_path / "math.evalset.json", EQUAL, DRIFTED, TALK, SCENARIO)


@pytest.fixture
async def browser(path: Path) -> AsyncIterator[ApiClient]:
    async with serve_simulator(AgentSimulator([], evals=EvalCatalog([EvalFile(path)], math_app))) as client:
        yield client


async def _list(browser: ApiClient) -> dict[str, Any]:
    return {case["eval_id"]: case for case in (await browser.get("/evals/math"))["cases"]}


def _read(path: Path) -> list[Any]:
    return json.loads(path.read_text(encoding="utf-8"))["eval_cases"]


def _read_text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def _ids(path: Path) -> list[str]:
    return [case["eval_id"] for case in _read(path)]


async def test_the_files_are_listed_with_their_cases(browser: ApiClient, path: Path) -> None:
    (file,) = await browser.get("/evals")
    cases = await _list(browser)

    assert (await browser.get("/server"))["eval_file_count"] == 1
    assert (file["key"], file["path"], file["case_count"], file["problem"]) == ("math", str(path), 4, "")
    assert [case["badge"]["state"] for case in cases.values()] == [
        "not_checked",
        "not_checked",
        "not_replayable",
        "not_replayable",
    ]
    assert (cases["sum"]["first_message"], cases["sum"]["turn_count"], cases["sum"]["call_count"]) == (
        "What is 2+2?",
        1,
        1,
    )


async def test_a_case_is_a_timeline(browser: ApiClient) -> None:
    at = f"/evals/math/cases/{(await _list(browser))['sum']['key']}"
    detail = await browser.get(at)
    rows = await browser.get(f"{at}/rows", start=0, count=2)
    row = await browser.get(f"{at}/rows/1")

    assert detail["row_count"] == 3
    assert [each["kind"] for each in rows] == ["user", "call"]
    assert [(value["label"], json.loads(value["text"])) for value in row["values"]] == [
        ("arguments", {"a": 2, "b": 2}),
        ("result", {"result": 4}),
    ]
    assert [field["label"] for field in detail["fields"]] == [
        "state at the start",
        "user message",
        "arguments of add",
        "result of add",
        "final response",
    ]
    schemas = [field["value_schema"] for field in detail["fields"]]
    assert [schema is not None for schema in schemas] == [False, False, True, False, False]
    assert set(schemas[2]["properties"]) == {"a", "b"}
    assert (await browser.client.get(f"/api{at}/rows/99")).status_code == 404


async def test_a_case_without_a_conversation_says_so(browser: ApiClient) -> None:
    at = f"/evals/math/cases/{(await _list(browser))['simulated user']['key']}"
    detail = await browser.get(at)

    assert detail["row_count"] == 0
    assert "a scenario for a user simulator" in detail["case"]["problem"]
    assert (await browser.client.get(f"/api{at}/rows")).status_code == 404


async def test_a_check_replays_the_case_and_scores_it(browser: ApiClient) -> None:
    cases = await _list(browser)
    equal = await browser.post(f"/evals/math/cases/{cases['sum']['key']}/check")
    drifted = await browser.post(f"/evals/math/cases/{cases['wrong sum']['key']}/check")

    assert equal["case"]["badge"] == {"state": "equal", "reason": "The result of its call is as recorded."}
    assert [metric["score"] for metric in equal["check"]["metrics"]] == [1.0, 1.0]
    assert drifted["case"]["badge"]["state"] == "drifted"
    (difference,) = drifted["check"]["differences"]
    assert (json.loads(difference["recorded"]), json.loads(difference["found"])) == ({"result": 6}, {"result": 5})
    assert (await _list(browser))["sum"]["badge"]["state"] == "equal"


async def test_the_badge_belongs_to_the_content_that_was_replayed(browser: ApiClient) -> None:
    case = (await _list(browser))["sum"]
    at = f"/evals/math/cases/{case['key']}"
    await browser.post(f"{at}/check")
    values = [{"path": _ARGUMENTS, "value": '{"a": 2, "b": 3}'}]
    await browser.post(f"{at}/correct", {"fingerprint": case["fingerprint"], "values": values})
    assert (await _list(browser))["sum"]["badge"]["state"] == "not_checked"

    await browser.post(f"{at}/check")
    assert (await _list(browser))["sum"]["badge"]["state"] == "drifted"
    await browser.post("/evals/math/undo")
    assert (await _list(browser))["sum"]["badge"]["state"] == "equal"


async def test_criteria_that_cannot_be_read_do_not_hide_the_badge(browser: ApiClient, path: Path) -> None:
    (path.parent / "test_config.json").write_text("{", encoding="utf-8")
    case = (await _list(browser))["sum"]
    checked = await browser.post(f"/evals/math/cases/{case['key']}/check")

    assert checked["case"]["badge"]["state"] == "equal"
    assert "test_config.json cannot be read" in checked["check"]["problem"]


async def test_cases_are_edited_in_their_file(browser: ApiClient, path: Path) -> None:
    cases = await _list(browser)
    at = "/evals/math/cases"
    renamed = (await browser.client.patch(f"/api{at}/{cases['sum']['key']}", json={"eval_id": "plus"})).json()
    copied = await browser.post(f"{at}/{renamed['case_key']}/duplicate")
    await browser.post(f"{at}/{cases['talk']['key']}/move", {"after_key": None})
    wrong = cases["wrong sum"]
    left = await browser.post(f"{at}/{wrong['key']}/delete", {"fingerprint": wrong["fingerprint"]})

    assert _ids(path) == ["talk", "plus", "plus_2", "simulated user"]
    assert copied["case_key"] == next(case["key"] for case in left["file"]["cases"] if case["eval_id"] == "plus_2")
    assert left["file"]["undo_label"] == "delete wrong sum"
    assert (await browser.post("/evals/math/undo"))["file"]["redo_label"] == "delete wrong sum"
    assert "wrong sum" in _ids(path)
    await browser.post("/evals/math/redo")
    assert _ids(path) == ["talk", "plus", "plus_2", "simulated user"]


async def test_a_correction_keeps_numbers_and_refuses_what_is_not_json(browser: ApiClient, path: Path) -> None:
    case = (await _list(browser))["sum"]
    at = f"/evals/math/cases/{case['key']}/correct"
    values = [{"path": _ARGUMENTS, "value": '{"a": 12345678901234567890, "b": 2.0}'}, {"path": _ANSWER, "value": "{"}]
    await browser.post(at, {"fingerprint": case["fingerprint"], "values": values})

    text = _read_text(path)
    assert '"a": 12345678901234567890' in text
    assert '"b": 2.0' in text
    changed = (await _list(browser))["sum"]
    bad = {"fingerprint": changed["fingerprint"], "values": [{"path": _ARGUMENTS, "value": "{"}]}
    assert "not JSON" in (await browser.post_refused(at, bad, 422))["message"]
    assert _read_text(path) == text


async def test_an_edit_of_somebody_else_is_a_conflict_and_both_can_be_kept(browser: ApiClient, path: Path) -> None:
    case = (await _list(browser))["sum"]
    at = f"/evals/math/cases/{case['key']}"
    await browser.get(at)
    theirs = build_case("sum", build_turn("What is 2+2?", "theirs", ("add", {"a": 2, "b": 2}, 4)))
    write_eval_set(path, theirs, DRIFTED)
    mine: dict[str, Any] = {"fingerprint": case["fingerprint"], "values": [{"path": _ANSWER, "value": "mine"}]}
    refused = await browser.post_refused(f"{at}/correct", mine, 409)
    deletion = {"fingerprint": case["fingerprint"]}
    await browser.post_refused(f"{at}/delete", deletion, 409)
    kept = await browser.post(f"{at}/correct", {**mine, "keep_both": True})

    assert refused["error"] == "EditConflict"
    assert kept["is_copy"]
    assert _ids(path) == ["sum", "sum_2", "wrong sum"]
    assert [case["conversation"][0]["final_response"]["parts"][0]["text"] for case in _read(path)][:2] == [
        "theirs",
        "mine",
    ]


async def test_a_recording_of_another_file_is_scored(tmp_path: Path) -> None:
    expected = write_eval_set(tmp_path / "golden.evalset.json", EQUAL)
    other = build_case("run", build_turn("What is 2+2?", "The answer is 5", ("multiply", {"a": 2, "b": 2}, 4)))
    actual = write_eval_set(tmp_path / "actual.evalset.json", other)
    catalog = EvalCatalog([EvalFile(expected), EvalFile(actual)])
    async with serve_simulator(AgentSimulator([], evals=catalog)) as browser:
        case = (await browser.get("/evals/golden"))["cases"][0]
        against = (await browser.get("/evals/actual"))["cases"][0]
        at = f"/evals/golden/cases/{case['key']}"
        check = await browser.post(f"{at}/compare", {"file_key": "actual", "case_key": against["key"]})

        assert check["source"] == "run of actual.evalset.json"
        assert [metric["is_passed"] for metric in check["metrics"]] == [False, False]
        (call,) = check["turns"][0]["calls"]
        assert (call["status"], call["expected_name"], call["actual_name"]) == ("changed", "add", "multiply")
        assert "--agent DIR" in (await browser.post_refused(f"{at}/check", None, 409))["message"]


async def test_only_the_files_of_the_command_line_are_opened(browser: ApiClient, path: Path) -> None:
    for key in ("other", "..%2Fmath", str(path).replace("/", "%2F"), "math.evalset.json"):
        assert (await browser.client.get(f"/api/evals/{key}")).status_code == 404
    for case_key in ("0", "%2e%2e%2fetc", "x" * 500):
        assert (await browser.client.get(f"/api/evals/math/cases/{case_key}")).status_code == 404


async def test_a_file_that_breaks_is_listed_with_its_problem_and_works_again(browser: ApiClient, path: Path) -> None:
    before = _read_text(path)
    _write_text(path, "{")
    (file,) = await browser.get("/evals")

    assert "is not an EvalSet" in file["problem"]
    assert (await browser.client.get("/api/evals/math")).status_code == 409
    _write_text(path, before)
    assert len(await _list(browser)) == 4


async def test_long_values_are_not_offered_and_files_are_only_downloaded(tmp_path: Path) -> None:
    turn = build_turn("Look", "x" * (MAX_FIELD_CHARS + 1))
    page = base64.b64encode(b"<script>alert(1)</script>").decode()
    turn["user_content"]["parts"].append({"inline_data": {"mime_type": "text/html", "data": page}})
    path = write_eval_set(tmp_path / "math.evalset.json", build_case("big", turn))
    async with serve_simulator(AgentSimulator([], evals=EvalCatalog([EvalFile(path)]))) as browser:
        case = (await _list(browser))["big"]
        at = f"/evals/math/cases/{case['key']}"
        detail = await browser.get(at)
        (file,) = (await browser.get(f"{at}/rows/0"))["media"]
        media = await browser.client.get(file["url"])

        assert detail["omitted_field_count"] == 1
        assert media.headers["content-type"] == "application/octet-stream"
        assert media.headers["content-disposition"].startswith("attachment")
        assert "sandbox" in media.headers["content-security-policy"]


async def test_a_server_without_such_files_has_no_endpoint_for_them() -> None:
    with pytest.raises(ValueError, match="no agent to play"):
        AgentSimulator([], evals=EvalCatalog([]))


async def test_a_file_that_can_only_be_read_is_converted_to_one_that_is_served_too(tmp_path: Path) -> None:
    files = [
        EvalFile(write_legacy_eval_set(tmp_path / "old.evalset.json", "sum")),
        EvalFile(await write_adk_session(tmp_path / "session.json")),
        EvalFile(write_eval_set(tmp_path / "math.evalset.json", EQUAL)),
    ]
    async with serve_simulator(AgentSimulator([], evals=EvalCatalog(files, math_app))) as browser:
        old = await browser.post("/evals/old/convert")
        session = await browser.post("/evals/session/convert")
        assert (old["key"], old["case_count"], old["omitted_turn_count"]) == ("old_converted", 1, 0)
        assert (session["key"], session["case_count"], session["omitted_turn_count"]) == ("session_converted", 1, 1)
        assert session["path"] == str(tmp_path / "session_converted.evalset.json")
        assert [file["key"] for file in await browser.get("/evals")] == [
            "old",
            "session",
            "math",
            "old_converted",
            "session_converted",
        ]
        converted = await browser.get("/evals/session_converted")
        assert converted["is_editable"]
        case = f"/evals/session_converted/cases/{converted['cases'][0]['key']}"
        assert (await browser.post(f"{case}/check"))["case"]["badge"]["state"] == "equal"
        refused = await browser.post_refused("/evals/math/convert", {}, 409)
        assert "there is nothing to convert" in refused["message"]
        await browser.post_refused("/evals/nowhere/convert", {}, 404)
