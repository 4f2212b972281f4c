"""Makes the calls of a parity case in our world, and reports them in the form of `are_calls.py`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from are_normal_form import to_json_view

from adk_agent_sim.scenario import JsonScenarioImporter, ScenarioImportedFromJson, World
from adk_agent_sim.scenario.app_base.tool_call import CallOutcome, call_nested_tool
from adk_agent_sim.scenario.files.file_system import FileHandle
from adk_agent_sim.scenario.format.models import ExportedCompletedEvent

START = 1728975600.0

GRAPH_DURATION = 200.0
"""How long a scenario with events runs; conditions that never hold are checked until then."""


def build_file(apps: list[Any], events: list[Any] | None = None, duration: float = 1e6) -> str:
    """Return a scenario with these apps as JSON text."""
    stated: dict[str, Any] = {"scenario_id": "made", "seed": 0, "start_time": START, "duration": duration}
    metadata = {"definition": stated | {"time_increment_in_seconds": 1}}
    return json.dumps({"version": "are_simulation_v1", "metadata": metadata, "apps": apps, "events": events or []})


def read_scenario(text: str) -> ScenarioImportedFromJson:
    """Read a scenario from JSON text."""
    return JsonScenarioImporter().import_from_json(json_str=text)[0]


def answer_calls(apps: list[Any], calls: list[Any]) -> list[dict[str, Any]]:
    """Make calls in a new world and return what each of them did."""
    session = _CallSession(World(read_scenario(build_file(apps)), notifications="HIGH"))
    return [session.answer(each) for each in calls]


class _CallSession:
    def __init__(self, world: World) -> None:
        self._world = world
        self._values: list[Any] = []
        self._states = world.state()

    def answer(self, call: Mapping[str, Any]) -> dict[str, Any]:
        world = self._world
        world.set_time(call["t"])
        world.tick()  # sends reminders
        logged = len(world.event_log())
        arguments = _resolve_references(call["args"], self._values)
        outcome = self._call(call, arguments)
        self._values.append(None if isinstance(outcome.value, FileHandle) else to_json_view(outcome.value))
        answer = _describe_outcome(outcome, with_text=call["via"] == "agent")
        answer["log"] = [format_event(each.exported_event) for each in world.event_log()[logged:]]
        answer["told"] = [[each.elapsed_seconds, each.kind, each.text] for each in world.take_notifications()]
        before, self._states = self._states, world.state()
        answer["changed"] = {name: to_json_view(state) for name, state in self._states.items() if state != before[name]}
        return answer

    def _call(self, call: Mapping[str, Any], arguments: dict[str, Any]) -> CallOutcome:
        if call["via"] != "data":
            return self._world.try_call(call["app"], call["fn"], arguments, via=call["via"])
        app = self._world.apps[call["app"]]
        try:
            if not app.tools()[call["fn"]].type_checked:
                return CallOutcome(value=getattr(app, call["fn"])(**arguments))
            return CallOutcome(value=call_nested_tool(app, call["fn"], **arguments))
        except Exception as error:  # noqa: BLE001 - any exception of the tool is its result
            return CallOutcome(error=error)


def _describe_outcome(outcome: CallOutcome, *, with_text: bool) -> dict[str, Any]:
    if outcome.error is not None:
        return {"error": [type(outcome.error).__name__, str(outcome.error)]}
    answer: dict[str, Any] = {"type": type(outcome.value).__name__, "value": to_json_view(outcome.value)}
    return answer | ({"text": outcome.text} if with_text else {})


def format_event(event: ExportedCompletedEvent) -> dict[str, Any]:
    """Return a logged call in the form of the comparison."""
    action, metadata = event.action, event.metadata
    assert action is not None
    assert metadata is not None
    return {
        "type": event.event_type,
        "t": round(event.event_time - START, 6),
        "call": [action.app, action.function, action.operation_type],
        "args": [[each.name, each.value, each.value_type] for each in action.args or ()],
        "value": [metadata.return_value, metadata.return_value_type],
        "error": metadata.exception,
    }


def _resolve_references(value: Any, values: list[Any]) -> Any:
    """Return a value with the results of earlier calls in place of the references to them."""
    if isinstance(value, dict):
        given = cast("dict[str, Any]", value)
        if "$result" in given:
            return values[given["$result"]]
        return {key: _resolve_references(each, values) for key, each in given.items()}
    if isinstance(value, list):
        return [_resolve_references(each, values) for each in cast("list[Any]", value)]
    return value
