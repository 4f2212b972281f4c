"""The same seed gives the same run, byte for byte, whatever the hash seed of the process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from world_builders import build_world, build_world_event

pytestmark = pytest.mark.process

_RUN = """
import json, sys
from scenario_corpus import load_scenarios
from adk_agent_sim.scenario import JsonScenarioImporter, World
from adk_agent_sim.scenario.world.noise import Noise

for file in load_scenarios().values():
    scenario = JsonScenarioImporter().import_from_json(json_str=json.dumps(file))[0]
    oracle = World(scenario)
    oracle.run_oracle()
    played = World(scenario, noise=Noise(failure_probability=0.2, events_per_minute=10, rename_tools=True))
    played.tick()
    for app, function, arguments in (
        ("Contacts", "add_new_contact", {"first_name": "A", "last_name": "B"}),
        ("Cabs", "order_ride", {"start_location": "Home", "end_location": "Work", "service_type": "Default"}),
        ("Emails", "send_email", {"recipients": ["a@example.org"], "subject": "x"}),
        ("Messages", "lookup_user_id", {"user_name": "Ada"}),
        ("Shopping", "list_all_products", {}),
        ("Files", "ls", {}),
        ("AgentUserInterface", "send_message_to_user", {"content": "x"}),
        ("SystemApp", "wait_for_notification", {"timeout": 100}),
    ):
        outcome = played.try_call(app, function, arguments)
        print(outcome.text, type(outcome.error), outcome.error)
    played.advance(100)
    for world in (oracle, played):
        completed = [each.model_dump() for each in world.export_completed_events()]
        print(json.dumps([world.state(), completed, world.elapsed]))
        print(world.take_notifications(), world.failed_events, list(world.tools()), world.snapshot().hidden_states)
"""


def _output(hash_seed: str) -> bytes:
    paths = [str(Path(__file__).parents[2]), *sys.path]
    environment = os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(paths)}
    return subprocess.run([sys.executable, "-c", _RUN], capture_output=True, check=True, env=environment).stdout


@pytest.mark.req("004/seed")
def test_two_processes_with_different_hash_seeds_run_alike() -> None:
    first = _output("1")
    assert len(first) > 1_000_000
    assert _output("2") == first


@pytest.mark.req("004/seed")
def test_what_is_drawn_follows_from_the_seed_of_the_file() -> None:
    def draw_email_id(seed: int) -> str:
        events = [build_world_event("u", "USER", delay=0), build_world_event("a", after=("u",))]
        world = build_world(*events, definition={"seed": seed})
        world.run_oracle()
        return world.state()["Emails"]["folders"]["SENT"]["emails"][0]["email_id"]

    assert draw_email_id(1) == draw_email_id(1) != draw_email_id(2)
