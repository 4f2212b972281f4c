"""What is written of a run in a world: always the same for the same run, and judged the same later."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from google.adk.apps import App
from google.adk.evaluation.eval_set import EvalSet
from scripted_model import call_response, text_response
from world_runs import SEND_A, WAIT, build_mail_arrival, create_scripted_agent

from adk_agent_sim.adk.worlds.run_exports import RunExports
from adk_agent_sim.adk.worlds.run_options import WorldRunOptions, parse_thinking_time
from adk_agent_sim.adk.worlds.run_plan import WorldRunPlan, prepare_run, run_and_export
from adk_agent_sim.adk.worlds.run_result import WorldRunResult
from adk_agent_sim.scenario import Judge, load_scenario
from adk_agent_sim.scenario.format.augmentation_options import AugmentationOptions
from adk_agent_sim.scenario.verdict.trace_files import list_timeline_trace, read_timeline_events
from adk_agent_sim.timeline.events import TurnDecided
from adk_agent_sim.timeline.world_events import WorldTimeChanged

EXPORTS = {
    "trace": "trace.json",
    "eval_set": "case.evalset.json",
    "markdown": "session.md",
    "report": "report.html",
    "timeline": "session.jsonl",
}
HOSTILE = '</pre><script>alert(1)</script><img src=x onerror="alert(2)">\u202e'


async def _export(folder: Path, thinking: str = "fixed:1s", **options: Any) -> WorldRunResult:
    folder.mkdir(exist_ok=True)  # noqa: ASYNC240 - a test
    agent = create_scripted_agent(
        call_response((WAIT, {"timeout": 60})), call_response(SEND_A), text_response(f"Sent. {HOSTILE}")
    )
    plan = WorldRunPlan(
        options=WorldRunOptions(thinking=parse_thinking_time(thinking), **options),
        exports=RunExports(**{name: str(folder / file) for name, file in EXPORTS.items()}),
    )
    run = prepare_run(plan, build_mail_arrival(), app=App(name="office", root_agent=agent))
    return await run_and_export(run, plan.exports)


@pytest.mark.parametrize("thinking", ["fixed:1s", "zero", "random"])
async def test_two_runs_write_the_same_bytes(thinking: str, tmp_path: Path) -> None:
    results = [await _export(tmp_path / name, thinking) for name in ("one", "two")]
    assert all(each.passed for each in results), results[0].reason
    for file in (EXPORTS[name] for name in ("trace", "eval_set", "markdown", "report")):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes(), file
    logs = [_list_normal_forms(tmp_path / name / EXPORTS["timeline"]) for name in ("one", "two")]
    assert len(logs[0]) > 20
    assert logs[0] == logs[1]


def _list_normal_forms(path: Path) -> list[str]:
    """Return what the events of a timeline say, with the ids of its own records numbered in order."""
    log = read_timeline_events(path)
    decision_ids = [each.payload.decision_id for each in log if isinstance(each.payload, TurnDecided)]
    ids = dict.fromkeys([each.turn_id for each in log if each.turn_id] + decision_ids)
    text = "\n".join(f"{each.timestamp} {each.agent_name} {each.payload}" for each in log)
    for number, each in enumerate(ids):
        text = text.replace(each, f"id-{number}")
    return text.splitlines()


async def test_the_trace_has_the_metadata_of_the_run_and_is_judged_like_it(tmp_path: Path) -> None:
    result = await _export(tmp_path, run_number=3, augmentation=AugmentationOptions(reword_tools=True))
    trace = json.loads((tmp_path / EXPORTS["trace"]).read_text(encoding="utf-8"))
    definition = trace["metadata"]["definition"]
    assert trace["metadata"]["simulation"] == {"agent_id": "office", "model_id": "scripted"}
    assert (definition["run_number"], definition["has_exception"]) == (3, False)
    augmented = ("has_tool_augmentation", "has_env_events_augmentation", "has_a2a_augmentation")
    assert [definition[name] for name in augmented] == [True, False, False]
    judge = Judge(build_mail_arrival())
    assert judge.judge(load_scenario(tmp_path / EXPORTS["trace"])).to_json() == result.verdict.to_json()  # type: ignore[union-attr]


async def test_the_timeline_is_judged_like_the_run(tmp_path: Path) -> None:
    result = await _export(tmp_path)
    scenario = build_mail_arrival()
    log = read_timeline_events(tmp_path / EXPORTS["timeline"])
    verdict = Judge(scenario).judge(list_timeline_trace(log, scenario))
    assert result.verdict is not None
    assert (verdict.passed, verdict.turns) == (True, result.verdict.turns)
    kinds = [type(each.payload).__name__ for each in log]
    assert kinds.index("WorldStarted") < kinds.index("WorldEventHappened") < kinds.index("NotificationDelivered")
    assert kinds.count("VerdictReached") == 1
    reasons = [each.payload.reason for each in log if isinstance(each.payload, WorldTimeChanged)]
    assert reasons == ["thinking", "wait", "thinking", "thinking"]


async def test_the_eval_case_has_the_users_messages_and_is_read_by_adk(tmp_path: Path) -> None:
    await _export(tmp_path)
    cases = EvalSet.model_validate_json((tmp_path / EXPORTS["eval_set"]).read_text(encoding="utf-8")).eval_cases
    assert [each.user_content.parts[0].text for each in cases[0].conversation or []] == ["Wait"]  # type: ignore[index]
    final = cases[0].conversation[0].final_response  # type: ignore[index]
    assert final is not None
    assert final.parts[0].text == f"Sent. {HOSTILE}"  # type: ignore[index]


async def test_the_html_report_loads_nothing_and_escapes_everything(tmp_path: Path) -> None:
    await _export(tmp_path)
    page = (tmp_path / EXPORTS["report"]).read_text(encoding="utf-8")
    assert "default-src 'none'" in page
    assert "<script" not in page
    assert "<img" not in page
    assert "\u202e" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert '<span class="passed">passed</span>' in page
    assert "http://" not in page
    assert "https://" not in page


async def test_the_markdown_report_begins_with_the_verdict_and_what_happened(tmp_path: Path) -> None:
    await _export(tmp_path)
    page = (tmp_path / EXPORTS["markdown"]).read_text(encoding="utf-8")
    assert page.startswith("# Run in a world: passed\n")
    assert "Turn 1: passed, 4 events as expected" in page
    assert "+10 s  ENV    Emails__send_email_to_user_only" in page
    assert "# Session of `office`" in page
