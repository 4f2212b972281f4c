"""Mistakes that each rule by itself does not show: rules that can never be used, names that nobody has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from adk_agent_sim.environment.actions.raised import BUILT_IN, Exceptions, Raise
from adk_agent_sim.environment.finding import Finding, closest
from adk_agent_sim.environment.match import Match, glob, is_glob
from adk_agent_sim.environment.rules import Rule, Rules
from adk_agent_sim.environment.values import path_of


@dataclass(frozen=True, kw_only=True)
class Catalogue:
    """What an agent has, to compare rules with."""

    tools: Mapping[str, Mapping[str, Any]]
    """The JSON Schema of each tool's arguments, by the tool's name."""

    agents: Sequence[str]
    """The names of the agents."""


def lint(rules: Rules, *, exceptions: Exceptions = BUILT_IN, catalogue: Catalogue | None = None) -> Iterator[Finding]:
    """What is wrong with rules.

    Args:
        rules: The rules.
        exceptions: What `raise` may name.
        catalogue: The agent's tools, if the rules should be compared with them.
    """
    yield from _names(rules)
    for number, rule in enumerate(rules.rules):
        yield from _never_fires(rules, number)
        yield from _actions(number, rule, exceptions)
        if catalogue is not None:
            yield from _strangers(number, rule.match, catalogue)


def _names(rules: Rules) -> Iterator[Finding]:
    seen: dict[str, int] = {}
    for number, name in enumerate(rules.named()):
        if name in seen:
            yield Finding(
                code="duplicate-name",
                place=("rules", number, "name"),
                message=f"rule {seen[name] + 1} is called {name!r} too",
                advice="Give each rule a name of its own: reports and chances go by it",
            )
        seen.setdefault(name, number)


def _never_fires(rules: Rules, number: int) -> Iterator[Finding]:
    rule = rules.rules[number]
    if rule.match.probability == 0:
        yield Finding(
            code="never-fires",
            place=("rules", number, "match", "probability"),
            message="a rule of probability 0 is never used",
            advice="Raise the probability, or write `enabled: false` to keep the rule for later",
        )
    for earlier, other in enumerate(rules.rules[:number]):
        if other.enabled and covers(other.match, rule.match):
            yield Finding(
                code="never-fires",
                place=("rules", number),
                message=f"every call that it is for is answered by {rules.named()[earlier]!r} before it",
                advice="Put it before that rule, or narrow that rule",
            )
            return


def covers(earlier: Match, later: Match) -> bool:
    """Whether every call that fits the later one is known to fit the earlier one; False if that is not obvious."""
    if earlier.probability < 1 or earlier.exactly or earlier.call is not None:
        return False
    if earlier.defaults != later.defaults and earlier.args:
        return False
    return (
        _names_cover(earlier.tool, later.tool)
        and (earlier.agent is None or (later.agent is not None and _names_cover(earlier.agent, later.agent)))
        and set(earlier.after) <= set(later.after)
        and all(name in later.args and later.args[name].implies(wanted) for name, wanted in earlier.args.items())
    )


def _names_cover(earlier: Sequence[str], later: Sequence[str]) -> bool:
    pattern = glob(earlier)
    return all(name in earlier or "*" in earlier or (not is_glob(name) and pattern.match(name)) for name in later)


def _actions(number: int, rule: Rule, exceptions: Exceptions) -> Iterator[Finding]:
    for place, action in enumerate(rule.do):
        if action.ends and place < len(rule.do) - 1:
            yield Finding(
                code="unreachable-action",
                place=("rules", number, "do", place + 1),
                message=f"nothing is done after `{action.key}`, which raises",
                advice=f"Put it before `{action.key}`, or take it out",
            )
        if isinstance(action, Raise) and action.error.type not in exceptions:
            yield Finding(
                code="unknown-exception",
                place=("rules", number, "do", place, "raise"),
                message=f"no exception {action.error.type!r} is registered",
                advice=closest(
                    action.error.type, exceptions, "Pass it with exceptions={...} from Python, or take one of"
                ),
            )


def _strangers(number: int, match: Match, catalogue: Catalogue) -> Iterator[Finding]:
    """Names that the agent does not have."""
    place = ("rules", number, "match")
    for key, names, known, what in (
        ("tool", match.tool, list(catalogue.tools), "tool"),
        ("after", [earlier.tool for earlier in match.earlier], list(catalogue.tools), "tool"),
        ("agent", match.agent or [], catalogue.agents, "agent"),
    ):
        for name in names:
            if not any(map(glob([name]).match, known)):
                yield Finding(
                    code=f"unknown-{what}",
                    place=(*place, key),
                    message=f"the agent has no {what} {name!r}",
                    advice=closest(name, known, f"Its {what}s are"),
                )
    tools = [schema for name, schema in catalogue.tools.items() if glob(match.tool).match(name)]
    for name in match.args:
        if tools and not any(_takes(schema, name) for schema in tools):
            known = sorted({each for schema in tools for each in _properties(schema)})
            yield Finding(
                code="unknown-argument",
                place=(*place, "args", name),
                message=f"{' and '.join(match.tool)} takes no argument {name!r}",
                advice=closest(path_of(name)[0], known, "It takes"),
            )


def _takes(schema: Mapping[str, Any], name: str) -> bool:
    properties = _properties(schema)
    return name in properties or path_of(name)[0] in properties or bool(schema.get("additionalProperties"))


def _properties(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", schema.get("properties") or {})
