"""Recognizes results by which tools report errors; wraps and unwraps the response of a mocked MCP tool as ADK does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.strict_json import MAX_DEPTH, InvalidJson, dump_json, parse_json


def wrap_mcp_result(value: Json, *, is_error: bool = False, has_output_schema: bool = True) -> dict[str, Json]:
    """Return a `CallToolResult` as JSON: the value as text, and also as an object if the tool declares its output."""
    text = value if isinstance(value, str) else dump_json(value)
    result: dict[str, Json] = {"content": [{"type": "text", "text": text}], "isError": is_error}
    if has_output_schema and not is_error:
        result["structuredContent"] = cast("Json", value)
    return result


def unwrap_result(response: Json) -> Json:
    """Return the value of a tool's response as its model sees it: of a `CallToolResult`, or of a plain value."""
    if not isinstance(response, dict):
        return response
    fields = cast("dict[str, Json]", response)
    if "structuredContent" in fields:
        return fields["structuredContent"]
    if {"content", "isError"} <= fields.keys():  # releases of the protocol add others
        try:
            return parse_json(_join_texts(fields["content"]), max_depth=MAX_DEPTH, allow_duplicate_keys=True)
        except InvalidJson:
            return fields
    return fields["result"] if fields.keys() == {"result"} else fields


def _join_texts(content: Json) -> str:
    parts = cast("list[Json]", content) if isinstance(content, list) else []
    texts = [cast("dict[str, Json]", part).get("text") for part in parts if isinstance(part, dict)]
    return "".join(text for text in texts if isinstance(text, str))


_ERROR_KEYS = ("error", "error_code", "error_message", "isError")
"""A response with a truthy value under one of these keys is a failure: ADK, our plugins and MCP report errors so."""


def is_error_response(response: Json) -> bool:
    """Whether a response reports an error."""
    if not isinstance(response, Mapping):
        return False
    fields = cast("Mapping[str, Json]", response)
    return any(fields.get(key) for key in _ERROR_KEYS)
