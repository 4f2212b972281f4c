"""Checks of valid rules: rules that can never be used, duplicate names, names the agent lacks, and their actions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from adk_agent_sim.environment.actions import AnyAction
from adk_agent_sim.environment.actions.action import Action
from adk_agent_sim.environment.actions.raise_exception import BUILT_IN_EXCEPTIONS, ExceptionFactories, Raise
from adk_agent_sim.environment.argument_lint import (
    ModelCheck,
    check_conditions,
    check_mocks,
    check_models,
    check_recordings,
    find_argument_problem,
)
from adk_agent_sim.environment.rule_finding import KeyPath, RuleFinding, suggest_closest
from adk_agent_sim.environment.rules import EarlierCall, Match, Rule, Rules
from adk_agent_sim.environment.templates import (
    CALL_FIELDS,
    CALL_ROOTS,
    BadTemplate,
    Reference,
    iter_template_texts,
    parse_text,
)
from adk_agent_sim.environment.unreachable_rules import EarlierRuleIndex
from adk_agent_sim.mocks.mocked_call import ToolSpec
from adk_agent_sim.text.glob_match import GlobSet
from adk_agent_sim.timeline.framework_calls import CONTROL_TOOLS, MODEL_SEAT

_ESCAPE_ADVICE = "Write a reference such as {{args.id}}, or {{'{{'}} for braces as they are"


def check_templates(
    key_path: KeyPath,
    action: Action,
    *,
    tools: Mapping[str, Mapping[str, Any]] | None = None,
    known_tools: Collection[str] | None = None,
) -> Iterator[RuleFinding]:
    """Yield the references of an action that no call has.

    Args:
        key_path: The position of the action in the file.
        action: The action.
        tools: The JSON Schemas of the arguments of the tools that the rule matches; None if they are not known.
        known_tools: The names of all tools; None if they are not known.
    """
    templates = {text for _, text in iter_template_texts(action.template)}
    for inner_path, text in iter_template_texts(action.model_dump(by_alias=True)):
        path = (*key_path, *inner_path)
        if text not in templates:
            yield RuleFinding(
                code="bad-template",
                key_path=path,
                message="{{ }} has no meaning here: only responses and messages can refer to the call",
                advice="Write the value itself",
            )
            continue
        try:
            segments = parse_text(text)
        except BadTemplate as error:
            yield RuleFinding(code="bad-template", key_path=path, message=str(error), advice=_ESCAPE_ADVICE)
            continue
        for segment in segments:
            if isinstance(segment.content, Reference):
                problem = _find_problem(segment.content, tools, known_tools)
                if problem is not None:
                    code, message, advice = problem
                    yield RuleFinding(code=code, key_path=path, message=message, advice=advice)


def _find_problem(
    reference: Reference, tools: Mapping[str, Mapping[str, Any]] | None, known_tools: Collection[str] | None
) -> tuple[str, str, str] | None:
    """Return the code, the message and advice."""
    shown = f"{{{{{reference.text}}}}}"
    if "*" in reference.name.split("."):
        return "bad-template", f"{shown} has a wildcard", "Write an index, or refer to the whole list"
    match reference.root:
        case "args" if tools and reference.name and (problem := find_argument_problem(reference.name, tools)):
            return "unknown-argument", f"{shown}: {problem[0]}", problem[1]
        case "call" if reference.name not in CALL_FIELDS:
            return (
                "unknown-name",
                f"{shown}: a call has no {reference.name!r}",
                suggest_closest(reference.name, CALL_FIELDS, "Write call. and one of"),
            )
        case "state" | "results" if not reference.name:
            return "unknown-name", f"{shown} does not say which", f"Write a name after it: {{{{{reference.root}.x}}}}"
        case "results" if known_tools is not None and (tool := reference.name.partition(".")[0]) not in known_tools:
            return (
                "unknown-tool",
                f"{shown}: the agent has no tool {tool!r}",
                suggest_closest(tool, known_tools, "Its tools are"),
            )
        case root if root not in CALL_ROOTS:
            return (
                "unknown-name",
                f"{shown} refers to nothing: {root!r} is not known",
                suggest_closest(root, CALL_ROOTS, "A reference begins with one of"),
            )
        case _:
            return None


def check_actions(
    key_path: KeyPath, actions: Sequence[AnyAction], exceptions: ExceptionFactories
) -> Iterator[RuleFinding]:
    """Yield the problems of a list of actions.

    Args:
        key_path: The position of the list in the file.
        actions: The actions.
        exceptions: The exceptions that `raise` may name.
    """
    for index, action in enumerate(actions):
        if action.is_terminal and index < len(actions) - 1:
            yield RuleFinding(
                code="unreachable-action",
                key_path=(*key_path, index + 1),
                message=f"it is never reached: `{action.key}` raises before it",
                advice=f"Move it before `{action.key}`, or remove it",
            )
        if (replacing := _find_replacing(action, actions[index + 1 :])) is not None:
            effect = "raises" if replacing.is_terminal else "replaces the result"
            yield RuleFinding(
                code="useless-action",
                key_path=(*key_path, index),
                message=f"it has no effect: `{replacing.key}` after it {effect}",
                advice=f"Remove it, or remove `{replacing.key}`",
                severity="warning",
            )
        if isinstance(action, Raise) and action.error.type not in exceptions:
            yield RuleFinding(
                code="unknown-exception",
                key_path=(*key_path, index, "raise"),
                message=f"the exception {action.error.type!r} is not registered",
                advice=suggest_closest(
                    action.error.type, exceptions, "Register it in Python with exceptions={...}, or use one of"
                ),
            )


def _find_replacing(action: Action, later: Sequence[Action]) -> Action | None:
    """Return the later action that discards the result of an action which does nothing else than make one."""
    if not action.only_makes_result:
        return None
    return next((each for each in later if each.replaces_result or each.is_terminal), None)


@dataclass(frozen=True, kw_only=True)
class ToolCatalog:
    """The tools and agents of an app, to check the names in rules."""

    tools: Mapping[str, Mapping[str, Any]]
    """The JSON Schema of each tool's arguments, by tool name."""

    agents: Sequence[str]
    """The names of the agents."""

    agent_tools: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """The names of the tools that each agent can call; an agent that is not listed may call any."""

    specs: Mapping[str, ToolSpec] = field(default_factory=dict[str, ToolSpec])
    """What mocks know about each tool, by tool name."""

    def select_tools(self, patterns: Sequence[str]) -> Mapping[str, Mapping[str, Any]]:
        """Return the schemas of the tools that a rule matches."""
        names = GlobSet(patterns)
        return {name: schema for name, schema in self.tools.items() if names.matches(name)}


def lint_rules(
    rules: Rules,
    *,
    exceptions: ExceptionFactories = BUILT_IN_EXCEPTIONS,
    catalog: ToolCatalog | None = None,
    models: ModelCheck | None = None,
) -> Iterator[RuleFinding]:
    """Yield the problems of rules.

    Args:
        rules: The rules.
        exceptions: The exceptions that `raise` may name.
        catalog: The app's tools and agents, if the names in rules should be checked.
        models: Checks the models that rules name; None if they are not checked.
    """
    yield from _check_duplicate_names(rules)
    yield from _check_profiles(rules)
    yield from _check_reachable(rules)
    yield from _check_clock(rules)
    for number, rule in enumerate(rules.rules):
        yield from _check_probability(number, rule)
        yield from check_actions(("rules", number, "do"), rule.do, exceptions)
        yield from check_recordings(("rules", number, "do"), rule.do)
        yield from _check_templates(number, rule, catalog)
        if models is not None:
            yield from check_models(("rules", number, "do"), rule.do, models)
        if catalog is not None:
            yield from _check_unknown_names(number, rule.match, catalog)
            specs = [catalog.specs[name] for name in catalog.select_tools(rule.match.tool) if name in catalog.specs]
            yield from check_mocks(("rules", number, "do"), rule.do, specs)


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
    """Yield the rules that are not reached in any of the profiles in which they are used."""
    names = rules.get_rule_names()
    found: dict[int, Sequence[int] | None] = {}
    for profile in [None, *rules.profiles]:
        inactive = rules.list_inactive_rules(profile)
        for number, covering in _find_covering(rules, inactive).items():
            found[number] = covering if number not in found else found[number] and covering
    for number, covering in found.items():
        if covering:
            yield _build_unreachable_finding(number, [names[each] for each in covering])


def _find_covering(rules: Rules, inactive: Set[int]) -> dict[int, Sequence[int] | None]:
    """Return, for each rule that is used, the earlier rules that answer all its calls."""
    # One index per seat: `tool: "*"` does not mean the model.
    indexes = {
        seat: EarlierRuleIndex([rule for rule in rules.rules if rule.seat == seat]) for seat in ("tool", "model")
    }
    found: dict[int, Sequence[int] | None] = {}
    for number, rule in enumerate(rules.rules):
        if number not in inactive:
            found[number] = indexes[rule.seat].find_covering(rule.match)
            indexes[rule.seat].add(number, rule)
    return found


def _check_profiles(rules: Rules) -> Iterator[RuleFinding]:
    names = rules.get_rule_names()
    known = set(names)
    for profile, rule_names in rules.profiles.items():
        for index, name in enumerate(rule_names):
            if name not in known:
                yield RuleFinding(
                    code="unknown-rule",
                    key_path=("profiles", profile, index),
                    message=f"there is no rule {name!r}",
                    advice=suggest_closest(name, names, "The rules are"),
                )
    if rules.profile is not None and rules.profile not in rules.profiles:
        yield RuleFinding(
            code="unknown-profile",
            key_path=("profile",),
            message=f"there is no profile {rules.profile!r}",
            advice=suggest_closest(
                rules.profile, rules.profiles, "The profiles are" if rules.profiles else "Add it under `profiles`"
            ),
        )


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


def _check_templates(rule_index: int, rule: Rule, catalog: ToolCatalog | None) -> Iterator[RuleFinding]:
    for index, action in enumerate(rule.do):
        yield from check_templates(
            ("rules", rule_index, "do", index),
            action,
            tools=catalog.select_tools(rule.match.tool) if catalog else None,
            known_tools=catalog.tools if catalog else None,
        )


def _check_unknown_names(rule_index: int, match: Match, catalog: ToolCatalog) -> Iterator[RuleFinding]:
    """Yield the tools, agents and arguments that the app does not have."""
    match_path = ("rules", rule_index, "match")
    tools = [name for name in match.tool if name != MODEL_SEAT]
    yield from _check_names((*match_path, "tool"), tools, catalog.tools, "tool")
    yield from _check_names((*match_path, "agent"), match.agent or (), catalog.agents, "agent")
    for index, earlier in enumerate(match.earlier_calls):
        yield from _check_earlier_call((*match_path, "after", index), earlier, match, catalog)
    if not tools:
        return
    if match.call is not None:
        yield from _check_arguments((*match_path, "call", "per"), match.call.per or (), match.tool, catalog)
    yield from _check_agents_have_tools(match_path, match, catalog)
    yield from check_conditions((*match_path, "args"), match.args, catalog.select_tools(match.tool))


def _check_names(key_path: KeyPath, names: Sequence[str], known: Iterable[str], noun: str) -> Iterator[RuleFinding]:
    known = list(known)
    for name in names:
        if not _list_matching([name], known):
            yield RuleFinding(
                code=f"unknown-{noun}",
                key_path=key_path,
                message=f"the agent has no {noun} {name!r}",
                advice=suggest_closest(name, known, f"Its {noun}s are"),
            )


def _check_earlier_call(
    key_path: KeyPath, earlier: EarlierCall, match: Match, catalog: ToolCatalog
) -> Iterator[RuleFinding]:
    yield from _check_names(key_path, earlier.tool, catalog.tools, "tool")
    yield from check_conditions((*key_path, "args"), earlier.args, catalog.select_tools(earlier.tool))
    for tools in (earlier.tool, match.tool):
        yield from _check_arguments((*key_path, "same"), earlier.same, tools, catalog)


def _check_arguments(
    key_path: KeyPath, names: Sequence[str], tools: Sequence[str], catalog: ToolCatalog
) -> Iterator[RuleFinding]:
    for name in names:
        if problem := find_argument_problem(name, catalog.select_tools(tools)):
            yield RuleFinding(code="unknown-argument", key_path=key_path, message=problem[0], advice=problem[1])


def _check_clock(rules: Rules) -> Iterator[RuleFinding]:
    """Yield the conditions on a simulated time that never passes."""
    if rules.time == "real" or any(action.takes_time for rule in rules.rules for action in rule.do):
        return
    for number, rule in enumerate(rules.rules):
        conditions = {
            "during": rule.match.during is not None,
            "call": rule.match.call is not None and rule.match.call.within is not None,
        }
        for key, is_given in conditions.items():
            if is_given:
                yield RuleFinding(
                    code="stopped-clock",
                    key_path=("rules", number, "match", key),
                    message="simulated time never passes, because no rule of the file has a delay",
                    advice="Add delays, or write `time: real` at the top of the file",
                    severity="warning",
                )


def _check_agents_have_tools(match_path: KeyPath, match: Match, catalog: ToolCatalog) -> Iterator[RuleFinding]:
    """Yield the agents of a rule that have none of its tools, and the tools that none of its agents has."""
    if match.agent is None or not _list_matching(match.agent, catalog.agents):
        return
    pairs = [
        *[("tool", match.agent, [tool]) for tool in match.tool],
        *[("agent", [agent], match.tool) for agent in match.agent],
    ]
    if not _can_call(match.agent, match.tool, catalog):
        pairs = [("agent", match.agent, match.tool)]
    for key, agents, tools in pairs:
        if not _list_matching(agents, catalog.agents) or not _list_matching(tools, catalog.tools):
            continue  # reported as unknown names
        if not _can_call(agents, tools, catalog):
            available = {
                tool for agent in _list_matching(agents, catalog.agents) for tool in catalog.agent_tools[agent]
            }
            yield RuleFinding(
                code="missing-tool",
                key_path=(*match_path, key),
                message=f"the agent {' or '.join(map(repr, agents))} has no tool {' or '.join(map(repr, tools))}",
                advice=suggest_closest(tools[0], available - CONTROL_TOOLS, "Its tools are"),
            )


def _can_call(agents: Sequence[str], tools: Sequence[str], catalog: ToolCatalog) -> bool:
    """Whether one of the agents has one of the tools."""
    return any(
        agent not in catalog.agent_tools or _list_matching(tools, catalog.agent_tools[agent])
        for agent in _list_matching(agents, catalog.agents)
    )


def _list_matching(patterns: Sequence[str], names: Iterable[str]) -> list[str]:
    return list(filter(GlobSet(patterns).matches, names))
