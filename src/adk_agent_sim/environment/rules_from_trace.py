"""Generates rules that give the recorded results of a session, by tool and arguments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adk_agent_sim.environment.actions.raise_exception import BUILT_IN_EXCEPTIONS
from adk_agent_sim.environment.json_values import escape_name, is_same_value, normalize_value
from adk_agent_sim.environment.templates import escape_templates
from adk_agent_sim.timeline.canonical_json import Json, encode_json
from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.framework_calls import CONTROL_TOOLS
from adk_agent_sim.timeline.history import ToolCall, ToolError, ToolOutput, build_history


@dataclass(frozen=True, kw_only=True)
class RecordedCall:
    """A call of a trace and its result."""

    tool: str
    args: Mapping[str, Json]
    do: Mapping[str, Json]
    """The action that gives the same result."""


def extract_recorded_calls(events: Iterable[Event]) -> list[RecordedCall]:
    """Returns the answered calls of a session, in order."""
    entries = build_history(events)
    results = {entry.call_id: entry for entry in entries if isinstance(entry, ToolOutput | ToolError)}
    return [
        RecordedCall(tool=entry.tool_name, args=entry.arguments, do=_build_action(results[entry.call_id]))
        for entry in entries
        if isinstance(entry, ToolCall) and entry.call_id in results and entry.tool_name not in CONTROL_TOOLS
    ]


def build_rules(trace_calls: Sequence[RecordedCall]) -> dict[str, Any]:
    """Returns a rules file as JSON. Equal calls with different results get their results in the recorded order."""
    groups: dict[tuple[str, bytes], list[RecordedCall]] = {}
    for call in trace_calls:
        groups.setdefault((call.tool, encode_json(normalize_value(dict(call.args)))), []).append(call)
    rules = [rule for calls in groups.values() for rule in _build_call_rules(calls)]
    return {"version": 1, "unanswered": "refuse", "rules": rules}


def _build_call_rules(calls: Sequence[RecordedCall]) -> list[dict[str, Any]]:
    first = calls[0]
    match: dict[str, Any] = {"tool": first.tool}
    if first.args:
        match["args"] = {escape_name(name): _escape_literal(value) for name, value in first.args.items()}
    match["exactly"] = True
    if all(is_same_value(dict(call.do), dict(first.do)) for call in calls):
        return [{"match": match, "do": dict(first.do)}]
    return [
        {"match": {**match, "call": {"nth": number}}, "do": dict(call.do)} for number, call in enumerate(calls, start=1)
    ]


def _build_action(result: ToolOutput | ToolError) -> dict[str, Json]:
    if isinstance(result, ToolOutput):
        return {"respond": escape_templates(result.response if result.response is not None else result.result)}
    message = escape_templates(result.error_message)
    if result.error_type in BUILT_IN_EXCEPTIONS:
        return {"raise": {"type": result.error_type, "message": message}}
    error = {"error": {"type": result.error_type, "message": result.error_message}}
    return {"respond": escape_templates(result.response or error)}


def _escape_literal(value: Json) -> Json:
    """Returns what stands for a recorded value: braces are no references, and an object is no conditions."""
    escaped = escape_templates(value)
    return {"equals": escaped} if isinstance(value, Mapping) else escaped
