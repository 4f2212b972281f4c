"""What a person says as the user, made into the message that ADK takes, checked against the agent's input_schema."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from google.adk.flows.llm_flows.functions import REQUEST_CONFIRMATION_FUNCTION_CALL_NAME
from google.adk.workflow import BaseNode
from google.genai import types
from pydantic import BaseModel

from adk_agent_sim.adk.answer_check import find_type_problems
from adk_agent_sim.errors import InvalidMessage, Problem
from adk_agent_sim.forms.json_schema import JsonSchema, to_json_schema
from adk_agent_sim.forms.schema_checker import SchemaChecker
from adk_agent_sim.timeline.json_conversion import to_json_value


def get_input_schema(root: BaseNode) -> JsonSchema | None:
    """The JSON Schema of what the agent wants to be told; None if any text will do."""
    stated = cast("Any", getattr(root, "input_schema", None))
    return to_json_schema(stated) if stated is not None else None


def build_user_message(
    root: BaseNode,
    message: str | Mapping[str, Any] | Sequence[Any] | BaseModel | types.Content,
    *,
    anyway: bool = False,
) -> types.Content:
    """The message as content; InvalidMessage names the field that the agent's input_schema refuses."""
    if isinstance(message, types.Content):
        return message
    schema = get_input_schema(root)
    if schema is not None and not anyway:
        problems = _find_problems(schema, cast("Any", root).input_schema, message)
        if problems:
            raise InvalidMessage(root.name, problems)
    text = message if isinstance(message, str) else json.dumps(to_json_value(message), ensure_ascii=False)
    return types.Content(role="user", parts=[types.Part(text=text)])


def attach_files(message: types.Content, files: Sequence[tuple[str, str, bytes]]) -> types.Content:
    """The message with files: name, mime type and bytes each. An empty text beside files is left out."""
    parts = [part for part in message.parts or () if part.text or not files]
    added = [
        types.Part(inline_data=types.Blob(display_name=name, mime_type=mime_type, data=data))
        for name, mime_type, data in files
    ]
    return types.Content(role="user", parts=[*parts, *added])


def build_consent_message(question_id: str, *, approve: bool, payload: Any = None) -> types.Content:
    """The user's answer to ADK's question whether a call may run."""
    said = {"confirmed": True, "payload": payload} if approve else {"confirmed": False}
    answer = types.FunctionResponse(id=question_id, name=REQUEST_CONFIRMATION_FUNCTION_CALL_NAME, response=said)
    return types.Content(role="user", parts=[types.Part(function_response=answer)])


def _find_problems(schema: JsonSchema, expected_type: object, message: object) -> Sequence[Problem]:
    try:
        value = json.loads(message) if isinstance(message, str) else to_json_value(message)
    except ValueError as error:
        return [Problem(path="", message=f"it must be JSON, and is not: {error}")]
    return SchemaChecker(schema).find_problems(value) or find_type_problems(expected_type, json.dumps(value))
