"""Every recorded oracle run of ARE has the same events and the same final app states."""

from __future__ import annotations

import json
from typing import Any

import pytest
from are_normal_form import IdNumbering, digest, normalize, to_json_view
from scenario_corpus import load_oracle_digests, load_scenarios

from adk_agent_sim.scenario import JsonScenarioImporter, World
from adk_agent_sim.scenario.format.models import ExportedCompletedEvent

DIGESTS = load_oracle_digests()


def _row(event: ExportedCompletedEvent) -> dict[str, Any]:
    assert event.action is not None
    assert event.metadata is not None
    value = event.metadata.return_value
    if value is not None and "Ride ID:" in value:
        value = "<RIDE>"
    return {
        "event_id": event.event_id,
        "event_type": event.event_type,
        "event_time": event.event_time,
        "app": event.action.app,
        "function": event.action.function,
        "operation_type": event.action.operation_type,
        "args": {each.name: [each.value, each.value_type] for each in event.action.args or ()},
        "return_value": value,
        "return_value_type": event.metadata.return_value_type,
        "exception": event.metadata.exception,
    }


@pytest.mark.parametrize("scenario_id", DIGESTS)
def test_an_oracle_run_ends_as_in_are(scenario_id: str) -> None:
    file = load_scenarios()[scenario_id]
    expected = DIGESTS[scenario_id]
    scenario, _, _ = JsonScenarioImporter().import_from_json(json_str=json.dumps(file))
    world = World(scenario)
    result = world.run_oracle()
    assert result.is_ok

    ids = IdNumbering([file["apps"], file["events"]])
    rows = [
        _row(each)
        for each in sorted(world.export_completed_events(), key=lambda each: (each.event_time, each.event_id))
    ]
    for row in rows:
        ids.number_new_ids(list(row["args"].values()))
        ids.number_new_ids(row["return_value"])
    states = to_json_view(world.state())
    ids.number_new_ids(states)
    assert len(rows) == expected["n_events"]
    assert digest(normalize(rows, ids)) == expected["completed_events"]
    assert {name: digest(normalize(state, ids)) for name, state in states.items()} == expected["apps"]
