"""Soft checks: what is asked, who answers, and how answers are recorded and replayed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from judge_corpus import load_agent_traces, load_corpus_scenario, read_file

from adk_agent_sim.errors import InvalidAnswersFile, NotJudgeable
from adk_agent_sim.scenario import Judge, SoftCheck, judge
from adk_agent_sim.scenario.verdict.soft_check import RecordedAnswers, SoftAnswer, build_prompt, parse_reply

SCENARIO = "scenario_synth_s05_adapt_multi_turn"


def _load_trace(mutation: str = "soft_changed_subject") -> Any:
    return read_file(load_agent_traces()[SCENARIO, mutation])


def _change_argument(name: str, value: str) -> Any:
    """Return the perfect trace with another argument of the first email."""
    trace = json.loads(json.dumps(load_agent_traces()[SCENARIO, "perfect"]))
    action = next(each["action"] for each in trace["completed_events"] if each["action"]["function"] == "send_email")
    next(each for each in action["args"] if each["name"] == name)["value"] = value
    return read_file(trace)


def test_only_what_differs_is_asked_and_each_question_once() -> None:
    asked: list[SoftCheck] = []
    prepared = Judge(load_corpus_scenario(SCENARIO), soft=lambda check: not asked.append(check))
    first, second = prepared.judge(_load_trace()), prepared.judge(_load_trace())
    assert first.passed
    assert first.to_json() == second.to_json()
    (check,) = asked
    assert (check.tool, check.argument) == ("EmailClientV2__send_email", "subject")
    assert (check.expected, check.got) == ("Viewing", "Viewing Something quite different.")
    assert check.task == "Propose a viewing on Saturday by email; handle the reply."
    assert [build_prompt(each) for each in first.soft_checks] == [check.prompt()]


def test_texts_that_differ_in_case_accents_and_punctuation_are_not_asked() -> None:
    verdict = judge(load_corpus_scenario(SCENARIO), _load_trace("soft_normalized_subject"), soft=lambda check: False)
    assert verdict.passed
    assert verdict.soft_checks == ()


def test_a_name_that_was_left_blank_is_rejected_whatever_the_model_says() -> None:
    trace = _change_argument("content", "Saturday at 10?\nBest regards,\nYour Name")
    verdict = judge(load_corpus_scenario(SCENARIO), trace, soft=lambda check: True)
    assert [each.rule for each in verdict.turns[0].events[1].differences] == ["blank name"]


def test_a_prompt_contains_everything_that_is_needed_to_decide() -> None:
    check = SoftCheck(
        task="Invite Gus.", tool="T__send", argument="content", expected="At {noon}", got={"a": 1}, user="Ada Lind"
    )
    prompt = check.prompt()
    for text in ("Invite Gus.", "T__send", "content", "At {noon}", '{"a": 1}', "Ada Lind", "PASS or FAIL"):
        assert text in prompt


@pytest.mark.parametrize(
    ("reply", "passed"),
    [("Same.\nPASS", True), ("PASS? No.\nFAIL", False), ("It would PASSAGE", None), ("", None), ("**FAIL**", False)],
)
def test_the_last_word_of_a_reply_counts(reply: str, passed: bool | None) -> None:
    assert parse_reply(reply) is passed


def test_recorded_answers_reproduce_a_verdict_byte_for_byte(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    calls: list[SoftCheck] = []

    def ask(check: SoftCheck) -> SoftAnswer:
        calls.append(check)
        return SoftAnswer(passed=False, reply="Another subject: ü\nFAIL")

    scenario = load_corpus_scenario(SCENARIO)
    recorded = judge(scenario, _load_trace(), soft=RecordedAnswers(ask, file))
    replayed = judge(scenario, _load_trace(), soft=f"replay:{file}")
    assert json.dumps(recorded.to_json()) == json.dumps(replayed.to_json())
    assert list(map(build_prompt, recorded.soft_checks)) == list(map(build_prompt, replayed.soft_checks))
    assert replayed.to_json()["soft_checks"][0]["reply"] == "Another subject: ü\nFAIL"
    assert not replayed.passed

    judge(scenario, _load_trace(), soft=RecordedAnswers(ask, file))
    assert (len(calls), len(file.read_text().splitlines())) == (1, 1)


def test_a_question_that_was_not_recorded_cannot_be_judged(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text("")
    with pytest.raises(NotJudgeable, match="has no answer to the check of 'subject'"):
        judge(load_corpus_scenario(SCENARIO), _load_trace(), soft=f"replay:{file}")


@pytest.mark.parametrize("text", ["{", "[]", '{"key": "a", "passed": "yes"}'])
def test_a_file_that_holds_no_answers_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text(f"\n{text}\n")
    with pytest.raises(InvalidAnswersFile, match="line 2"):
        Judge(load_corpus_scenario(SCENARIO), soft=f"replay:{file}")


def test_a_name_that_is_no_replay_is_refused() -> None:
    with pytest.raises(InvalidAnswersFile, match="write replay:FILE, or pass a callable"):
        Judge(load_corpus_scenario(SCENARIO), soft="gemini")
    with pytest.raises(InvalidAnswersFile, match="No such file"):
        Judge(load_corpus_scenario(SCENARIO), soft="replay:gone.jsonl")
