"""What exists in a session whose tools a model simulates, and which calls and responses contradict it."""

from __future__ import annotations

from typing import Any

import pytest

from adk_agent_sim.mocks.llm_json import UnusableAnswer
from adk_agent_sim.mocks.llm_mock import ConsistencyCheck, MissingResource
from adk_agent_sim.mocks.llm_questions import SimulatedCall, build_connections_question, build_response_question
from adk_agent_sim.mocks.llm_state import AnsweredCall, ToolConnections, WorldKnowledge, fold_calls, parse_connections
from adk_agent_sim.mocks.mocked_call import ToolSpec

_USES = {
    "order": [
        *[("place_order", "create", "order_id"), ("get_order", "get", "id"), ("drop_order", "delete", "id")],
        *[("list_orders", "list", None), ("ship_orders", "update", "ids"), ("create_invoice", "get", "order_id")],
    ],
    "invoice": [("create_invoice", "create", "number")],
    "user": [("get_user", "get", "user_id")],
    "note": [("write_note", "create", "title"), ("get_note", "get", "title")],
}
_ARGUMENTS = {
    "place_order": ["item"],
    "get_order": ["id"],
    "drop_order": ["id"],
    "list_orders": [],
    "ship_orders": ["ids"],
    "create_invoice": ["order_id"],
    "get_user": ["user_id"],
    "write_note": ["title"],
    "get_note": ["title"],
}
_SPECS = [
    ToolSpec(name=name, parameters={"type": "object", "properties": {each: {"type": "string"} for each in names}})
    for name, names in _ARGUMENTS.items()
]


def _connect() -> ToolConnections:
    resources = [
        {"name": name, "uses": [{"tool": tool, "operation": does, "id": key} for tool, does, key in uses]}
        for name, uses in _USES.items()
    ]
    return parse_connections({"resources": resources}, _SPECS)


def _call(tool: str, response: Any, *, has_failed: bool = False, **args: Any) -> AnsweredCall:
    return AnsweredCall(tool=tool, args=args, response=response, has_failed=has_failed)


def _check(*calls: AnsweredCall, data: str = "") -> ConsistencyCheck:
    connections = _connect()
    return ConsistencyCheck(
        connections=connections, resources=fold_calls(connections, calls), knowledge=WorldKnowledge(data)
    )


_PLACED = _call("place_order", {"order": {"order_id": 7}, "ok": True}, item="lamp")


@pytest.mark.parametrize(
    ("calls", "asked", "missing"),
    [
        ([], ("get_order", {"id": "7"}), ("order", "7", False)),
        ([_PLACED], ("get_order", {"id": "7"}), None),
        ([_PLACED], ("get_order", {"id": 7}), None),
        ([_PLACED], ("get_order", {"id": None}), None),
        ([_PLACED, _call("drop_order", {}, id=7)], ("get_order", {"id": 7}), ("order", "7", True)),
        ([_PLACED, _call("drop_order", {"error": "no"}, has_failed=True, id=7)], ("get_order", {"id": 7}), None),
        ([_call("place_order", {"order_id": 7}, has_failed=True)], ("get_order", {"id": 7}), ("order", "7", False)),
        ([_call("list_orders", {"orders": [{"order_id": 8}]})], ("get_order", {"id": 8}), None),
        ([_PLACED], ("ship_orders", {"ids": ["7", "9"]}), ("order", "9", False)),
        ([], ("create_invoice", {"order_id": "7"}), ("order", "7", False)),
        ([_PLACED], ("create_invoice", {"order_id": "7"}), None),
        ([], ("get_user", {"user_id": "anybody"}), None),
        ([_call("write_note", {}, title="milk")], ("get_note", {"title": "milk"}), None),
        ([], ("get_note", {"title": "milk"}), ("note", "milk", False)),
        ([], ("unknown", {"id": "7"}), None),
    ],
)
def test_a_resource_that_some_tool_creates_exists_once_it_was_created(
    calls: list[AnsweredCall], asked: tuple[str, dict[str, Any]], missing: tuple[str, str, bool] | None
) -> None:
    assert _check(*calls).find_missing(*asked) == (MissingResource(*missing) if missing else None)


@pytest.mark.parametrize(
    ("data", "exists"),
    [
        ('{"orders": [{"id": "A-7"}]}', True),
        ('{"orders": {"A-7": {}}}', True),
        ('{"orders": ["A-77"]}', False),
        ("The order A-7 is late.", True),
        ("The orders A-77, xA-7 and BA-7 are late.", False),
        ("The orders A-77 and A-7.", True),
        ("", False),
    ],
)
def test_an_id_exists_if_the_data_names_it(data: str, exists: bool) -> None:
    assert (_check(data=data).find_missing("get_order", {"id": "A-7"}) is None) == exists


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (_call("place_order", {"order": {"orderId": 8}}), ""),
        (_call("place_order", {"order": {"order_id": 7}}), "the order '7' exists already"),
        (_call("place_order", {"order": {}}), "the result has no 'order_id'"),
        (_call("place_order", {"order_id": True}), "the result has no 'order_id'"),
        (_call("get_order", {"id": "7"}, id=7), ""),
        (_call("get_order", {"id": 8}, id=7), "the result is about id '8', and the call about '7'"),
        (_call("list_orders", {"orders": [{"order_id": 7}], "total": 1}), ""),
        (_call("list_orders", {"orders": [{"order_id": 9}]}), "there is no order '9'"),
        (_call("list_orders", [{"order_id": 9}]), "there is no order '9'"),
        (_call("list_orders", "none"), ""),
        (_call("get_user", {"user_id": "ada"}, user_id="ada"), ""),
        (_call("write_note", {}, title="milk"), ""),
    ],
)
@pytest.mark.req("002/mock-consistent")
def test_a_response_that_contradicts_what_exists_is_refused(call: AnsweredCall, problem: str) -> None:
    check = _check(_PLACED)
    if not problem:
        check.check_response(call)
        return
    with pytest.raises(UnusableAnswer) as refused:
        check.check_response(call)
    assert problem in str(refused.value)


def test_the_question_about_connections_does_not_depend_on_the_order_of_the_tools() -> None:
    assert build_connections_question(_SPECS) == build_connections_question(_SPECS[::-1])


def test_a_long_session_does_not_make_the_question_longer_without_end() -> None:
    def measure(count: int) -> int:
        calls = [_call("place_order", {"order_id": each, "text": "x" * 900}, item="lamp") for each in range(count)]
        connections = _connect()
        call = SimulatedCall(spec=_SPECS[0], args={"item": "desk"}, specs=_SPECS, earlier_calls=calls)
        question = build_response_question(call, (), fold_calls(connections, calls))
        assert (f"{count - 1}" in question.messages[0], "not shown" in question.messages[0]) == (True, count > 20)
        return len(question.messages[0])

    assert measure(10) < measure(300) <= measure(3_000) * 1.01 < 100_000
