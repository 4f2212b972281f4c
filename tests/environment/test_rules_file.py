"""Rules files: valid files are read, invalid ones are refused with lines and advice, and nothing crashes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from terminal_safety import find_unsafe_characters

from adk_agent_sim.environment import rule_lint as lint_module
from adk_agent_sim.environment import rules_file as rules_file_module
from adk_agent_sim.environment.actions import ACTIONS, Delay, Respond
from adk_agent_sim.environment.rule_lint import ToolCatalog
from adk_agent_sim.environment.rule_match import ArgumentCondition, Match
from adk_agent_sim.environment.rules import Rule, Rules
from adk_agent_sim.environment.rules_file import check_rules_file, check_rules_text, load_rules, parse_rules
from adk_agent_sim.environment.rules_schema import build_rules_schema
from adk_agent_sim.errors import InvalidRules

_WRONG = Path(__file__).with_name("wrong")
_CATALOG = ToolCatalog(
    tools={"lookup": {"type": "object", "properties": {"key": {"type": "string"}}}, "order": {}}, agents=["shop"]
)

_ALL = """
version: 1
seed: 7
time: virtual
unanswered: refuse
rules:
  - name: everything
    enabled: false
    match:
      tool: [get_order, "search_*"]
      args:
        plain: text
        number: {min: 1, max: 2.5}
        filter.limit: {any_of: [1, 2]}
        /with.dot: {equals: {regex: not a condition}}
        id: {regex: "^ORD-[0-9]+$"}
        note: {present: false}
      exactly: true
      defaults: true
      call: {nth: [2, 4], every: 2, first: 8, after: 1}
      agent: "shop*"
      after: [create_order succeeded, "pay_* failed", login called]
      probability: 0.25
      seed: 3
    do:
      - delay: 1.5
      - delay: {uniform: [0, 2]}
      - delay: {lognormal: {median: 0.3, sigma: 0.8, max: 9}}
      - pass
      - stale
      - respond: {deep: [1, {a: null}]}
      - error: {code: 404, message: gone}
      - mutate: [{op: move, from: /a, path: /b}, {op: test, path: /c, value: 1}]
      - truncate: {chars: 3, items: 2}
      - drop: a.b
      - wrong_type: [a, b.0]
      - raise: {type: TimeoutError, message: too slow}
  - match: {tool: x}
    do: {timeout: 3}
  - seat: model
    match: {agent: shop, call: {first: 3}, after: login called, probability: 0.5, seed: 2}
    do: [empty, malformed_call, {cut_text: 9}, {max_tokens: 9}, {unknown_tool: y}, wrong_args, {api_error: 429}]
"""


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("{seat: model, match: {tool: a, args: {b: 1}}, do: empty}", "cannot match by tool and args"),
        ("{match: {tool: a}, do: empty}", "`empty` acts in the model's seat: write `seat: model`"),
        ("{seat: model, do: {respond: 1}}", "`respond` acts in the tool's seat"),
        ("{match: {tool: (model)}, do: {respond: 1}}", "stands for the model: write `seat: model`"),
        ("{seat: user, match: {tool: a}, do: {respond: 1}}", "should be 'tool' or 'model'"),
        ("{seat: model, match: {agnt: x}, do: empty}", "'agnt' is not known here. Write 'agent' instead"),
        ("{seat: model, do: {api_error: 200}}", "greater than or equal to 400"),
        ("{seat: model, match: 1, do: empty}", "valid dictionary"),
    ],
)
def test_a_rule_for_the_models_seat_has_its_own_keys_and_actions(rule: str, message: str) -> None:
    (finding,) = check_rules_text(f"rules: [{rule}]").findings

    assert message in str(finding)


def test_the_schema_requires_a_tool_in_the_tools_seat_only() -> None:
    validator: Any = Draft202012Validator(build_rules_schema())

    def is_valid(rule: str) -> bool:
        return validator.is_valid(yaml.safe_load(f"rules: [{rule}]"))

    assert validator.is_valid(yaml.safe_load(_ALL))
    assert is_valid("{seat: model, do: empty}")
    assert not is_valid("{seat: model, match: {tool: a}, do: empty}")
    assert not is_valid("{match: {agent: a}, do: {respond: 1}}")
    assert not is_valid("{do: {respond: 1}}")


def test_rules_of_different_seats_do_not_cover_each_other() -> None:
    text = """
    rules:
      - {name: tools, match: {tool: "*"}, do: {respond: 1}}
      - {name: busy, seat: model, do: {api_error: 503}}
      - {name: never, seat: model, match: {agent: shop}, do: empty}
    """

    (finding,) = check_rules_text(text, catalog=_CATALOG).findings

    assert "the earlier rule 'busy' answers every call that it matches" in str(finding)


def test_a_file_with_every_key_is_read_and_means_the_same_as_objects() -> None:
    rules = parse_rules(_ALL)

    assert {action.key for rule in rules.rules for action in rule.do} == set(ACTIONS)
    assert rules.rules[0].match.args["/with.dot"].equals == {"regex": "not a condition"}
    small = parse_rules("rules: [{match: {tool: x, args: {a: 1}}, do: [{delay: 1}, {respond: 2}]}]")
    assert small == Rules(
        rules=[
            Rule(
                match=Match(tool=["x"], args={"a": ArgumentCondition(equals=1)}),
                do=[Delay(delay=1.0), Respond(respond=2)],
            )
        ]
    )


def test_json_is_read_too_with_tabs_and_escaped_characters(tmp_path: Path) -> None:
    value: dict[str, Any] = {"rules": [{"match": {"tool": "x"}, "do": [{"respond": {"a": "\N{GRINNING FACE} ü/"}}]}]}
    file = tmp_path / "rules.json"
    file.write_text(json.dumps(value, indent="\t").replace("/", "\\/"))

    (rule,) = load_rules(file).rules

    assert rule.do[0] == Respond(respond=value["rules"][0]["do"][0]["respond"])


def test_only_plain_data_is_read() -> None:
    rules = parse_rules(
        "rules: [{match: {tool: x}, do: {respond: [yes, no, on, 2024-01-01, 1:30, 0x1F, 1e3, -2, .5, ~, true, .nan]}}]"
    )

    respond = rules.rules[0].do[0]
    assert isinstance(respond, Respond)
    assert respond.respond == ["yes", "no", "on", "2024-01-01", "1:30", "0x1F", 1000.0, -2, ".5", None, True, ".nan"]
    for hostile in ("!!python/object/apply:os.system [ls]", "!!binary aGk=", "!!set {a, b}", "1e999", "9" * 5_000):
        checked = check_rules_text(f"rules: [{{match: {{tool: x}}, do: {{respond: {hostile}}}}}]")
        assert [finding.code for finding in checked.findings] == ["unreadable"]


def test_a_text_that_expands_without_limit_is_refused() -> None:
    laughs = "\n".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 12))
    for bomb in (f"l0: &l0 ha\n{laughs}", "a: &a [*a]", "[" * 5_000, "{a: " * 5_000, "&a [&b [*a, *b]]"):
        assert check_rules_text(bomb).findings[0].code == "unreadable"


@pytest.mark.parametrize("file", sorted(_WRONG.glob("*.yaml")), ids=lambda file: file.stem)
def test_each_error_is_reported_with_its_line_and_advice(file: Path) -> None:
    findings = check_rules_file(file, catalog=_CATALOG).findings

    assert [finding.code for finding in findings] == [file.stem]
    (line,) = [number for number, text in enumerate(file.read_text().splitlines(), start=1) if "# here" in text]
    assert findings[0].line == line
    assert str(findings[0]).startswith(f"{file}:{line}: error[{file.stem}] ")
    assert findings[0].advice


def test_every_kind_of_error_has_a_file_that_shows_it() -> None:
    sources = [Path(module.__file__ or "").read_text() for module in (lint_module, rules_file_module)]
    codes = {
        code for source in sources for code in re.findall(r'(?:code=|return )f?"([a-z]+-[a-z]+|unreadable)"', source)
    }
    codes |= {"unknown-tool", "unknown-agent"}

    assert codes == {file.stem for file in _WRONG.glob("*.yaml")}


@pytest.mark.parametrize(
    ("wrong", "advice"),
    [
        ("unknown-key", "Write 'args' instead"),
        ("unknown-action", "Write 'respond' instead"),
        ("unknown-tool", "Write 'lookup' instead"),
        ("unknown-agent", "Write 'shop' instead"),
        ("unknown-argument", "Write 'key' instead"),
        ("unknown-exception", "Write 'ConnectionError' instead"),
        ("bad-probability", "Write a number from 0 to 1"),
    ],
)
def test_advice_names_what_was_probably_meant(wrong: str, advice: str) -> None:
    (finding,) = check_rules_file(_WRONG / f"{wrong}.yaml", catalog=_CATALOG).findings

    assert finding.advice == advice


def test_invalid_rules_are_refused_with_all_errors() -> None:
    with pytest.raises(InvalidRules) as refused:
        load_rules(_WRONG / "unknown-key.yaml")

    assert str(_WRONG / "unknown-key.yaml") in str(refused.value)
    assert len(refused.value.findings) == 1


@pytest.mark.parametrize(
    ("first", "second", "never"),
    [
        ("tool: a", "tool: a", True),
        ("tool: '*'", "tool: 'b*'", True),
        ("tool: [a, b]", "tool: [b, a]", True),
        ("tool: [a, b]", "tool: [a, c]", False),
        ("tool: a, args: {x: 1}", "tool: a, args: {x: 1, y: 2}", True),
        ("tool: a, args: {x: 1}", "tool: a, args: {x: true}", False),
        ("tool: a, args: {x: 1}", "tool: a", False),
        ("tool: a, probability: 0.5", "tool: a", False),
        ("tool: a, call: {first: 1}", "tool: a", False),
        ("tool: a, agent: x", "tool: a", False),
        ("tool: a, agent: 'x*'", "tool: a, agent: xy", True),
        ("tool: a, after: b called", "tool: a", False),
        ("tool: a, after: b called", "tool: a, after: [b called, c failed]", True),
        ("tool: a, args: {x: 1}, exactly: true", "tool: a, args: {x: 1}", False),
    ],
)
def test_a_rule_that_an_earlier_one_always_answers_for_can_never_fire(first: str, second: str, never: bool) -> None:
    text = f"rules: [{{match: {{{first}}}, do: {{respond: 1}}}}, {{match: {{{second}}}, do: {{respond: 2}}}}]"

    assert [finding.code for finding in check_rules_text(text).findings] == ["never-fires"] * never


@pytest.mark.parametrize(
    "match",
    [
        "probability: 0",
        "args: {a: {min: 3, max: 2}}",
        "args: {a: {present: false, equals: 1}}",
        "call: {nth: 3, first: 2}",
        "call: {nth: 3, every: 2}",
        "call: {first: 2, after: 2}",
        "call: {every: 5, first: 4}",
    ],
)
def test_conditions_that_contradict_each_other_never_fire(match: str) -> None:
    checked = check_rules_text(f"rules: [{{match: {{tool: a, {match}}}, do: {{respond: 1}}}}]")

    assert [finding.code for finding in checked.findings] == ["never-fires"]


def test_a_disabled_rule_shadows_no_other() -> None:
    text = "rules: [{enabled: false, match: {tool: a}, do: {respond: 1}}, {match: {tool: a}, do: {respond: 2}}]"

    assert check_rules_text(text).findings == []


def test_a_file_that_is_missing_or_not_text_is_a_finding(tmp_path: Path) -> None:
    binary = tmp_path / "rules.yaml"
    binary.write_bytes(b"\xff\xfe\x00")

    for file in (tmp_path / "gone.yaml", tmp_path, binary):
        assert [finding.code for finding in check_rules_file(file).findings] == ["unreadable"]


_KEYS = st.sampled_from(
    [
        "rules",
        "match",
        "do",
        "tool",
        "args",
        "call",
        "name",
        "seed",
        "time",
        "nth",
        "first",
        "every",
        "after",
        "agent",
        "probability",
        "delay",
        "respond",
        "error",
        "raise",
        "mutate",
        "drop",
        "truncate",
        "equals",
        "regex",
        "min",
        "any_of",
        "present",
        "uniform",
        "lognormal",
        "median",
        "op",
        "path",
        "pass",
        "stale",
        "x",
    ]
)
_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 10)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["a", "a*", "create succeeded", "(", "/a", "ValueError", "pass", ""])
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=4),
    max_leaves=15,
)
_RULE = st.fixed_dictionaries(
    {}, optional={"name": _VALUES, "match": st.dictionaries(_KEYS, _VALUES, max_size=4), "do": _VALUES, "x": _VALUES}
)


@given(value=st.fixed_dictionaries({"rules": st.lists(_RULE, max_size=3)}, optional={"seed": _VALUES}) | _VALUES)
def test_no_value_crashes_the_loader_and_every_finding_has_a_line(value: Any) -> None:
    for text in (yaml.safe_dump(value, allow_unicode=True), json.dumps(value)):
        checked = check_rules_text(text, source="f", catalog=_CATALOG)
        assert (checked.rules is None) <= bool(checked.errors)
        assert all(1 <= finding.line <= text.count("\n") + 1 for finding in checked.findings)
        assert not any(find_unsafe_characters(str(finding), "") for finding in checked.findings)


@given(text=st.text(st.characters(codec=None), max_size=80) | st.text("{}[]:,&*!|>-\"'# \n\tab01?%@", max_size=60))
def test_no_text_crashes_the_loader(text: str) -> None:
    checked = check_rules_text(text)

    assert checked.rules is None
    assert checked.errors
