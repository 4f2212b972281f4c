"""The judge notices every mistake in a trace that the reference notices, and nothing that does not matter.

`python tests/scenario/verdict/test_judge_mutations.py` prints the score by kind of mutation, as in docs/judge.md.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from judge_corpus import SOFT_JUDGES
from judge_mutations import explain_survivor, list_mutated_traces
from scenario_corpus import load_lines
from trace_mutations import HARMLESS, MUTATIONS

_PAGE = Path(__file__).parents[3] / "docs" / "judge.md"
_KINDS = [kind for kind in MUTATIONS if kind != "switch_app"]
"""No scenario of the corpus has two apps of one class; `make are-parity` has."""

RECORDED = {(row["scenario"], row["kind"], row["number"]): row for row in load_lines("mutation_verdicts.jsonl")}


@pytest.mark.parametrize("kind", _KINDS)
def test_a_mistake_is_noticed_if_the_reference_notices_it(kind: str) -> None:
    traces = list_mutated_traces(kind)
    assert traces
    for trace in traces:
        row = RECORDED[trace.scenario_id, kind, trace.number]
        assert row["digest"] == trace.digest, "The mutation has changed: run tests/parity/record_mutations.py."
        for judge_kind in SOFT_JUDGES:
            verdict = trace.judge(judge_kind)
            # Where the reference raises, it says nothing about the run, and we do.
            if isinstance(row[judge_kind], bool):
                assert verdict.passed is row[judge_kind], f"{trace.scenario_id}, {judge_kind}: {verdict}"
            elif "KeyError" in row[judge_kind]:
                assert kind == "drop_argument"


@pytest.mark.parametrize("kind", HARMLESS)
def test_what_does_not_matter_changes_nothing(kind: str) -> None:
    for trace in list_mutated_traces(kind):
        for judge_kind in SOFT_JUDGES:
            assert trace.judge(judge_kind).passed


def test_the_documentation_has_the_score_and_the_rule_behind_each_survivor() -> None:
    assert "\n".join(build_score_table()) in _PAGE.read_text(encoding="utf-8")


def build_score_table() -> list[str]:
    """Return how many traces of each kind are rejected, and why the others are not."""
    rows = ["| mutation | what changes | rejected | what lets the others pass |", "|---|---|---|---|"]
    for kind in _KINDS:
        traces = list_mutated_traces(kind)
        survivors = Counter(explain_survivor(trace) for trace in traces if trace.judge().passed)
        described = (MUTATIONS[kind].__doc__ or "").partition(".")[0]
        let_through = ", ".join(f"{rule} ({count})" for rule, count in sorted(survivors.items()))
        rejected = len(traces) - survivors.total()
        rows.append(f"| `{kind}` | {described} | {rejected} of {len(traces)} | {let_through or '-'} |")
    return rows


if __name__ == "__main__":
    print("\n".join(build_score_table()))
