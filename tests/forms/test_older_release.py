import json
from typing import Any

import pytest
from forms.corpus.case import Case
from forms.corpus.signatures import CASES
from forms.declare import HERE

from adk_agent_sim.forms.json_schema import read_parameters_schema
from adk_agent_sim.forms.schema_checker import build_arguments_checker

_DECLARED: dict[str, dict[str, Any]] = {
    found["name"]: found for found in map(json.loads, (HERE / "adk_1_39.jsonl").read_text().splitlines())
}
_LOOSER = {"sort", "hire"}
"""Tools of which the older release says less than today's ADK does in the same form."""

_READ = [case for case in CASES if case.name in _DECLARED and case.older in ("same", "looser")]


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
    assert len(_READ) >= 60


@pytest.mark.parametrize("case", _READ, ids=_name)
def test_arguments_that_fit_also_fit_what_adk_1_39_declared(case: Case) -> None:
    check = build_arguments_checker(read_parameters_schema(_DECLARED[case.name]))
    for arguments in case.good:
        assert check.find_problems(arguments) == []


@pytest.mark.parametrize("case", [case for case in _READ if case.older == "same"], ids=_name)
def test_arguments_that_do_not_fit_have_the_same_problems_there(case: Case) -> None:
    check = build_arguments_checker(read_parameters_schema(_DECLARED[case.name]))
    for one in case.bad:
        found = {problem.path for problem in check.find_problems(one.arguments)}
        assert found <= one.says.keys()
        assert one.lost or case.name in _LOOSER or found == one.says.keys()
