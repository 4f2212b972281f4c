"""Checks of valid rules: rules and actions that can never be used, duplicate names, and names the agent lacks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from adk_agent_sim.environment.actions.raise_exception import BUILT_IN_EXCEPTIONS, ExceptionFactories, Raise
from adk_agent_sim.environment.json_values import parse_path
from adk_agent_sim.environment.rule_coverage import CoverageIndex
from adk_agent_sim.environment.rule_finding import RuleFinding, suggest_closest
from adk_agent_sim.environment.rule_match import Match
from adk_agent_sim.environment.rules import Rule, Rules
from adk_agent_sim.text.glob_match import GlobSet
from adk_agent_sim.timeline.framework_calls import MODEL_SEAT


@dataclass(frozen=True, kw_only=True)
class ToolCatalog:
    """The tools and agents of an app, to check the names in rules."""

    tools: Mapping[str, Mapping[str, Any]]
    """The JSON Schema of each tool's arguments, by tool name."""

    agents: Sequence[str]
    """The names of the agents."""


def lint_rules(
    rules: Rules, *, exceptions: ExceptionFactories = BUILT_IN_EXCEPTIONS, catalog: ToolCatalog | None = None
) -> Iterator[RuleFinding]:
    """Yield the problems of rules.

    Args:
        rules: The rules.
        exceptions: The exceptions that `raise` may name.
        catalog: The app's tools and agents, if the names in rules should be checked.
    """
    yield from _check_duplicate_names(rules)
    yield from _check_reachable(rules)
    for number, rule in enumerate(rules.rules):
        yield from _check_probability(number, rule)
        yield from _check_actions(number, rule, exceptions)
        if catalog is not None:
            yield from _check_unknown_names(number, rule.match, catalog)


def _check_duplicate_names(rules: Rules) -> Iterator[RuleFinding]:
    seen: dict[str, int] = {}
    for number, name in enumerate(rules.get_rule_names()):
        if name in seen:
            yield RuleFinding(
                code="duplicate-name",
                key_path=("rules", number, "name"),
                message=f"rule {seen[name] + 1} has the same name, {name!r}",
                advice="Give each rule its own name: reports and random draws are keyed by it",
            )
        seen.setdefault(name, number)


def _check_probability(number: int, rule: Rule) -> Iterator[RuleFinding]:
    if rule.match.probability == 0:
        yield RuleFinding(
            code="never-fires",
            key_path=("rules", number, "match", "probability"),
            message="a rule with probability 0 is never used",
            advice="Raise the probability, or write `enabled: false` to keep the rule for later",
        )


def _check_reachable(rules: Rules) -> Iterator[RuleFinding]:
    names = rules.get_rule_names()
    # One index per seat: `tool: "*"` does not mean the model.
    indexes = {seat: CoverageIndex([rule for rule in rules.rules if rule.seat == seat]) for seat in ("tool", "model")}
    for number, rule in enumerate(rules.rules):
        earlier_rules = indexes[rule.seat]
        if covering := earlier_rules.find_covering(rule.match):
            yield _build_unreachable_finding(number, [names[each] for each in covering])
        earlier_rules.add(number, rule)


def _build_unreachable_finding(number: int, covering: Sequence[str]) -> RuleFinding:
    listed = " and ".join(map(repr, covering))
    if len(covering) == 1:
        message, others = f"the earlier rule {listed} answers every call that it matches", "that rule"
    else:
        message, others = f"the earlier rules {listed} together answer every call that it matches", "those rules"
    return RuleFinding(
        code="never-fires",
        key_path=("rules", number),
        message=message,
        advice=f"Move it before {others}, or narrow {others}",
    )


def _check_actions(rule_index: int, rule: Rule, exceptions: ExceptionFactories) -> Iterator[RuleFinding]:
    for index, action in enumerate(rule.do):
        if action.is_terminal and index < len(rule.do) - 1:
            yield RuleFinding(
                code="unreachable-action",
                key_path=("rules", rule_index, "do", index + 1),
                message=f"it is never reached: `{action.key}` raises before it",
                advice=f"Move it before `{action.key}`, or remove it",
            )
        if isinstance(action, Raise) and action.error.type not in exceptions:
            yield RuleFinding(
                code="unknown-exception",
                key_path=("rules", rule_index, "do", index, "raise"),
                message=f"the exception {action.error.type!r} is not registered",
                advice=suggest_closest(
                    action.error.type, exceptions, "Register it in Python with exceptions={...}, or use one of"
                ),
            )


def _check_unknown_names(rule_index: int, match: Match, catalog: ToolCatalog) -> Iterator[RuleFinding]:
    """Yield the tools, agents and arguments that the app does not have."""
    match_path = ("rules", rule_index, "match")
    for key, names, known, noun in (
        ("tool", [name for name in match.tool if name != MODEL_SEAT], list(catalog.tools), "tool"),
        ("after", [earlier.tool for earlier in match.earlier_outcomes], list(catalog.tools), "tool"),
        ("agent", match.agent or [], catalog.agents, "agent"),
    ):
        for name in names:
            if not any(map(GlobSet([name]).matches, known)):
                yield RuleFinding(
                    code=f"unknown-{noun}",
                    key_path=(*match_path, key),
                    message=f"the agent has no {noun} {name!r}",
                    advice=suggest_closest(name, known, f"Its {noun}s are"),
                )
    pattern = GlobSet(match.tool)
    tools = [schema for name, schema in catalog.tools.items() if pattern.matches(name)]
    for name in match.args:
        if tools and not any(_has_argument(schema, name) for schema in tools):
            known = sorted({each for schema in tools for each in _get_properties(schema)})
            yield RuleFinding(
                code="unknown-argument",
                key_path=(*match_path, "args", name),
                message=f"{' and '.join(match.tool)} has no argument {name!r}",
                advice=suggest_closest(parse_path(name)[0], known, "Its arguments are"),
            )


def _has_argument(schema: Mapping[str, Any], name: str) -> bool:
    properties = _get_properties(schema)
    return name in properties or parse_path(name)[0] in properties or bool(schema.get("additionalProperties"))


def _get_properties(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", schema.get("properties") or {})
