"""What compiled rules know in advance, so that a call on which no rule acts costs little."""

from __future__ import annotations

import pytest

from adk_agent_sim.environment.rulebook import Rulebook
from adk_agent_sim.environment.rules_file import parse_rules


@pytest.mark.parametrize(
    ("match", "do", "is_counted"),
    [
        ("{agent: other}", "empty", False),
        ("{state: {plan: free}}", "{api_error: 503}", False),
        ("{call: {nth: 2}}", "empty", True),
        ("{after: lookup succeeded}", "empty", True),
        ("{during: {from: 5}}", "empty", True),
        ("{probability: 0.5}", "empty", True),
        ("{}", "{delay: 2}", True),
        ("{}", "{timeout: 2}", True),
        ("{}", "{raise: {type: KeyError, message: 'call {{call.number}}'}}", True),
    ],
)
def test_model_calls_are_counted_if_a_rule_depends_on_their_number_or_time(
    match: str, do: str, *, is_counted: bool
) -> None:
    text = f"rules: [{{seat: model, match: {match}, do: {do}}}, {{match: {{tool: t}}, do: [{{delay: 1}}, pass]}}]"
    assert Rulebook(parse_rules(text)).counts_model_calls is is_counted


def test_rules_for_tools_do_not_count_model_calls() -> None:
    rules = parse_rules("rules: [{match: {tool: t, call: {nth: 2}, probability: 0.5}, do: {respond: 1}}]")
    book = Rulebook(rules)

    assert (book.counts_model_calls, book.is_random) == (False, True)


def test_the_rules_that_name_a_tool_are_found_without_those_that_match_it_by_a_wildcard() -> None:
    text = 'rules: [{name: any, match: {tool: "*", args: {a: 1}}, do: pass}, {name: one, match: {tool: t}, do: pass}]'
    book = Rulebook(parse_rules(text))

    for _ in range(2):
        assert [rule.name for rule in book.find_candidates("t")] == ["any", "one"]
        assert [rule.name for rule in book.find_candidates("t", by_name_only=True)] == ["one"]
        assert [rule.name for rule in book.find_candidates("u", by_name_only=True)] == []
