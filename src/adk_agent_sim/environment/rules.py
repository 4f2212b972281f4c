"""A rules file field by field, and the same as Python objects.

rules:
  - name: payments are down
    match: {tool: charge_payment, call: {first: 2}}
    do: {error: {code: 503, message: Try later.}}
"""

from __future__ import annotations

from typing import Annotated, Literal, cast

from pydantic import BeforeValidator, Field

from adk_agent_sim.environment.actions import ActionEntry
from adk_agent_sim.environment.rule_match import Match
from adk_agent_sim.environment.strict_model import StrictModel


def _wrap_in_list(value: object) -> object:
    return cast("object", value) if isinstance(value, list) else [value]


class Rule(StrictModel):
    """Which calls, and what happens to them."""

    name: str = Field(default="", description="For reports; also what its chances are keyed by")
    match: Match = Field(description="Which calls it is for")
    do: Annotated[
        list[ActionEntry], BeforeValidator(_wrap_in_list, json_schema_input_type=ActionEntry | list[ActionEntry])
    ] = Field(min_length=1, description="What happens to them: one action, or several, one after the other")
    enabled: bool = Field(default=True, description="A rule that is off is passed over; a person can switch it on")


class Rules(StrictModel):
    """All rules of an environment. For each call the first rule that matches answers."""

    version: Literal[1] = Field(default=1, description="Of the format")
    seed: int = Field(default=0, description="The same seed gives the same chances")
    time: Literal["real", "virtual"] = Field(
        default="real", description="Whether delays are waited for, or only counted"
    )
    unanswered: Literal["real", "refuse"] = Field(
        default="real", description="What a call gets that no rule answers: the real tool, or an error"
    )
    rules: list[Rule]

    def get_rule_names(self) -> list[str]:
        """The rules' names; those without one are numbered."""
        return [rule.name or f"rule {number}" for number, rule in enumerate(self.rules, start=1)]
