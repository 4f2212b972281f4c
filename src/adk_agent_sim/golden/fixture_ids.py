"""Numbers the ids of calls as `adk test` does before it compares: `fc-1`, `fc-2` in the order of the calls.

It gives a response the oldest unanswered call of its name, not the call it answers; the same is done here, because the
two must agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from google.adk.events import Event
from google.genai import types


def renumber_ids(events: Sequence[Event]) -> list[Event]:
    """Copies of the events with their ids numbered."""
    found = [event.model_copy(deep=True) for event in events]
    numbers = _number_calls(found)
    waiting: dict[str, list[str]] = {}
    for place, event in enumerate(found, start=1):
        event.id = f"e-{place}"
        for call in event.get_function_calls():
            waiting.setdefault(call.name or "", []).append(call.id or "")
            call.args = _replace_ids(call.args, numbers)
        for response in event.get_function_responses():
            response.id = _find_response_id(response, waiting, numbers)
        _replace_ids_in_paths(event, numbers)
    return found


def _number_calls(events: Sequence[Event]) -> dict[str, str]:
    """The new ids by the old ones, put into the calls."""
    numbers: dict[str, str] = {}
    count = 0
    for event in events:
        for call in event.get_function_calls():
            old = call.id or ""
            count += 1
            call.id = numbers[old] = f"fc-{count}"
        if event.long_running_tool_ids:
            event.long_running_tool_ids = {numbers.get(one, one) for one in event.long_running_tool_ids}
    return numbers


def _find_response_id(
    response: types.FunctionResponse, waiting: dict[str, list[str]], numbers: Mapping[str, str]
) -> str:
    unanswered = waiting.get(response.name or "")
    return unanswered.pop(0) if unanswered else numbers.get(response.id or "", response.id or "")


def _replace_ids(value: Any, numbers: Mapping[str, str]) -> Any:
    """Arguments with the ids of calls numbered: ADK's own requests hold the call they are about."""
    if isinstance(value, dict):
        found = cast("dict[str, Any]", value)
        return {
            key: numbers.get(inner, inner) if key == "id" and isinstance(inner, str) else _replace_ids(inner, numbers)
            for key, inner in found.items()
        }
    return [_replace_ids(inner, numbers) for inner in cast("list[Any]", value)] if isinstance(value, list) else value


def _replace_ids_in_paths(event: Event, numbers: Mapping[str, str]) -> None:
    """Where an event happened, if that is named after a call."""
    event.branch = _replace_ids_in_path(event.branch, ".", numbers) if event.branch else event.branch
    event.node_info.path = _replace_ids_in_path(event.node_info.path, "/", numbers)
    if event.node_info.output_for:
        event.node_info.output_for = [_replace_ids_in_path(path, "/", numbers) for path in event.node_info.output_for]
    if event.isolation_scope:
        event.isolation_scope = numbers.get(event.isolation_scope, event.isolation_scope)
    asked = event.actions.requested_tool_confirmations
    event.actions.requested_tool_confirmations = {numbers.get(key, key): value for key, value in asked.items()}


def _replace_ids_in_path(path: str, separator: str, numbers: Mapping[str, str]) -> str:
    steps = [step.rsplit("@", 1) for step in path.split(separator)]
    return separator.join("@".join([step[0], *(numbers.get(one, one) for one in step[1:])]) for step in steps)
