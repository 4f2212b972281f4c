"""Calls are answered from a recording by their arguments, then by the flow of ids; nothing is guessed."""

from __future__ import annotations

from typing import Any

import pytest

from adk_agent_sim.errors import MockImpossible
from adk_agent_sim.golden.recording import RecordedRun, RecordedToolCall, Recording, StreamKey
from adk_agent_sim.mocks.replay_mock import LiveCall, ReplayMock, build_replay_source
from adk_agent_sim.timeline.canonical_json import normalize_value
from adk_agent_sim.timeline.events import AgentPath

_Call = tuple[str, dict[str, Any], dict[str, Any]]


def _record(*calls: _Call, name: str = "one", agents: tuple[str, ...] = ()) -> Recording:
    recorded = [
        RecordedToolCall(
            key=StreamKey(agent_name=agents[place] if agents else ""),
            call_id=f"{name}-{place}",
            tool_name=tool,
            arguments=args,
            response=response,
            actions={},
        )
        for place, (tool, args, response) in enumerate(calls)
    ]
    run = RecordedRun(
        message=None, is_query=True, decisions=(), calls=recorded, texts=(), final_text=None, outcome=None
    )
    return Recording(name=name, app_name="shop", user_id="user", state={}, runs=[run])


def _mock(*recordings: Recording) -> ReplayMock:
    return ReplayMock(build_replay_source("golden.json", recordings))


def _live(tool: str, args: dict[str, Any], agent: str = "", **defaults: Any) -> LiveCall:
    return LiveCall(tool=tool, agent=agent, args=normalize_value({**defaults, **args}), defaults=defaults)


def _ask(mock: ReplayMock, tool: str, args: dict[str, Any], **more: Any) -> Any:
    return mock.respond(object(), _live(tool, args, **more)).response


def _observe(mock: ReplayMock, tool: str, args: dict[str, Any], response: dict[str, Any]) -> None:
    mock.observe(object(), _live(tool, args), response, is_error="error" in response)


def _explain(mock: ReplayMock, tool: str, args: dict[str, Any]) -> str:
    with pytest.raises(MockImpossible) as refused:
        _ask(mock, tool, args)
    return str(refused.value)


def test_numbers_the_order_of_keys_and_defaults_do_not_matter() -> None:
    mock = _mock(_record(("find", {"max": 50, "query": "lamp"}, {"found": 1})))

    assert _ask(mock, "find", {"query": "lamp", "max": 50.0, "page": 1}, page=1) == {"found": 1}


def test_equal_calls_get_their_responses_in_the_recorded_order_and_no_more_than_that() -> None:
    mock = _mock(_record(("poll", {}, {"count": 1}), ("poll", {}, {"count": 2})))

    assert [_ask(mock, "poll", {})["count"] for _ in range(2)] == [1, 2]
    assert _explain(mock, "poll", {}) == "golden.json has 2 such calls, which were answered already"


def test_a_call_that_is_asked_for_again_gets_the_same_response() -> None:
    mock = _mock(_record(("poll", {}, {"count": 1}), ("poll", {}, {"count": 2})))
    key = object()

    first = mock.respond(key, _live("poll", {}))

    assert mock.respond(key, _live("poll", {})) is first
    assert _ask(mock, "poll", {}) == {"count": 2}


def test_an_unknown_call_says_which_recorded_one_is_closest() -> None:
    mock = _mock(_record(("find", {"query": "lamp", "max": 5}, {}), ("find", {"query": "desk", "max": 9}, {})))

    assert _explain(mock, "get", {}) == "golden.json has no response of get"
    assert _explain(mock, "find", {"query": "desk", "max": 8}) == (
        "golden.json has no such call; the closest is golden.json: call 2: max is 8, not 9"
    )


_ORDERS = (
    ("create", {"item": "lamp"}, {"order_id": "ORD-1", "status": "new"}),
    ("pay", {"order": {"id": "ORD-1"}, "amount": 5}, {"receipt": "R-9", "note": "Order ORD-1 is paid", "total": 1}),
    ("get", {"order_id": "ORD-1"}, {"order_id": "ORD-1", "receipt": "R-9"}),
)


def test_the_ids_of_another_tool_are_renamed_in_arguments_and_back_in_responses() -> None:
    mock = _mock(_record(*_ORDERS))
    _observe(mock, "create", {"item": "lamp"}, {"order_id": "X-77", "status": "new"})

    assert _ask(mock, "pay", {"order": {"id": "X-77"}, "amount": 5}) == {
        "receipt": "R-9",
        "note": "Order X-77 is paid",
        "total": 1,
    }
    assert _ask(mock, "get", {"order_id": "X-77"}) == {"order_id": "X-77", "receipt": "R-9"}


def test_small_numbers_are_renamed_only_where_the_field_has_an_id() -> None:
    mock = _mock(
        _record(
            ("create", {}, {"id": 1}),
            ("get", {"id": 1, "limit": 7}, {"id": 1, "count": 1, "note": "1 of 1", "ids": [1]}),
        )
    )
    _observe(mock, "create", {}, {"id": 7})

    assert _ask(mock, "get", {"id": 7, "limit": 7}) == {"id": 7, "count": 1, "note": "1 of 1", "ids": [7]}


def test_ids_that_the_same_field_has_made_are_partners_if_only_one_call_is_meant() -> None:
    # The arguments of `create` differ, so its calls do not say which ids belong together.
    mock = _mock(_record(*_ORDERS))
    _observe(mock, "create", {"item": "a lamp"}, {"order_id": "X-77", "status": "new"})

    assert _ask(mock, "get", {"order_id": "X-77"})["order_id"] == "X-77"
    assert "closest" in _explain(mock, "pay", {"order": {"id": "X-78"}, "amount": 5})
    assert _ask(mock, "pay", {"order": {"id": "X-77"}, "amount": 5})["note"] == "Order X-77 is paid"


def test_ids_that_chance_has_made_are_partners() -> None:
    first, second = "0b9a1c52-8f1e-4a57-9c39-5d2a7b1e9f00", "11111111-2222-4333-8444-555555555555"
    mock = _mock(_record(("save", {"key": first, "text": "a"}, {"saved": first})))

    assert "closest" in _explain(mock, "save", {"key": "abc", "text": "a"})
    assert _ask(mock, "save", {"key": second, "text": "a"}) == {"saved": second}


def test_two_calls_that_can_be_meant_are_an_error() -> None:
    mock = _mock(
        _record(
            ("list", {}, {"items": [{"id": "A-1"}, {"id": "A-2"}]}),
            ("get", {"id": "A-1"}, {"name": "lamp"}),
            ("get", {"id": "A-2"}, {"name": "desk"}),
        )
    )
    _observe(mock, "list", {}, {"items": [{"id": "B-1"}, {"id": "B-2"}]})

    explained = _explain(mock, "get", {"id": "B-1"})

    assert explained == (
        'golden.json: call 2 ({"id":"A-1"}) and golden.json: call 3 ({"id":"A-2"}) can both be meant, '
        "with different responses"
    )


def test_items_of_lists_are_paired_by_what_they_say() -> None:
    mock = _mock(
        _record(
            ("list", {}, {"items": [{"id": "A-1", "name": "lamp"}, {"id": "A-2", "name": "desk"}]}),
            ("get", {"id": "A-1"}, {"name": "lamp"}),
            ("get", {"id": "A-2"}, {"name": "desk"}),
        )
    )
    _observe(mock, "list", {}, {"items": [{"id": "B-1", "name": "desk"}, {"id": "B-2", "name": "lamp"}]})

    assert _ask(mock, "get", {"id": "B-1"}) == {"name": "desk"}
    assert _ask(mock, "get", {"id": "B-2"}) == {"name": "lamp"}


def test_an_id_that_means_something_else_in_the_recording_is_an_error() -> None:
    mock = _mock(
        _record(
            ("create", {"item": "lamp"}, {"id": "ORD-1"}),
            ("create", {"item": "desk"}, {"id": "ORD-2"}),
            ("get", {"id": "ORD-1"}, {"item": "lamp"}),
            ("get", {"id": "ORD-2"}, {"item": "desk"}),
        )
    )
    _observe(mock, "create", {"item": "desk"}, {"id": "ORD-1"})

    assert "can both be meant" in _explain(mock, "get", {"id": "ORD-1"})


def test_a_replayed_id_is_no_partner_of_another_one() -> None:
    mock = _mock(
        _record(
            ("create", {"item": "lamp"}, {"id": "ORD-1"}),
            ("create", {"item": "desk"}, {"id": "ORD-2"}),
            ("get", {"id": "ORD-2"}, {"item": "desk"}),
        )
    )
    _ask(mock, "create", {"item": "lamp"})

    assert "closest" in _explain(mock, "get", {"id": "ORD-1"})


def test_a_call_that_failed_here_leaves_the_recorded_response_to_the_next() -> None:
    mock = _mock(_record(("get", {"id": "A-1"}, {"name": "lamp"})))
    _observe(mock, "get", {"id": "A-1"}, {"error": "try later"})

    assert _ask(mock, "get", {"id": "A-1"}) == {"name": "lamp"}


def test_a_call_that_waited_for_consent_is_answered_after_it() -> None:
    mock, key = _mock(_record(("pay", {"amount": 5}, {"paid": True}))), object()
    mock.observe(key, _live("pay", {"amount": 5}), {"error": "This tool call requires confirmation."}, is_error=True)

    assert mock.has_seen(key)
    assert mock.respond(key, _live("pay", {"amount": 5})).response == {"paid": True}


def test_agents_that_make_the_same_call_get_their_own_responses() -> None:
    mock = _mock(_record(("poll", {}, {"count": 1}), ("poll", {}, {"count": 2}), agents=("left", "right")))

    assert _ask(mock, "poll", {}, agent="right") == {"count": 2}
    assert _ask(mock, "poll", {}, agent="left") == {"count": 1}


def test_of_several_recordings_the_calls_rule_out_those_that_differ() -> None:
    def build() -> ReplayMock:
        return _mock(
            _record(("find", {}, {"n": 1}), ("get", {"id": "a"}, {"of": "one"}), name="one"),
            _record(("find", {}, {"n": 1}), ("get", {"id": "b"}, {"of": "two"}), ("find", {}, {"n": 2}), name="two"),
            _record(("find", {}, {"n": 1}), ("get", {"id": "b"}, {"of": "three"}), name="three"),
        )

    mock = build()
    assert _ask(mock, "find", {}) == {"n": 1}
    assert _ask(mock, "get", {"id": "a"}) == {"of": "one"}
    assert "answered already" in _explain(mock, "find", {})

    mock = build()
    explained = _explain(mock, "get", {"id": "b"})
    assert "golden.json, two: call 2" in explained
    assert explained.endswith("with different responses; write `case:` to choose the recording")


def test_recordings_that_answer_1_and_true_differ() -> None:
    mock = _mock(
        _record(("find", {}, {"n": [1]}), name="one"),
        _record(("find", {}, {"n": [True]}), name="two"),
    )

    assert "with different responses" in _explain(mock, "find", {})


def test_calls_inside_of_a_call_are_used_with_it() -> None:
    outer = RecordedToolCall(
        key=StreamKey(), call_id="outer", tool_name="ask_expert", arguments={}, response={"result": 1}, actions={}
    )
    inner = RecordedToolCall(
        key=StreamKey(path=AgentPath(parent_call_id="outer")),
        call_id="inner",
        tool_name="lookup",
        arguments={},
        response={"result": 2},
        actions={},
    )
    run = RecordedRun(
        message=None, is_query=True, decisions=(), calls=[outer, inner], texts=(), final_text=None, outcome=None
    )
    mock = _mock(Recording(name="one", app_name="", user_id="", state={}, runs=[run]))

    _ask(mock, "ask_expert", {})

    assert mock.take_new_uses() == ["golden.json: call 1", "golden.json: call 2"]
    assert "answered already" in _explain(mock, "lookup", {})


def test_ids_that_are_the_keys_of_an_object_are_renamed_too() -> None:
    first, second, other = "a" * 32, "b" * 32, "c" * 32
    mock = _mock(
        _record(
            ("add", {"name": "lamp"}, {"result": first}),
            ("list", {}, {first: {"name": "lamp"}, second: {"name": "desk"}}),
            ("get", {"id": second}, {"name": "desk"}),
        )
    )
    _observe(mock, "add", {"name": "lamp"}, {"result": other})

    assert _ask(mock, "list", {}) == {other: {"name": "lamp"}, second: {"name": "desk"}}

    mock = _mock(_record(("list", {}, {first: {"name": "lamp"}}), ("get", {"id": first}, {"name": "lamp"})))
    _observe(mock, "list", {}, {other: {"name": "lamp"}})

    assert _ask(mock, "get", {"id": other}) == {"name": "lamp"}
