"""The real ARE package imports the exported runs of players, and judges them as ours does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from judge_corpus import prepare_judge
from parity.are_process import Are
from scenario_corpus import load_scenarios

from adk_agent_sim.scenario import JsonScenarioExporter
from adk_agent_sim.scenario.players.play_world import create_judged_world, judge_world, play_world
from adk_agent_sim.scenario.players.random_player import NOTHING, ORACLE, RANDOM, WORLD_PLAYERS

ARE_PYTHON = Path(__file__).parents[3] / ".venv-are" / "bin" / "python"

PLAYED = [(ORACLE, 0), (NOTHING, 0), *((RANDOM, seed) for seed in range(10))]


@pytest.mark.long
@pytest.mark.process
@pytest.mark.skipif(not ARE_PYTHON.exists(), reason="the ARE package is not installed: run make are-parity once")
def test_the_package_judges_exported_runs_of_players_as_we_do() -> None:
    verdicts: list[tuple[str, bool, bool]] = []
    are = Are(str(ARE_PYTHON), "are_judge_side.py")
    try:
        for scenario_id, file in load_scenarios().items():
            judge = prepare_judge(scenario_id)
            are.do_job("prepare", scenario=json.dumps(file), params={})
            for name, seed in PLAYED:
                world = create_judged_world(judge)
                play_world(world, WORLD_PLAYERS[name](world, seed))
                verdict = judge_world(judge, world)
                assert verdict is not None
                exported = json.loads(JsonScenarioExporter().export_to_json(env=world))
                theirs = are.do_job("judge", events=exported["completed_events"])["scripted"]
                verdicts.append((name, verdict.passed, theirs["passed"]))
    finally:
        are.close()

    assert len(verdicts) > 100
    assert [each for each in verdicts if each[1] is not each[2]] == []
    assert {name for name, passed, _ in verdicts if passed} == {ORACLE}
