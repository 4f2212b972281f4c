"""The golden trace of every kind of agent passes the real `adk eval`, and every wrong version of it fails."""

from __future__ import annotations

import asyncio
import traceback
from pathlib import Path

import pytest
from agent_eval_harness import RESPONSE, TRAJECTORY, UNMODIFIED, CaseResult, evaluate_kinds, parse_output, record_kind
from agent_scripts import KINDS
from shared_results import compute_once

pytestmark = [
    pytest.mark.process,
    pytest.mark.filterwarnings("ignore:(Sequential|Parallel|Loop)Agent is deprecated:DeprecationWarning"),
]

_PASSED = CaseResult(passed=True, failed_metrics=frozenset())
_WRONG_CALLS = CaseResult(passed=False, failed_metrics=frozenset({TRAJECTORY}))
_WRONG_RESPONSE = CaseResult(passed=False, failed_metrics=frozenset({RESPONSE}))


@pytest.fixture(scope="session")
def printed_results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return what was printed for each kind: one process evaluates all of them, for all workers of pytest."""
    return compute_once(tmp_path_factory, "evaluated_agents", _evaluate_all)


def _evaluate_all(folder: Path) -> dict[str, str]:
    printed: dict[str, str] = {}
    for kind in KINDS:
        (folder / kind).mkdir()
        try:
            asyncio.run(record_kind(kind, folder / kind))
        except Exception:  # noqa: BLE001 - it is the result of this kind, and the others go on
            printed[kind] = traceback.format_exc()
    outcomes = evaluate_kinds(folder, [kind for kind in KINDS if kind not in printed])
    return {**printed, **{kind: outcome.output for kind, outcome in outcomes.items()}}


@pytest.mark.parametrize("kind", KINDS)
def test_the_trace_passes_and_every_mutant_fails(kind: str, printed_results: dict[str, str]) -> None:
    outcome = parse_output(printed_results[kind])

    assert outcome.results == {
        UNMODIFIED: _PASSED,
        "renamed_call": _WRONG_CALLS,
        "changed_argument": _WRONG_CALLS,
        "removed_call": _WRONG_CALLS,
        "added_call": _WRONG_CALLS,
        "reordered_calls": _WRONG_CALLS,
        "changed_word": _WRONG_RESPONSE,
    }, outcome.explain()
