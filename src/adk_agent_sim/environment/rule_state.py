"""A rule as a person sees it while the session runs: its conditions, its effect and its counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from adk_agent_sim.environment.rule_seat import SeatName
from adk_agent_sim.environment.rulebook import CompiledRule


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleState:
    """A rule and its counts while the session runs."""

    name: str
    seat: SeatName
    tools: Sequence[str]
    conditions: Sequence[str]
    """What a call must meet besides the tool's name."""
    actions: Sequence[str]
    effects: Sequence[str]
    """The actions in the format of rules files, as JSON texts."""
    enabled: bool
    profiles: Sequence[str]
    """The profiles in which it is used; empty if in all."""
    tried_count: int
    """How many calls it was matched against."""
    fired_count: int
    """How many calls it answered."""


def build_rule_state(rule: CompiledRule, *, enabled: bool, tried_count: int, fired_count: int) -> RuleState:
    """Return a rule with its counts."""
    return RuleState(
        name=rule.name,
        seat=rule.rule.seat,
        tools=rule.rule.match.tool,
        conditions=[predicate.describe() for predicate in rule.predicates],
        actions=[action.describe() for action in rule.actions],
        effects=[action.model_dump_json(by_alias=True, exclude_unset=True) for action in rule.actions],
        enabled=enabled,
        profiles=rule.profiles,
        tried_count=tried_count,
        fired_count=fired_count,
    )
