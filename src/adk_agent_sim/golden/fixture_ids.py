"""Renumbers the ids of calls as `adk test` does before it compares events: `fc-1`, `fc-2` in call order.

`adk test` assigns a response to the oldest unanswered call of the same name, not to the call it answers. This module
does the same, because the ids must agree.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, cast

from google.adk.events import Event
from google.genai import types


def renumber_ids(events: Sequence[Event]) -> list[Event]:
    """Return copies of the events with renumbered ids."""
    renumbered = [event.model_copy(deep=True) for event in events]
    numbers = _number_calls(renumbered)
    waiting: dict[str, deque[str]] = {}
    for number, event in enumerate(renumbered, start=1):
        event.id = f"e-{number}"
        for call in event.get_function_calls():
            waiting.setdefault(call.name or "", deque()).append(call.id or "")
            call.args = _replace_ids(call.args, numbers)
        for response in event.get_function_responses():
            response.id = _find_response_id(response, waiting, numbers)
        _replace_ids_in_paths(event, numbers)
    return renumbered


def _number_calls(events: Sequence[Event]) -> dict[str, str]:
    """Renumber the calls in place, and return the new ids by the old ones."""
    numbers: dict[str, str] = {}
    count = 0
    for event in events:
        for call in event.get_function_calls():
            old = call.id or ""
            count += 1
            call.id = numbers[old] = f"fc-{count}"
        if event.long_running_tool_ids:
            event.long_running_tool_ids = {numbers.get(call_id, call_id) for call_id in event.long_running_tool_ids}
    return numbers


def _find_response_id(
    response: types.FunctionResponse, waiting: dict[str, deque[str]], numbers: Mapping[str, str]
) -> str:
    unanswered = waiting.get(response.name or "")
    return unanswered.popleft() if unanswered else numbers.get(response.id or "", response.id or "")


def _replace_ids(value: Any, numbers: Mapping[str, str]) -> Any:
    """Return arguments with renumbered call ids: ADK's own requests contain the call that they are about."""
    if isinstance(value, dict):
        entries = cast("dict[str, Any]", value)
        return {
            key: numbers.get(inner, inner) if key == "id" and isinstance(inner, str) else _replace_ids(inner, numbers)
            for key, inner in entries.items()
        }
    return [_replace_ids(inner, numbers) for inner in cast("list[Any]", value)] if isinstance(value, list) else value


def _replace_ids_in_paths(event: Event, numbers: Mapping[str, str]) -> None:
    """Renumber the call ids in the event's branch, paths and scope, which ADK may name after a call."""
    event.branch = _replace_ids_in_path(event.branch, ".", numbers) if event.branch else event.branch
    event.node_info.path = _replace_ids_in_path(event.node_info.path, "/", numbers)
    if event.node_info.output_for:
        event.node_info.output_for = [_replace_ids_in_path(path, "/", numbers) for path in event.node_info.output_for]
    if event.isolation_scope:
        event.isolation_scope = numbers.get(event.isolation_scope, event.isolation_scope)
    confirmations = event.actions.requested_tool_confirmations
    event.actions.requested_tool_confirmations = {numbers.get(key, key): value for key, value in confirmations.items()}


def _replace_ids_in_path(path: str, separator: str, numbers: Mapping[str, str]) -> str:
    steps = [step.rsplit("@", 1) for step in path.split(separator)]
    return separator.join(
        "@".join([step[0], *(numbers.get(call_id, call_id) for call_id in step[1:])]) for step in steps
    )
