"""Which calls a rule matches: typed values, paths, patterns, ranges, call numbers, agents."""

from __future__ import annotations

from typing import Any

import pytest

from adk_agent_sim.environment.environment import Environment
from adk_agent_sim.environment.incoming_call import (
    CallHistory,
    CallRecord,
    IncomingCall,
    are_branches_related,
    create_randomness,
    is_success,
)
from adk_agent_sim.environment.rulebook import Rulebook
from adk_agent_sim.environment.rules import Rules
from adk_agent_sim.mocks.mocked_call import ToolSpec


def _build_environment(**match: Any) -> Environment:
    rules = {"rules": [{"match": {"tool": "t", **match}, "do": {"respond": 1}}]}
    return Environment(Rulebook(Rules.model_validate(rules)))


class _Caller:
    def __init__(
        self, agent: str = "shop", defaults: dict[str, Any] | None = None, state: dict[str, Any] | None = None
    ) -> None:
        self.agent = agent
        self.scope = ""
        self.randomness = create_randomness(0)
        self.history = CallHistory()
        self._defaults = defaults or {}
        self._state = state or {}

    def get_call_history(self) -> CallHistory:
        return self.history

    def get_argument_defaults(self) -> dict[str, Any]:
        return self._defaults

    def get_state(self) -> dict[str, Any]:
        return self._state

    def get_tool_spec(self) -> ToolSpec:
        return ToolSpec(name="t")

    def list_tool_specs(self) -> list[ToolSpec]:
        return []


def _build_call(args: dict[str, Any], *, tool: str = "t", **caller: Any) -> IncomingCall:
    return IncomingCall(tool, args, "1", _Caller(**caller))


def _fires(given: dict[str, Any], call: dict[str, Any] | None = None, /, **match: Any) -> bool:
    return _build_environment(**match).decide(_build_call(given, **(call or {}))).rule is not None


@pytest.mark.parametrize(
    ("condition", "given", "fires"),
    [
        (1, 1, True),
        (1, True, False),
        (1, 1.0, True),
        (1.0, 1, True),
        (2**53 + 1, float(2**53), False),
        ([1, {"a": 2}], [1.0, {"a": 2.0}], True),
        ({"any_of": [50]}, 50.0, True),
        (True, 1, False),
        (None, None, True),
        ("a", "a", True),
        ([1, {"a": 2}], [1, {"a": 2}], True),
        ([1], [True], False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ({"equals": {"min": 1}}, {"min": 1}, True),
        ({"regex": "^ORD-[0-9]+$"}, "ORD-12", True),
        ({"regex": "^ORD-[0-9]+$"}, "ORD-", False),
        ({"regex": "1"}, 1, False),
        ({"min": 1}, 1, True),
        ({"min": 1}, 0.5, False),
        ({"max": 2.5}, 2.5, True),
        ({"min": 0}, True, False),
        ({"min": 0}, "5", False),
        ({"any_of": [1, "a", None]}, "a", True),
        ({"any_of": [1]}, True, False),
        ({"present": True}, None, True),
        ({"present": False}, 1, False),
        ({"min": 1, "max": 3}, 2, True),
        ({"min": 1, "max": 3}, 4, False),
        ({"contains": "ell"}, "hello", True),
        ({"contains": "x"}, "hello", False),
        ({"contains": 1}, "1", False),
        ({"contains": 1}, [2, 1.0], True),
        ({"contains": 1}, [True], False),
        ({"contains": {"a": 1}}, {"a": 1, "b": 2}, True),
        ({"contains": {"a": 1, "c": 3}}, {"a": 1, "b": 2}, False),
        ({"contains": {"a": 2}}, {"a": 1, "b": 2}, False),
        ({"contains": {"a": 1}}, [{"a": 1}], True),
        ({"contains": None}, [None], True),
        ({"contains": "a"}, {"a": 1}, False),
        ({"any": 2}, [1, 2], True),
        ({"any": {"min": 3}}, [1, 2], False),
        ({"any": {"regex": "^b"}}, ["a", "bc"], True),
        ({"any": {"min": 2, "max": 3}}, [1, 4], False),
        ({"any": {"any": 1}}, [[2], [1]], True),
        ({"any": 1}, 1, False),
        ({"any": None}, [None], True),
        ({"not": 1}, 2, True),
        ({"not": 1}, 1.0, False),
        ({"not": {"any_of": [1, 2]}}, 3, True),
        ({"not": {"min": 1, "max": 3}}, 4, True),
        ({"not": {"not": 1}}, 1, True),
        ({"not": None}, None, False),
        ({"min": 1, "not": 2}, 2, False),
    ],
)
def test_an_argument_meets_its_condition_or_not(condition: Any, given: Any, fires: bool) -> None:
    assert _fires({"x": given}, args={"x": condition}) is fires


def test_an_argument_that_is_not_given_only_meets_absence() -> None:
    assert _fires({}, args={"x": {"present": False}})
    assert _fires({}, args={"x": {"not": 1}})
    assert not _fires({}, args={"x": {"not": 1, "present": True}})
    assert _fires({}, args={"x": {"not": 1, "present": False}})
    for condition in (None, {"present": True}, {"regex": ""}, {"any_of": [None]}, {"min": 0}):
        assert not _fires({}, args={"x": condition})


def test_a_path_leads_inside_a_value_and_a_name_with_a_dot_comes_first() -> None:
    args = {"filter": {"limit": 5, "tags": ["a", "b"]}, "with.dot": 1}

    assert _fires(args, args={"filter.limit": 5})
    assert _fires(args, args={"filter.tags.1": "b"})
    assert not _fires(args, args={"filter.tags.2": {"present": True}})
    assert not _fires(args, args={"filter.tags.-1": {"present": True}})
    assert _fires(args, args={"with.dot": 1})
    assert _fires(args, args={"/filter/limit": {"min": 5}})
    assert _fires({"a": {"b.c": 1}}, args={"/a/b.c": 1})


def test_a_wildcard_in_a_path_means_any_item() -> None:
    args = {"items": [{"sku": "a", "n": 1}, {"sku": "b"}], "*": 7}

    assert _fires(args, args={"items.*.sku": "b"})
    assert not _fires(args, args={"items.*.sku": "c"})
    assert not _fires(args, args={"items.*.sku": {"any_of": ["c"]}})
    assert _fires(args, args={"items.*.n": {"min": 1, "max": 1}})
    assert _fires(args, args={"items.*.other": {"present": False}})
    assert not _fires(args, args={"items.*.n": {"present": False}})
    assert _fires(args, args={"/*": 7})
    assert not _fires({"items": {"a": 1}}, args={"/items/*": 1})
    assert _fires({"x": 1, "y": 2}, args={"*": 2}, exactly=True)


def test_a_json_pointer_never_means_an_argument_with_that_text_as_its_name() -> None:
    assert _fires({"": 5, "/": 1}, args={"/": 5})
    assert not _fires({"/x": 5}, args={"/x": 5})
    assert _fires({"/x": 5}, args={"/~1x": 5})


def test_exactly_means_no_other_arguments() -> None:
    assert _fires({"x": 1}, args={"x": 1}, exactly=True)
    assert not _fires({"x": 1, "y": 2}, args={"x": 1}, exactly=True)
    assert _fires({}, exactly=True)
    assert not _fires({"y": 2}, exactly=True)


def test_defaults_are_used_only_if_the_rule_says_so() -> None:
    call = {"defaults": {"limit": 10}}

    assert _fires({}, call, args={"limit": 10}, defaults=True)
    assert not _fires({}, call, args={"limit": 10})
    assert not _fires({"limit": 3}, call, args={"limit": 10}, defaults=True)


@pytest.mark.parametrize(
    ("pattern", "tool", "fits"),
    [
        ("get_order", "get_order", True),
        ("get_order", "get_orders", False),
        ("get_*", "get_order", True),
        ("get_*", "xget_", False),
        ("get_?", "get_a", True),
        ("get_?", "get_ab", False),
        ("*", "anything", True),
        (["a", "b*"], "bcd", True),
        ("a.b", "axb", False),
        ("[ab]", "a", False),
    ],
)
def test_tools_and_agents_are_named_exactly_or_by_pattern(pattern: Any, tool: str, fits: bool) -> None:
    assert _fires({}, {"tool": tool}, tool=pattern) is fits
    assert _fires({}, {"agent": tool}, agent=pattern) is fits


@pytest.mark.parametrize(
    ("number", "calls"),
    [
        ({"nth": 2}, [2]),
        ({"nth": [1, 4]}, [1, 4]),
        ({"every": 3}, [3, 6]),
        ({"first": 2}, [1, 2]),
        ({"after": 4}, [5, 6]),
        ({"after": 1, "every": 2}, [2, 4, 6]),
    ],
)
def test_calls_are_numbered_from_1_among_those_that_match_otherwise(number: Any, calls: list[int]) -> None:
    environment = _build_environment(args={"x": 1}, call=number)
    caller = _Caller()
    fired: list[int] = []
    for turn in range(1, 7):
        requested = [(f"{turn}-other", "t", {"x": 2}), (f"{turn}", "t", {"x": 1})]
        caller.history.record_calls(requested, "shop", "")
        for call_id, tool, args in requested:
            if environment.decide(IncomingCall(tool, args, call_id, caller)).rule is not None:
                fired.append(int(call_id))

    assert fired == calls


def test_the_state_of_the_session_meets_conditions_like_arguments() -> None:
    call = {"state": {"user:plan": "gold", "cart": {"total": 50.0, "items": [{"sku": "a"}]}, "a.b": 1}}

    assert _fires({}, call, state={"user:plan": "gold", "cart.total": {"min": 50}})
    assert _fires({}, call, state={"cart.items.*.sku": "a", "a.b": 1})
    assert not _fires({}, call, state={"user:plan": {"not": "gold"}})
    assert not _fires({}, call, state={"gone": {"present": True}})


def _fires_after(earlier: tuple[dict[str, Any], Any], new: dict[str, Any], **after: Any) -> bool:
    environment = _build_environment(after={"tool": "pay", **after})
    caller = _Caller()
    args, response = earlier
    caller.history.record_calls([("0", "pay", args)], "shop", "")
    caller.history.record_responses([("0", response)], "shop")
    caller.history.record_calls([("1", "t", new)], "shop", "")
    return environment.decide(IncomingCall("t", new, "1", caller)).rule is not None


def test_an_earlier_call_is_required_with_its_arguments_and_result() -> None:
    earlier = ({"id": 7, "lines": [{"sku": "a"}]}, {"status": "paid", "total": 10})

    assert _fires_after(earlier, {})
    assert _fires_after(earlier, {}, outcome="succeeded", args={"lines.*.sku": "a"}, result={"total": {"max": 10}})
    assert not _fires_after(earlier, {}, args={"id": 8})
    assert not _fires_after(earlier, {}, result={"status": {"not": "paid"}})
    assert not _fires_after(earlier, {}, outcome="failed")
    assert _fires_after(earlier, {"id": 7.0}, same="id")
    assert not _fires_after(earlier, {"id": 8}, same="id")
    assert not _fires_after(({}, {}), {}, same="id")
    assert not _fires_after(({}, "text"), {}, result={"x": {"present": True}})


def test_one_earlier_call_must_meet_all_conditions() -> None:
    environment = _build_environment(after={"tool": "pay", "args": {"id": 1}, "result": {"ok": True}})
    caller = _Caller()
    for number, (args, response) in enumerate([({"id": 1}, {"ok": False}), ({"id": 2}, {"ok": True})]):
        caller.history.record_calls([(f"p{number}", "pay", args)], "shop", "")
        caller.history.record_responses([(f"p{number}", response)], "shop")
    caller.history.record_calls([("1", "t", {})], "shop", "")
    decision = environment.decide(IncomingCall("t", {}, "1", caller))

    assert decision.rule is None
    (skipped,) = decision.list_skipped_rules()
    assert skipped.explanation == "pay has not been called before with id is 1 and result ok is True"


def _decide_calls(environment: Environment, calls: list[tuple[dict[str, Any], float]]) -> list[bool]:
    """Make one call per turn, each with its duration, and return which of them the rule answers."""
    caller = _Caller()
    fired: list[bool] = []
    for number, (args, duration) in enumerate(calls):
        caller.history.record_calls([(str(number), "t", args)], "shop", "")
        call = IncomingCall("t", args, str(number), caller)
        fired.append(environment.decide(call).rule is not None)
        call.record.duration = duration
        caller.history.record_responses([(str(number), {})], "shop")
    return fired


def test_calls_are_counted_for_each_value_of_an_argument() -> None:
    calls: list[tuple[dict[str, Any], float]] = [
        ({"id": value}, 0) for value in ("a", "b", "a", "a", 1, 1.0, True, 1, None)
    ]
    calls += [({}, 0), ({}, 0)]

    fired = _decide_calls(_build_environment(call={"first": 1, "per": "id"}), calls)

    assert fired == [True, True, False, False, True, False, True, False, True, True, False]
    by_two = _decide_calls(
        _build_environment(call={"first": 1, "per": ["id", "f.x"]}),
        [({"id": 1, "f": {"x": value}}, 0) for value in (1, 2, 1)],
    )
    assert by_two == [True, True, False]


def test_calls_are_counted_in_a_window_of_the_sessions_clock() -> None:
    environment = _build_environment(call={"after": 2, "within": 1})

    durations = [*[0.4] * 8, 5.0, *[0.0] * 4]
    fired = _decide_calls(environment, [({}, duration) for duration in durations])

    # At 0.4 s per call, a second contains three calls; after a pause of 5 s, two more are let through.
    assert fired == [False, False, *[True] * 7, False, False, True, True]


@pytest.mark.parametrize(("pause", "is_counted"), [(0.9, True), (1.0, False), (1.1, False)])
def test_a_call_that_is_as_old_as_the_window_is_long_is_not_counted(pause: float, is_counted: bool) -> None:
    fired = _decide_calls(_build_environment(call={"first": 1, "within": 1}), [({}, pause), ({}, 0)])

    assert fired == [True, not is_counted]


@pytest.mark.parametrize(
    ("window", "fired"),
    [
        ({"from": 2, "to": 4}, [2, 3]),
        ({"to": 2}, [0, 1]),
        ({"from": 4}, [4, 5, 6, 7]),
        ({"from": 1, "to": 2, "every": 3}, [1, 4, 7]),
    ],
)
def test_a_rule_holds_during_a_window_of_the_sessions_clock(window: Any, fired: list[int]) -> None:
    found = _decide_calls(_build_environment(during=window), [({}, 1)] * 8)

    assert [number for number, has_fired in enumerate(found) if has_fired] == fired


def test_a_call_begins_when_the_last_of_the_calls_that_it_sees_has_ended() -> None:
    history = CallHistory()
    history.record_calls([("1", "t", {}), ("2", "t", {})], "shop", "")
    for call_id, duration in (("1", 2.0), ("2", 3.0)):
        record = history.find_call(call_id)
        assert record is not None
        record.duration = duration
    history.record_responses([("1", {}), ("2", {})], "shop")
    for branch, duration in (("p.one", 10.0), ("p.two", 1.0)):
        history.record_calls([(branch, "t", {})], branch, branch)
        record = history.find_call(branch)
        assert record is not None
        assert record.time == 3
        record.duration = duration
    history.record_responses([("p.one", {})], "p.one")
    history.record_responses([("p.two", {})], "p.two")
    times: dict[str, float] = {}
    for branch in ("p.two", "p.one", ""):
        history.record_calls([(f"{branch} later", "t", {})], "x", branch)
        record = history.find_call(f"{branch} later")
        assert record is not None
        times[branch] = record.time

    assert times == {"p.two": 4, "p.one": 13, "": 13}


def test_an_agent_used_as_a_tool_shares_the_clock_of_its_caller() -> None:
    outer = CallRecord("1", "agent", "shop", "", {}, 1, time=5.0)
    inner = CallHistory(outer)
    inner.record_calls([("2", "t", {})], "helper", "")
    record = inner.find_call("2")
    assert record is not None
    record.add_delay(2.0)
    inner.record_responses([("2", {})], "helper")
    inner.record_calls([("3", "t", {})], "helper", "")
    later = inner.find_call("3")
    assert later is not None
    later.add_delay(1.0)

    assert (record.time, later.time, outer.duration) == (5.0, 7.0, 3.0)


def test_a_burst_makes_a_draw_hold_for_the_next_calls() -> None:
    single = _decide_calls(_build_environment(probability=0.1, seed=1), [({}, 0)] * 200)
    burst = _decide_calls(_build_environment(probability=0.1, seed=1, burst=3), [({}, 0)] * 200)

    assert 5 < sum(single) < 40
    assert burst == [any(single[max(0, number - 2) : number + 1]) for number in range(200)]


def test_a_call_sees_its_own_branch_and_those_that_led_to_it_or_came_from_it() -> None:
    assert are_branches_related("a.b", "a.b")
    assert are_branches_related("", "a.b")
    assert are_branches_related("a", "a.b")
    assert are_branches_related("a.b.c", "a.b")
    assert not are_branches_related("a.b", "a.c")
    assert not are_branches_related("a.b", "a.bc")


@pytest.mark.parametrize(
    ("response", "good"),
    [
        ({"a": 1}, True),
        ({"error": None}, True),
        ({"error": "no"}, False),
        ({"error_code": 404}, False),
        ({"isError": True}, False),
        ({"isError": False}, True),
        ([1], True),
        (None, True),
    ],
)
def test_a_failure_is_recognized_by_its_keys(response: Any, good: bool) -> None:
    assert is_success(response) is good


def test_candidates_keep_the_order_of_the_rules_with_and_without_wildcards() -> None:
    rules = [
        {"name": str(number), "match": {"tool": tool, "args": {"n": number}}, "do": {"respond": 1}}
        for number, tool in enumerate(["a", "*", ["b", "a"], "a*", "b"])
    ]
    book = Rulebook(Rules.model_validate({"rules": rules}))

    assert [rule.name for rule in book.find_candidates("a")] == ["0", "1", "2", "3"]
    assert [rule.name for rule in book.find_candidates("b")] == ["1", "2", "4"]
    assert [rule.name for rule in book.find_candidates("abc")] == ["1", "3"]


def test_ids_that_models_reuse_are_distinguished_by_agent_and_turn() -> None:
    history = CallHistory()
    for agent in ("one", "two"):
        history.record_calls([("call_0", "t", {"of": agent})], agent, f"p.{agent}")
    history.record_responses([("call_0", {"ok": 1})], "one")
    history.record_calls([("call_0", "t", {"of": "one again"})], "one", "p.one")

    first, second = history.find_call("call_0", "one"), history.find_call("call_0", "two")

    assert first is not None
    assert second is not None
    assert (first.args, first.call_number) == ({"of": "one again"}, 2)
    assert (second.args, second.call_number) == ({"of": "two"}, 1)
    assert [call.args for call in history.iter_visible_calls(first, "t")] == [{"of": "one"}]


def test_a_call_that_arrives_before_its_turn_is_recorded_is_counted_once() -> None:
    caller = _Caller()
    early = IncomingCall("t", {}, "1", caller)

    assert early.record.call_number == 1
    caller.history.record_calls([("1", "t", {})], "shop", "")
    assert early.record.call_number == 1
    caller.history.record_calls([("2", "t", {})], "shop", "")
    assert IncomingCall("t", {}, "2", caller).record.call_number == 2
