"""Mistakes that each rule by itself does not show: rules that can never be used, names that nobody has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from adk_agent_sim.environment.actions.raise_exception import BUILT_IN_EXCEPTIONS, ExceptionFactories, Raise
from adk_agent_sim.environment.json_values import parse_path
from adk_agent_sim.environment.rule_finding import RuleFinding, suggest_closest
from adk_agent_sim.environment.rule_match import Match, compile_globs, is_glob
from adk_agent_sim.environment.rules import Rule, Rules


@dataclass(frozen=True, kw_only=True)
class ToolCatalog:
    """What an agent has, to compare rules with."""

    tools: Mapping[str, Mapping[str, Any]]
    """The JSON Schema of each tool's arguments, by the tool's name."""

    agents: Sequence[str]
    """The names of the agents."""


def lint_rules(
    rules: Rules, *, exceptions: ExceptionFactories = BUILT_IN_EXCEPTIONS, catalog: ToolCatalog | None = None
) -> Iterator[RuleFinding]:
    """What is wrong with rules.

    Args:
        rules: The rules.
        exceptions: What `raise` may name.
        catalogue: The agent's tools, if the rules should be compared with them.
    """
    yield from _check_duplicate_names(rules)
    for number, rule in enumerate(rules.rules):
        yield from _check_never_fires(rules, number)
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
                message=f"rule {seen[name] + 1} is called {name!r} too",
                advice="Give each rule a name of its own: reports and chances go by it",
            )
        seen.setdefault(name, number)


def _check_never_fires(rules: Rules, rule_index: int) -> Iterator[RuleFinding]:
    rule = rules.rules[rule_index]
    if rule.match.probability == 0:
        yield RuleFinding(
            code="never-fires",
            key_path=("rules", rule_index, "match", "probability"),
            message="a rule of probability 0 is never used",
            advice="Raise the probability, or write `enabled: false` to keep the rule for later",
        )
    for earlier, other in enumerate(rules.rules[:rule_index]):
        if other.enabled and is_shadowing(other.match, rule.match):
            yield RuleFinding(
                code="never-fires",
                key_path=("rules", rule_index),
                message=f"every call that it is for is answered by {rules.get_rule_names()[earlier]!r} before it",
                advice="Put it before that rule, or narrow that rule",
            )
            return


def is_shadowing(earlier: Match, later: Match) -> bool:
    """Whether every call that fits the later one is known to fit the earlier one; False if that is not obvious."""
    if earlier.probability < 1 or earlier.exactly or earlier.call is not None:
        return False
    if earlier.defaults != later.defaults and earlier.args:
        return False
    return (
        _are_names_shadowed(earlier.tool, later.tool)
        and (earlier.agent is None or (later.agent is not None and _are_names_shadowed(earlier.agent, later.agent)))
        and set(earlier.after) <= set(later.after)
        and all(name in later.args and later.args[name].implies(wanted) for name, wanted in earlier.args.items())
    )


def _are_names_shadowed(earlier: Sequence[str], later: Sequence[str]) -> bool:
    pattern = compile_globs(earlier)
    return all(name in earlier or "*" in earlier or (not is_glob(name) and pattern.match(name)) for name in later)


def _check_actions(rule_index: int, rule: Rule, exceptions: ExceptionFactories) -> Iterator[RuleFinding]:
    for place, action in enumerate(rule.do):
        if action.is_terminal and place < len(rule.do) - 1:
            yield RuleFinding(
                code="unreachable-action",
                key_path=("rules", rule_index, "do", place + 1),
                message=f"nothing is done after `{action.key}`, which raises",
                advice=f"Put it before `{action.key}`, or take it out",
            )
        if isinstance(action, Raise) and action.error.type not in exceptions:
            yield RuleFinding(
                code="unknown-exception",
                key_path=("rules", rule_index, "do", place, "raise"),
                message=f"no exception {action.error.type!r} is registered",
                advice=suggest_closest(
                    action.error.type, exceptions, "Pass it with exceptions={...} from Python, or take one of"
                ),
            )


def _check_unknown_names(rule_index: int, match: Match, catalog: ToolCatalog) -> Iterator[RuleFinding]:
    """Names that the agent does not have."""
    place = ("rules", rule_index, "match")
    for key, names, known, what in (
        ("tool", match.tool, list(catalog.tools), "tool"),
        ("after", [earlier.tool for earlier in match.earlier_outcomes], list(catalog.tools), "tool"),
        ("agent", match.agent or [], catalog.agents, "agent"),
    ):
        for name in names:
            if not any(map(compile_globs([name]).match, known)):
                yield RuleFinding(
                    code=f"unknown-{what}",
                    key_path=(*place, key),
                    message=f"the agent has no {what} {name!r}",
                    advice=suggest_closest(name, known, f"Its {what}s are"),
                )
    tools = [schema for name, schema in catalog.tools.items() if compile_globs(match.tool).match(name)]
    for name in match.args:
        if tools and not any(_has_argument(schema, name) for schema in tools):
            known = sorted({each for schema in tools for each in _get_properties(schema)})
            yield RuleFinding(
                code="unknown-argument",
                key_path=(*place, "args", name),
                message=f"{' and '.join(match.tool)} takes no argument {name!r}",
                advice=suggest_closest(parse_path(name)[0], known, "It takes"),
            )


def _has_argument(schema: Mapping[str, Any], name: str) -> bool:
    properties = _get_properties(schema)
    return name in properties or parse_path(name)[0] in properties or bool(schema.get("additionalProperties"))


def _get_properties(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", schema.get("properties") or {})
