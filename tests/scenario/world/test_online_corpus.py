"""Every recorded run of ARE with an agent goes the same way.

Once with a judge that replays the recorded verdict: the world only has to ask at the right time and apply the answer.
Once with our own judge, which has to come to the recorded verdict by itself.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from are_normal_form import IdNumbering, to_json_view
from judge_corpus import prepare_judge
from scenario_corpus import load_lines, load_scenarios
from world_builders import list_log_rows, take_notification_rows

from adk_agent_sim.scenario import JsonScenarioImporter, World
from adk_agent_sim.scenario.world.event_queue import TurnVerdict

RUNS = load_lines("online_runs.jsonl")


def _replay_verdict(run: dict[str, Any]) -> Any:
    """Return a judge that matches events as the recorded log does and stops where the recorded judge did."""

    def judge(world: World, turn: int) -> TurnVerdict:
        done = [each for each in world.event_log() if each.kind == "AGENT"]
        recorded = [row for row in run["log"] if row[1] == "AGENT"][: len(done)]
        matches = {ours.event_id: row[2] for ours, row in zip(done, recorded, strict=True) if row[2] != "<agent>"}
        return TurnVerdict(passed=not run["stopped_by_judge"], matches=matches)

    return judge


@pytest.mark.parametrize("is_judged", [False, True], ids=["replayed", "judged"])
@pytest.mark.parametrize("run", RUNS, ids=lambda each: f"{each['scenario']}-{'-'.join(each['variant']) or 'perfect'}")
def test_a_run_with_an_agent_goes_as_in_are(run: dict[str, Any], is_judged: bool) -> None:
    file = load_scenarios()[run["scenario"]]
    scenario, _, _ = JsonScenarioImporter().import_from_json(json_str=json.dumps(file))
    judge = prepare_judge(run["scenario"])
    turn_condition = judge.watch_turns() if is_judged else _replay_verdict(run)
    world = World(scenario, notifications=run["verbosity"], turn_condition=turn_condition)
    ids = IdNumbering([file["apps"], file["events"]])
    notifications: list[dict[str, Any]] = []

    def collect_notifications() -> None:
        notifications.extend(take_notification_rows(world))

    def sleep_until(t: float) -> None:
        while world.elapsed < t and world.status == "RUNNING":
            world.set_time(world.elapsed + 1)
            world.tick()
            collect_notifications()

    world.tick()
    collect_notifications()
    world.set_time(0.25)
    waits = [row for row in run["log"] if row[3] == "SystemApp__wait_for_notification"]
    for action in run["actions"]:
        for wait in [row for row in waits if world.elapsed <= row[0] < action["t"]]:
            sleep_until(wait[0])
            world.call("SystemApp", "wait_for_notification", {"timeout": 100})
            collect_notifications()
        sleep_until(action["t"])
        assert world.elapsed == action["t"]
        if "<NEW:" in json.dumps(action["args"]):
            ids.number_new_ids([each.value for each in world.event_log() if each.kind == "ENV"])
        ids.number_new_ids(to_json_view(world.call(action["app"], action["fn"], ids.restore_ids(action["args"]))))
    sleep_until(run["end_t"])
    assert list_log_rows(world) == run["log"]
    assert notifications == run["notifications"]
    assert (world.elapsed, world.status, world.turn) == (run["end_t"], run["env_state"], run["turns_judged"])
    assert judge.judge(world).passed is run["validation"]["success"]
