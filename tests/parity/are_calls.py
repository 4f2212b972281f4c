"""Calls tools of the real ARE package and reports everything that a call does; part of `are_side.py`.

A call is reported by its result, what it logged, what the agent was told, and the states that it changed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import import_module
from typing import Any, cast

from are_view import view


class CallSession:
    """A world of the package in which calls are made one after the other."""

    def __init__(self, scenario: Any, environment: Any) -> None:
        self._start = scenario.start_time
        self._environment = environment
        self._logged: list[Any] = []
        self._values: list[Any] = []
        self._exporter = import_module("are.simulation.data_handler.exporter").JsonScenarioExporter
        self._types = import_module("are.simulation.types")
        put = environment.event_log.put

        def record(event: Any) -> None:
            self._logged.append(self._exporter.convert_completed_event(event))
            put(event)

        environment.event_log.put = record
        self._states = self._dump_states()

    def answer(self, call: Mapping[str, Any]) -> dict[str, Any]:
        """Make a call."""
        self._environment.time_manager.reset(start_time=self._start + call["t"])
        with self._types.disable_events():  # its event loop does this once a second
            self._environment.notification_system.handle_time_based_notifications()
        self._logged.clear()
        arguments = _resolve_references(call["args"], self._values)
        app = self._environment.apps[call["app"]]
        value, answer = (
            self._call_by_event(app, call, arguments)
            if call["via"] == "env"
            else (_call_directly(app, call, arguments, self._types))
        )
        # Later calls refer to the value as JSON; an open file is nothing that a model could pass on.
        shown = view(value)
        self._values.append(None if shown == f"<{type(value).__name__}>" else shown)
        answer["log"] = [self._format_event(each) for each in self._logged]
        answer["told"] = self._take_notifications()
        before, self._states = self._states, self._dump_states()
        answer["changed"] = {name: json.loads(text) for name, text in self._states.items() if before[name] != text}
        return answer

    def _call_by_event(self, app: Any, call: Mapping[str, Any], arguments: dict[str, Any]) -> tuple[Any, Any]:
        """Make a call as an event of a scenario does."""
        kind = self._types.EventType[call["via"].upper()]
        event = self._types.Event.from_function(getattr(app, call["fn"]), kind, **arguments)
        event.event_time = self._environment.time_manager.time()
        caught: list[Exception] = []
        function = event.action.function

        def call_and_keep(*args: Any, **kwargs: Any) -> Any:
            try:
                return function(*args, **kwargs)
            except Exception as error:
                caught.append(error)
                raise

        call_and_keep.__name__ = function.__name__
        event.action.function = call_and_keep
        done: list[Any] = []
        execute = event.execute
        event.execute = lambda: done.append(execute()) or done[0]
        try:
            self._environment.process_event(event)
        except Exception as error:  # noqa: BLE001 - the event loop of the package would have ended
            return None, {"died": f"{type(error).__name__}: {error}"} | _describe_outcome(None, caught)
        value = done[0].metadata.return_value
        return value, _describe_outcome(value, caught)

    def _format_event(self, event: Any) -> dict[str, Any]:
        action, metadata = event.action, event.metadata
        return {
            "type": event.event_type,
            "t": round(event.event_time - self._start, 6),
            "call": [action.app, action.function, action.operation_type],
            "args": [[each.name, each.value, each.value_type] for each in action.args],
            "value": [metadata.return_value, metadata.return_value_type],
            "error": metadata.exception,
        }

    def _take_notifications(self) -> list[Any]:
        now = datetime.fromtimestamp(self._environment.time_manager.time() + 1e9, tz=UTC)
        due = self._environment.notification_system.message_queue.get_by_timestamp(now)
        return [
            [round(each.timestamp.timestamp() - self._start, 6), each.message_type.value, each.message] for each in due
        ]

    def _dump_states(self) -> dict[str, str]:
        return {name: _dump_state(app) for name, app in self._environment.apps.items()}


def _dump_state(app: Any) -> str:
    try:
        return json.dumps(view(app.get_state() or {}))
    except OSError as error:  # the root of its files was removed
        return json.dumps({"error": type(error).__name__})


def _call_directly(app: Any, call: Mapping[str, Any], arguments: dict[str, Any], types: Any) -> tuple[Any, Any]:
    function = getattr(app, call["fn"])
    try:
        if call["via"] == "data":
            with types.disable_events():
                value = function(**arguments)
        else:
            value = function(**arguments)
    except Exception as error:  # noqa: BLE001 - any exception of the tool is its result
        return None, _describe_outcome(None, [error])
    answer = _describe_outcome(value, [])
    if call["via"] != "agent":
        return value, answer
    formatter = getattr(function, "llm_formatter", None)
    return value, answer | {"text": str(formatter(value) if formatter else value)}


def _describe_outcome(value: Any, errors: list[Exception]) -> dict[str, Any]:
    if errors:
        return {"error": [type(errors[0]).__name__, str(errors[0])]}
    return {"type": type(value).__name__, "value": view(value)}


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
