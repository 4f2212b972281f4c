"""Every recorded verdict of the reference is reproduced, in its three judge configurations."""

from __future__ import annotations

from typing import Any

import pytest
from judge_corpus import SOFT_JUDGES, load_agent_traces, prepare_judge, read_file
from scenario_corpus import load_lines

ROWS = load_lines("verdicts.jsonl")
JUDGED = [row for row in ROWS if "stage" not in row["scripted"]]
RAISED = [row for row in ROWS if "stage" in row["scripted"]]


def _get_name(row: dict[str, Any]) -> str:
    return f"{row['scenario'].removeprefix('scenario_synth_')}-{row['mutation']}"


@pytest.mark.parametrize("row", JUDGED, ids=_get_name)
def test_the_verdict_is_the_recorded_one(row: dict[str, Any]) -> None:
    trace = read_file(load_agent_traces()[row["scenario"], row["mutation"]])
    for kind in SOFT_JUDGES:
        verdict = prepare_judge(row["scenario"], kind).judge(trace)
        judged = [each for each in verdict.turns if each.status != "not judged"]
        expected = row[kind]
        assert verdict.passed is expected["success"], f"{kind}: {verdict}"
        assert len(verdict.turns) == row["nb_turns"]
        assert judged[-1].number - 1 == expected["turn"]
        assert len(verdict.matches) == expected["n_matched"]
        assert {one: other for one, other in verdict.matches.items() if one != other} == expected["matches"]


@pytest.mark.parametrize("row", RAISED, ids=_get_name)
def test_a_trace_that_the_reference_cannot_import_is_judged(row: dict[str, Any]) -> None:
    trace = read_file(load_agent_traces()[row["scenario"], row["mutation"]])
    passed = {kind: prepare_judge(row["scenario"], kind).judge(trace).passed for kind in SOFT_JUDGES}

    # The final message is empty: a text that only a soft check compares.
    assert row["mutation"] == "empty_string_arg"
    assert passed == {"scripted": True, "llm_yes": True, "llm_no": False}


def test_the_corpus_is_complete() -> None:
    assert len(JUDGED) * len(SOFT_JUDGES) == 303
    assert len(RAISED) * len(SOFT_JUDGES) == 24
