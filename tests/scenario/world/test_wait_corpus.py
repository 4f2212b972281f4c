"""Every recorded wait of ARE ends at the same time with the same notifications."""

from __future__ import annotations

import json
from typing import Any

import pytest
from scenario_corpus import load_lines, load_scenarios
from world_builders import list_log_rows, take_notification_rows

from adk_agent_sim.scenario import JsonScenarioImporter, World

TRANSCRIPTS = load_lines("wait_transcripts.jsonl")


def _open_world(scenario_id: str, **options: Any) -> World:
    scenario, _, _ = JsonScenarioImporter().import_from_json(json_str=json.dumps(load_scenarios()[scenario_id]))
    return World(scenario, **options)


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda each: f"{each['scenario']}-{each['verbosity']}")
def test_waits_go_as_in_are(transcript: dict[str, Any]) -> None:
    world = _open_world(transcript["scenario"], notifications=transcript["verbosity"])
    for step in transcript["steps"]:
        match step["op"]:
            case "start":
                world.tick()
                world.set_time(0.25)
            case "wait":
                world.call("SystemApp", "wait_for_notification", {"timeout": step["timeout"]})
            case "sleep":
                for _ in range(step["seconds"]):
                    world.set_time(world.elapsed + 1)
                    world.tick()
            case _:
                world.call(step["app"], step["fn"], step["args"])
        assert (world.elapsed, take_notification_rows(world)) == (step["t"], step["drained"]), step
    assert sorted(list_log_rows(world)) == transcript["log"]
