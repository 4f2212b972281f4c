"""The shapes of the JSON in events: decisions of the environment, events of worlds, and what is shown of verdicts."""

from __future__ import annotations

from typing import cast

from pydantic import ValidationError

from adk_agent_sim.timeline.shape_checks import (
    MAX_FINITE,
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
    check_text,
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
