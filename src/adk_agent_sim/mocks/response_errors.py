"""Recognizes the responses by which tools report errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from adk_agent_sim.timeline.canonical_json import Json

_ERROR_KEYS = ("error", "error_code", "error_message", "isError")
"""A response with a truthy value under one of these keys is a failure: ADK, our plugins and MCP report errors so."""


def is_error_response(response: Json) -> bool:
    """Whether a response reports an error."""
    if not isinstance(response, Mapping):
        return False
    fields = cast("Mapping[str, Json]", response)
    return any(fields.get(key) for key in _ERROR_KEYS)
