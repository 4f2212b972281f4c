"""Runs event graphs in our world, and reports them in the form of `are_graphs.py`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from are_normal_form import to_json_view
from parity.our_calls import GRAPH_DURATION, START, build_file, format_event, read_scenario

from adk_agent_sim.scenario import World
from adk_agent_sim.scenario.format.exporter import convert_to_are, serialize_trace
from adk_agent_sim.scenario.world.event_log import CompletedEvent
from adk_agent_sim.scenario.world.event_plan import WorldCondition, WorldPredicate, WorldValidation


def build_graph_file(case: Mapping[str, Any]) -> str:
    """Return the scenario of a graph as JSON text."""
    return build_file(case["apps"], case["events"], GRAPH_DURATION)


def run_graph(case: Mapping[str, Any], file: str | None = None) -> dict[str, Any]:
    """Run a scenario, or the file that was exported for it, with all actions expected of the agent."""
    text = build_graph_file(case) if file is None else file
    scenario = read_scenario(text)
    watches = {each["id"]: _build_watch(each) for each in case["watches"]}
    world = World(scenario, notifications="HIGH", watches=watches)
    listener = _LogListener(world, {each["event_id"] for each in case["events"] if _is_unlogged_call(each)})
    world.on_event = listener.receive_event
    world.run_oracle()
    world.stop()  # the package ends its event loop
    failed = listener.log_of_failure
    return {
        "status": world.status,
        "log": [_format_row(each) for each in world.event_log()],
        "log_of_failure": [_format_row(each) for each in failed] if failed else None,
        "ids_before_unlogged_call": listener.ids_before_unlogged_call if listener.is_unlogged_call_made else None,
        "ids_after_time_out": listener.ids_after_time_out,
        "told": _take_notifications(world),
        "states": to_json_view(world.state()),
        "t": world.elapsed,
        "export": serialize_trace(convert_to_are(world.export_trace())[0]),
    }


class _LogListener:
    """Remembers what was logged when the package's run ended or went another way."""

    def __init__(self, world: World, unlogged_ids: set[str]) -> None:
        self._world = world
        self._unlogged_ids = unlogged_ids
        self._has_timed_out = False
        self.log_of_failure: list[CompletedEvent] | None = None
        """The log when the first validation failed."""
        self.ids_before_unlogged_call: list[str] = []
        self.ids_after_time_out: list[str] = []
        """The events after the first condition that timed out."""

    @property
    def is_unlogged_call_made(self) -> bool:
        """Whether an event has made a call that neither side logs."""
        return not self._unlogged_ids.isdisjoint(self._world.return_values)

    def receive_event(self, event: CompletedEvent) -> None:
        """Remember the event, which was logged now."""
        if event.is_failed_validation and self.log_of_failure is None:
            self.log_of_failure = self._world.event_log()
        if not self.is_unlogged_call_made:
            self.ids_before_unlogged_call.append(event.event_id)
        if self._has_timed_out:
            self.ids_after_time_out.append(event.event_id)
        self._has_timed_out |= event.kind == "CONDITION" and event.error is not None


def _is_unlogged_call(event: Mapping[str, Any]) -> bool:
    """Return whether an event makes the one expected call that neither side logs."""
    return event["event_type"] == "AGENT" and event["action"]["function"] == "get_all_discount_codes"


def run_agent(case: Mapping[str, Any]) -> dict[str, Any]:
    """Play an agent's steps in a world."""
    scenario = read_scenario(build_file(case["apps"], case["events"]))
    world = World(scenario, notifications=case["level"])
    world.tick()
    told = [_take_notifications(world)]
    world.set_time(0.25)
    times = [0.25]
    for step in case["steps"]:
        if step["op"] != "sleep":
            world.try_call(step["app"], step["fn"], step["args"])
        for _ in range(step.get("seconds", 1) if step["op"] in ("sleep", "say") else 0):
            world.set_time(world.elapsed + 1)
            world.tick()
        told.append(_take_notifications(world))
        times.append(world.elapsed)
    return {
        "log": [_format_row(each) for each in world.event_log()],
        "told": told,
        "times": times,
        "states": to_json_view(world.state()),
    }


def _take_notifications(world: World) -> list[Any]:
    return [[each.elapsed_seconds, each.kind, each.text] for each in world.take_notifications()]


def _format_row(event: CompletedEvent) -> dict[str, Any]:
    row: dict[str, Any] = {"id": event.event_id, "type": event.kind, "t": round(event.time - START, 6)}
    if event.kind in ("CONDITION", "VALIDATION"):
        return row | {"value": event.error is None}
    shown = format_event(event.exported_event)
    return row | {key: shown[key] for key in ("call", "args", "value", "error")}


def _build_watch(watch: Mapping[str, Any]) -> WorldCondition | WorldValidation:
    if watch["kind"] == "condition":
        return WorldCondition(predicate=_build_predicate(watch["holds"]), timeout=watch["timeout"])
    return WorldValidation(
        milestones={f"milestone {number}": _build_predicate(each) for number, each in enumerate(watch["milestones"])},
        minefields={f"minefield {number}": _build_predicate(each) for number, each in enumerate(watch["minefields"])},
        timeout=watch["timeout"],
    )


def _build_predicate(predicate: Mapping[str, Any]) -> WorldPredicate:
    def holds(world: World) -> bool:
        if predicate["kind"] == "time":
            return world.elapsed >= predicate["least"]
        done = [each for each in world.event_log() if each.kind in ("AGENT", "ENV", "USER") and each.error is None]
        return predicate["kind"] == "events" and len(done) >= predicate["least"]

    return holds
