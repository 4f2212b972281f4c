"""Scripted ADK agents in the recorded scenarios: the oracle passes, and recorded mistakes get the recorded verdicts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from judge_corpus import load_agent_traces, load_corpus_scenario, prepare_judge, read_file
from scenario_corpus import load_lines, load_scenarios
from world_trace_player import TracePlayer

from adk_agent_sim.adk.worlds.run_options import ThinkingTime, WorldRunOptions
from adk_agent_sim.adk.worlds.run_players import WorldModelPlayer
from adk_agent_sim.adk.worlds.run_result import WorldRunResult
from adk_agent_sim.adk.worlds.world_run import WorldRun
from adk_agent_sim.scenario.players.world_player import IdlePlayer, OraclePlayer, WorldPlayer
from adk_agent_sim.scenario.world.world import World

SCENARIOS = list(load_scenarios())
ROWS = [row for row in load_lines("verdicts.jsonl") if "stage" not in row["scripted"]]
NO_THINKING = WorldRunOptions(thinking=ThinkingTime(kind="zero"))


async def _play(
    scenario_id: str,
    create_player: Callable[[World], WorldPlayer],
    options: WorldRunOptions | None = None,
    *,
    speaks_by_tool: bool = True,
) -> WorldRunResult:
    run = WorldRun(
        LlmAgent(name="follower", model="scripted"),
        load_corpus_scenario(scenario_id),
        options,
        judge=prepare_judge(scenario_id),
        create_player=lambda run: WorldModelPlayer(
            create_player(run.world), run.session, speaks_by_tool=speaks_by_tool
        ),
    )
    return await run.run()


def _get_name(row: dict[str, Any]) -> str:
    return f"{row['scenario'].removeprefix('scenario_synth_')}-{row['mutation']}"


_REFUSED = {"s07_time_comparators-duplicate_write", "s09_contacts-duplicate_write", "s10_ambiguity-duplicate_write"}
"""Traces in which a call was written down twice. An app refuses it the second time, and so it does not count."""

_LATE = {f"{name}-agent_late_{seconds}s" for name in ("s05_adapt_multi_turn", "s10_ambiguity") for seconds in (20, 40)}
"""Traces in which only the agent's times were changed. In a world, what follows a late message is late too."""

REPEATABLE = [row for row in ROWS if _get_name(row) not in _REFUSED | _LATE]
ONE_OF_EACH = list({row["mutation"]: row for row in reversed(REPEATABLE)}.values())
"""One trace of each kind of mistake."""


@pytest.mark.req("004/self-contained", "004/oracle-validation")
@pytest.mark.parametrize("scenario_id", SCENARIOS)
async def test_an_agent_that_follows_the_oracle_passes(scenario_id: str) -> None:
    result = await _play(scenario_id, OraclePlayer)
    assert result.passed, (result.reason, str(result.verdict), result.ended)


@pytest.mark.long
@pytest.mark.parametrize("scenario_id", SCENARIOS)
async def test_an_agent_that_follows_the_oracle_passes_with_texts_as_messages(scenario_id: str) -> None:
    result = await _play(scenario_id, OraclePlayer, speaks_by_tool=False)
    assert result.passed, (result.reason, str(result.verdict), result.ended)


@pytest.mark.req("004/oracle-validation")
@pytest.mark.parametrize("scenario_id", SCENARIOS)
async def test_an_agent_that_does_nothing_fails(scenario_id: str) -> None:
    result = await _play(scenario_id, lambda world: IdlePlayer())
    assert result.passed is False


async def _check_recorded_verdict(row: dict[str, Any]) -> None:
    trace = read_file(load_agent_traces()[row["scenario"], row["mutation"]])
    result = await _play(row["scenario"], lambda world: TracePlayer(trace.completed_events, world), NO_THINKING)
    assert result.passed is row["scripted"]["success"], (row["scripted"], str(result.verdict), result.ended)


@pytest.mark.parametrize("row", ONE_OF_EACH, ids=_get_name)
async def test_an_agent_that_makes_a_recorded_mistake_gets_the_recorded_verdict(row: dict[str, Any]) -> None:
    await _check_recorded_verdict(row)


@pytest.mark.long
@pytest.mark.parametrize("row", [row for row in REPEATABLE if row not in ONE_OF_EACH], ids=_get_name)
async def test_agents_that_make_the_other_recorded_mistakes_get_the_recorded_verdicts(row: dict[str, Any]) -> None:
    await _check_recorded_verdict(row)


def test_almost_all_recorded_traces_can_be_repeated() -> None:
    assert (len(REPEATABLE), len(ROWS)) == (94, 101)
