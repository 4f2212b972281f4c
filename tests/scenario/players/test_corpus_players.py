"""On every scenario of the corpus the oracle passes; doing nothing and calling at random pass none, twice the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from judge_corpus import load_corpus_scenario, prepare_judge, read_file
from scenario_corpus import load_lines, load_scenarios

from adk_agent_sim.cli.main import adksim
from adk_agent_sim.scenario import JsonScenarioExporter
from adk_agent_sim.scenario.players.checked_scenario import CheckStatus, check_scenario
from adk_agent_sim.scenario.players.play_world import (
    PlayedRun,
    PlayEnd,
    create_judged_world,
    judge_world,
    play_world,
)
from adk_agent_sim.scenario.players.random_player import NOTHING, ORACLE, RANDOM, WORLD_PLAYERS
from adk_agent_sim.scenario.verdict.traced_action import TracedAction
from adk_agent_sim.scenario.world.noise import Noise

SCENARIO_IDS = list(load_scenarios())


def _play(scenario_id: str, name: str, seed: int = 0) -> PlayedRun:
    world = create_judged_world(prepare_judge(scenario_id))
    return play_world(world, WORLD_PLAYERS[name](world, seed))


def test_the_corpus_is_complete_and_its_oracle_traces_pass() -> None:
    rows = [row for row in load_lines("verdicts.jsonl") if row["mutation"] == "perfect"]
    perfect = {row["scenario"]: row["scripted"]["success"] for row in rows}

    # The reference has no verdict on the scenario that was made to record waiting.
    assert set(SCENARIO_IDS) - set(perfect) == {"scenario_wait_w01_tiers"}
    assert perfect == dict.fromkeys(perfect, True)
    assert len(SCENARIO_IDS) == 9


@pytest.mark.parametrize("scenario_id", SCENARIO_IDS)
def test_every_scenario_of_the_corpus_is_sound(scenario_id: str) -> None:
    result = check_scenario(load_corpus_scenario(scenario_id))

    assert result.status is CheckStatus.OK, result
    assert [(each.player, each.passed) for each in result.runs] == [(ORACLE, True), (NOTHING, False), (RANDOM, False)]


@pytest.mark.parametrize("scenario_id", SCENARIO_IDS)
def test_the_oracle_acts_when_it_is_expected_to(scenario_id: str) -> None:
    run = _play(scenario_id, ORACLE)
    expected = {each.event_id: each.time for turn in prepare_judge(scenario_id).plan.turns for each in turn.events}
    verdict = judge_world(prepare_judge(scenario_id), run.world)
    assert verdict is not None
    happened = {each.event_id: each.time for each in run.world.event_log()}
    done = {verdict.matches.get(name, name): time for name, time in happened.items()}

    # A turn ends at a whole second after the message, so each turn can be later by up to that.
    turns = len(prepare_judge(scenario_id).plan.turns)
    assert {name: time for name, time in expected.items() if not 0 <= done[name] - time <= turns} == {}
    assert run.ended is PlayEnd.FINISHED


@pytest.mark.parametrize("name", [ORACLE, RANDOM])
@pytest.mark.parametrize(
    "scenario_id", [*SCENARIO_IDS[:3], *(pytest.param(each, marks=pytest.mark.long) for each in SCENARIO_IDS[3:])]
)
def test_an_exported_run_gets_the_same_verdict_from_the_command(scenario_id: str, name: str, tmp_path: Path) -> None:
    run = _play(scenario_id, name)
    verdict = judge_world(prepare_judge(scenario_id), run.world)
    scenario, trace = tmp_path / "scenario.json", tmp_path / "trace.json"
    scenario.write_text(json.dumps(load_scenarios()[scenario_id]), encoding="utf-8")
    trace.write_text(JsonScenarioExporter().export_to_json(env=run.world), encoding="utf-8")

    result = CliRunner().invoke(adksim, ["scenario", "judge", str(scenario), str(trace), "--json"])

    assert verdict is not None
    (judged,) = json.loads(result.stdout)
    assert judged == {
        "trace": str(trace),
        "verdict": verdict.to_json(),
        "problem": "",
        "passed": verdict.passed,
        "reason": verdict.reason,
    }
    assert result.exit_code == (0 if verdict.passed else 1)
    assert verdict.passed is (name == ORACLE)


@pytest.mark.long
@pytest.mark.parametrize("scenario_id", SCENARIO_IDS)
def test_no_random_player_passes(scenario_id: str) -> None:
    judge = prepare_judge(scenario_id)
    verdicts = [judge_world(judge, _play(scenario_id, RANDOM, seed).world) for seed in range(20)]

    assert [seed for seed, each in enumerate(verdicts) if each is None or each.passed] == []


def test_an_oracle_with_failing_and_renamed_tools_still_passes() -> None:
    scenario_id = "scenario_synth_s05_adapt_multi_turn"
    judge = prepare_judge(scenario_id)
    noise = Noise(failure_probability=0.3, rename_tools=True, events_per_minute=10)
    world = create_judged_world(judge, noise=noise)
    run = play_world(world, WORLD_PLAYERS[ORACLE](world, 0))

    verdict = judge_world(judge, world)
    assert verdict is not None
    assert verdict.passed, verdict
    assert run.step_count > _play(scenario_id, ORACLE).step_count


def test_empty_texts_are_exported_so_that_are_can_import_them_and_stay_empty() -> None:
    world = create_judged_world(prepare_judge(SCENARIO_IDS[0]))
    world.call("Emails", "send_email", {"recipients": ["a@example.org"]})
    (event,) = world.export_trace().completed_events

    args = {each.name: each for each in (event.action.args if event.action else None) or ()}
    assert (args["subject"].value, args["subject"].value_type) == ("", "str | None")
    assert TracedAction(event, {}).arguments["subject"] == ""
    assert args["recipients"].value_type == "list"


def test_two_exports_of_a_run_are_byte_identical() -> None:
    def export() -> str:
        return JsonScenarioExporter().export_to_json(env=_play(SCENARIO_IDS[1], RANDOM, 3).world)

    first = export()
    assert export() == first
    assert read_file(json.loads(first)).completed_events
