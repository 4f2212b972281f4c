"""A session can be forked at any turn: the prefix is the same, no tool runs twice, and both sessions go on."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from agent_scripts import KINDS, sort_parallel, summarize_run
from fork_checks import (
    OTHER_PROCESSES,
    Situation,
    check_random_fork,
    continue_script,
    count_decisions,
    describe,
    play_random_session,
    summarize_counting,
)

from adk_agent_sim.adk.steps.steps import ModelTurn, Step

pytestmark = pytest.mark.filterwarnings("ignore:(Sequential|Parallel|Loop)Agent is deprecated:DeprecationWarning")

_LOCAL_KINDS = [kind for kind in KINDS if kind not in OTHER_PROCESSES]


async def _fork_at_random(kind: str, seed: int, fork_count: int) -> None:
    """Fork a random session, its forks and their forks, and play each of them to the end of the script."""
    random = Random(f"{kind} {seed}")  # noqa: S311 - the same turns every time
    sim, counted, script = await play_random_session(kind, random)
    source = sim
    opened = [sim]
    for _ in range(fork_count):
        forked = await check_random_fork(source, counted.runs, random)
        opened.append(forked)
        ended = await forked.fork()
        await continue_script(ended, script, await ended.next())
        assert sort_parallel(kind, await summarize_run(ended)) == sort_parallel(kind, script.expected)
        await ended.close()
        source = random.choice(opened)
    for each in opened:
        await each.close()


@pytest.mark.parametrize("kind", _LOCAL_KINDS)
async def test_forks_at_random_turns(kind: str) -> None:
    await _fork_at_random(kind, seed=0, fork_count=5)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 21))
@pytest.mark.parametrize("kind", _LOCAL_KINDS)
async def test_a_thousand_forks_at_random_turns(kind: str, seed: int) -> None:
    await _fork_at_random(kind, seed, fork_count=5)


@pytest.mark.long
@pytest.mark.process
@pytest.mark.parametrize("kind", sorted(OTHER_PROCESSES))
async def test_forks_of_agents_whose_tools_are_elsewhere(kind: str) -> None:
    await _fork_at_random(kind, seed=0, fork_count=3)


async def _undo_and_redo(kind: str, seed: int, operation_count: int) -> None:
    """Undo, redo and decide at random; what was there before comes back."""
    random = Random(f"{kind} {seed}")  # noqa: S311 - the same operations every time
    sim, counted, script = await play_random_session(kind, random)
    undone: list[Situation] = []
    step: Step = await sim.next()
    for _ in range(operation_count):
        decided = count_decisions(sim)
        before, runs = await describe(sim), Counter(counted.runs)
        operations = ["undo"] * bool(decided) + ["redo"] * bool(undone) * 2 + ["decide"]
        match random.choice(operations):
            case "undo":
                undone.append(before)
                step = await sim.undo()
                assert isinstance(step, ModelTurn)
                assert count_decisions(sim) == decided - 1
            case "redo":
                step = await sim.redo()
                assert await describe(sim) == undone.pop()
                assert count_decisions(sim) == decided + 1
            case _:
                step = await continue_script(sim, script, step, 1)
                undone = [] if count_decisions(sim) > decided else undone
                continue
        assert counted.runs == runs, "a tool ran again"
    await continue_script(sim, script, step)
    assert await summarize_counting(sim) == script.expected
    await sim.close()


@pytest.mark.parametrize("kind", ["consent_refunds", "customer_service", "single_turn_desk", "writing_loop"])
async def test_chained_undo_and_redo(kind: str) -> None:
    await _undo_and_redo(kind, seed=0, operation_count=25)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", ["consent_refunds", "customer_service", "single_turn_desk", "writing_loop"])
async def test_a_hundred_chained_operations(kind: str, seed: int) -> None:
    await _undo_and_redo(kind, seed, operation_count=100)
