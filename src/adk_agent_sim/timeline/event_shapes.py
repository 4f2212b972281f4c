"""The shapes of the JSON in events: of model requests and responses, ADK's events, decisions of the environment, events
of worlds, and what is shown of verdicts. They name the keys that readers use.

JSON of google.genai's and ADK's own models may have any value in other keys.
"""

from __future__ import annotations

from binascii import Error as Base64Error
from collections.abc import Mapping
from typing import Literal, TypeAlias, cast

from pydantic import ValidationError

from adk_agent_sim.timeline.json_conversion import decode_base64
from adk_agent_sim.timeline.shape_checks import (
    MAX_FINITE,
    Check,
    Checks,
    MismatchError,
    build_integer_check,
    build_json_check,
    build_list_check,
    build_mapping_check,
    build_number_check,
    build_object_check,
    build_optional_check,
    check_flag,
    check_integer,
    check_object,
    check_text,
    create_mismatch,
)
from adk_agent_sim.timeline.verdict import Verdict

_MAX_INT64 = 2**63 - 1
_MAX_COUNT = 2**31 - 1

_MAX_TIMESTAMP = 253_402_300_799
"""The last second of the year 9999, beyond which Python has no dates."""


check_timestamp = build_number_check("a time in seconds since 1970", _MAX_TIMESTAMP)
"""Checks a time that Python has a date for."""

check_duration = build_number_check("a finite number of at least 0", MAX_FINITE)
check_count = build_integer_check(_MAX_COUNT)


def check_seed(value: object) -> None:
    """Check that a value is a seed, which may be negative."""
    check_integer(value)
    if not -_MAX_INT64 - 1 <= cast("int", value) <= _MAX_INT64:
        raise MismatchError(f"must be an integer of 64 bits, and is {str(value)[:30]}")


check_environment = build_optional_check(
    build_json_check(
        build_object_check(
            {
                "rules": build_list_check(
                    build_object_check(
                        {
                            "name": check_text,
                            "tools": build_list_check(check_text),
                            "profiles": build_list_check(check_text),
                        },
                        required=("name", "tools"),
                    )
                ),
                "profile": check_text,
                "active_profiles": build_list_check(check_text),
                "tool_players": build_mapping_check(check_text),
                "draws": build_object_check(
                    {"seed": check_integer, "session": check_text, "is_drawn": check_flag}, required=("seed", "session")
                ),
                "uses_real_time": check_flag,
            }
        )
    )
)
"""Checks what a decision says about the rules of its session."""

check_passed_over = build_json_check(
    build_list_check(
        build_object_check({"rule": check_text, "why": check_text, "reason": check_text}, required=("rule", "why"))
    )
)
"""Checks the rules that were tried before the one that matched."""

check_near_miss = build_optional_check(
    build_json_check(
        build_object_check(
            {
                "rule": check_text,
                "differences": build_mapping_check(
                    build_object_check({"expected": check_text, "found": check_text}, required=("expected", "found"))
                ),
            },
            required=("rule", "differences"),
        )
    )
)
"""Checks the rule that almost matched."""


_check_argument = build_object_check(
    {"name": check_text, "value": check_text, "value_type": check_text}, required=("name",)
)

check_completed_event = build_json_check(
    build_object_check(
        {
            "event_id": check_text,
            "event_type": check_text,
            "event_time": check_duration,
            "dependencies": build_list_check(check_text),
            "action": build_object_check(
                {"app": check_text, "function": check_text, "args": build_list_check(_check_argument)}
            ),
            "metadata": build_object_check({"return_value": check_text, "exception": check_text}),
        },
        required=("event_id", "event_type", "event_time"),
    )
)
"""Checks a completed event; `scenario.format.models` has all of its fields."""


def _check_verdict(value: object) -> None:
    try:
        Verdict.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        mismatch = MismatchError(f"is invalid: {first['msg']}")
        for step in reversed(first["loc"]):
            mismatch.prepend(f"[{step}]" if isinstance(step, int) else f".{step}")
        raise mismatch from error


check_verdict = build_optional_check(build_json_check(_check_verdict))
"""Checks a verdict as `Verdict.to_json` returns it."""


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
