"""Converts what ADK emits to what the timeline records of it."""

from __future__ import annotations

from typing import Any

from google.adk.events import Event as AdkEvent
from google.genai import types

from adk_agent_sim.timeline.json_conversion import to_json_value


def convert_event_to_json(event: AdkEvent) -> Any:
    """Return an ADK event as JSON, without the fields of `actions` that are not set."""
    value = to_json_value(event)
    value["actions"] = remove_unset_actions(value.get("actions", {}))
    return value


def remove_unset_actions(actions: dict[str, Any]) -> dict[str, Any]:
    """Return the actions of an event without those that are not set."""
    return {name: value for name, value in actions.items() if value not in (None, {}, [], False)}


def extract_artifact_data(part: types.Part | None) -> tuple[str, bytes]:
    """Return the MIME type and the bytes of an artifact."""
    if part is not None and part.inline_data is not None:
        return part.inline_data.mime_type or "application/octet-stream", part.inline_data.data or b""
    if part is not None and part.file_data is not None:
        return "text/uri-list", (part.file_data.file_uri or "").encode()
    return "text/plain", ((part.text if part is not None else None) or "").encode()
