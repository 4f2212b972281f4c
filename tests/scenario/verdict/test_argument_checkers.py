"""Checkers of arguments: what counts as the same, and that nothing makes them raise."""

from __future__ import annotations

import json
from typing import Any

import pytest
from judge_corpus import list_scenario_ids, load_agent_traces, prepare_judge, read_file

from adk_agent_sim.scenario.verdict.argument_checkers import CHECKERS, passes_checker

SAME: dict[str, list[tuple[Any, Any]]] = {
    "equal": [("a", "a"), (1, 1.0), (None, None)],
    "unordered": [(["a", "b", "a"], ["b", "a"]), (None, []), ([], None)],
    "path": [("/a//b/./c", "a/b/c"), ("a/x/../b", "/a/b"), (None, None)],
    "paths": [(["/a"], ["a"]), (None, []), (["a", "./b"], ["b", "a"])],
    "datetime": [("2024-10-6 1:02:03", "2024-10-06 01:02:03"), (None, None), ("noon", "noon")],
    "phone": [("+46 70-123", "4670123"), (None, None)],
    "stripped": [(" a ", "a"), (None, ""), ("", " ")],
    "attendees": [(["Gus Täte", "Ada Lind"], ["gus tate"]), (["x"], []), (["x"], ["ADA LIND"]), ([], None)],
    "contains": [("Well, HELLO", "hello"), (["a", "b"], ["b"]), ({"a": 1, "b": 2}, {"a": 1}), (5, 5)],
    "contains_any": [("at noon", None)],
    "contains_all": [("At Noon, Ada Lind", None)],
}
OTHER: dict[str, list[tuple[Any, Any]]] = {
    "equal": [("a", "A"), ("1", 1), (None, "")],
    "unordered": [(["a"], ["a", "b"]), (None, ["a"]), (["A"], ["a"]), (5, None)],
    "path": [("a", "A"), (None, "a"), ("a", "a/b"), (5, "5")],
    "paths": [(["a"], ["b"]), (["a"], None), ([5], ["5"])],
    "datetime": [("2024-10-06", "2024-10-06 00:00:00"), (None, "2024-10-06 00:00:00"), (5, "x")],
    "phone": [("123", "124"), (None, ""), (123, "123")],
    "stripped": [("a", "b"), (None, "a"), (5, "5")],
    "attendees": [(["Olga"], ["Gus"]), (None, ["Gus"]), ([5], ["5"])],
    "contains": [("Hell", "hello"), (["a"], ["a", "b"]), ({"a": 2}, {"a": 1}), (None, "a"), ("a", ["b"])],
    "contains_any": [("at one", None), (None, None), (5, 5)],
    "contains_all": [("at noon", None), ([], [])],
}
TEXTS = {"attendees": ["Ada Lind"], "contains_any": ["noon", "midnight"], "contains_all": ["noon", "ada lind"]}
STRANGE: list[Any] = [
    None,
    "",
    "a",
    0,
    5,
    2.5,
    True,
    [],
    {},
    [None],
    [[]],
    [{}],
    {"a": [1]},
    ["a", 1],
    "\ud83d",
    "é" * 3,
]


@pytest.mark.parametrize("checker", CHECKERS)
def test_a_checker_knows_what_counts_as_the_same(checker: str) -> None:
    for got, expected in SAME[checker]:
        assert passes_checker(checker, got, expected, TEXTS.get(checker, ())), (got, expected)
    for got, expected in OTHER[checker]:
        assert not passes_checker(checker, got, expected, TEXTS.get(checker, ())), (got, expected)


@pytest.mark.parametrize("checker", CHECKERS)
def test_no_values_make_a_checker_raise(checker: str) -> None:
    for got in STRANGE:
        for expected in STRANGE:
            assert passes_checker(checker, got, expected, ["a"]) in (True, False)


def test_no_argument_of_a_trace_makes_the_judge_raise() -> None:
    strange = [
        ("[" * 5_000 + "]" * 5_000, "list"),
        ("[NaN]", "list"),
        ("{", "dict"),
        ("x" * 400, "int"),
        ("9" * 5_000, "int"),
        ("yes?", "bool"),
        ("{{gone}}", "list"),
        ("a", "set[int]"),
        (None, "str"),
        ("\ud83d", "str"),
    ]
    judged = 0
    for scenario_id in list_scenario_ids():
        trace = json.loads(json.dumps(load_agent_traces()[scenario_id, "perfect"]))
        for number, event in enumerate(trace["completed_events"]):
            for argument in event["action"]["args"]:
                kept = dict(argument)
                argument["value"], argument["value_type"] = strange[(number + judged) % len(strange)]
                verdict = prepare_judge(scenario_id, "llm_yes").judge(read_file(trace))
                assert json.loads(json.dumps(verdict.to_json()))["passed"] is verdict.passed
                assert str(verdict).startswith(("PASSED", "FAILED"))
                argument.update(kept)
                judged += 1
    assert judged > 60
