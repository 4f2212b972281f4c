"""Which rules are never reached, because earlier ones answer every call that they match."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from work_counter import count_lines

from adk_agent_sim.environment.rule_lint import lint_rules
from adk_agent_sim.environment.rules import Rules


def _find_unreachable(*matches: object) -> list[str]:
    rules = [{"name": f"r{number}", "match": match, "do": {"respond": 1}} for number, match in enumerate(matches)]
    findings = lint_rules(Rules.model_validate({"rules": rules}))
    return [finding.message for finding in findings if finding.severity == "error"]


@pytest.mark.parametrize(
    ("matches", "covering"),
    [
        ([{"tool": "a"}, {"tool": "b"}, {"tool": ["a", "b"]}], "'r0' and 'r1' together"),
        ([{"tool": "a*"}, {"tool": "b"}, {"tool": ["ab", "b"]}], "'r0' and 'r1' together"),
        (
            [
                {"tool": "a", "args": {"id": 1}},
                {"tool": "a", "args": {"id": 2}},
                {"tool": "a", "args": {"id": {"any_of": [2, 1]}}},
            ],
            "'r0' and 'r1' together",
        ),
        (
            [{"tool": "a", "call": {"first": 3}}, {"tool": "a", "call": {"after": 2}}, {"tool": "a"}],
            "'r0' and 'r1' together",
        ),
        (
            [{"tool": "a", "agent": "x"}, {"tool": "a", "agent": "y*"}, {"tool": "a", "agent": ["x", "yy"]}],
            "'r0' and 'r1' together",
        ),
        ([{"tool": "a", "args": {"id": {"any_of": [1, 2]}}}] * 2, "'r0' answers"),
        ([{"tool": "a", "args": {"id": 1}}, {"tool": "a", "args": {"id": 1.0}}], "'r0' answers"),
        ([{"tool": "*"}, {"tool": "a?"}], "'r0' answers"),
        ([{"tool": "a", "state": {"x": 1}}, {"tool": "a", "state": {"x": 1.0, "y": 2}}], "'r0' answers"),
        ([{"tool": "a", "during": {"to": 5}}] * 2, "'r0' answers"),
        (
            [
                {"tool": "a", "args": {"x": {"not": {"min": 1}}}},
                {"tool": "a", "args": {"x": {"not": {"min": 1}}, "y": 1}},
            ],
            "'r0' answers",
        ),
        ([{"tool": "a", "after": {"tool": "b", "same": "x"}}] * 2, "'r0' answers"),
        ([{"tool": "a", "agent": "x"}, {"tool": "a", "agent": "x", "args": {"id": 1}}], "'r0' answers"),
    ],
)
def test_a_rule_that_earlier_ones_leave_nothing_is_reported(matches: list[object], covering: str) -> None:
    (message,) = _find_unreachable(*matches)
    assert covering in message


@pytest.mark.parametrize(
    "matches",
    [
        [{"tool": "a"}, {"tool": ["a", "b"]}],
        [{"tool": "a", "args": {"id": 1}}, {"tool": "a", "args": {"id": True}}],
        [{"tool": "a", "args": {"id": 1}}, {"tool": "a", "args": {"id": {"any_of": [1, 2]}}}],
        [{"tool": "a", "call": {"first": 2}}, {"tool": "a", "call": {"after": 3}}, {"tool": "a"}],
        [{"tool": "a", "call": {"first": 2}}, {"tool": "a", "args": {"id": 1}, "call": {"after": 2}}, {"tool": "a"}],
        [{"tool": "a", "agent": "x"}, {"tool": "a"}],
        [{"tool": "a", "probability": 0.5}, {"tool": "a"}],
        [{"tool": "a", "defaults": True, "args": {"id": 1}}, {"tool": "a", "args": {"id": 1}}],
        [{"tool": "a", "after": "b called"}, {"tool": "a"}],
        [{"tool": "a", "state": {"x": 1}}, {"tool": "a"}],
        [{"tool": "a", "state": {"id": 1}}, {"tool": "a", "args": {"id": 1}}],
        [{"tool": "a", "args": {"id": 1}}, {"tool": "a", "state": {"id": 1}}],
        [{"tool": "a", "during": {"to": 5}}, {"tool": "a", "during": {"to": 6}}],
        [{"tool": "a", "during": {"to": 5}}, {"tool": "a", "during": {"from": 5}}, {"tool": "a"}],
        [{"tool": "a", "args": {"id": {"not": 1}}}, {"tool": "a", "args": {"id": 2}}],
        [{"tool": "a", "args": {"id": {"any": 1}}}, {"tool": "a", "args": {"id": 1}}],
        [{"tool": "a", "args": {"id": {"contains": 1}}}, {"tool": "a", "args": {"id": {"any": 1}}}],
        [{"tool": "a", "call": {"first": 2, "per": "x"}}, {"tool": "a", "call": {"after": 2}}, {"tool": "a"}],
        [{"tool": "a", "call": {"first": 2}}, {"tool": "a", "call": {"after": 2, "within": 1}}, {"tool": "a"}],
        [{"tool": "a", "after": {"tool": "b", "args": {"x": 1}}}, {"tool": "a", "after": "b called"}],
        [{"tool": "a", "probability": 0.5, "burst": 9}, {"tool": "a"}],
    ],
)
def test_a_rule_that_can_be_reached_is_not_reported(matches: list[object]) -> None:
    assert _find_unreachable(*matches) == []


@pytest.mark.parametrize("kind", ["tools", "values", "patterns", "agents", "wildcards"])
def test_the_work_grows_with_the_number_of_rules(kind: str) -> None:
    def build(count: int) -> Rules:
        matches: dict[str, Callable[[int], object]] = {
            "tools": lambda number: {"tool": f"t{number}"},
            "values": lambda number: {"tool": "t", "args": {"id": number}},
            "patterns": lambda number: {"tool": "t", "args": {"id": {"min": number}}},
            "agents": lambda number: {"tool": "t", "agent": f"a{number}"},
            "wildcards": lambda number: {"tool": f"t{number:04}*"},
        }
        build_match = matches[kind]
        return Rules.model_validate({"rules": [{"match": build_match(n), "do": {"respond": 1}} for n in range(count)]})

    few, many = build(100), build(1_000)
    work = count_lines(lambda: list(lint_rules(few)), 1_000_000)
    assert count_lines(lambda: list(lint_rules(many)), 20_000_000) < 15 * work
