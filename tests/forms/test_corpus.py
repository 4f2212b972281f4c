"""The corpus of signatures: the checker agrees with ADK's own validation of arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from forms.corpus.case import Bad, Case
from forms.corpus.signatures import CASES
from forms.declarations import FORMS, declaration
from forms.tool_context import real_tool_context
from google.adk.tools import FunctionTool, ToolContext

from adk_agent_sim.errors import Problem
from adk_agent_sim.forms.json_schema import read_parameters_schema
from adk_agent_sim.forms.schema_checker import build_arguments_checker

_BAD = [(case, bad) for case in CASES for bad in case.bad]
_RUN = [case for case in CASES if isinstance(case.adk_tool(), FunctionTool)]


def _list_forms(case: Case) -> Sequence[str]:
    return [form for form in FORMS if (form, case.older) != ("older", "differs")]


def _name(value: object) -> str:
    return value.name if isinstance(value, Case) else str(value.arguments) if isinstance(value, Bad) else str(value)


def _find_problems(declared: Mapping[str, Any], arguments: Mapping[str, Any]) -> Sequence[Problem]:
    return build_arguments_checker(read_parameters_schema(declared)).find_problems(arguments)


@pytest.fixture(scope="module")
def tool_context() -> ToolContext:
    return real_tool_context()


def test_the_corpus_is_large_and_names_each_signature_once() -> None:
    names = [case.name for case in CASES]

    assert len(names) >= 75
    assert len(set(names)) == len(names)
    assert all(case.good and case.bad for case in CASES)


@pytest.mark.parametrize(("case", "form"), [(case, form) for case in CASES for form in _list_forms(case)], ids=_name)
@pytest.mark.req("001/FR-002")
def test_arguments_that_fit_have_no_problem_in_any_form_of_the_declaration(
    case: Case, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    declared = declaration(case, form, monkeypatch)
    for arguments in case.good:
        assert _find_problems(declared, arguments) == []


@pytest.mark.parametrize(("case", "bad"), _BAD, ids=_name)
def test_invalid_arguments_are_reported_by_field(case: Case, bad: Bad, monkeypatch: pytest.MonkeyPatch) -> None:
    messages = {
        problem.path: problem.message
        for problem in _find_problems(declaration(case, "json", monkeypatch), bad.arguments)
    }

    assert messages.keys() == bad.says.keys()
    for path, part in bad.says.items():
        assert part in messages[path]


@pytest.mark.parametrize(
    ("case", "bad", "form"), [(case, bad, form) for case, bad in _BAD for form in _list_forms(case)[1:]], ids=_name
)
def test_other_forms_refuse_what_they_have_not_lost(
    case: Case, bad: Bad, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = {problem.path for problem in _find_problems(declaration(case, form, monkeypatch), bad.arguments)}

    if form == "older" and (bad.lost or case.older != "same"):
        assert paths <= bad.says.keys()
    else:
        assert paths == bad.says.keys()


@pytest.mark.parametrize("validated", [True, False])
@pytest.mark.parametrize("case", _RUN, ids=_name)
async def test_what_fits_is_what_adk_runs(
    case: Case, validated: bool, tool_context: ToolContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADK_ENABLE_FUNCTION_TOOL_ARG_VALIDATION", "1" if validated else "0")
    for arguments in case.good:
        assert await case.adk_tool().run_async(args=dict(arguments), tool_context=tool_context) == "done"


@pytest.mark.parametrize(("case", "bad"), [(case, bad) for case in _RUN for bad in case.bad], ids=_name)
async def test_what_does_not_fit_adk_refuses_too_or_the_corpus_says_why(
    case: Case, bad: Bad, tool_context: ToolContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADK_ENABLE_FUNCTION_TOOL_ARG_VALIDATION", "1")
    result = await case.adk_tool().run_async(args=dict(bad.arguments), tool_context=tool_context)

    assert (result == "done") == bool(bad.taken)
