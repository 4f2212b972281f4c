"""Builds the redactor that all reports of a run in a world share."""

from __future__ import annotations

from collections.abc import Sequence

from adk_agent_sim.scenario.world.world import World
from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.redaction.redactor import Redactor


def build_run_redactor(world: World, log: Sequence[Event]) -> Redactor:
    """Return a redactor that knows what the session and the events of the world name as a secret.

    A secret that only one of them names, such as in the answer of a rule, may occur in the texts of the other.
    """
    redactor = Redactor()
    for event in log:
        redactor.learn_event(event)
    for completed in world.event_log():
        redactor.learn_secrets(to_json_value({"arguments": dict(completed.arguments), "result": completed.value}))
    return redactor
