"""Wraps the response of a mocked MCP tool as ADK gives the result of a real one to the model, and unwraps it."""

from __future__ import annotations

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
