"""Sessions with runs that were stopped or failed: their finished user turns stay exportable."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from api_client import ApiClient, serve_agents
from google.adk.agents import LlmAgent
from google.adk.evaluation.eval_set import EvalSet
from google.adk.tools import FunctionTool

from adk_agent_sim import Simulation
from adk_agent_sim.errors import SessionIncomplete
from adk_agent_sim.golden.trace_omissions import describe_left_out


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def delete(path: str) -> str:
    """Delete a file; asks first."""
    return f"deleted {path}"


def adder() -> LlmAgent:
    delete_tool = FunctionTool(delete, require_confirmation=True)
    return LlmAgent(name="adder", model="gemini-2.5-flash", tools=[add, delete_tool])


async def _finish_turn(browser: ApiClient, session_id: str, text: str) -> None:
    await browser.send_message(session_id, text)
    await browser.call_tools(session_id, ("add", {"a": 1, "b": 2}))
    await browser.respond(session_id, f"{text} 3")
    await browser.wait_for_status(session_id, "done")


async def _stop_turn(browser: ApiClient, session_id: str, text: str) -> None:
    await browser.send_message(session_id, text)
    await browser.call_tools(session_id, ("add", {"a": 4, "b": 5}))
    await browser.wait_for_turn(session_id)
    await browser.post(f"/sessions/{session_id}/stop")


def _list_queries(text: str) -> list[str]:
    conversation: list[Any] = json.loads(text)["conversation"]
    return [turn["user_content"]["parts"][0]["text"] for turn in conversation]


@pytest.mark.req("000/validation-9", "001/FR-020")
async def test_the_turns_before_and_after_a_stopped_run_are_exported(tmp_path: Path) -> None:
    async with serve_agents(tmp_path, adder()) as browser:
        session_id = await browser.start_session("adder")
        await _finish_turn(browser, session_id, "first")
        await _stop_turn(browser, session_id, "second")
        stopped = await browser.post(f"/sessions/{session_id}/export", {"finished_only": True})
        await _finish_turn(browser, session_id, "third")
        continued = await browser.post(f"/sessions/{session_id}/export", {"finished_only": True, "again": True})
        body = {"format": "adk-test", "force": True, "finished_only": True}
        fixture = await browser.post(f"/sessions/{session_id}/export", body)

    note = "user turn 2 ('second') was left out: its run was stopped before the final response"
    assert _list_queries(stopped["text"]) == ["first"]
    assert _list_queries(continued["text"]) == ["first", "third"]
    assert [stopped["left_out"], continued["left_out"]] == [[note], [note]]
    assert "second" not in fixture["text"]
    assert note in fixture["left_out"]
    assert len(EvalSet.model_validate_json((tmp_path / "adder.evalset.json").read_text()).eval_cases) == 2


async def test_a_session_whose_only_run_was_stopped_says_why_it_cannot_be_exported(tmp_path: Path) -> None:
    async with serve_agents(tmp_path, adder()) as browser:
        session_id = await browser.start_session("adder")
        await _stop_turn(browser, session_id, "first")
        refusal = await browser.post_refused(f"/sessions/{session_id}/export", {"finished_only": True}, 409)

    assert refusal["error"] == "SessionIncomplete"
    assert "its run was stopped before the final response" in refusal["message"]
    assert not (tmp_path / "adder.evalset.json").exists()


async def test_a_turn_that_waits_for_consent_or_continues_after_it_is_not_finished(tmp_path: Path) -> None:
    async with serve_agents(tmp_path, adder()) as browser:
        session_id = await browser.start_session("adder")
        await _finish_turn(browser, session_id, "first")
        await browser.send_message(session_id, "second")
        await browser.call_tools(session_id, ("delete", {"path": "a"}))
        confirmation = await browser.wait_for_confirmation(session_id)
        waiting = await browser.post(f"/sessions/{session_id}/export", {"finished_only": True})
        consent = {"question_id": confirmation["question_id"], "approve": True}
        await browser.post(f"/sessions/{session_id}/consent", consent)
        await browser.wait_for_turn(session_id)
        continued = await browser.post(f"/sessions/{session_id}/export", {"finished_only": True, "again": True})
        await browser.respond(session_id, "deleted")
        await browser.wait_for_status(session_id, "done")
        finished = await browser.post(f"/sessions/{session_id}/export", {"finished_only": True, "again": True})

    assert [_list_queries(each["text"]) for each in (waiting, continued)] == [["first"], ["first"]]
    assert [note for note in waiting["left_out"] if "left out: it has no final response" in note]
    assert [note for note in continued["left_out"] if "left out: it has no final response yet" in note]
    assert _list_queries(finished["text"]) == ["first", "second"]


async def test_in_python_the_error_says_how_to_export_the_finished_turns(tmp_path: Path) -> None:
    async with Simulation(adder()) as sim:
        await (await sim.send("first")).respond("1")
        await sim.send("x" * 100)
        with pytest.raises(SessionIncomplete, match=r"The 1 user turn before that is finished.*--finished-only"):
            sim.export(tmp_path / "adder.evalset.json")
        sim.export(tmp_path / "adder.evalset.json", finished_only=True)
        (note,) = describe_left_out(sim.log())

    assert note == f"user turn 2 ('{'x' * 59}…') was left out: it has no final response yet"
    (case,) = EvalSet.model_validate_json((tmp_path / "adder.evalset.json").read_text()).eval_cases
    assert len(case.conversation or []) == 1
