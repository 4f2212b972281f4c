"""Builds the user messages that answer ADK's requests for consent, input and credentials, and validates them.

It knows the forms for credentials: which fields a person fills in for ADK's auth scheme. It reads and builds ADK's
`AuthConfig` as JSON, as ADK's request contains it; nothing here stores a value.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from google.adk.auth.auth_credential import AuthCredential
from google.genai import types

from adk_agent_sim.errors import InvalidCredential, InvalidInput, Problem
from adk_agent_sim.forms.json_schema import JsonSchema, to_json_schema
from adk_agent_sim.forms.schema_checker import SchemaChecker, build_arguments_checker
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.content_parts import as_mapping, as_text, wrap_result
from adk_agent_sim.timeline.framework_calls import REQUEST_CONFIRMATION, REQUEST_CREDENTIAL, REQUEST_INPUT
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.redaction.credential_mask import SIMULATED_PREFIX

_OAUTH_TYPES = frozenset({"oauth2", "openIdConnect"})


@dataclass(frozen=True, kw_only=True)
class CredentialForm:
    """What a person is asked for."""

    title: str
    """The auth scheme in words, such as `API key X-Key (header)`."""

    auth_uri: str
    """Where a real user would sign in; empty if nowhere."""

    schema: JsonSchema
    """The JSON Schema of the fields; all of them are texts."""


def read_credential_form(auth_config: Mapping[str, Json]) -> CredentialForm:
    """Return the form for the auth scheme of ADK's request."""
    scheme = as_mapping(auth_config.get("authScheme"))
    kind = as_text(scheme.get("type"))
    if kind == "apiKey":
        title = f"API key {as_text(scheme.get('name'))} ({as_text(scheme.get('in')) or 'header'})"
        return _build_form(title, {"api_key": "The API key"}, required=["api_key"])
    if kind == "http" and _is_basic(scheme):
        fields = {"username": "The user name", "password": "The password"}
        return _build_form("User name and password", fields, required=["username", "password"])
    if kind in _OAUTH_TYPES:
        oauth = as_mapping(as_mapping(auth_config.get("exchangedAuthCredential")).get("oauth2"))
        title = "OAuth 2.0 sign-in" if kind == "oauth2" else "OpenID Connect sign-in"
        fields = {
            "access_token": "An access token; ADK uses it as it is",
            "auth_response_uri": "Or the address to which the provider sent the user back; ADK exchanges its code",
            "refresh_token": "A refresh token, if there is one",
        }
        return _build_form(title, fields, auth_uri=as_text(oauth.get("authUri")))
    name = as_text(scheme.get("scheme")) or kind or "unknown scheme"
    return _build_form(f"Token ({name})", {"token": "The token"}, required=["token"])


def simulate_sign_in(auth_config: Mapping[str, Json]) -> dict[str, str]:
    """Return the fields of a user who has signed in, with values that no service accepts."""
    fields = read_credential_form(auth_config).schema
    names = cast("list[str]", fields.get("required") or ["access_token"])
    return {name: f"{SIMULATED_PREFIX}{name.replace('_', '-')}" for name in names}


def build_credential_response(auth_config: Mapping[str, Json], answer: object) -> dict[str, Any]:
    """Return the response to ADK's request: its auth config with the credential in it, as `adk web` sends it.

    Args:
        auth_config: The auth config of the request.
        answer: The fields of the form, one text if the scheme needs only one, or an ADK `AuthCredential`.

    Raises:
        InvalidCredential: The fields are not those of the scheme. The message does not contain their values.
    """
    given: Any = to_json_value(answer) if isinstance(answer, AuthCredential) else answer
    if isinstance(given, dict) and {"auth_type", "authType"} & set(cast("dict[str, Any]", given)):
        credential = AuthCredential.model_validate(given).model_dump(mode="json", exclude_none=True, by_alias=True)
        return {**auth_config, "exchangedAuthCredential": credential}
    schema = read_credential_form(auth_config).schema
    names = list(cast("Mapping[str, Any]", schema["properties"]))
    fields = _read_fields(cast("object", given), names)
    if problems := build_arguments_checker(schema).find_problems(fields):
        # The problems of a schema may quote the value: only their places are told.
        raise InvalidCredential([Problem(path=each.path, message=_describe(names)) for each in problems])
    return {**auth_config, "exchangedAuthCredential": _build_credential(auth_config, fields)}


def _read_fields(given: object, names: list[str]) -> dict[str, str]:
    if isinstance(given, str):
        return {names[0]: given}
    if isinstance(given, Mapping):
        return {str(name): value for name, value in cast("Mapping[object, Any]", given).items() if value != ""}
    raise InvalidCredential([Problem(path="", message=_describe(names))])


def _describe(names: list[str]) -> str:
    return f"give texts for {', '.join(names)}"


def _build_credential(auth_config: Mapping[str, Json], fields: Mapping[str, str]) -> dict[str, Any]:
    scheme = as_mapping(auth_config.get("authScheme"))
    kind = as_text(scheme.get("type"))
    if kind == "apiKey":
        return {"authType": "apiKey", "apiKey": fields["api_key"]}
    if kind in _OAUTH_TYPES:
        known = as_mapping(auth_config.get("exchangedAuthCredential")) or as_mapping(
            auth_config.get("rawAuthCredential")
        )
        values = {_to_camel_case(name): value for name, value in fields.items()}
        return {"authType": kind, **known, "oauth2": {**as_mapping(known.get("oauth2")), **values}}
    if kind == "http":
        name = as_text(scheme.get("scheme")) or "bearer"
        return {"authType": "http", "http": {"scheme": name, "credentials": dict(fields)}}
    return {"authType": "oauth2", "oauth2": {"accessToken": fields["token"]}}


def _is_basic(scheme: Mapping[str, Json]) -> bool:
    return as_text(scheme.get("scheme")).lower() == "basic"


def _build_form(
    title: str, fields: Mapping[str, str], *, required: list[str] | None = None, auth_uri: str = ""
) -> CredentialForm:
    properties = {
        name: {"type": "string", "minLength": 1, "description": description} for name, description in fields.items()
    }
    schema: JsonSchema = {"type": "object", "properties": properties, "minProperties": 1}
    if required:
        schema["required"] = required
    return CredentialForm(title=title, auth_uri=auth_uri, schema=schema)


def _to_camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


AnswerMessage: TypeAlias = types.Content
"""The user message that answers a request of ADK."""


def get_input_request_schema(arguments: Mapping[str, Json]) -> JsonSchema | None:
    """Return the JSON Schema of the input that a request asks for; None if it takes anything."""
    schema = as_mapping(arguments.get("response_schema") or arguments.get("responseSchema"))
    return to_json_schema(schema) if schema else None


def build_consent_message(question_id: str, *, approve: bool, payload: Any = None) -> types.Content:
    """Return the user's answer to ADK's question whether a call may run.

    Args:
        question_id: The id of ADK's request call.
        approve: Whether the call may run.
        payload: What the tool asked for, if it asked for something.
    """
    response = {"confirmed": True, "payload": to_json_value(payload)} if approve else {"confirmed": False}
    return _build_message(REQUEST_CONFIRMATION, question_id, response)


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
