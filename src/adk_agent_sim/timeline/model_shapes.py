"""The shapes of model requests and responses, and of what ADK's events contain: the keys that readers use.

All of them are JSON of google.genai's and ADK's own models, whose other keys may have any value.
"""

from __future__ import annotations

from binascii import Error as Base64Error
from collections.abc import Mapping
from typing import Literal, TypeAlias, cast

from adk_agent_sim.timeline.json_conversion import decode_base64
from adk_agent_sim.timeline.shape_checks import (
    Check,
    Checks,
    MismatchError,
    build_json_check,
    build_list_check,
    build_object_check,
    check_flag,
    check_object,
    check_text,
    create_mismatch,
)

RequestPart: TypeAlias = Literal["content", "tools", "instruction", "config"]
"""The parts that a model request is split into; each of them is a block."""


def _check_base64(value: object) -> None:
    check_text(value)
    try:
        decode_base64(cast("str", value))
    except (Base64Error, ValueError):
        raise MismatchError("must be base64 text, and is not") from None


def _check_instruction(value: object) -> None:
    """Raise unless a value is a system instruction: a text, a content, a part, or a list of texts and parts."""
    if isinstance(value, dict):
        parts = cast("dict[str, object]", value).get("parts")
        if isinstance(parts, list):
            _check_instruction_parts(cast("list[object]", parts), ".parts")
    elif isinstance(value, list):
        _check_instruction_parts(cast("list[object]", value), "")
    elif value is not None:
        check_text(value)


def _check_instruction_parts(parts: list[object], path: str) -> None:
    for index, part in enumerate(parts):
        if not isinstance(part, str | dict):
            raise create_mismatch("a string or an object", part).prepend(f"{path}[{index}]")


_FILE_CHECKS: Checks = {
    "inline_data": build_object_check({"data": _check_base64, "mime_type": check_text, "display_name": check_text}),
    "file_data": build_object_check({"file_uri": check_text, "mime_type": check_text, "display_name": check_text}),
}
_check_part = build_object_check(
    {
        **_FILE_CHECKS,
        "text": check_text,
        "thought": check_flag,
        "function_call": build_object_check({"id": check_text, "name": check_text, "args": check_object}),
        "function_response": build_object_check(
            {
                "id": check_text,
                "name": check_text,
                "response": check_object,
                "parts": build_list_check(build_object_check(_FILE_CHECKS)),
            }
        ),
        "executable_code": build_object_check({"code": check_text}),
        "code_execution_result": build_object_check({"output": check_text}),
    }
)
_check_content = build_object_check({"role": check_text, "parts": build_list_check(_check_part)})
_check_actions = build_object_check(
    {
        "state_delta": check_object,
        "artifact_delta": check_object,
        "requested_tool_confirmations": check_object,
        "requested_auth_configs": check_object,
        "transfer_to_agent": check_text,
        "escalate": check_flag,
    }
)
_RESPONSE_CHECKS: Checks = {"content": _check_content, "error_code": check_text, "error_message": check_text}
_check_tools = build_list_check(
    build_object_check(
        {"function_declarations": build_list_check(build_object_check({"name": check_text, "description": check_text}))}
    )
)
_SCHEMA_CHECKS: Checks = {"response_schema": check_object, "response_json_schema": check_object}

check_content = build_json_check(_check_content)
"""Checks a `types.Content`."""

check_actions = build_json_check(_check_actions)
"""Checks ADK's `EventActions`."""

check_response = build_json_check(build_object_check(_RESPONSE_CHECKS))
"""Checks a model's answer, an `LlmResponse`."""

check_adk_event = build_json_check(
    build_object_check(
        {**_RESPONSE_CHECKS, "author": check_text, "invocation_id": check_text, "actions": _check_actions}
    )
)
"""Checks an ADK `Event`."""

check_request = build_json_check(
    build_object_check(
        {
            "contents": build_list_check(_check_content),
            "config": build_object_check(
                {**_SCHEMA_CHECKS, "tools": _check_tools, "system_instruction": _check_instruction}
            ),
        }
    )
)
"""Checks an `LlmRequest`."""

REQUEST_PART_CHECKS: Mapping[RequestPart, Check] = {
    "content": check_content,
    "tools": build_json_check(_check_tools),
    "instruction": build_json_check(_check_instruction),
    "config": build_json_check(
        build_object_check(
            {"config": build_object_check(_SCHEMA_CHECKS), "response_arguments_schema": check_object},
            required=("config",),
        )
    ),
}
"""Checks a part of a request that is stored as a block."""
