"""The shapes of the JSON in events: decisions of the environment, events of worlds, and what is shown of verdicts."""

from __future__ import annotations

from typing import cast

from adk_agent_sim.timeline.shape_checks import (
    MAX_FINITE,
    Check,
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
)

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


def _build_choice_check(*choices: str) -> Check:
    def check(value: object) -> None:
        check_text(value)
        if value not in choices:
            raise MismatchError(f"must be one of {', '.join(choices)}, and is {str(value)[:30]!r}")

    return check


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

_check_action = build_object_check(
    {"event_id": check_text, "tool": check_text, "arguments": check_object, "note": check_text},
    required=("event_id", "tool", "note"),
)
_check_difference = build_object_check({"argument": check_text, "rule": check_text}, required=("argument", "rule"))
_check_judged_event = build_object_check(
    {
        "event_id": check_text,
        "kind": check_text,
        "tool": check_text,
        "status": _build_choice_check("matched", "wrong", "missing"),
        "rule": check_text,
        "agent_event_id": check_text,
        "differences": build_list_check(_check_difference),
        "nearest": _check_action,
        "arguments": check_object,
    },
    required=("event_id", "kind", "tool", "status", "rule"),
)
_check_count = build_object_check(
    {"tool": check_text, "expected": check_count, "got": check_count},
    required=("tool", "expected", "got"),
)
_check_turn = build_object_check(
    {
        "number": check_count,
        "status": _build_choice_check("passed", "failed", "not judged"),
        "events": build_list_check(_check_judged_event),
        "counts": build_list_check(_check_count),
        "extra": build_list_check(_check_action),
    },
    required=("number", "status"),
)
_check_validation = build_object_check(
    {"event_id": check_text, "passed": check_flag, "reason": check_text}, required=("event_id", "passed", "reason")
)

check_verdict = build_optional_check(
    build_json_check(
        build_object_check(
            {
                "scenario_id": check_text,
                "passed": check_flag,
                "reason": check_text,
                "turns": build_list_check(_check_turn),
                "validations": build_list_check(_check_validation),
                "matches": build_mapping_check(check_text),
            }
        )
    )
)
"""Checks a verdict as `Verdict.to_json` returns it."""
