"""Rules files: valid files are read, invalid ones are refused with lines and advice, and nothing crashes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from terminal_safety import find_unsafe_characters

from adk_agent_sim.environment import rules_file as rules_file_module
from adk_agent_sim.environment.actions import ACTIONS, Delay, Respond
from adk_agent_sim.environment.argument_lint import ModelProblem
from adk_agent_sim.environment.rule_lint import ToolCatalog
from adk_agent_sim.environment.rules import ArgumentCondition, Match, Rule, Rules
from adk_agent_sim.environment.rules_file import (
    check_rules_file,
    check_rules_text,
    load_rules,
    parse_rules,
)
from adk_agent_sim.environment.rules_schema import build_rules_schema
from adk_agent_sim.environment.yaml_document import YamlDocument, render_yaml
from adk_agent_sim.errors import InvalidRules
from adk_agent_sim.mocks.mocked_call import ToolSpec
from adk_agent_sim.timeline.json_equality import is_same_value

_WRONG = Path(__file__).with_name("wrong")
_CATALOG = ToolCatalog(
    tools={
        "lookup": {
            "type": "object",
            "properties": {
                "key": {"type": "string"},
                "limit": {"type": "integer", "minimum": 0},
                "price": {"anyOf": [{"type": "number"}, {"type": "null"}]},
                "order": {"enum": ["cheapest", "newest"], "type": "string"},
                "flag": {"type": "boolean"},
                "filter": {"$ref": "#/$defs/Filter"},
                "tags": {"type": "array", "items": {"type": "string"}},
                "any": {},
                "free": {"type": "object"},
            },
            "$defs": {
                "Filter": {
                    "type": "object",
                    "properties": {"limit": {"type": "integer"}, "next": {"$ref": "#/$defs/Filter"}},
                }
            },
        },
        "order": {},
        "pay": {"type": "object", "properties": {"price": {"type": "string"}}},
    },
    agents=["refunds", "shop"],
    agent_tools={"refunds": frozenset({"pay"}), "shop": frozenset({"lookup", "order"})},
    specs={
        "lookup": ToolSpec(name="lookup"),
        "pay": ToolSpec(name="pay", results={"type": "string", "pattern": "(?=a)"}, results_origin="output schema"),
    },
)

_ALL = """
version: 1
seed: 7
time: virtual
unanswered: refuse
environment_data: {orders: [{id: 1}]}
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
        tags: {any: {regex: "^a"}, contains: b}
        kind: {not: {any_of: [x, y]}}
      exactly: true
      defaults: true
      call: {nth: [2, 4], every: 2, first: 8, after: 1, per: [id, filter.limit], within: 2.5}
      agent: "shop*"
      state: {user:plan: gold, cart.total: {min: 5}}
      after:
        - create_order succeeded
        - "pay_* failed"
        - login called
        - {tool: [cancel, "void_*"], outcome: failed, args: {id: 1}, result: {code: {min: 400}}, same: id}
      during: {from: 10, to: 20.5, every: 60}
      probability: 0.25
      burst: 3
      seed: 3
    do:
      - delay: 1.5
      - delay: {uniform: [0, 2]}
      - delay: {lognormal: {median: 0.3, sigma: 0.8, max: 9}}
      - respond: {deep: [1, {a: null}]}
      - mutate: [{op: move, from: /a, path: /b}, {op: test, path: /c, value: 1}]
      - truncate: {chars: 3, items: 2}
      - drop: a.b
      - wrong_type: [a, b.0]
      - {mock: stateful, declare: {operation: create, resource: order, id: order_id}}
  - match: {tool: x, call: {first: 1}}
    do: [pass, {raise: {type: TimeoutError, message: too slow}}]
  - match: {tool: x, call: {first: 2}}
    do: [pass, stale]
  - match: {tool: x, call: {first: 3}}
    do: {error: {code: 404, message: gone}}
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
    rules = parse_rules("rules: [{match: {tool: x}, do: {respond: [yes, no, on, 2024-01-01, 1:30, 007, 1_000, a]}}]")

    respond = rules.rules[0].do[0]
    assert isinstance(respond, Respond)
    assert respond.respond == ["yes", "no", "on", "2024-01-01", "1:30", "007", "1_000", "a"]
    hostile_values = ["!!python/object/apply:os.system [ls]", "!!binary aGk=", "!!set {a, b}", "1e999", "9" * 5_000]
    for hostile in [*hostile_values, ".inf", "-.Inf", ".NaN", "0x" + "f" * 5_000]:
        checked = check_rules_text(f"rules: [{{match: {{tool: x}}, do: {{respond: {hostile}}}}}]")
        assert [finding.code for finding in checked.findings] == ["unreadable"]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        *[(text, True) for text in ("true", "True", "TRUE")],
        *[(text, False) for text in ("false", "False", "FALSE")],
        *[(text, None) for text in ("null", "Null", "NULL", "~", "")],
        *[("+1", 1), ("-0", 0), ("0o17", 15), ("0x1F", 31)],
        *[(".5", 0.5), ("-.5", -0.5), ("+.5e1", 5.0), ("5.", 5.0), ("1e3", 1000.0), ("1.5E-1", 0.15)],
        *[(text, text) for text in ("1e", "0b1", "0o8", "tRUE", "1.2.3", ".", "+", "1,5", "0xg")],
    ],
)
def test_plain_words_have_the_types_of_yaml_1_2(written: str, value: Any) -> None:
    found = YamlDocument(f"key: {written}").value

    assert found == {"key": value}
    assert type(found["key"]) is type(value)


@pytest.mark.parametrize(
    ("written", "advice"),
    [
        ("yes", "Write true, or 'yes' in quotes"),
        ("Off", "Write false, or 'Off' in quotes"),
        ("007", "Write 7, or '007' in quotes"),
        ("-1_000", "Write -1000, or '-1_000' in quotes"),
    ],
)
def test_a_text_that_other_yaml_reads_differently_is_reported(written: str, advice: str) -> None:
    text = "rules: [{{match: {{tool: x, args: {{a: {}}}}}, do: {{respond: 1}}}}]"
    (finding,) = check_rules_text(text.format(written)).findings

    assert (finding.code, finding.severity, finding.advice) == ("ambiguous-text", "warning", advice)
    assert finding.path == "rules[0].match.args.a"
    assert check_rules_text(text.format(f"'{written}'")).findings == []
    assert check_rules_text(text.format(written)).errors == []


_SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.from_regex(
    r"[-+.0-9_eExob~:]{1,6}|(?i:yes|no|on|off|true|false|null)|[-+]?\.(?:inf|nan)", fullmatch=True
)


@given(
    value=st.recursive(
        _SCALARS | _TEXTS,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
        max_leaves=8,
    ),
    allow_unicode=st.booleans(),
)
@example(value=[["\x85", "a\u2028b", {"\u2029": 1}]], allow_unicode=True)
def test_yaml_that_is_written_is_read_as_the_same_value(value: Any, allow_unicode: bool) -> None:
    document = YamlDocument(render_yaml({"value": value}, allow_unicode=allow_unicode))

    assert is_same_value(document.value, {"value": value})
    assert document.ambiguous_texts == []


def test_a_text_that_expands_without_limit_is_refused() -> None:
    laughs = "\n".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 12))
    for bomb in (f"l0: &l0 ha\n{laughs}", "a: &a [*a]", "[" * 5_000, "{a: " * 5_000, "&a [&b [*a, *b]]"):
        assert check_rules_text(bomb).findings[0].code == "unreadable"


def _find_model_problem(name: str) -> ModelProblem | None:
    return ModelProblem(message=f"no {name}", advice="Write another name", is_unknown="gemini" not in name)


@pytest.mark.parametrize("file", sorted(_WRONG.glob("*.yaml")), ids=lambda file: file.stem)
def test_each_error_is_reported_with_its_line_and_advice(file: Path) -> None:
    findings = check_rules_file(file, catalog=_CATALOG, models=_find_model_problem).findings

    assert [finding.code for finding in findings] == [file.stem]
    (line,) = [number for number, text in enumerate(file.read_text().splitlines(), start=1) if "# here" in text]
    assert findings[0].line == line
    assert str(findings[0]).startswith(f"{file}:{line}: {findings[0].severity}[{file.stem}] ")
    assert findings[0].advice


def test_every_kind_of_error_has_a_file_that_shows_it() -> None:
    folder = Path(rules_file_module.__file__ or "").parent
    sources = [
        file.read_text() for file in [*folder.glob("*_lint.py"), folder / "rules_file.py", folder / "variables.py"]
    ]
    pattern = r'(?:code=|return |return \(\s*|_Problem\(\s*|_build_finding\(\s*)f?"([a-z]+-[a-z]+|unreadable)"'
    codes = {code for source in sources for code in re.findall(pattern, source)}
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
        ("unknown-operator", "Write regex; or {equals: ...}, if the argument is this object"),
        ("two-actions", "Write a list: do: [{delay: 1}, {respond: ...}]"),
        ("useless-action", "Remove it, or remove `pass`"),
        ("missing-tool", "Its tools are: pay"),
        ("bad-path", "Compare the value as a whole"),
        ("wrong-type", "Write 5 without quotes"),
        ("wrong-value", "Write 'cheapest' instead"),
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
        "call: {first: 2, after: 2, per: id, within: 1}",
        "during: {from: 5, to: 5}",
        "args: {a: {not: {min: 3, max: 2}}}",
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


def _check_arguments(args: str, tool: str = "lookup") -> list[str]:
    text = f"rules: [{{match: {{tool: {tool}, args: {args}}}, do: {{respond: 1}}}}]"
    return [f"{each.code}: {each.message}" for each in check_rules_text(text, catalog=_CATALOG).findings]


@pytest.mark.parametrize(
    ("args", "finding"),
    [
        ("{limit: '5'}", "wrong-type: limit is an integer, and '5' is a string"),
        ("{limit: 5.5}", "wrong-type: limit is an integer, and 5.5 is a number"),
        ("{limit: -1}", "wrong-value: limit is never -1, by the tool's declaration"),
        ("{limit: {any_of: [1, two]}}", "wrong-type: limit is an integer, and 'two' is a string"),
        ("{limit: {regex: '5'}}", "wrong-type: limit is an integer, which `regex` never accepts"),
        ("{key: {min: 5}}", "wrong-type: key is a string, which `min` never accepts"),
        ("{key: {mine: 5}}", "wrong-type: key is a string, and {'mine': 5} is an object"),
        ("{key: 5}", "wrong-type: key is a string, and 5 is an integer"),
        ("{key: [a]}", "wrong-type: key is a string, and ['a'] is a list"),
        ("{flag: 'true'}", "wrong-type: flag is true or false, and 'true' is a string"),
        ("{price: cheap}", "wrong-type: price is null or a number, and 'cheap' is a string"),
        ("{key.0: a}", "bad-path: key is a string: it has no fields"),
        ("{tags.first: a}", "bad-path: tags is a list: it has no fields"),
        ("{tags.*: 5}", "wrong-type: tags.* is a string, and 5 is an integer"),
        ("{filter.limt: 5}", "unknown-argument: filter has no field 'limt'"),
        ("{filter.next.next.limit: five}", "wrong-type: filter.next.next.limit is an integer, and 'five' is a string"),
        ("{/filter/limit/x: 5}", "bad-path: filter.limit is an integer: it has no fields"),
    ],
)
def test_conditions_that_no_call_of_the_tool_can_meet_are_reported(args: str, finding: str) -> None:
    assert _check_arguments(args) == [finding]


@pytest.mark.parametrize(
    "args",
    [
        "{limit: 5, price: 50, key: '5', flag: true, order: newest}",
        "{limit: 5.0}",
        "{price: 50.5}",
        "{price: null}",
        "{price: {min: 1}}",
        "{filter: {limit: 5}}",
        "{filter.limit: 5, filter.next.limit: {min: 2}}",
        "{tags.0: a, tags.*: b}",
        "{any: 5, any.thing: '5', free.x.y: 1}",
        "{key: {present: false}}",
    ],
)
def test_conditions_that_a_call_can_meet_are_not_reported(args: str) -> None:
    assert _check_arguments(args) == []


def test_a_condition_on_several_tools_is_reported_only_if_it_fits_none_of_them() -> None:
    assert _check_arguments("{price: '5'}", tool="[lookup, pay]") == []
    assert _check_arguments("{price: true}", tool="[lookup, pay]") != []


@pytest.mark.parametrize(
    ("agent", "tool", "findings"),
    [
        ("shop", "lookup", []),
        ("'*'", "pay", []),
        ("[shop, refunds]", "pay", ["the agent 'shop' has no tool 'pay'"]),
        ("shop", "[lookup, pay]", ["the agent 'shop' has no tool 'pay'"]),
        ("refunds", "'l*'", ["the agent 'refunds' has no tool 'l*'"]),
        ("refunds", "[lookup, order]", ["the agent 'refunds' has no tool 'lookup' or 'order'"]),
    ],
)
def test_an_agent_that_lacks_the_tool_is_reported(agent: str, tool: str, findings: list[str]) -> None:
    text = f"rules: [{{match: {{tool: {tool}, agent: {agent}}}, do: {{respond: 1}}}}]"

    assert [each.message for each in check_rules_text(text, catalog=_CATALOG).findings] == findings


@pytest.mark.parametrize(
    "condition",
    ["{regexp: a}", "{Regex: a}", "{eqauls: 1}", "{any-of: [1]}", "{gte: 1, lt: 3}", "{$in: [1]}", "{presnt: true}"],
)
def test_a_mistyped_operator_is_refused_and_equals_compares_the_object(condition: str) -> None:
    text = "rules: [{{match: {{tool: x, args: {{a: {}}}}}, do: {{respond: 1}}}}]"

    assert [each.code for each in check_rules_text(text.format(condition)).findings] == ["unknown-operator"]
    assert check_rules_text(text.format(f"{{equals: {condition}}}")).findings == []


@pytest.mark.parametrize("value", ["{note: 1}", "{regexp: a, query: b}", "{many: 1}", "{mix: 1}", "{}", "{tax: 5}"])
def test_an_object_that_only_resembles_operators_is_a_value(value: str) -> None:
    assert check_rules_text(f"rules: [{{match: {{tool: x, args: {{a: {value}}}}}, do: {{respond: 1}}}}]").findings == []


@pytest.mark.parametrize(
    ("actions", "useless"),
    [
        ("[{respond: 1}, pass]", [0]),
        ("[{respond: 1}, {error: {code: 1, message: m}}]", [0]),
        ("[stale, {respond: 1}]", [0]),
        ("[{drop: a}, {delay: 1}, {raise: ValueError}]", [0]),
        ("[{respond: 1}, {drop: a}, pass, {drop: b}]", [0, 1]),
        ("[pass, {respond: 1}]", []),
        ("[pass, {raise: ValueError}]", []),
        ("[{delay: 1}, pass, {drop: a}]", []),
        ("[{respond: {a: 1}}, {drop: a}, {delay: 1}]", []),
        ("[pass, {timeout: 1}]", []),
    ],
)
def test_an_action_whose_result_is_lost_is_reported(actions: str, useless: list[int]) -> None:
    checked = check_rules_text(f"rules: [{{match: {{tool: x}}, do: {actions}}}]")

    assert [finding.key_path[-1] for finding in checked.findings] == useless
    assert {finding.code for finding in checked.findings} <= {"useless-action"}
    assert checked.errors == []


@pytest.mark.parametrize("key", ["agent:", "call:", "call: {first: }", "args: {a: {min: }}", "seed: null"])
def test_a_key_without_a_value_is_reported(key: str) -> None:
    checked = check_rules_text(f"rules: [{{match: {{tool: x, {key}}}, do: {{respond: 1}}}}]")

    assert [finding.code for finding in checked.findings] == ["no-effect"]


def test_the_number_of_profiles_is_limited() -> None:
    profiles = ", ".join(f"p{number}: [r]" for number in range(101))
    checked = check_rules_text(f"profiles: {{{profiles}}}\nrules: [{{name: r, match: {{tool: x}}, do: pass}}]")

    assert [finding.path for finding in checked.findings] == ["profiles"]


def test_an_argument_without_a_name_is_refused() -> None:
    checked = check_rules_text("rules: [{match: {tool: lookup, args: {'': 1}}, do: {respond: 1}}]", catalog=_CATALOG)

    assert [finding.code for finding in checked.findings] == ["bad-value"]


@pytest.mark.parametrize(
    ("match", "code"),
    [
        ("call: {per: id}", "no-effect"),
        ("call: {within: 5}", "no-effect"),
        ("call: {first: 1, per: []}", "no-effect"),
        ("call: {first: 1, within: 0}", "bad-value"),
        ("during: {}", "no-effect"),
        ("during: {every: 5}", "no-effect"),
        ("during: {from: 1, to: 5, every: 4}", "bad-value"),
        ("during: {form: 1}", "unknown-key"),
        ("burst: 3", "bad-value"),
        ("burst: 1, probability: 0.5", "bad-value"),
        ("state: {}", "no-effect"),
        ("state: {a: {regexp: x}}", "unknown-operator"),
        ("args: {a: {not: {regexp: x}}}", "unknown-operator"),
        ("args: {a: {any: {min: 1, x: 2}}}", "bad-value"),
        ("after: {outcome: failed}", "missing-key"),
        ("after: {tool: lookup, outcome: done}", "bad-value"),
        ("after: {tool: lookup, arg: {a: 1}}", "unknown-key"),
        ("after: {tool: lokup}", "unknown-tool"),
        ("after: {tool: lookup, args: {limit: '5'}}", "wrong-type"),
        ("after: {tool: pay, same: price}", None),
        ("after: {tool: pay, same: key}", "unknown-argument"),
        ("call: {first: 1, per: kee}", "unknown-argument"),
        ("args: {tags: {any: 5}}", "wrong-type"),
        ("args: {limit: {any: 5}}", "wrong-type"),
        ("args: {limit: {contains: 5}}", "wrong-type"),
        ("args: {limit: {not: five}}", "wrong-type"),
        ("args: {tags: {any: a, contains: b}, key: {contains: x, not: y}}", None),
    ],
)
def test_conditions_on_state_time_and_earlier_calls_are_checked(match: str, code: str | None) -> None:
    text = f"rules: [{{match: {{tool: lookup, {match}}}, do: [{{delay: 1}}, {{respond: 1}}]}}]"

    assert [finding.code for finding in check_rules_text(text, catalog=_CATALOG).findings] == [code] * bool(code)


def test_conditions_on_a_clock_that_stands_still_are_reported() -> None:
    def check(action: str, time: str) -> list[str]:
        text = f"time: {time}\nrules: [{{match: {{tool: x, call: {{after: 5, within: 1}}}}, do: {action}}}]"
        return [finding.code for finding in check_rules_text(text).findings]

    assert check("{respond: 1}", "virtual") == ["stopped-clock"]
    assert check("[{delay: 1}, {respond: 1}]", "virtual") == []
    assert check("{respond: 1}", "real") == []
