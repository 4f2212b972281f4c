"""EvalSets in a bench: cases are run with any player and judged as `adk eval` does, without a model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from bench_folders import build_test_plan
from polling import wait_until
from processes import invoke_adksim
from terminal_safety import HOSTILE, find_unsafe_characters

from adk_agent_sim.bench.bench_plan import BenchAxes, RunFiles, build_plan
from adk_agent_sim.bench.bench_result import BenchResult
from adk_agent_sim.bench.bench_task import find_tasks
from adk_agent_sim.bench.process_pool import ProcessPool
from adk_agent_sim.bench.run_executor import RunExecutor
from adk_agent_sim.bench.run_journal import get_journal_path
from adk_agent_sim.bench.run_queue import RunQueue
from adk_agent_sim.errors import InvalidCriteria
from adk_agent_sim.golden.case_criteria import convert_criteria
from adk_agent_sim.golden.eval_criteria import EvalCriteria, parse_criteria, write_criteria

_AGENT = '''
import time
from pathlib import Path
from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.genai import types


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


class Scripted(BaseLlm):
    async def generate_content_async(self, llm_request, stream=False):
        parts = [part for each in llm_request.contents for part in each.parts or ()]
        answers = [part.function_response.response["result"] for part in parts if part.function_response]
        asked = [part.text for part in parts if part.text and part.text.startswith("add ")]
        if asked[-1] == "add nonsense":
            raise ValueError("no idea")
        if len(answers) < len(asked):
            a, b = map(int, asked[-1].split()[1:3])
            part = types.Part(function_call=types.FunctionCall(name="add", args={"a": a, "b": b}))
        else:
            while Path(__file__).with_name("wait").exists():
                time.sleep(0.01)
            part = types.Part(text=f"The sum is {answers[-1]}.")
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


root_agent = LlmAgent(name="adder", model=Scripted(model="scripted"), tools=[add])
'''


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    folder = tmp_path / "adder"
    folder.mkdir()
    (folder / "agent.py").write_text(_AGENT, encoding="utf-8")
    (folder / "__init__.py").write_text("from . import agent\n", encoding="utf-8")
    return folder


def _build_case(eval_id: str, *turns: tuple[str, Mapping[str, int | str], str]) -> dict[str, Any]:
    return {
        "eval_id": eval_id,
        "conversation": [
            {
                "invocation_id": f"i{number}",
                "user_content": {"role": "user", "parts": [{"text": text}]},
                "final_response": {"role": "model", "parts": [{"text": response}]},
                "intermediate_data": {"tool_uses": [{"name": "add", "args": args}]},
            }
            for number, (text, args, response) in enumerate(turns)
        ],
        "session_input": {"app_name": "adder", "user_id": "u", "state": {}},
    }


def _write_cases(path: Path, *cases: dict[str, Any]) -> Path:
    path.write_text(json.dumps({"eval_set_id": "sums", "eval_cases": cases}), encoding="utf-8")
    return path


_RIGHT = ("add 1 2", {"a": 1, "b": 2}, "The sum is 3.")
_WRONG_CALL = ("add 1 2", {"a": 1, "b": 3}, "The sum is 3.")
_WRONG_TEXT = ("add 2 2", {"a": 2, "b": 2}, "Ask somebody else about arithmetic.")


def _execute(
    path: Path, agent: Path, folder: Path, *, criteria: EvalCriteria | None = None, report: bool = True, **axes: Any
) -> list[BenchResult]:
    tasks = find_tasks([str(path)], criteria)
    files = RunFiles(report=report, timeline=True, markdown=True)
    plan = build_plan(tasks, BenchAxes(agents=(str(agent),), **axes), files=files)
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    executor = RunExecutor(folder, plan.files)
    return [executor.execute(run).result for run in plan.runs]


def test_cases_are_judged_by_their_calls_and_responses(agent: Path, tmp_path: Path) -> None:
    path = _write_cases(
        tmp_path / "sums.evalset.json",
        _build_case("right", _RIGHT, ("add 3 4", {"a": 3, "b": 4}, "The sum is 7.")),
        _build_case("wrong_call", _RIGHT, _WRONG_CALL),
        _build_case("wrong_text", _WRONG_TEXT),
        _build_case("raises", ("add nonsense", {}, "")),
    )
    right, wrong_call, wrong_text, raises = _execute(path, agent, tmp_path)
    assert (right.scenario, right.outcome, right.reason) == ("right", "passed", "")
    assert (right.model_calls, right.tool_calls) == (4, 2)
    assert wrong_call.outcome == "failed"
    assert wrong_call.reason.startswith(
        'Turn 2: the calls differ (exact): expected add("a":1,"b":3), got add("a":1,"b":2)'
    )
    assert wrong_text.outcome == "failed"
    assert wrong_text.reason == "The final responses match to 0.00 (ROUGE-1), and 0.8 is needed."
    assert (raises.outcome, "ValueError: no idea" in raises.reason) == ("error", True)
    assert (tmp_path / "runs" / "00001.jsonl").exists()
    assert "The sum is 7." in (tmp_path / "runs" / "00001.md").read_text(encoding="utf-8")


def test_each_run_leaves_a_page_with_what_was_expected_and_what_happened(agent: Path, tmp_path: Path) -> None:
    path = _write_cases(
        tmp_path / "sums.evalset.json",
        _build_case("right", _RIGHT),
        _build_case("wrong_call", _RIGHT, _WRONG_CALL),
        _build_case("raises", ("add nonsense", {}, "")),
    )
    results = _execute(path, agent, tmp_path)
    results += _execute(path, agent, tmp_path / "others", criteria=parse_criteria(["calls=off", "rouge=off"]))[:1]
    assert [each.report for each in results[:3]] == ["runs/00001.html", "runs/00002.html", "runs/00003.html"]
    right, wrong_call, raises = ((tmp_path / each.report).read_text(encoding="utf-8") for each in results[:3])
    not_judged = (tmp_path / "others" / results[3].report).read_text(encoding="utf-8")

    assert '<h1>adder in right: <span class="passed">passed</span></h1>' in right
    assert "<dt>Model calls</dt><dd>2</dd>" in right
    assert "<h2>What the case expects</h2>" in right
    assert "<td><pre>add\n{&#34;a&#34;: 1, &#34;b&#34;: 2}</pre></td><td><pre>3</pre></td>" in right
    assert '<span class="failed">failed</span>' in wrong_call
    assert "calls: add(&#34;a&#34;:1,&#34;b&#34;:3)" in wrong_call
    assert '<tr class="USER"><td class="time">2</td>' in wrong_call
    assert '<span class="failed">error</span>' in raises
    assert "ValueError: no idea" in raises
    assert '<span class="unknown">not judged</span>' in not_judged
    assert "compare neither calls nor responses" in not_judged
    assert results[3].model_calls == 2


def test_a_page_escapes_everything_and_removes_secrets(agent: Path, tmp_path: Path) -> None:
    hostile = f"{HOSTILE}</pre><script>alert(1)</script>".replace("\ud83d", "")  # which no EvalSet can contain
    asked = (f"add 1 2 {hostile}", {"api_key": "horse-battery-staple-42"}, hostile)
    case = _build_case(hostile, asked)
    (result,) = _execute(_write_cases(tmp_path / "x.evalset.json", case), agent, tmp_path)
    page = (tmp_path / result.report).read_text(encoding="utf-8")
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 4
    assert "<script" not in page
    assert not find_unsafe_characters(page)
    assert "default-src 'none'" in page
    assert "horse" not in result.reason
    assert "horse" not in page


def test_without_reports_there_is_no_page(agent: Path, tmp_path: Path) -> None:
    path = _write_cases(tmp_path / "sums.evalset.json", _build_case("right", _RIGHT))
    (result,) = _execute(path, agent, tmp_path, report=False)
    assert (result.outcome, result.report) == ("passed", "")
    assert not list((tmp_path / "runs").glob("*.html"))


async def test_a_case_can_be_watched_while_its_agent_is_blocked(agent: Path, tmp_path: Path) -> None:
    path = _write_cases(tmp_path / "sums.evalset.json", _build_case("right", _RIGHT))
    (agent / "wait").touch()
    executing = asyncio.create_task(asyncio.to_thread(_execute, path, agent, tmp_path))
    await wait_until(lambda: any(map(_has_result, (tmp_path / "running").glob("*.jsonl"))))
    assert not executing.done()
    (agent / "wait").unlink()
    (result,) = await executing
    assert result.passed, result.reason
    assert list((tmp_path / "running").iterdir()) == [get_journal_path(tmp_path, result.key)]


def _has_result(journal: Path) -> bool:
    return b'"kind":"tool_finished"' in journal.read_bytes()


def test_the_criteria_beside_an_evalset_or_of_the_command_count(agent: Path, tmp_path: Path) -> None:
    path = _write_cases(
        tmp_path / "sums.evalset.json", _build_case("text", _WRONG_TEXT), _build_case("call", _WRONG_CALL)
    )
    write_criteria(path, parse_criteria(["rouge=off"]))
    assert [each.outcome for each in _execute(path, agent, tmp_path)] == ["passed", "failed"]
    only_text = _execute(path, agent, tmp_path, criteria=parse_criteria(["calls=off", "rouge=0.9"]))
    assert [each.outcome for each in only_text] == ["failed", "passed"]
    nothing = _execute(path, agent, tmp_path, criteria=parse_criteria(["calls=off", "rouge=off"]))
    assert {each.outcome for each in nothing} == {"not_judged"}
    assert find_tasks([str(path)])[0].criteria == convert_criteria(parse_criteria(["rouge=off"]))


_RUBRICS = {
    "rubric_based_final_response_quality_v1": {
        "threshold": 0.8,
        "rubrics": [{"rubric_id": "polite", "rubric_content": {"text_property": "It is polite."}}],
    },
    "hallucinations_v1": 0.5,
}


def _write_config(path: Path, criteria: Mapping[str, Any], **others: Any) -> None:
    path.with_name("test_config.json").write_text(json.dumps({"criteria": criteria, **others}), encoding="utf-8")


@pytest.mark.parametrize(
    ("calls", "outcome", "reason"),
    [
        (1.0, "failed", "Turn 2: the calls differ (exact)"),
        (0.5, "passed", ""),
        (0.6, "failed", "0.50 of the turns agree, and 0.6 is needed."),
        ({"threshold": 1.0, "match_type": "IN_ORDER"}, "failed", "Turn 2: the calls differ (in-order)"),
        ({"threshold": 1.0, "matchType": "ANY_ORDER", "ignoreArgs": True}, "passed", ""),
    ],
)
def test_the_thresholds_and_match_types_of_the_file_count(
    agent: Path, tmp_path: Path, calls: Any, outcome: str, reason: str
) -> None:
    path = _write_cases(tmp_path / "sums.evalset.json", _build_case("half", _RIGHT, _WRONG_CALL))
    _write_config(path, {"tool_trajectory_avg_score": calls})
    (result,) = _execute(path, agent, tmp_path, report=False)
    assert result.outcome == outcome
    assert reason in result.reason


def test_criteria_that_need_a_model_are_named_and_not_judged(agent: Path, tmp_path: Path) -> None:
    path = _write_cases(tmp_path / "sums.evalset.json", _build_case("right", _RIGHT), _build_case("call", _WRONG_CALL))
    _write_config(
        path,
        {"tool_trajectory_avg_score": 1.0, "own": 0.5, **_RUBRICS},
        custom_metrics={"own": {"code_config": {"name": "metrics.judge"}}},
    )
    right, wrong = _execute(path, agent, tmp_path)
    note = "Not judged: own, rubric_based_final_response_quality_v1, hallucinations_v1, because a model or other code"
    assert (right.outcome, wrong.outcome) == ("passed", "failed")
    assert right.reason.startswith(note)
    assert wrong.reason.startswith("Turn 1: the calls differ")
    assert note in wrong.reason
    assert note in (tmp_path / right.report).read_text(encoding="utf-8")


def test_rubrics_alone_are_nothing_to_judge(agent: Path, tmp_path: Path) -> None:
    path = _write_cases(tmp_path / "sums.evalset.json", _build_case("right", _RIGHT))
    _write_config(path, _RUBRICS)
    (result,) = _execute(path, agent, tmp_path)
    assert (result.outcome, result.passed) == ("not_judged", False)
    assert "Not judged: rubric_based_final_response_quality_v1, hallucinations_v1" in result.reason
    done = invoke_adksim("bench", path, "--agent", agent, "--out", tmp_path / "out")
    assert done.exit_code == 3
    assert "1 eval case: Not judged: rubric_based_final_response_quality_v1" in done.stderr
    assert "There is nothing to judge" in done.stderr
    assert not (tmp_path / "out").exists()


def test_cases_without_a_criterion_are_counted_before_a_bench_that_has_others(agent: Path, tmp_path: Path) -> None:
    (tmp_path / "rubrics").mkdir()
    path = _write_cases(tmp_path / "rubrics" / "a.evalset.json", _build_case("right", _RIGHT))
    _write_config(path, _RUBRICS)
    other = _write_cases(tmp_path / "b.evalset.json", _build_case("right", _RIGHT))
    done = invoke_adksim("bench", path, other, "--agent", agent, "--player", "martian", "--out", tmp_path / "out")
    assert done.exit_code == 2  # the player is noticed later
    assert "Without a criterion that a bench can judge, so that it cannot pass: 1 eval case." in done.stderr


@pytest.mark.parametrize(
    "config",
    [
        "{",
        '{"criteria": {"response_match_score": "high"}}',
        '{"criteria": {"tool_trajectory_avg_score": {"threshold": 1, "match_type": "SOME"}}}',
    ],
)
def test_a_file_of_criteria_that_adk_cannot_read_is_refused(tmp_path: Path, config: str) -> None:
    path = _write_cases(tmp_path / "sums.evalset.json", _build_case("right", _RIGHT))
    path.with_name("test_config.json").write_text(config, encoding="utf-8")
    with pytest.raises(InvalidCriteria, match=r"test_config\.json"):
        find_tasks([str(path)])
    assert find_tasks([str(path)], parse_criteria(["exact"]))[0].criteria is not None


def test_players_and_rules_apply_to_cases(agent: Path, tmp_path: Path) -> None:
    path = _write_cases(tmp_path / "sums.evalset.json", _build_case("right", _RIGHT))
    rules = tmp_path / "rules.yaml"
    rules.write_text("rules: [{match: {tool: add}, do: {respond: 5}}]\n", encoding="utf-8")
    results = _execute(path, agent, tmp_path, rules=("none", str(rules)))
    assert [(each.rules, each.outcome) for each in results] == [("none", "passed"), ("rules.yaml", "failed")]
    pages = [(tmp_path / each.report).read_text(encoding="utf-8") for each in results]
    assert ["answered by the rule" in page for page in pages] == [False, True]
    assert [each.tool_calls for each in results] == [1, 1]
    replayed = _execute(path, agent, tmp_path, players=(f"replay:{path}", "oracle"))
    assert [each.outcome for each in replayed] == ["passed", "error"]
    assert "an eval case has no world" in replayed[1].reason


@pytest.mark.process
def test_what_judges_cases_is_imported_before_the_first_run(agent: Path, tmp_path: Path) -> None:
    module = "google.adk.evaluation.final_response_match_v1"
    code = f"import sys, pathlib\npathlib.Path(__file__).with_name('seen').write_text(str({module!r} in sys.modules))\n"
    (agent / "agent.py").write_text(code + _AGENT, encoding="utf-8")
    plan = build_test_plan(_write_cases(tmp_path / "sums.evalset.json", _build_case("right", _RIGHT)), agent)
    (tmp_path / "runs").mkdir()
    # Not forked from this process, which may have imported it.
    pool = ProcessPool(tmp_path, plan.files, 1, start_method="spawn")
    results = [each for some in pool.execute(RunQueue(plan.runs, 1)) for each in some]
    assert [each.outcome for each in results] == ["passed"]
    assert (agent / "seen").read_text(encoding="utf-8") == "True"


def test_a_case_without_a_conversation_is_not_judged(agent: Path, tmp_path: Path) -> None:
    empty = _build_case("empty") | {
        "conversation": None,
        "conversation_scenario": {"starting_prompt": "hi", "conversation_plan": "x"},
    }
    (result,) = _execute(_write_cases(tmp_path / "x.evalset.json", empty), agent, tmp_path)
    assert result.outcome == "not_judged"
    assert "it has no conversation to repeat" in result.reason


def test_another_case_or_criterion_is_another_plan(tmp_path: Path) -> None:
    path = _write_cases(tmp_path / "sums.evalset.json", _build_case("one", _RIGHT))
    plans = [build_test_plan(path)]
    write_criteria(path, parse_criteria(["any-order"]))
    plans.append(build_test_plan(path))
    _write_cases(path, _build_case("one", _WRONG_CALL))
    plans.append(build_test_plan(path))
    assert len({plan.plan_id for plan in plans}) == 3
