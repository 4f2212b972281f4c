"""References in texts: they are replaced by values once, keep their types, and data stays as it is."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_agent_sim.environment.json_values import MISSING, find_value
from adk_agent_sim.environment.rule_lint import ToolCatalog
from adk_agent_sim.environment.rules import Rules
from adk_agent_sim.environment.rules_file import check_rules_text, parse_rules
from adk_agent_sim.environment.templates import (
    BadTemplate,
    Reference,
    TemplateTooLong,
    escape_templates,
    parse_text,
    render,
)
from adk_agent_sim.timeline.canonical_json import is_same_value

_ARGS: dict[str, Any] = {
    "id": 7,
    "name": "Ada",
    "tags": ["a", {"b": None}],
    "ok": True,
    "hostile": "{{args.id}}",
    "names": ["Zoë"],
}


def _resolve(reference: Reference) -> Any:
    value = find_value(_ARGS, reference.name)
    assert value is not MISSING
    return value


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ("{{args.id}}", 7),
        ("{{ args.id }}", 7),
        ("{{args.ok}}", True),
        ("{{args.tags}}", ["a", {"b": None}]),
        ("{{args.tags.1.b}}", None),
        (" {{args.id}}", " 7"),
        ("{{args.name}}-{{args.id}}", "Ada-7"),
        ("ok: {{args.ok}}, tags: {{args.tags}}", 'ok: true, tags: ["a",{"b":null}]'),
        ({"{{args.id}}": ["{{args.id}}", 1]}, {"{{args.id}}": [7, 1]}),
        ("{{args.names}}.", '["Zoë"].'),
        ("{{args.hostile}}", "{{args.id}}"),
        ("<{{args.hostile}}>", "<{{args.id}}>"),
        ("{{'{{'}}args.id}}", "{{args.id}}"),
        ("{{'{{'}}", "{{"),
        ("}} { {", "}} { {"),
        ("{{'it is ' }}{{args.id}}", "it is 7"),
    ],
)
def test_references_are_replaced_once_and_a_text_that_is_one_keeps_its_type(template: Any, value: Any) -> None:
    assert is_same_value(render(template, _resolve), value)


@pytest.mark.parametrize(
    "text", ["{{", "{{}}", "{{ }}", "{{args.id}", "{{args..id}}", "{{.id}}", "{{args.}}", "{{{x}}}"]
)
def test_a_text_with_unclosed_braces_or_without_a_name_is_not_valid(text: str) -> None:
    with pytest.raises(BadTemplate):
        parse_text(text)


_JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.integers() | st.text("{}'a. ", max_size=12) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("{}a", max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(value=_JSON)
def test_data_that_is_escaped_stands_for_itself(value: Any) -> None:
    def refuse(reference: Reference) -> Any:
        raise AssertionError(reference)

    assert is_same_value(render(escape_templates(value), refuse), value)


@given(value=_JSON)
def test_recorded_data_in_a_file_is_matched_and_given_as_it_was(value: Any) -> None:
    rule = {"match": {"tool": "x", "args": {"a": {"equals": escape_templates(value)}}}, "do": [{"respond": 1}]}
    (read,) = Rules.model_validate({"variables": {"a": 1}, "rules": [rule]}).rules

    assert is_same_value(read.match.args["a"].equals, value)


def test_inserted_values_are_not_shared_and_their_length_is_limited() -> None:
    rendered = render(["{{args.tags}}", "{{args.tags}}"], _resolve)
    rendered[0].append("changed")

    assert rendered[1] == _ARGS["tags"] == ["a", {"b": None}]
    with pytest.raises(TemplateTooLong):
        render(["{{args.long}}"] * 11, lambda _: "x" * 100_000)
    with pytest.raises(TemplateTooLong):
        render("{{args.long}}" * 11, lambda _: ["x" * 100_000])


_CATALOG = ToolCatalog(
    tools={"pay": {"type": "object", "properties": {"id": {"type": "string"}, "card": {"type": "object"}}}},
    agents=["shop"],
)


@pytest.mark.parametrize(
    ("do", "finding"),
    [
        (
            "{respond: '{{arg.id}}'}",
            "unknown-name: {{arg.id}} refers to nothing: 'arg' is not known. Write 'args' instead",
        ),
        (
            "{respond: {a: ['{{call.nummer}}']}}",
            "unknown-name: {{call.nummer}}: a call has no 'nummer'. Write 'number'",
        ),
        ("{respond: '{{state}}'}", "unknown-name: {{state}} does not say which. Write a name after it: {{state.x}}"),
        ("{respond: '{{args.idd}}'}", "unknown-argument: {{args.idd}}: pay has no argument 'idd'. Write 'id' instead"),
        ("{respond: '{{args.id.x}}'}", "unknown-argument: {{args.id.x}}: id is a string: it has no fields."),
        (
            "{respond: '{{results.pax.id}}'}",
            "unknown-tool: {{results.pax.id}}: the agent has no tool 'pax'. Write 'pay'",
        ),
        ("{error: {code: 1, message: '{{x}}'}}", "unknown-name: {{x}} refers to nothing"),
        ("{raise: {type: ValueError, message: '{{x}}'}}", "unknown-name: {{x}} refers to nothing"),
        ("{mutate: [{op: add, path: /a, value: '{{x}}'}]}", "unknown-name: {{x}} refers to nothing"),
        ("{respond: '{{args.id'}", "bad-template: {{ without a name and }}."),
        ("{respond: '{{args.card.*}}'}", "bad-template: {{args.card.*}} has a wildcard"),
        ("{drop: '{{args.id}}'}", "bad-template: {{ }} has no meaning here"),
        ("{respond: '{{vars.x}}'}", "unknown-variable: there is no variable 'x'. Add it at the top of the file"),
    ],
)
def test_a_reference_to_something_unknown_is_reported(do: str, finding: str) -> None:
    text = f"rules:\n  - match: {{tool: pay}}\n    do: {do}"
    (found,) = check_rules_text(text, catalog=_CATALOG).findings

    assert f"{found.code}: {found.message}. {found.advice}.".startswith(finding)
    assert found.line == 3


@pytest.mark.parametrize(
    "do",
    [
        "{respond: {a: '{{args.id}}', b: 'card {{args.card.number}}', c: '{{call.number}} {{call.id}} {{call.tool}}'}}",
        "{respond: ['{{state.user:name}}', '{{results.pay.id}}', '{{results.pay}}', '{{args}}', '{{call.agent}}']}",
        "[{delay: 1}, {error: {code: 404, message: 'no {{args.id}}'}}]",
    ],
)
def test_references_to_the_call_are_accepted(do: str) -> None:
    assert check_rules_text(f"rules: [{{match: {{tool: pay}}, do: {do}}}]", catalog=_CATALOG).findings == []


_WITH_VARIABLES = """
variables:
  latency: 1.5
  ids: [1, 2]
  shop: {name: Ada, note: "{{args.id}}"}
rules:
  - name: "rule of {{vars.shop.name}}"
    match: {tool: "pay_{{vars.shop.name}}", args: {id: {any_of: "{{vars.ids}}"}, text: "{{'{{'}}x}}"}}
    do:
      - delay: "{{vars.latency}}"
      - respond: {ids: "{{vars.ids}}", text: "{{vars.shop.name}} {{args.id}}", shop: "{{vars.shop}}", n: "{{args.n}}"}
"""


def test_variables_are_replaced_with_their_types_and_other_references_are_kept() -> None:
    (rule,) = parse_rules(_WITH_VARIABLES).rules

    assert (rule.name, rule.match.tool) == ("rule of Ada", ["pay_Ada"])
    assert rule.match.args["id"].any_of == [1, 2]
    assert rule.match.args["text"].equals == "{{x}}"
    delay, respond = (action.model_dump() for action in rule.do)
    assert delay == {"delay": 1.5}
    rendered = render(respond["respond"], lambda reference: f"<{reference.text}>")
    assert rendered == {
        "ids": [1, 2],
        "text": "Ada <args.id>",
        "shop": {"name": "Ada", "note": "{{args.id}}"},
        "n": "<args.n>",
    }


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("{tool: '{{vars.toool}}'}", "unknown-variable: there is no variable 'toool'. Write 'tool' instead"),
        ("{tool: '{{vars.tool.x}}'}", "unknown-variable: there is no variable 'tool.x'"),
        (
            "{tool: '{{vars.tool}}', args: {a: '{{args.b}}'}}",
            "bad-template: {{args.b}} has no value here: only actions",
        ),
        ("{tool: '{{vars.tool}}', args: {a: '{{'}}", "bad-template: {{ without a name and }}"),
        ("{tool: '{{vars.tool}}', probability: '{{vars.tool}}'}", "bad-probability: input should be a valid number"),
        ("{tool: pay}", "unused-variable: it is never used. Use it as {{vars.tool}}, or remove it"),
    ],
)
def test_variables_are_checked(text: str, finding: str) -> None:
    (found,) = check_rules_text(f"variables: {{tool: pay}}\nrules: [{{match: {text}, do: {{respond: 1}}}}]").findings

    assert f"{found.code}: {found.message}. {found.advice}.".startswith(finding)


def test_rules_as_objects_are_not_searched_for_variables_but_data_is() -> None:
    with pytest.raises(ValueError, match="no variable 'x'"):
        Rules.model_validate({"rules": [{"match": {"tool": "{{vars.x}}"}, "do": [{"respond": 1}]}]})
