"""The models of a rules file, with the seat of each rule; also usable as Python objects.

rules:
  - name: payments are down
    match: {tool: charge_payment, call: {first: 2}}
    do: {error: {code: 503, message: Try later.}}

A rule for the model's seat is a rule for calls of `MODEL_SEAT`, which stands for the model where the name of a tool
does. So numbers of calls, random draws, counts and reports work as for tools.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, Self, TypeAlias, cast

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from adk_agent_sim.environment.actions import ActionEntry
from adk_agent_sim.environment.actions.action import Action
from adk_agent_sim.environment.rule_match import Match
from adk_agent_sim.environment.strict_model import StrictModel
from adk_agent_sim.environment.variables import replace_variables
from adk_agent_sim.timeline.framework_calls import MODEL_SEAT

SeatName: TypeAlias = Literal["tool", "model"]

_TOOL_KEYS = ("tool", "args", "exactly", "defaults")


def prepare_model_rule(value: object) -> object:
    """Add the stand-in for the tool's name to the `match` of a rule for the model's seat, as written in a file."""
    if not isinstance(value, Mapping):
        return value
    rule = cast("Mapping[str, Any]", value)
    match = rule.get("match", {})
    if rule.get("seat") != "model" or not isinstance(match, Mapping):
        return rule
    conditions = cast("Mapping[str, Any]", match)
    if given := [key for key in _TOOL_KEYS if key in conditions]:
        raise ValueError(f"a rule for the model's seat cannot match by {' and '.join(given)}: a model call has none")
    return {**rule, "match": {**conditions, "tool": MODEL_SEAT}}


def check_seat(seat: SeatName, match: Match, actions: Sequence[Action]) -> None:
    """Raise ValueError if a match or an action is not for the seat."""
    if (seat == "model") != (match.tool == [MODEL_SEAT]):
        raise ValueError(f"{MODEL_SEAT} stands for the model: write `seat: model`, and no tool")
    for action in actions:
        if seat not in action.seats:
            (other,) = action.seats - {seat}
            raise ValueError(f"`{action.key}` acts in the {other}'s seat: write `seat: {other}`, or another action")


def describe_seats(schema: dict[str, Any]) -> None:
    """Let the JSON Schema of a rule require a tool in the tool's seat only."""
    match_schema = schema["properties"]["match"]
    schema["properties"]["match"] = {"description": match_schema.get("description", "")}
    schema["required"] = [name for name in schema["required"] if name != "match"]
    schema["if"] = {"properties": {"seat": {"const": "model"}}, "required": ["seat"]}
    allowed = [name for name in Match.model_fields if name not in _TOOL_KEYS]
    schema["then"] = {"properties": {"match": {"type": "object", "propertyNames": {"enum": allowed}}}}
    schema["else"] = {"properties": {"match": match_schema}, "required": ["match"]}


def _wrap_in_list(value: object) -> object:
    return cast("object", value) if isinstance(value, list) else [value]


_Name = Annotated[str, Field(pattern=r"^[^\s{}'.*]+$")]
"""A name without spaces and without the characters that references and paths use."""


class Rule(StrictModel):
    """Which calls a rule applies to, and what happens to them."""

    model_config = ConfigDict(json_schema_extra=describe_seats)

    name: str = Field(default="", description="The name in reports; random draws are keyed by it")
    seat: SeatName = Field(default="tool", description="Whose calls it applies to: those of tools, or of the model")
    match: Match = Field(description="Which calls it applies to")
    do: Annotated[
        list[ActionEntry],
        BeforeValidator(
            _wrap_in_list, json_schema_input_type=ActionEntry | Annotated[list[ActionEntry], Field(min_length=1)]
        ),
    ] = Field(min_length=1, description="What happens to them: one action, or a list of actions in order")
    enabled: bool = Field(
        default=True, description="A disabled rule is skipped; a person can switch it on during a session"
    )

    @model_validator(mode="before")
    @classmethod
    def _prepare_seat(cls, value: object) -> object:
        return prepare_model_rule(value)

    @model_validator(mode="after")
    def _check_seat(self) -> Self:
        check_seat(self.seat, self.match, self.do)
        return self


class Rules(StrictModel):
    """The rules of an environment. For each call, the first rule that matches answers."""

    version: Literal[1] = Field(default=1, description="The version of the format")
    seed: int | None = Field(
        default=None,
        description="The same seed gives the same random draws; without one, each session draws a seed and reports it",
    )
    time: Literal["real", "virtual"] = Field(
        default="virtual",
        description="Whether delays only advance the session's simulated clock, or take real time",
    )
    unanswered: Literal["real", "refuse"] = Field(
        default="real", description="What happens to a call that no rule answers: the real tool runs, or it fails"
    )
    variables: dict[_Name, Any] = Field(
        default_factory=dict, description="Values that texts of the file refer to as {{vars.name}}, with their types"
    )
    environment_data: dict[str, Any] = Field(
        default_factory=dict,
        description="What `mock: stateful` begins with: by name, lists of records, or objects of records by id; "
        "what `mock: llm` is told about",
    )
    profiles: dict[_Name, list[str]] = Field(
        default_factory=dict,
        max_length=100,
        description="By profile, the names of rules that are used only while that profile is active",
    )
    profile: str | None = Field(default=None, description="The profile that is active if no other is chosen")
    rules: list[Rule]

    @model_validator(mode="before")
    @classmethod
    def _replace_variables(cls, value: object) -> object:
        return replace_variables(cast("Mapping[str, Any]", value)) if isinstance(value, Mapping) else value

    def get_rule_names(self) -> list[str]:
        """Return the names of the rules; a rule without a name is called `rule N`."""
        return [rule.name or f"rule {number}" for number, rule in enumerate(self.rules, start=1)]

    def list_inactive_rules(self, profile: str | None) -> set[int]:
        """Return the indexes of the rules that belong to other profiles only."""
        if not self.profiles:
            return set()
        profiled = {name for names in self.profiles.values() for name in names}
        active = set(self.profiles.get(profile, ())) if profile is not None else set[str]()
        return {index for index, name in enumerate(self.get_rule_names()) if name in profiled - active}
