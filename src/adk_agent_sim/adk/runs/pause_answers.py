"""Builds the user messages that answer ADK's requests for input and for credentials, and validates them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeAlias, cast

from google.genai import types

from adk_agent_sim.adk.runs.credential_forms import build_credential_response, simulate_sign_in
from adk_agent_sim.errors import InvalidInput
from adk_agent_sim.forms.json_schema import JsonSchema, to_json_schema
from adk_agent_sim.forms.schema_checker import SchemaChecker
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.content_parts import as_mapping, wrap_result
from adk_agent_sim.timeline.framework_calls import REQUEST_CREDENTIAL, REQUEST_INPUT
from adk_agent_sim.timeline.json_conversion import to_json_value

AnswerMessage: TypeAlias = types.Content
"""The user message that answers a request of ADK."""


def get_input_request_schema(arguments: Mapping[str, Json]) -> JsonSchema | None:
    """Return the JSON Schema of the input that a request asks for; None if it takes anything."""
    schema = as_mapping(arguments.get("response_schema") or arguments.get("responseSchema"))
    return to_json_schema(schema) if schema else None


def build_input_answer(
    request_id: str, arguments: Mapping[str, Json], value: object, *, force: bool = False
) -> AnswerMessage:
    """Return the user's answer to a request for input.

    Args:
        request_id: The id of ADK's request call.
        arguments: The arguments of that call.
        value: The input: a JSON value, or what converts to one.
        force: Do not validate it.

    Raises:
        InvalidInput: The value does not match the schema of the request.
    """
    data = to_json_value(value)
    schema = get_input_request_schema(arguments)
    if schema is not None and not force and (problems := SchemaChecker(schema).find_problems(data)):
        raise InvalidInput(problems)
    # A workflow parses a text as JSON, so that the text "5" would arrive as a number; a model gets it as it is.
    if isinstance(data, str) and "interruptId" in arguments and _is_json(data):
        data = json.dumps(data)
    return _build_message(REQUEST_INPUT, request_id, wrap_result(data))


def build_credential_answer(request_id: str, arguments: Mapping[str, Json], answer: object) -> AnswerMessage:
    """Return the user's answer to a request for a credential; see `build_credential_response`.

    Args:
        request_id: The id of ADK's request call.
        arguments: The arguments of that call.
        answer: The credential; None simulates a user who has signed in.
    """
    auth_config = get_auth_config(arguments)
    given = simulate_sign_in(auth_config) if answer is None else answer
    return _build_message(REQUEST_CREDENTIAL, request_id, build_credential_response(auth_config, given))


def get_auth_config(arguments: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return the auth config of a request for a credential."""
    return as_mapping(arguments.get("authConfig") or arguments.get("auth_config"))


def _build_message(name: str, request_id: str, response: dict[str, Any]) -> AnswerMessage:
    answer = types.FunctionResponse(id=request_id, name=name, response=response)
    return types.Content(role="user", parts=[types.Part(function_response=answer)])


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def get_message_text(arguments: Mapping[str, Json]) -> str:
    """Return what a request tells the user; empty if it tells nothing."""
    return str(cast("object", arguments.get("message")) or "")
