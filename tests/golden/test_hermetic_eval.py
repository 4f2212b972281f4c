"""`adk eval` passes with the rules of the golden trace, without tools and network, and fails with any other call."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest
from agent_eval_harness import parse_output
from hermetic_eval_harness import AGENT_KINDS, evaluate_offline, record_traces
from shared_results import compute_once

pytestmark = pytest.mark.process


@pytest.fixture(scope="session")
def printed_results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return what was printed for each agent and player: one process evaluates all of them."""
    return compute_once(tmp_path_factory, "hermetic_agents", _evaluate_all)


def _evaluate_all(folder: Path) -> dict[str, str]:
    asyncio.run(record_traces(folder))
    return dict(evaluate_offline(folder))


@pytest.mark.parametrize("kind", AGENT_KINDS)
def test_the_golden_trace_passes_without_its_tools_and_the_network(kind: str, printed_results: dict[str, str]) -> None:
    printed = printed_results[f"{kind} as_recorded"]

    assert {name: result.passed for name, result in parse_output(printed).results.items()} == {"golden": True}, printed
    counts = re.findall(r"^ *\w+: (\d+) calls, (\d+) real, (\d+) simulated$", printed, re.M)
    assert counts
    assert all((calls, real) == (simulated, "0") for calls, real, simulated in counts)


@pytest.mark.parametrize("player", ["changed_argument", "added_call"])
@pytest.mark.parametrize("kind", AGENT_KINDS)
def test_an_agent_that_makes_another_call_fails_and_no_tool_runs(
    kind: str, player: str, printed_results: dict[str, str]
) -> None:
    printed = printed_results[f"{kind} {player}"]

    assert {name: result.passed for name, result in parse_output(printed).results.items()} == {"golden": False}, printed
    assert "1 refused: no rule answered" in printed
    assert not re.search(r"[1-9]\d* real,", printed)
