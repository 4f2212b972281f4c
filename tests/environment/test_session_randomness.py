"""Which sessions draw alike: by seed, label and how they begin."""

from __future__ import annotations

import subprocess
import sys
from math import sqrt
from pathlib import Path

import pytest

from adk_agent_sim.environment.environment import Environment
from adk_agent_sim.environment.incoming_call import CallHistory, IncomingCall, SessionRandomness, create_randomness
from adk_agent_sim.environment.rulebook import Rulebook
from adk_agent_sim.environment.rules import Rules
from adk_agent_sim.mocks.mocked_call import ToolSpec

MESSAGES = [f"Where is order {number}?" for number in range(1_000)]


class _Caller:
    """The only agent of a session."""

    agent = "shop"
    scope = ""

    def __init__(self, randomness: SessionRandomness) -> None:
        self.randomness = randomness
        self._history = CallHistory()

    def get_call_history(self) -> CallHistory:
        return self._history

    def get_state(self) -> dict[str, object]:
        return {}

    def get_tool_spec(self) -> ToolSpec:
        return ToolSpec(name="t")

    def list_tool_specs(self) -> list[ToolSpec]:
        return []

    def get_argument_defaults(self) -> dict[str, object]:
        return {}


def find_failing(probability: float, seed: int | None, label: str = "") -> list[int]:
    """Returns the numbers of the sessions whose first call the rule answers; each session begins differently."""
    rules = {"seed": seed, "rules": [{"match": {"tool": "t", "probability": probability}, "do": {"respond": 1}}]}
    book = Rulebook(Rules.model_validate(rules), label=label)
    failing: list[int] = []
    for number, message in enumerate(MESSAGES):
        randomness = create_randomness(seed, f"{label} {number}" if label else "", {"message": message})
        environment = Environment(book, randomness)
        if environment.decide(IncomingCall("t", {}, "1", _Caller(randomness))).rule:
            failing.append(number)
    return failing


@pytest.mark.parametrize("probability", [0.01, 0.1, 0.3, 0.5, 0.9])
def test_the_rate_over_many_sessions_is_the_probability(probability: float) -> None:
    count = len(MESSAGES)
    deviation = sqrt(count * probability * (1 - probability))
    for seed in (0, 1, 2):
        assert abs(len(find_failing(probability, seed)) - count * probability) < 4 * deviation


def test_other_seeds_and_labels_fail_in_other_sessions() -> None:
    sets = [find_failing(0.3, 1), find_failing(0.3, 2), find_failing(0.3, 1, "a"), find_failing(0.3, 1, "b")]
    assert len({tuple(each) for each in sets}) == 4
    assert find_failing(0.3, 1) == sets[0]


@pytest.mark.process
def test_another_process_with_another_hash_seed_fails_in_the_same_sessions() -> None:
    code = f"import {Path(__file__).stem} as own; print(own.find_failing(0.3, 7))"
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(Path(__file__).parent)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for hash_seed in ("1", "2")
    }
    assert printed == {str(find_failing(0.3, 7))}


def test_a_seed_that_was_drawn_repeats_the_session() -> None:
    first, second = create_randomness(None, beginning="hi"), create_randomness(None, beginning="hi")
    assert first.is_drawn
    assert first.seed != second.seed
    again = create_randomness(first.seed, beginning="hi")
    assert (again.seed, again.session_key, again.is_drawn) == (first.seed, first.session_key, False)
