"""What a person sees and changes of an environment: the conditions of rules, and the faults for the next calls."""

from __future__ import annotations

import re
from typing import Any

import pytest

from adk_agent_sim.environment.actions import Raise, Respond, Timeout
from adk_agent_sim.environment.actions.error_response import Error, ErrorResponse
from adk_agent_sim.environment.environment import Environment
from adk_agent_sim.environment.rulebook import Rulebook
from adk_agent_sim.environment.rules_file import parse_rules
from adk_agent_sim.errors import InvalidFault, NotFound

RULES = """
rules:
  - name: everything
    match:
      tool: search
      args: {query: milk, limit: {min: 2, max: 5}, filter.kind: {present: true}}
      exactly: true
      agent: shop
      after: login succeeded
      call: {first: 3}
      probability: 0.5
    do: {respond: {found: milk}}
  - name: always
    match: {tool: search}
    do: {respond: {}}
"""


def build_environment() -> Environment:
    return Environment(Rulebook(parse_rules(RULES)))


def build_error(code: int) -> Error:
    return Error(error=ErrorResponse(code=code, message="down"))


def test_a_rule_says_each_of_its_conditions_in_a_few_words() -> None:
    first, second = build_environment().rules
    assert first.conditions == [
        "query is 'milk'",
        "limit is 2 or more and 5 or less",
        "filter.kind is given",
        "no other arguments",
        "the agent is shop",
        "after login succeeded",
        "call number: first 3",
        "with probability 0.5",
    ]
    assert first.effects == ['{"respond":{"found":"milk"}}']
    assert second.conditions == []


def test_a_pending_fault_is_changed_at_its_place_and_removed() -> None:
    environment = build_environment()
    for code in (500, 501, 502):
        environment.add_fault("search", build_error(code))
    first, second, third = (fault.fault_id for fault in environment.faults)
    assert environment.replace_fault(second, "convert", build_error(404))
    assert environment.remove_fault(first)
    assert [(fault.tool, fault.actions[0].describe()) for fault in environment.faults] == [
        ("convert", "error 404"),
        ("search", "error 502"),
    ]
    assert environment.pending_faults == {"convert": 1, "search": 1}
    assert environment.remove_fault(third)


def test_a_fault_that_is_gone_is_neither_changed_nor_removed() -> None:
    environment = build_environment()
    assert not environment.replace_fault("1", "search", build_error(500))
    assert not environment.remove_fault("1")
    assert not environment.faults


@pytest.mark.parametrize(
    ("tool", "actions", "reason"),
    [
        ("search", [], "do: List should have at least 1 item"),
        ("", [Timeout(timeout=1)], "write the name of one tool"),
        ("sear*", [Timeout(timeout=1)], "without wildcards"),
        ("search", [{"raise": "ConectionError"}], "Write 'ConnectionError' instead"),
        ("search", [Timeout(timeout=1), Respond(respond=1)], "it is never reached"),
        ("search", [Respond(respond="{{arg.x}}")], "Write 'args' instead"),
        ("search", [Respond(respond="{{args.x")], "{{ without a name and }}"),
        ("search", ["explode"], "do.0"),
    ],
)
def test_a_fault_that_can_never_happen_is_refused_when_it_is_entered(tool: str, actions: Any, reason: str) -> None:
    environment = build_environment()
    environment.add_fault("search", build_error(500))
    (fault,) = environment.faults

    with pytest.raises(InvalidFault, match=re.escape(reason)):
        environment.add_fault(tool, *actions)
    with pytest.raises(InvalidFault, match=re.escape(reason)):
        environment.replace_fault(fault.fault_id, tool, *actions)
    assert environment.faults == (fault,)


def test_a_fault_for_a_tool_that_no_agent_has_is_refused_if_the_tools_are_known() -> None:
    environment = build_environment()
    environment.add_fault("serch", build_error(500))
    environment.list_tools = lambda: {"search", "convert"}

    with pytest.raises(NotFound, match=r"no tool 'serch'. Write 'search' instead"):
        environment.add_fault("serch", build_error(500))
    environment.add_fault("search", build_error(500))


def test_registered_exceptions_can_be_put_on_the_next_call() -> None:
    rulebook = Rulebook(parse_rules(RULES), exceptions={"QuotaExceeded": RuntimeError})
    environment = Environment(rulebook)
    environment.add_fault("search", Raise.model_validate({"raise": "QuotaExceeded"}))

    assert environment.pending_faults == {"search": 1}
