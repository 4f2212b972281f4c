"""Every recorded wait of ARE ends at the same time with the same notifications."""

from __future__ import annotations

import json
from typing import Any

import pytest
from scenario_corpus import load_lines, load_scenarios

from adk_agent_sim.scenario import JsonScenarioImporter, World

TRANSCRIPTS = load_lines("wait_transcripts.jsonl")


def _open_world(scenario_id: str, **options: Any) -> World:
    scenario, _, _ = JsonScenarioImporter().import_from_json(json_str=json.dumps(load_scenarios()[scenario_id]))
    return World(scenario, **options)


def _take_notifications(world: World) -> list[dict[str, Any]]:
    return [{"t": each.elapsed_seconds, "type": each.kind, "text": each.text} for each in world.take_notifications()]


def _list_log_rows(world: World) -> list[list[Any]]:
    """Return the log as in the transcripts, where the agent's events have no ids."""
    start = world.scenario.start_time or 0
    found = [
        [
            round(each.time - start, 6),
            each.kind,
            "<agent>" if each.event_id.startswith("AGENT-") else each.event_id,
            f"{each.app}__{each.function}",
            "ok" if each.error is None else "failed",
        ]
        for each in world.event_log()
    ]
    return sorted(found)


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
        assert (world.elapsed, _take_notifications(world)) == (step["t"], step["drained"]), step
    assert _list_log_rows(world) == transcript["log"]
