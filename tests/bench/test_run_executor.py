"""Runs of a plan in one process: scripted agents of known quality get their score, and runs are independent."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import ClassVar

import pytest
from answering_model import read_instruction
from bench_folders import MAIL, build_mail_scenario, build_test_plan, write_agent, write_scenarios
from google.adk.models import BaseLlm, LLMRegistry
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from scripted_model import call_response, text_response

from adk_agent_sim.adk.worlds.run_plan import WorldRunPlan
from adk_agent_sim.bench.bench_plan import BenchAxes, BenchPlan, RunFiles, build_plan, derive_seed
from adk_agent_sim.bench.bench_result import BenchResult
from adk_agent_sim.bench.bench_task import find_tasks
from adk_agent_sim.bench.run_executor import RunExecutor


def _execute(plan: BenchPlan, folder: Path) -> list[BenchResult]:
    (folder / "runs").mkdir(exist_ok=True)
    executor = RunExecutor(folder, plan.files)
    return [executor.execute(run).result for run in plan.runs]


def _count(results: list[BenchResult]) -> dict[str, int]:
    return dict(Counter(f"{each.agent or each.player}: {each.outcome}" for each in results))


def test_scripted_agents_get_exactly_their_score(tmp_path: Path) -> None:
    agents = [write_agent(tmp_path / f"passes_{count}", range(count)) for count in (0, 2, 5)]
    results = _execute(build_test_plan(write_scenarios(tmp_path, 5), *agents), tmp_path)
    assert _count(results) == {
        "passes_0: failed": 5,
        "passes_2: passed": 2,
        "passes_2: failed": 3,
        "passes_5: passed": 5,
    }
    assert all(each.passed == (each.outcome == "passed") for each in results)
    failed = next(each for each in results if not each.passed)
    assert "recipients: expected" in failed.reason
    assert (failed.input_tokens, failed.output_tokens, failed.model_calls, failed.tool_calls) == (20, 4, 2, 1)
    assert (failed.tags, failed.simulated_seconds) == (("even",), 2.0)


def test_the_oracle_passes_all_and_nothing_passes_none(tmp_path: Path) -> None:
    plan = build_test_plan(write_scenarios(tmp_path, 3), runs=2, players=("oracle", "nothing"))
    results = _execute(plan, tmp_path)
    assert Counter((each.player, each.outcome) for each in results) == {
        ("oracle", "passed"): 6,
        ("nothing", "failed"): 6,
    }


def test_no_run_sees_the_state_of_another(tmp_path: Path) -> None:
    agent = write_agent(tmp_path / "stateful", range(3), "state")
    results = _execute(build_test_plan(write_scenarios(tmp_path, 3), agent, runs=2), tmp_path)
    assert _count(results) == {"stateful: passed": 6}


def test_agents_of_the_same_name_are_different_agents_with_different_settings(tmp_path: Path) -> None:
    folders = [write_agent(tmp_path / name / "assistant", passed) for name, passed in (("a", [0]), ("b", [1]))]
    (folders[0] / ".env").write_text("ADKSIM_TEST_SETTING=from_a\n", encoding="utf-8")
    results = _execute(build_test_plan(write_scenarios(tmp_path, 2), *folders), tmp_path)
    assert [(each.scenario, each.agent) for each in results if each.passed] == [
        ("mail_0", "a/assistant"),
        ("mail_1", "b/assistant"),
    ]
    assert "ADKSIM_TEST_SETTING" not in os.environ  # b was the last to be loaded


def test_a_reason_contains_no_secrets_also_none_of_the_agents_own_settings(tmp_path: Path) -> None:
    secret = "-".join(["correct", "horse", "battery", "staple", "42"])
    agent = write_agent(tmp_path / "leaks", [])
    (agent / ".env").write_text(f"SOME_SERVICE_API_KEY={secret}\n", encoding="utf-8")
    text = (agent / "agent.py").read_text(encoding="utf-8")
    raising = 'raise ValueError("rejected: " + os.environ["SOME_SERVICE_API_KEY"])'
    (agent / "agent.py").write_text(text.replace("global CALLS", f"{raising}\n        global CALLS"), encoding="utf-8")
    [result] = _execute(build_test_plan(write_scenarios(tmp_path, 1), agent), tmp_path)
    assert result.outcome == "error"
    assert "ValueError: rejected: " in result.reason
    assert secret not in result.reason


def test_a_call_that_a_rule_answers_is_a_tool_call_and_on_the_page(tmp_path: Path) -> None:
    rules = tmp_path / "faults.yaml"
    rules.write_text(
        "rules: [{name: down, match: {tool: '*'}, do: {error: {code: 503, message: x}}}]", encoding="utf-8"
    )
    agent = write_agent(tmp_path / "sends", range(1))
    plan = build_test_plan(write_scenarios(tmp_path, 1), agent, report=True, rules=("none", str(rules)))
    results = _execute(plan, tmp_path)
    assert [(each.outcome, each.tool_calls) for each in results] == [("passed", 1), ("failed", 1)]
    pages = [(tmp_path / each.report).read_text(encoding="utf-8") for each in results]
    assert ["answered by the rule down: error 503" in page for page in pages] == [False, True]
    assert all("0@example.org" in page for page in pages)


def test_a_run_that_raises_is_an_error_and_the_next_one_runs(tmp_path: Path) -> None:
    agents = [write_agent(tmp_path / "raises", [1], "raise"), tmp_path / "broken"]
    agents[1].mkdir()
    (agents[1] / "agent.py").write_text("nonsense = no_such_name\n", encoding="utf-8")
    (agents[1] / "__init__.py").write_text("from . import agent\n", encoding="utf-8")
    results = _execute(build_test_plan(write_scenarios(tmp_path, 2), *agents), tmp_path)
    assert _count(results) == {"raises: error": 1, "raises: passed": 1, "broken: error": 2}
    assert "ValueError: no idea" in results[0].reason
    assert "no_such_name" in results[1].reason


def test_a_scenario_that_cannot_be_judged_or_read_is_not_judged(tmp_path: Path) -> None:
    path = tmp_path / "odd.jsonl"
    nothing = build_mail_scenario(0) | {"events": list[object]()}
    wrong = build_mail_scenario(1) | {"apps": "none"}
    path.write_text(f"{json.dumps(nothing)}\n{json.dumps(wrong)}\n", encoding="utf-8")
    results = _execute(build_test_plan(path, players=("oracle",)), tmp_path)
    assert [each.outcome for each in results] == ["not_judged", "not_judged"]
    assert "it expects nothing of the agent" in results[0].reason
    assert "apps" in results[1].reason


class _SteppedClock:
    """A clock on which 2.5 s pass whenever somebody looks at it."""

    def __init__(self) -> None:
        self._time = 0.0

    def now(self) -> float:
        return self.monotonic()

    def monotonic(self) -> float:
        self._time += 2.5
        return self._time


def test_a_run_without_a_result_of_its_own_has_the_seed_and_the_time_of_the_run(tmp_path: Path) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "__init__.py").write_text("from . import agent\n", encoding="utf-8")
    (tmp_path / "broken" / "agent.py").write_text("nonsense = no_such_name\n", encoding="utf-8")
    plan = build_test_plan(write_scenarios(tmp_path, 1), tmp_path / "broken", runs=2, seeds=(5,))
    executor = RunExecutor(tmp_path, plan.files, _SteppedClock())
    results = [executor.execute(run).result for run in plan.runs]
    assert [(each.outcome, each.wall_seconds) for each in results] == [("error", 2.5), ("error", 2.5)]
    assert [each.world_seed for each in results] == [5, derive_seed(5, 2)]


def test_a_rate_limit_is_reported_as_one(tmp_path: Path) -> None:
    plan = build_test_plan(write_scenarios(tmp_path, 1), write_agent(tmp_path / "limited", [], "always limit"))
    report = RunExecutor(tmp_path, plan.files).execute(plan.runs[0])
    assert (report.is_rate_limited, report.result.outcome) == (True, "error")
    assert "RateLimitError: slow down" in report.result.reason


class _Judge(BaseLlm):
    """A judge of texts that fails as long as its script says, and then finds all texts the same."""

    failures: ClassVar[list[Exception]] = []
    asked: ClassVar[list[LlmRequest]] = []

    @classmethod
    def supported_models(cls) -> list[str]:
        return ["adksim-test-judge"]

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        self.asked.append(llm_request)
        if self.failures:
            raise self.failures.pop(0)
        yield LlmResponse.model_validate(text_response("PASS"))


class _ProvidedModel(BaseLlm):
    """The model `x` of the provider `prov`: it sends the mail that is asked for."""

    asked: ClassVar[list[LlmRequest]] = []

    @classmethod
    def supported_models(cls) -> list[str]:
        return ["prov/x"]

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        self.asked.append(llm_request)
        parts = [part for each in llm_request.contents for part in each.parts or ()]
        is_sent = any(part.function_response for part in parts)
        send = (MAIL, {"recipients": ["0@example.org"], "subject": "mail"})
        yield LlmResponse.model_validate(text_response("Sent.") if is_sent else call_response(send))


@pytest.mark.req("004/example-run-hugging-face")
def test_the_model_of_a_provider_answers_instead_of_the_agents_own(tmp_path: Path) -> None:
    LLMRegistry.register(_ProvidedModel)
    _ProvidedModel.asked.clear()
    agent = write_agent(tmp_path / "agent", [], "raise")
    plan = build_test_plan(write_scenarios(tmp_path, 1), agent, models=("prov/x",))
    [result] = _execute(plan, tmp_path)
    assert (result.agent, result.model, result.outcome) == ("agent", "prov/x", "passed"), result.reason
    assert [each.model for each in _ProvidedModel.asked] == ["prov/x", "prov/x"]
    assert "Send mails." in read_instruction(_ProvidedModel.asked[0].config)


class RateLimitError(Exception):
    """As the clients of providers call it."""


@pytest.mark.parametrize("is_limited", [True, False])
def test_a_judge_that_fails_makes_an_error_that_is_tried_again(tmp_path: Path, is_limited: bool) -> None:
    LLMRegistry.register(_Judge)
    _Judge.asked.clear()
    _Judge.failures[:] = [RateLimitError("slow down") if is_limited else ValueError("no key")]
    scenarios, agent = write_scenarios(tmp_path, 1), write_agent(tmp_path / "agent", [0])
    axes, judged_by = BenchAxes(agents=(str(agent),)), WorldRunPlan(judge="adksim-test-judge")
    plan = build_plan(find_tasks([str(scenarios)]), axes, judged_by, RunFiles(report=False))
    (tmp_path / "runs").mkdir()
    executor = RunExecutor(tmp_path, plan.files)
    failed = executor.execute(plan.runs[0])
    assert (failed.result.outcome, failed.is_rate_limited) == ("error", is_limited)
    assert "Cannot judge with the model 'adksim-test-judge': it did not answer" in failed.result.reason
    again = executor.execute(plan.runs[0])
    executor.close()
    assert (again.result.outcome, again.is_rate_limited) == ("passed", False)
    assert len(_Judge.asked) > 1


def test_each_run_leaves_the_files_that_were_asked_for(tmp_path: Path) -> None:
    agent = write_agent(tmp_path / "agent", [0])
    plan = build_test_plan(write_scenarios(tmp_path, 1), agent)
    (tmp_path / "runs").mkdir()
    files = RunFiles(report=True, trace=True, eval_set=True, markdown=True, timeline=True)
    result = RunExecutor(tmp_path, files).execute(plan.runs[0]).result
    assert result.passed, result.reason
    assert result.report == "runs/00001.html"
    names = {path.name for path in (tmp_path / "runs").iterdir()}
    assert names == {"00001.html", "00001.trace.json", "00001.evalset.json", "00001.md", "00001.jsonl"}
