"""Cases in which our apps or our engine once differed from the ARE package, recorded from it; see `tests/parity`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from parity.comparison import compare_answers
from parity.graph_comparison import LISTED_OF_RUNS, compare_graphs, find_listed_rows
from parity.listed_differences import LISTED
from parity.our_calls import answer_calls
from parity.our_graphs import run_graph
from scenario_corpus import load_lines

_DIFFERENCES = Path(__file__).parents[2] / "docs" / "are-differences.md"


def _name(case: Any) -> str:
    return case["name"]


@pytest.mark.parametrize("case", load_lines("parity_calls.jsonl"), ids=_name)
def test_recorded_calls_do_what_they_did_in_the_package(case: Any) -> None:
    assert len(case["answers"]) == len(case["calls"])
    found = compare_answers(case, answer_calls(case["apps"], case["calls"]), case["answers"])
    assert [str(each) for each in found] == []


@pytest.mark.parametrize("case", load_lines("parity_graphs.jsonl"), ids=_name)
def test_recorded_graphs_run_as_they_did_in_the_package(case: Any) -> None:
    assert case["run"]["log"]
    assert list(compare_graphs(case, run_graph(case), case["run"])) == []


def test_every_difference_that_the_comparison_settles_is_in_the_document() -> None:
    rows = re.findall(r"^\| (.*?) \|", _DIFFERENCES.read_text(encoding="utf-8"), re.MULTILINE)
    listed = [*(each.row for each in LISTED), *LISTED_OF_RUNS]
    assert [each for each in listed if not any(row.startswith(each) for row in rows)] == []


def test_every_listed_difference_of_runs_occurs_in_a_recorded_graph_and_not_in_all() -> None:
    graphs = load_lines("parity_graphs.jsonl")
    found = [find_listed_rows(case, run_graph(case), case["run"]) for case in graphs]
    counts = {row: sum(row in rows for rows in found) for row in LISTED_OF_RUNS}
    assert all(0 < count < len(graphs) for count in counts.values()), counts


def test_a_difference_that_is_not_listed_is_found() -> None:
    case = load_lines("parity_calls.jsonl")[0]
    ours = answer_calls(case["apps"], case["calls"])
    ours[-1]["told"].append([0, "USER_MESSAGE", "never said"])
    assert [each.aspect for each in compare_answers(case, ours, case["answers"])] == ["told"]
