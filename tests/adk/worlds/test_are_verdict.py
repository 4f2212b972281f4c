"""The real ARE package imports what agents did in our worlds, and gives it the same verdicts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from google.adk.agents import LlmAgent
from judge_corpus import load_agent_traces, load_corpus_scenario, prepare_judge, read_file
from parity.are_process import Are, RefusedByAre
from scenario_corpus import load_scenarios
from world_trace_player import TracePlayer

from adk_agent_sim.adk.worlds.run_exports import build_trace
from adk_agent_sim.adk.worlds.run_options import WorldRunOptions, parse_thinking_time
from adk_agent_sim.adk.worlds.run_players import WorldModelPlayer
from adk_agent_sim.adk.worlds.world_run import WorldRun
from adk_agent_sim.scenario.format.models import to_json_value
from adk_agent_sim.scenario.players.random_player import WORLD_PLAYERS
from adk_agent_sim.scenario.players.world_player import WorldPlayer

ARE_PYTHON = Path(__file__).parents[3] / ".venv-are" / "bin" / "python"

_SYNTHETIC = [name for name in load_scenarios() if "synth" in name]
"""Those that the package can judge."""


def _iter_players(scenario_id: str) -> Iterator[tuple[str, Callable[[WorldRun], WorldPlayer]]]:
    for name in ("oracle", "nothing", "random"):
        yield name, lambda run, name=name: WORLD_PLAYERS[name](run.world, 1)
    for (traced, mutation), trace in load_agent_traces().items():
        if traced == scenario_id and mutation not in ("perfect", "empty_string_arg"):
            events = read_file(trace).completed_events
            yield mutation, lambda run, events=events: TracePlayer(events, run.world)


async def _export_run(scenario_id: str, create_player: Callable[[WorldRun], WorldPlayer]) -> tuple[bool | None, str]:
    run = WorldRun(
        LlmAgent(name="follower", model="scripted"),
        load_corpus_scenario(scenario_id),
        WorldRunOptions(thinking=parse_thinking_time("zero")),
        judge=prepare_judge(scenario_id),
        create_player=lambda run: WorldModelPlayer(create_player(run), run.session),
    )
    result = await run.run()
    return result.passed, json.dumps(to_json_value(build_trace(run, result)))


@pytest.mark.long
@pytest.mark.process
@pytest.mark.skipif(not ARE_PYTHON.exists(), reason="the ARE package is not installed: run make are-parity once")
async def test_the_package_gives_exported_runs_the_same_verdicts() -> None:
    compared, different = 0, list[str]()
    are = Are(str(ARE_PYTHON), "are_judge_side.py")
    try:
        for scenario_id in _SYNTHETIC:
            are.do_job("prepare", scenario=json.dumps(load_scenarios()[scenario_id]))
            for name, create_player in _iter_players(scenario_id):
                passed, trace = await _export_run(scenario_id, create_player)
                try:
                    theirs = are.do_job("judge", events=json.loads(trace)["completed_events"])["scripted"]
                except RefusedByAre as error:
                    # Its importer does not read arguments that are empty texts, which a random player gives.
                    if name != "random" or "cannot be None or empty" not in str(error):
                        raise
                    continue
                compared += 1
                if theirs.get("passed") is not passed:
                    different.append(f"{scenario_id} {name}: ours {passed}, theirs {theirs}")
    finally:
        are.close()
    print(f"{compared} runs compared")
    assert different == []
    assert compared >= 100
