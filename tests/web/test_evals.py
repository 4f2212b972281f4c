"""Eval cases in the browser: looked at, replayed, corrected, and edited beside other writers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_audit import audit_page
from browser_pages import PageWatch, hold_requests
from eval_case_files import DRIFTED, EQUAL, SCENARIO, TALK, build_case, build_turn, write_eval_set
from playwright.async_api import Page, expect
from workbench_server import Simulator

from adk_agent_sim import AgentSimulator
from adk_agent_sim.adk.demo.math_agent.agent import app as math_app
from adk_agent_sim.golden.eval_file import EvalFile
from adk_agent_sim.server.evals.eval_catalog import EvalCatalog

_HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    hostile = build_case(_HOSTILE, build_turn(_HOSTILE, "**no**"))
    return write_eval_set(tmp_path / "math.evalset.json", EQUAL, DRIFTED, TALK, SCENARIO, hostile)


@pytest.fixture
def simulator(path: Path) -> Callable[[], Simulator]:
    return lambda: AgentSimulator([], evals=EvalCatalog([EvalFile(path)], math_app))


def _read(path: Path) -> list[Any]:
    return json.loads(path.read_text(encoding="utf-8"))["eval_cases"]


def _ids(path: Path) -> list[str]:
    return [case["eval_id"] for case in _read(path)]


def _get_answer(case: Any) -> str:
    return case["conversation"][0]["final_response"]["parts"][0]["text"]


async def _choose(page: Page, case: str, action: str) -> None:
    await page.get_by_role("button", name=f"Actions for {case}", exact=True).click()
    await page.get_by_role("menuitem", name=action).click()


async def _expect_cases(page: Page, *ids: str) -> None:
    await expect(page.get_by_role("table", name="Cases").get_by_role("link")).to_have_text([*ids, _HOSTILE])


async def test_a_case_that_has_drifted_is_found_understood_and_corrected(page: Page, path: Path) -> None:
    await expect(page.get_by_role("row", name="talk")).to_contain_text("It calls no tools")
    await expect(page.get_by_role("row", name=re.compile("^sum"))).to_contain_text("not replayed")
    await expect(page.get_by_role("row", name=_HOSTILE).get_by_role("link")).to_have_text(_HOSTILE)
    await audit_page(page)
    before = _read(path)
    await page.get_by_role("button", name="Replay all").click()
    await expect(page.get_by_role("row", name=re.compile("^sum"))).to_contain_text("equal")
    await expect(page.get_by_role("row", name="wrong sum")).to_contain_text("Call 1 of add after message 1")
    await expect(page.get_by_role("row", name="wrong sum")).to_contain_text("calls 1 · response 1")
    await expect(page.get_by_role("button", name="Replay all")).to_be_enabled()

    await page.get_by_role("link", name="wrong sum").click()
    timeline = page.get_by_role("region", name="Timeline")
    await expect(timeline.locator("article")).to_have_count(3)
    await expect(timeline.locator("article").nth(1)).to_contain_text("a=2 b=3")
    await expect(timeline.locator("article").nth(1).get_by_text("drifted")).to_be_visible()
    check = page.get_by_role("region", name="Check")
    await expect(check.get_by_role("region", name="Not as recorded")).to_contain_text('{"result": 5}')
    await expect(check.get_by_role("region", name="Trajectory")).to_contain_text("as in the case")
    await timeline.locator("article").nth(1).get_by_role("button").first.click()
    await expect(timeline.get_by_role("heading", name="arguments")).to_be_visible()
    await audit_page(page)

    await page.get_by_role("tab", name="Correct").click()
    number = page.get_by_role("group", name="arguments of add").get_by_label("b", exact=True)
    await expect(number).to_have_value("3")
    await number.fill("4")
    await expect(page.get_by_text("1 value changed")).to_be_visible()
    await page.get_by_role("button", name="Reset arguments of add").click()
    await expect(number).to_have_value("3")
    await page.get_by_label("result of add").fill("{")
    await expect(page.get_by_text("1 value not a JSON object")).to_be_visible()
    await expect(page.get_by_role("button", name="Save to the file")).to_be_disabled()
    await page.get_by_label("result of add").fill('{"result": 5}')
    await page.reload()
    await expect(page.get_by_label("result of add")).to_have_value('{"result": 5}')
    await page.keyboard.press("Control+Enter")
    await expect(page.get_by_text("not saved")).to_have_count(0)
    await expect(timeline.locator("article").nth(1)).to_contain_text("→5")
    await audit_page(page)
    assert _read(path)[1]["conversation"][0]["intermediate_data"]["tool_responses"][0]["response"] == {"result": 5}

    await page.get_by_role("button", name="Replay", exact=True).click()
    await expect(page.get_by_role("status").get_by_text("as recorded")).to_be_visible()
    await page.get_by_role("button", name="Undo").click()
    await expect(page.get_by_role("status").get_by_text("is not as recorded")).to_be_visible()
    assert _read(path) == before


async def test_cases_are_edited_beside_another_writer_and_nothing_is_lost(
    page: Page, path: Path, watch: PageWatch
) -> None:
    await _choose(page, "sum", "Rename")
    await page.get_by_label("Id of the case").fill("talk")
    watch.allow_fault("409")
    await page.get_by_role("button", name="Rename").click()
    await expect(page.get_by_role("alert")).to_contain_text("Another case has the id 'talk'")
    await page.get_by_label("Id of the case").fill("plus")
    await page.get_by_role("button", name="Rename").click()
    await _choose(page, "plus", "Duplicate")
    await expect(page).to_have_url(re.compile("/evals/math$"))
    await _expect_cases(page, "plus", "plus_2", "wrong sum", "talk", "simulated user")
    await _choose(page, "talk", "Move up")
    await _expect_cases(page, "plus", "plus_2", "talk", "wrong sum", "simulated user")
    await _choose(page, "plus_2", "Delete")
    await _expect_cases(page, "plus", "talk", "wrong sum", "simulated user")
    await page.keyboard.press("Control+z")
    await _expect_cases(page, "plus", "plus_2", "talk", "wrong sum", "simulated user")
    assert _ids(path) == ["plus", "plus_2", "talk", "wrong sum", "simulated user", _HOSTILE]

    await page.get_by_role("link", name="plus", exact=True).click()
    await page.get_by_role("tab", name="Correct").click()
    answer = page.get_by_label("final response")
    await answer.fill("mine")
    theirs = build_case("plus", build_turn("What is 2+2?", "theirs", ("add", {"a": 2, "b": 2}, 4)))
    write_eval_set(path, theirs, DRIFTED)
    await expect(page.get_by_role("alert")).to_contain_text("Somebody else has changed this case")
    await expect(answer).to_have_value("mine")
    await page.get_by_role("button", name="Keep mine as a copy").click()
    await expect(page.get_by_role("heading", name="plus_2")).to_be_visible()
    assert _ids(path) == ["plus", "plus_2", "wrong sum"]
    assert [_get_answer(case) for case in _read(path)[:2]] == ["theirs", "mine"]


async def test_what_is_typed_while_a_correction_is_saved_is_kept(page: Page, path: Path) -> None:
    await page.get_by_role("link", name="talk").click()
    await page.get_by_role("tab", name="Correct").click()
    answer = page.get_by_label("final response")
    await answer.fill("first")
    held = await hold_requests(page, "**/correct")
    await page.get_by_role("button", name="Save to the file").click()
    await expect(page.get_by_role("button", name="Save to the file")).to_be_disabled()
    await answer.fill("first and second")
    held.release()
    await expect(page.get_by_role("region", name="Timeline").locator("article").nth(1)).to_contain_text("first")
    await expect(answer).to_have_value("first and second")
    await expect(page.get_by_role("alert")).to_have_count(0)
    assert _get_answer(_read(path)[2]) == "first"
    await page.get_by_role("button", name="Save to the file").click()
    await expect(page.get_by_text("not saved")).to_have_count(0)
    assert _get_answer(_read(path)[2]) == "first and second"
