"""Declarations of ADK 1.39, which are read as well as those of the current release."""

from __future__ import annotations

import json
from typing import Any

import pytest
from forms.corpus.case import Case
from forms.corpus.signatures import CASES
from forms.declare import HERE

from adk_agent_sim.forms.json_schema import read_parameters_schema
from adk_agent_sim.forms.schema_checker import build_arguments_checker

_DECLARED: dict[str, dict[str, Any]] = {
    each["name"]: each for each in map(json.loads, (HERE / "adk_1_39.jsonl").read_text().splitlines())
}
_LOOSER = {"sort", "hire"}
"""Tools whose schema is less strict in the older release than in the same form of the current bad."""

_COMPARABLE = [case for case in CASES if case.name in _DECLARED and case.older in ("same", "looser")]


def _name(value: Case) -> str:
    return value.name


@pytest.mark.parametrize(
    ("name", "field", "fits"), [("ride", "floor", 1), ("pick", "which", 1), ("pick", "which", "two")]
)
def test_choices_that_are_numbers_are_taken_although_declared_as_texts(name: str, field: str, fits: object) -> None:
    check = build_arguments_checker(read_parameters_schema(_DECLARED[name]))

    assert check.find_problems({field: fits}) == []
    assert [problem.path for problem in check.find_problems({field: "other"})] == [field]


def test_most_of_the_corpus_was_declared_by_the_older_release() -> None:
    assert len(_COMPARABLE) >= 60


@pytest.mark.parametrize("case", _COMPARABLE, ids=_name)
def test_arguments_that_fit_also_fit_what_adk_1_39_declared(case: Case) -> None:
    check = build_arguments_checker(read_parameters_schema(_DECLARED[case.name]))
    for arguments in case.good:
        assert check.find_problems(arguments) == []


@pytest.mark.parametrize("case", [case for case in _COMPARABLE if case.older == "same"], ids=_name)
def test_arguments_that_do_not_fit_have_the_same_problems_there(case: Case) -> None:
    check = build_arguments_checker(read_parameters_schema(_DECLARED[case.name]))
    for bad in case.bad:
        paths = {problem.path for problem in check.find_problems(bad.arguments)}
        assert paths <= bad.says.keys()
        assert bad.lost or case.name in _LOOSER or paths == bad.says.keys()
