"""Exports over the API: what they will write is shown before, where they may write, and why they cannot."""

from __future__ import annotations

import errno
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from api_client import ApiClient, serve_agents
from google.adk.agents import LlmAgent
from google.adk.evaluation.eval_set import EvalSet
from google.adk.tools import FunctionTool

from adk_agent_sim.errors import ExportRefused
from adk_agent_sim.timeline.atomic_files import explain_write_errors

FINISHED = {"finished_only": True}
"""As the browser asks: what is left out was shown before."""


def divide(a: int, b: int) -> float:
    """Divide two numbers."""
    return a / b


def wipe(path: str) -> str:
    """Delete a file; asks first."""
    return path


@pytest.fixture
async def browser(tmp_path: Path) -> AsyncIterator[ApiClient]:
    tools = [FunctionTool(divide), FunctionTool(wipe, require_confirmation=True)]
    agent = LlmAgent(name="divider", model="gemini-2.5-flash", tools=[*tools])
    async with serve_agents(tmp_path / "evals", agent) as client:
        yield client


async def _play(browser: ApiClient) -> str:
    """Play a finished turn with a call that fails, and leave a second turn open."""
    session_id = await browser.start_session("divider", "1/0?")
    await browser.call_tools(session_id, ("divide", {"a": 1, "b": 0}))
    await browser.respond(session_id, "undefined")
    await browser.wait_for_status(session_id, "done")
    await browser.send_message(session_id, "and 2/0?")
    await browser.wait_for_turn(session_id)
    return session_id


def _list_files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


async def test_a_preview_shows_what_is_then_written_and_writes_nothing(browser: ApiClient, tmp_path: Path) -> None:
    session_id = await _play(browser)
    preview = await browser.post(f"/sessions/{session_id}/export/preview", FINISHED)
    assert _list_files(tmp_path) == []
    written = await browser.post(f"/sessions/{session_id}/export", FINISHED)
    second = await browser.post(f"/sessions/{session_id}/export/preview", FINISHED)

    assert (preview["path"], preview["eval_id"]) == (written["path"], written["eval_id"])
    assert preview["text"] == written["text"]
    assert preview["left_out"] == written["left_out"]
    assert "user turn 2 ('and 2/0?') was left out" in preview["left_out"][0]
    assert preview["warnings"] == written["warnings"]
    assert "call 1 (divide) failed" in preview["warnings"][0]
    assert (preview["is_appended"], preview["previous"]) == (False, None)
    assert second["is_appended"]
    assert second["previous"]["eval_id"] == written["eval_id"]
    assert second["eval_id"] == f"{written['eval_id']}_2"
    assert _list_files(tmp_path) == ["evals/divider.evalset.json"]


async def test_criteria_are_written_beside_the_eval_set_and_the_command_uses_them(
    browser: ApiClient, tmp_path: Path
) -> None:
    session_id = await _play(browser)
    config = tmp_path / "evals" / "test_config.json"
    first = await browser.post(f"/sessions/{session_id}/export/preview", FINISHED)
    assert (first["criteria_path"], first["criteria"]) == (str(config), None)

    criteria = {"calls": "in-order", "rouge": 0.5, "rubrics": ["It is polite."]}
    written = await browser.post(f"/sessions/{session_id}/export", {**FINISHED, "criteria": criteria})
    assert written["criteria_path"] == str(config)
    assert written["command"].endswith(f"divider.evalset.json --config_file_path {config}")
    assert written["warnings"][-1] == (
        "The rubrics are judged by gemini-2.5-flash: `adk eval` needs access to that model."
    )
    assert '"match_type": "IN_ORDER"' in config.read_text()

    again = await browser.post(f"/sessions/{session_id}/export/preview", FINISHED)
    assert again["criteria"] == {**criteria, "tool_rubrics": [], "rubric_score": 0.8, "judge_model": "gemini-2.5-flash"}
    before = config.read_text()
    await browser.post(f"/sessions/{session_id}/export", {**FINISHED, "again": True})
    assert config.read_text() == before


async def test_criteria_are_not_written_through_a_link_or_for_another_format(
    browser: ApiClient, tmp_path: Path
) -> None:
    session_id = await _play(browser)
    (tmp_path / "evals").mkdir(exist_ok=True)
    (tmp_path / "evals" / "test_config.json").symlink_to(tmp_path / "elsewhere.json")
    refused = await browser.post_refused(f"/sessions/{session_id}/export", {**FINISHED, "criteria": {}}, 409)
    assert "is a link to another file" in refused["message"]
    assert _list_files(tmp_path) == []
    fixture: dict[str, Any] = {"format": "adk-test", "criteria": {}}
    assert "choose evalset" in (await browser.post_refused(f"/sessions/{session_id}/export", fixture, 422))["message"]
    (tmp_path / "evals" / "test_config.json").unlink()
    nothing: dict[str, Any] = {**FINISHED, "criteria": {"calls": "off", "rouge": None}}
    refused = await browser.post_refused(f"/sessions/{session_id}/export", nothing, 409)
    assert "every model would pass" in refused["message"]
    assert _list_files(tmp_path) == []
    wrong = {"criteria": {"rouge": 2}}
    await browser.post_refused(f"/sessions/{session_id}/export", wrong, 422)


async def test_a_preview_of_a_fixture_says_why_it_cannot_be_replayed(browser: ApiClient, tmp_path: Path) -> None:
    session_id = await _play(browser)
    preview = await browser.post(f"/sessions/{session_id}/export/preview", {**FINISHED, "format": "adk-test"})
    refusal = await browser.post_refused(f"/sessions/{session_id}/export", {**FINISHED, "format": "adk-test"}, 409)

    assert preview["obstacles"]
    assert all(obstacle in refusal["message"] for obstacle in preview["obstacles"])
    assert _list_files(tmp_path) == []


@pytest.mark.req("001/FR-021")
async def test_another_file_in_the_folder_can_be_chosen(browser: ApiClient, tmp_path: Path) -> None:
    session_id = await _play(browser)
    for path in ("other.evalset.json", str(tmp_path / "evals" / "sub" / "third.evalset.json")):
        body: dict[str, Any] = {**FINISHED, "path": path, "again": True}
        preview = await browser.post(f"/sessions/{session_id}/export/preview", body)
        written = await browser.post(f"/sessions/{session_id}/export", body)
        assert preview["path"] == written["path"]

    names = ["evals/other.evalset.json", "evals/sub/third.evalset.json"]
    assert _list_files(tmp_path) == names
    assert all(EvalSet.model_validate_json((tmp_path / name).read_text()).eval_cases for name in names)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("../stolen.evalset.json", "outside of"),
        ("/etc/stolen.evalset.json", "outside of"),
        ("out/stolen.evalset.json", "outside of"),
        ("link.evalset.json", "outside of"),
        (".git/stolen.evalset.json", "is hidden"),
        ("stolen.py", "must end with .evalset.json"),
        ("a\0.evalset.json", "must end with"),
    ],
)
async def test_no_request_can_write_elsewhere(browser: ApiClient, tmp_path: Path, path: str, reason: str) -> None:
    session_id = await _play(browser)
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "evals").mkdir(exist_ok=True)
    (tmp_path / "evals" / "out").symlink_to(outside)
    (tmp_path / "evals" / "link.evalset.json").symlink_to(outside / "target.evalset.json")
    for call in ("export", "export/preview"):
        refusal = await browser.post_refused(f"/sessions/{session_id}/{call}", {**FINISHED, "path": path}, 409)
        assert refusal["error"] == "ExportRefused"
        assert reason in refusal["message"]

    assert _list_files(outside) == []
    assert not (tmp_path / "stolen.evalset.json").exists()


async def test_a_fixture_never_replaces_a_file(browser: ApiClient, tmp_path: Path) -> None:
    session_id = await _play(browser)
    existing = tmp_path / "evals" / "tests" / "mine.json"
    existing.parent.mkdir(parents=True)
    existing.write_text("mine")
    body: dict[str, Any] = {"format": "adk-test", "path": "mine.json", "force": True, **FINISHED}
    refusal = await browser.post_refused(f"/sessions/{session_id}/export", body, 409)

    assert "exists already" in refusal["message"]
    assert existing.read_text() == "mine"


async def test_a_folder_in_place_of_the_file_is_said_in_words(browser: ApiClient, tmp_path: Path) -> None:
    session_id = await _play(browser)
    (tmp_path / "evals" / "taken.evalset.json").mkdir(parents=True)
    (tmp_path / "evals" / "file").write_text("")
    paths = ("taken.evalset.json", "file/x.evalset.json", f"{'x' * 300}.evalset.json")
    url = f"/sessions/{session_id}/export"
    messages = [(await browser.post_refused(url, {**FINISHED, "path": path}, 409))["message"] for path in paths]

    assert "it is a folder" in messages[0]
    assert "a part of the path is a file, not a folder" in messages[1]
    assert "the name is too long" in messages[2]
    assert not [message for message in messages if "Errno" in message]


def test_a_full_disk_and_a_read_only_one_are_said_in_words() -> None:
    for number, words in ((errno.ENOSPC, "the disk is full"), (errno.EROFS, "read-only"), (errno.EACCES, "permission")):
        with pytest.raises(ExportRefused, match=words) as refused, explain_write_errors("/a/b.json"):
            raise OSError(number, os.strerror(number))
        assert "Errno" not in str(refused.value)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full device")
def test_a_write_to_a_full_device_says_so() -> None:
    with pytest.raises(ExportRefused, match="the disk is full"), explain_write_errors("/dev/full"):
        Path("/dev/full").write_text("x", encoding="utf-8")
