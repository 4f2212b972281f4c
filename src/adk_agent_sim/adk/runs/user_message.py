"""Builds the user messages that ADK receives, and validates them against the agent's input_schema."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, cast

from google.adk.workflow import BaseNode
from google.genai import types
from pydantic import BaseModel

from adk_agent_sim.adk.runs.answer_check import find_type_problems
from adk_agent_sim.errors import InvalidMessage, Problem
from adk_agent_sim.forms.json_schema import JsonSchema, to_json_schema
from adk_agent_sim.forms.schema_checker import SchemaChecker
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.strict_json import parse_json

MessageValue: TypeAlias = str | Mapping[str, Any] | Sequence[Any] | BaseModel | types.Content
"""A user message: text, data for an agent with an input_schema, or a content, which is not validated."""


def get_input_schema(root: BaseNode) -> JsonSchema | None:
    """Return the JSON Schema of the agent's input; None if it accepts any text."""
    input_type = cast("Any", getattr(root, "input_schema", None))
    return to_json_schema(input_type) if input_type is not None else None


def build_user_message(root: BaseNode, message: MessageValue, *, force: bool = False) -> types.Content:
    """Return the message as content; raise InvalidMessage if it does not fit the agent's input_schema.

    Args:
        root: The agent.
        message: Text, data for an agent with an input_schema, or a content, which is not validated.
        force: Do not validate.
    """
    if isinstance(message, types.Content):
        return message
    schema = get_input_schema(root)
    if schema is not None and not force:
        problems = _find_problems(schema, cast("Any", root).input_schema, message)
        if problems:
            raise InvalidMessage(root.name, problems)
    text = message if isinstance(message, str) else json.dumps(to_json_value(message), ensure_ascii=False)
    return types.Content(role="user", parts=[types.Part(text=text)])


def attach_files(message: types.Content, files: Sequence[tuple[str, str, bytes]]) -> types.Content:
    """Return the message with files attached: name, MIME type and bytes each. Empty text parts are omitted."""
    parts = [part for part in message.parts or () if part.text or not files]
    added = [
        types.Part(inline_data=types.Blob(display_name=name, mime_type=mime_type, data=data))
        for name, mime_type, data in files
    ]
    return types.Content(role="user", parts=[*parts, *added])


def _find_problems(schema: JsonSchema, expected_type: object, message: object) -> Sequence[Problem]:
    try:
        value = parse_json(message, allow_duplicate_keys=True) if isinstance(message, str) else to_json_value(message)
    except ValueError as error:
        return [Problem(path="", message=f"it must be JSON: {error}")]
    return SchemaChecker(schema).find_problems(value) or find_type_problems(expected_type, json.dumps(value))
