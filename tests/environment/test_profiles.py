"""Profiles: named sets of rules in one file, of which one is active in a session."""

from __future__ import annotations

import pytest

from adk_agent_sim.environment.environment import Environment
from adk_agent_sim.environment.incoming_call import CallHistory, IncomingCall, create_randomness
from adk_agent_sim.environment.rulebook import Rulebook
from adk_agent_sim.environment.rules_file import check_rules_text, parse_rules
from adk_agent_sim.errors import InvalidRules
from adk_agent_sim.mocks.mocked_call import ToolSpec

_TEXT = """
profiles:
  outage: [down, rule 4]
  slow: [crawling, off]
rules:
  - {name: down, match: {tool: t}, do: {respond: 1}}
  - {name: off, enabled: false, match: {tool: t, args: {x: 1}}, do: {respond: 3}}
  - {name: crawling, match: {tool: t}, do: [{delay: 9}, {respond: 2}]}
  - {match: {tool: u}, do: {respond: 4}}
  - {name: always, match: {tool: t}, do: {respond: 5}}
"""


class _Caller:
    agent = "shop"
    scope = ""
    randomness = create_randomness(0)

    def __init__(self) -> None:
        self._history = CallHistory()

    def get_call_history(self) -> CallHistory:
        return self._history

    def get_argument_defaults(self) -> dict[str, object]:
        return {}

    def get_state(self) -> dict[str, object]:
        return {}

    def get_tool_spec(self) -> ToolSpec:
        return ToolSpec(name="t")

    def list_tool_specs(self) -> list[ToolSpec]:
        return []


def _decide(environment: Environment, tool: str = "t") -> str:
    return environment.decide(IncomingCall(tool, {}, "1", _Caller())).rule_name


def test_a_rule_of_a_profile_is_used_only_while_it_is_active() -> None:
    environment = Environment(Rulebook(parse_rules(_TEXT)))

    assert (environment.profile, _decide(environment), _decide(environment, "u")) == (None, "always", "")
    environment.switch_profile("outage")
    assert (environment.profile, _decide(environment), _decide(environment, "u")) == ("outage", "down", "rule 4")
    environment.switch_profile("slow")
    assert (_decide(environment), _decide(environment, "u")) == ("crawling", "")
    environment.switch_profile(None)
    assert _decide(environment) == "always"


def test_a_session_begins_with_the_profile_of_the_rulebook_or_of_the_file() -> None:
    by_file = parse_rules(f"profile: slow\n{_TEXT}")

    assert _decide(Environment(Rulebook(by_file))) == "crawling"
    assert _decide(Environment(Rulebook(by_file, profile="outage"))) == "down"
    first, second = Environment(Rulebook(by_file)), Environment(Rulebook(by_file))
    first.switch_profile("outage")
    assert second.profile == "slow"


def test_switching_a_profile_keeps_what_was_switched_by_hand_outside_of_profiles() -> None:
    environment = Environment(Rulebook(parse_rules(_TEXT)))
    environment.switch("always", on=False)
    environment.switch_profile("slow")
    environment.switch("crawling", on=False)

    assert _decide(environment) == ""
    assert {rule.name for rule in environment.rules if rule.enabled} == set()
    environment.switch_profile("slow")
    assert {rule.name for rule in environment.rules if rule.enabled} == {"crawling"}


def test_the_decision_says_to_which_profile_a_skipped_rule_belongs() -> None:
    environment = Environment(Rulebook(parse_rules(_TEXT)))
    decision = environment.decide(IncomingCall("t", {}, "1", _Caller()))

    assert decision.list_skipped_rules()[0].explanation == "it is switched off; it belongs to the profile outage"


def test_all_profiles_that_were_active_in_a_session_are_known() -> None:
    environment = Environment(Rulebook(parse_rules(f"profile: slow\n{_TEXT}")))
    assert (environment.active_profiles, environment.has_unrecorded_switch) == (["slow"], False)

    for profile in ("slow", None, "outage", "slow"):
        environment.switch_profile(profile)
    assert environment.active_profiles == ["slow", "outage"]
    assert environment.has_unrecorded_switch


def test_a_rule_says_in_which_profiles_it_is_used() -> None:
    rules = Environment(Rulebook(parse_rules(_TEXT))).rules

    assert {rule.name: list(rule.profiles) for rule in rules} == {
        "down": ["outage"],
        "off": ["slow"],
        "crawling": ["slow"],
        "rule 4": ["outage"],
        "always": [],
    }


def test_an_unknown_profile_is_refused() -> None:
    environment = Environment(Rulebook(parse_rules(_TEXT)))

    with pytest.raises(InvalidRules, match=r"no profile 'outtage'. Write 'outage' instead"):
        environment.switch_profile("outtage")
    with pytest.raises(InvalidRules, match=r"no profile 'x'\. The profiles are: outage, slow"):
        Rulebook(parse_rules(_TEXT), profile="x")
    assert environment.profile is None


def _find_codes(profiles: str, *rules: str) -> list[str]:
    listed = "".join(f"\n  - {{name: r{number}, match: {{{rule}}}, do: pass}}" for number, rule in enumerate(rules))
    return [finding.path for finding in check_rules_text(f"profiles: {profiles}\nrules:{listed}").findings]


def test_a_rule_is_unreachable_only_if_it_is_in_every_profile_in_which_it_is_used() -> None:
    assert _find_codes("{a: [r0], b: [r1]}", "tool: t", "tool: t") == []
    assert _find_codes("{a: [r0], b: [r1]}", "tool: t", "tool: t", "tool: t") == []
    assert _find_codes("{a: [r0, r1]}", "tool: t", "tool: t") == ["rules[1]"]
    assert _find_codes("{a: [r1]}", "tool: t", "tool: t") == ["rules[1]"]
    assert _find_codes("{a: [r0], b: [r0, r1]}", "tool: t", "tool: t", "tool: u") == ["rules[1]"]
