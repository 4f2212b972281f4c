"""Names with many wildcards are matched in little work, and as a regular expression would match them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from work_counter import count_lines

from adk_agent_sim.environment.rulebook import Rulebook
from adk_agent_sim.environment.rules_file import parse_rules
from adk_agent_sim.text.glob_match import GlobSet, match_glob


@pytest.mark.parametrize("pattern", ["*a" * 12 + "*b", "*a" * 12, "a*" * 30 + "b", "*?" * 20 + "b", "*" * 500 + "b"])
@pytest.mark.parametrize("length", [100, 1_000])
def test_many_wildcards_take_at_most_the_product_of_the_lengths(pattern: str, length: int) -> None:
    name = "a" * length + "c"

    lines = count_lines(lambda: match_glob(pattern, name), 20 * (len(pattern) + 1) * (length + 2))

    assert lines > 0
    assert not match_glob(pattern, name)


def test_a_rulebook_with_many_wildcards_finds_its_rules() -> None:
    rulebook = Rulebook(parse_rules(f"rules: [{{match: {{tool: '{'*a' * 12}'}}, do: {{respond: 1}}}}]"))

    assert len(rulebook.find_candidates("a" * 40)) == 1
    assert count_lines(lambda: rulebook.find_candidates("a" * 60 + "b"), 100_000) > 0
    assert not rulebook.find_candidates("a" * 60 + "b")


@given(st.text("ab*?.\n", max_size=8), st.text("ab*?.\n", max_size=8))
def test_wildcards_mean_what_they_meant_as_regular_expressions(pattern: str, name: str) -> None:
    expression = "".join({"*": ".*", "?": "."}.get(each, re.escape(each)) for each in pattern)

    assert match_glob(pattern, name) == (re.fullmatch(expression, name, re.DOTALL) is not None)
    assert GlobSet(["x", pattern]).matches(name) == match_glob(pattern, name)
