"""Runs event graphs with the real ARE package, with conditions and validations; part of `are_side.py`."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, cast


def strip_watches(file: dict[str, Any], watches: list[Any]) -> dict[str, Any]:
    """Return a scenario without its conditions and validations, which the package cannot import."""
    ids = {each["id"] for each in watches}
    events = [
        each | {"dependencies": [name for name in each["dependencies"] if name not in ids]}
        for each in file["events"]
        if each["event_id"] not in ids
    ]
    return file | {"events": events}


def add_watches(scenario: Any, file: dict[str, Any], watches: list[Any]) -> None:
    """Add conditions and validations to an imported scenario."""
    types = import_module("are.simulation.types")
    found = {each.event_id: each for each in scenario.events}
    for watch in watches:
        made = _build_watch(types, watch)
        found[watch["id"]] = made
        scenario.events.append(made)
    stated = {each["event_id"]: each for each in file["events"]}
    for watch in watches:
        event = stated[watch["id"]]
        made = found[watch["id"]]
        made.event_relative_time = event["event_relative_time"]
        made.event_time = event["event_time"]
    for event in file["events"]:
        for parent in event["dependencies"]:
            if event["event_id"] in _ids(watches) or parent in _ids(watches):
                found[event["event_id"]].dependencies.append(found[parent])
                found[parent].successors.append(found[event["event_id"]])
    positions = {each["event_id"]: position for position, each in enumerate(file["events"])}
    for event in found.values() if watches else ():
        event.successors = sorted(event.successors, key=lambda each: positions[_strip_check_number(each)])


def record_values(environment: Any) -> None:
    """Have a new world remember every logged call as it was then; later calls change the objects in its log."""
    convert = import_module("are.simulation.data_handler.exporter").JsonScenarioExporter.convert_completed_event
    add_to_log = environment.add_to_log
    environment.rows_by_event = {}

    def add_and_record(events: Any) -> None:
        for each in cast("list[Any]", events) if isinstance(events, list) else [events]:
            if each.event_type.value not in ("CONDITION", "VALIDATION"):
                with contextlib.suppress(Exception):  # the package cannot export this run, and refuses it in the end
                    environment.rows_by_event[each.event_id] = _format_call(convert(each))
        add_to_log(events)

    environment.add_to_log = add_and_record


def format_log(environment: Any, start: float) -> list[dict[str, Any]]:
    """Return the log in the order in which the package lists it."""
    convert = import_module("are.simulation.data_handler.exporter").JsonScenarioExporter.convert_completed_event
    rows: list[dict[str, Any]] = []
    for event in environment.event_log.list_view():
        row = {"id": event.event_id, "type": event.event_type.value, "t": round(event.event_time - start, 6)}
        value = event.metadata.return_value
        if event.event_type.value == "VALIDATION":
            rows.append(row | {"value": value.success})
        elif event.event_type.value == "CONDITION":
            rows.append(row | {"value": value})
        else:
            then, now = environment.rows_by_event[event.event_id], _format_call(convert(event))
            rows.append(row | then | ({} if then == now else {"later": now}))
    return rows


def _format_call(event: Any) -> dict[str, Any]:
    action, metadata = event.action, event.metadata
    return {
        "call": [action.app, action.function, action.operation_type],
        "args": [[each.name, each.value, each.value_type] for each in action.args],
        "value": [metadata.return_value, metadata.return_value_type],
        "error": metadata.exception,
    }


def _strip_check_number(event: Any) -> str:
    return re.sub(r"-CHECK_\d+$", "", event.event_id)


def _ids(watches: list[Any]) -> set[str]:
    return {each["id"] for each in watches}


def _build_watch(types: Any, watch: Mapping[str, Any]) -> Any:
    if watch["kind"] == "condition":
        made = types.ConditionCheckEvent.from_condition(_build_predicate(watch["holds"]), timeout=watch["timeout"])
        return made.with_id(watch["id"])
    return types.ValidationEvent(
        event_id=watch["id"],
        milestones=[_build_predicate(each) for each in watch["milestones"]],
        minefields=[_build_predicate(each) for each in watch["minefields"]],
        timeout=watch["timeout"],
    )


def _build_predicate(predicate: Mapping[str, Any]) -> Callable[[Any], bool]:
    def holds(environment: Any) -> bool:
        if predicate["kind"] == "time":
            return environment.time_manager.time() - environment.start_time >= predicate["least"]
        done = [
            each
            for each in environment.event_log.list_view()
            if each.event_type.value in ("AGENT", "ENV", "USER") and not each.failed()
        ]
        return predicate["kind"] == "events" and len(done) >= predicate["least"]

    return holds
