"""Calls and responses in the JSON of traces."""

from __future__ import annotations

from typing import Any

import pytest

from adk_agent_sim.mocks.llm_state import find_traced_calls, list_traced_records

_CALL = {"id": "c1", "name": "get_order", "args": {"order_id": "7"}}
_RESPONSE = {"id": "c1", "name": "get_order", "response": {"status": "paid"}}


@pytest.mark.parametrize(
    "trace",
    [
        [{"intermediate_data": {"tool_uses": [{**_CALL, "response": {"status": "paid"}}]}}],
        {"intermediate_data": {"tool_uses": [_CALL], "tool_responses": [_RESPONSE]}},
        {
            "events": [
                {"content": {"parts": [{"function_call": _CALL}]}},
                {"content": {"parts": [{"function_response": _RESPONSE}]}},
            ]
        },
    ],
)
def test_calls_are_found_in_every_format(trace: Any) -> None:
    (call,) = find_traced_calls(trace)

    assert (call.tool, call.args, call.response) == ("get_order", {"order_id": "7"}, {"status": "paid"})


def test_what_has_no_response_is_left_out() -> None:
    nested: Any = {}
    for _ in range(5_000):
        nested = {"inner": nested}

    assert find_traced_calls([_CALL, {"name": "x"}, 5, None, nested]) == []


def test_records_are_lists_of_objects() -> None:
    response = {"products": [{"id": 1}], "tags": ["a"], "total": 1, "none": []}

    assert list_traced_records(response) == {"products": [{"id": 1}]}
    assert list_traced_records("text") == {}
