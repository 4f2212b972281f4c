"""Finds how what happens in a replay differs from what was recorded; ids and times always do."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import cast

from adk_agent_sim.timeline.blocks import pack_ids
from adk_agent_sim.timeline.canonical_json import Json, equals_value
from adk_agent_sim.timeline.events import AgentEvent, Event, ToolFailed, TurnAsked
from adk_agent_sim.timeline.framework_calls import is_request_call
from adk_agent_sim.timeline.model_request import RequestBlocks

_IDS_AND_TIMES = frozenset({"id", "timestamp", "invocation_id"})
_MAX_VALUE_LENGTH = 120


def find_request_difference(recorded: TurnAsked, request: RequestBlocks) -> str:
    """Return which part of a model request differs; empty if none does."""
    if request.instruction.block_id != recorded.instruction:
        return "the instruction"
    if request.tools.block_id != recorded.tools:
        return "the list of tools"
    if request.config.block_id != recorded.config:
        return "the settings"
    if pack_ids([block.block_id for block in request.contents], lambda _: None) != recorded.contents:
        return "the conversation"
    return ""


def find_event_difference(recorded: AgentEvent, emitted: AgentEvent) -> str:
    """Return how an event of an agent differs; empty if it does not."""
    if equals_value(recorded.event, emitted.event):
        return ""
    before, now = _normalize_event(recorded.event), _normalize_event(emitted.event)
    return "" if equals_value(before, now) else _describe_first(before, now, "")


def find_value_difference(recorded: Json, found: Json) -> str:
    """Return how a JSON value differs; empty if it does not."""
    return "" if equals_value(recorded, found) else _describe_first(recorded, found, "")


def describe_event(event: Event) -> str:
    """Return what an event is, for people."""
    who = f" of agent {event.agent_name!r}" if event.agent_name else ""
    name = getattr(event.payload, "tool_name", "") or getattr(event.payload, "filename", "")
    kind = {
        "TurnAsked": "a turn",
        "TurnDecided": "a decision",
        "ToolStarted": "the call",
        "ToolFinished": "the end of a call",
        "ToolFailed": "the failure of a call",
        "AgentEvent": "an event",
        "ArtifactSaved": "the artifact",
        "UserSpoke": "the user message",
    }.get(type(event.payload).__name__, "an event")
    why = (
        f" ({event.payload.error_type}: {event.payload.error_message})" if isinstance(event.payload, ToolFailed) else ""
    )
    return f"{kind}{f' {name}' if name else ''}{who}{why}"


def _normalize_event(event: Json) -> dict[str, Json]:
    """Return an ADK event without ids and times, also those of ADK's own request calls."""
    value = {name: inner for name, inner in cast("Mapping[str, Json]", event).items() if name not in _IDS_AND_TIMES}
    content: Mapping[str, Json] = value.get("content") or {}
    parts: Sequence[Mapping[str, Json]] = content.get("parts") or ()
    if any(_is_request(part) for part in parts):
        value["content"] = {**content, "parts": [_remove_request_id(part) for part in parts]}
        # ADK's request calls are among them, and their ids are random.
        value.pop("long_running_tool_ids", None)
    return value


def _is_request(part: Mapping[str, Json]) -> bool:
    call: Mapping[str, Json] = part.get("function_call") or {}
    return is_request_call(call.get("name") or "")


def _remove_request_id(part: Mapping[str, Json]) -> Mapping[str, Json]:
    if not _is_request(part):
        return part
    call = cast("Mapping[str, Json]", part["function_call"])
    return {**part, "function_call": {name: value for name, value in call.items() if name != "id"}}


def _describe_first(before: Json, now: Json, path: str) -> str:
    """Describe the first place at which two JSON values differ."""
    if isinstance(before, dict) and isinstance(now, dict):
        old_fields, new_fields = cast("dict[str, Json]", before), cast("dict[str, Json]", now)
        for key in sorted({*old_fields, *new_fields}):
            old, new = old_fields.get(key), new_fields.get(key)
            if not equals_value(old, new):
                return _describe_first(old, new, f"{path}.{key}" if path else key)
    if isinstance(before, list) and isinstance(now, list):
        for index, (old, new) in enumerate(zip(cast("list[Json]", before), cast("list[Json]", now), strict=False)):
            if not equals_value(old, new):
                return _describe_first(old, new, f"{path}[{index}]")
    where = f"{path} " if path else ""
    return f"{where}was {_shorten(before)} and is now {_shorten(now)}"


def _shorten(value: Json) -> str:
    if value is None:
        return "missing"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MAX_VALUE_LENGTH else f"{text[:_MAX_VALUE_LENGTH]}..."
