"""The tools that an agent is offered in the worlds of Gaia2."""

from __future__ import annotations

import json

from scenario_corpus import load_sandbox, load_scenarios

from adk_agent_sim.scenario import JsonScenarioImporter, World


def _names(file: object) -> list[str]:
    return list(World(JsonScenarioImporter().import_from_json(json_str=json.dumps(file))[0]).tools())


def test_there_are_as_many_tools_as_in_are() -> None:
    """The four readers of the agent-user interface, which ARE's own agent hides, are among them."""
    assert len(_names(load_sandbox())) == 105
    virtual = _names(load_scenarios()["scenario_synth_s01_search"])
    assert len(virtual) == 103
    assert {"Emails__send_email", "Messages__send_message", "Chats__send_message"} <= set(virtual)
    assert not any("create_and_add" in name for name in virtual)
