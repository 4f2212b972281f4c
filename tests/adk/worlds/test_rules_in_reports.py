"""The page of a run shows what environment rules did: calls that they answered, and calls that they changed."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from google.adk.apps import App
from scripted_model import call_response, text_response
from world_runs import SEND_A, build_two_turns, create_scripted_agent

from adk_agent_sim.adk.worlds.html_report import render_html_report
from adk_agent_sim.adk.worlds.run_exports import RunExports, read_log, write_exports
from adk_agent_sim.adk.worlds.run_plan import WorldRunPlan, prepare_run
from adk_agent_sim.adk.worlds.world_run import WorldRun
from adk_agent_sim.timeline.timeline import Timeline

_RULES = """
rules:
  - name: "mail is down <b>"
    match: {tool: Emails__send_email, call: {nth: 1}}
    do: {error: {code: 503, message: down}}
  - name: slow
    match: {tool: Emails__send_email, call: {nth: 2}}
    do: {delay: 30}
  - name: short
    match: {tool: Emails__list_emails}
    do: {truncate: {chars: 3}}
  - name: invented
    match: {tool: make_coffee}
    do: {respond: {coffee: black}}
  - name: key
    match: {tool: get_key}
    do: {respond: {api_key: tulip-Garden-77x}}
"""


def _prepare(tmp_path: Path, *script: object) -> WorldRun:
    rules = tmp_path / "rules.yaml"
    rules.write_text(_RULES, encoding="utf-8")
    app = App(name="office", root_agent=create_scripted_agent(*script))  # type: ignore[arg-type]
    return prepare_run(WorldRunPlan(rules=str(rules)), build_two_turns(), app=app)


async def _render_rows(run: WorldRun) -> list[list[str]]:
    result = await run.run()
    page = render_html_report(run.world, result, await read_log(run), has_world_times=run.store is not None)
    assert "<b>" not in page
    rows = re.findall(r'<tr class="\w+">(.*?)</tr>', page, re.DOTALL)
    return [[unescape(re.sub("<[^>]+>", " ", cell)).strip() for cell in row.split("</td>")] for row in rows]


@pytest.mark.parametrize("own_clock", [False, True])
async def test_calls_that_rules_answered_are_on_the_page_where_they_happened(own_clock: bool, tmp_path: Path) -> None:
    run = _prepare(
        tmp_path,
        call_response(SEND_A, ("make_coffee", {"sugar": 2})),
        call_response(SEND_A),
        text_response("Done."),
        text_response("Done."),
    )
    if own_clock:
        run.store, run.timeline = None, Timeline()
    rows = await _render_rows(run)
    calls = [(when, call.split()[0]) for when, who, call, *_ in rows if who == "AGENT"]
    assert calls[:4] == [
        ("+1 s" if not own_clock else "+0 s", "Emails__send_email"),
        ("+1 s" if not own_clock else "+0 s", "make_coffee"),
        ("+32 s", "Emails__send_email"),
        ("+33 s", "AgentUserInterface__send_message_to_user"),
    ]
    answered, invented, delayed = (row for row in rows if row[2].startswith(("Emails", "make_coffee")))
    assert "answered by the rule mail is down <b>: error 503" in answered[2]
    assert '"recipients"' in answered[2]
    assert '"error_code": 503' in answered[3]
    assert "answered by the rule invented" in invented[2]
    assert ('"sugar": 2' in invented[2], '"coffee": "black"' in invented[3]) == (True, True)
    assert delayed[2].endswith("changed by the rule slow: delay 30 s")


async def test_a_call_that_a_rule_answered_counts_as_a_call(tmp_path: Path) -> None:
    script = [call_response(SEND_A), call_response(SEND_A), text_response("Done."), text_response("Done.")]
    result = await _prepare(tmp_path, *script).run()
    assert (result.call_count, result.rule_answer_count, result.model_dump(mode="json")["rule_answer_count"]) == (
        1,
        1,
        1,
    )


async def test_what_the_model_got_is_shown_where_a_rule_changed_the_result(tmp_path: Path) -> None:
    rows = await _render_rows(
        _prepare(tmp_path, call_response(("Emails__list_emails", {})), text_response("Done."), text_response("Done."))
    )
    (changed,) = (row[2] for row in rows if row[2].startswith("Emails__list_emails"))
    assert "changed by the rule short: " in changed
    assert "The model got: " in changed


async def test_a_secret_that_only_a_rule_named_is_masked_in_every_report(tmp_path: Path) -> None:
    says = ("AgentUserInterface__send_message_to_user", {"content": "Use tulip-Garden-77x."})
    run = _prepare(tmp_path, call_response(("get_key", {})), call_response(says), text_response("tulip-Garden-77x"))
    exports = RunExports(markdown=str(tmp_path / "run.md"), report=str(tmp_path / "run.html"))

    assert (await write_exports(run, await run.run(), exports)).export_problems == ()

    for name in ("run.md", "run.html"):
        report = (tmp_path / name).read_text(encoding="utf-8")
        assert "tulip-Garden-77x" not in report
        assert report.count("Use ") > 0
