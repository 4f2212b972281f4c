"""The models of a rules file: rules, the seat of each, and which calls it applies to; also usable as Python objects.

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

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from adk_agent_sim.environment.actions import ActionEntry
from adk_agent_sim.environment.actions.action import Action
from adk_agent_sim.environment.json_values import StrictModel
from adk_agent_sim.environment.value_conditions import OPERATORS, ArgumentCondition, Conditions
from adk_agent_sim.environment.variables import replace_variables
from adk_agent_sim.timeline.framework_calls import MODEL_SEAT

__all__ = ["OPERATORS", "ArgumentCondition", "CallNumber", "EarlierCall", "Match", "TimeWindow"]

_NAME_PATTERN = r"^\S+$"


_MAX_SECONDS = 31_536_000
_PositiveSeconds = Annotated[float, Field(gt=0, le=_MAX_SECONDS, allow_inf_nan=False)]


def _wrap_in_list(value: object) -> object:
    return [cast("object", value)] if isinstance(value, str | Mapping) else value


_ArgumentName = Annotated[str, Field(min_length=1)]
ArgumentNames = Annotated[
    list[_ArgumentName],
    BeforeValidator(
        _wrap_in_list, json_schema_input_type=_ArgumentName | Annotated[list[_ArgumentName], Field(min_length=1)]
    ),
]
"""One or more names or paths of arguments."""


class CallNumber(StrictModel):
    """Which calls, numbered from 1 in the order in which the model requested them; all conditions must hold.

    Only calls of the tool in the session that match the rule's `tool`, `args` and `agent` are counted.
    """

    model_config = ConfigDict(
        json_schema_extra={"anyOf": [{"required": [key]} for key in ("nth", "every", "first", "after")]}
    )

    nth: int | list[int] | None = Field(default=None, description="The number of the call, or a list of numbers")
    every: int | None = Field(default=None, ge=1, description="Every n-th call")
    first: int | None = Field(default=None, ge=1, description="The first n calls")
    after: int | None = Field(default=None, ge=1, description="All calls after the first n")
    per: ArgumentNames | None = Field(
        default=None, min_length=1, description="Count separately for each value of these arguments"
    )
    within: _PositiveSeconds | None = Field(
        default=None, description="Count only the calls of the last seconds of the session's clock"
    )

    @model_validator(mode="after")
    def _check_satisfiable(self) -> Self:
        if not self.model_fields_set - {"per", "within"}:
            raise ValueError("is empty: give one of nth, every, first, after")
        if any(number < 1 for number in self.numbers):
            raise ValueError("calls are numbered from 1")
        if self.numbers and not any(self.is_selected(number) for number in self.numbers):
            raise ValueError("can never hold: no call in nth meets the other conditions")
        if self.first is not None and not self._has_selected_up_to(self.first):
            raise ValueError("can never hold: none of the first calls meets the other conditions")
        return self

    @property
    def numbers(self) -> Sequence[int]:
        """The numbers in `nth`."""
        if self.nth is None:
            return ()
        return (self.nth,) if isinstance(self.nth, int) else self.nth

    def is_selected(self, number: int) -> bool:
        """Whether the call with that number is selected."""
        return (
            (self.nth is None or number in self.numbers)
            and (self.every is None or number % self.every == 0)
            and (self.first is None or number <= self.first)
            and (self.after is None or number > self.after)
        )

    def _has_selected_up_to(self, last: int) -> bool:
        if self.numbers:
            return any(map(self.is_selected, self.numbers))
        # If any multiple of `every` up to here is late enough for `after`, then the last one is.
        latest = last - last % (self.every or 1)
        return latest > 0 and self.is_selected(latest)


_OUTCOMES = ("succeeded", "failed", "called")

_NamePattern = Annotated[str, Field(pattern=_NAME_PATTERN)]
NamePatterns = Annotated[
    list[_NamePattern],
    BeforeValidator(
        _wrap_in_list, json_schema_input_type=_NamePattern | Annotated[list[_NamePattern], Field(min_length=1)]
    ),
]
"""One or more names; `*` matches any characters, `?` one character."""


class EarlierCall(StrictModel):
    """A call of an earlier turn, which the calling agent sees, that a rule requires."""

    tool: NamePatterns = Field(min_length=1, description="The tool's name, with the wildcards of a rule's `tool`")
    outcome: Literal["succeeded", "failed", "called"] = Field(
        default="called", description="What the response reports; `called` means either"
    )
    args: Conditions = Field(default_factory=dict, description="Conditions on its arguments")
    result: Conditions = Field(default_factory=dict, description="Conditions on its response")
    same: ArgumentNames = Field(
        default_factory=list, min_length=1, description="Arguments that have the same values as in the new call"
    )


_EarlierText = Annotated[str, WithJsonSchema({"type": "string", "pattern": r"^\s*\S+\s+(succeeded|failed|called)\s*$"})]
_EarlierEntry = Annotated[
    Annotated[_EarlierText, Tag("text")] | Annotated[EarlierCall, Tag("earlier_call")],
    Discriminator(lambda value: "earlier_call" if isinstance(value, Mapping | EarlierCall) else "text"),
]


class TimeWindow(StrictModel):
    """A time of the session's clock, in seconds since the session began."""

    model_config = ConfigDict(json_schema_extra={"anyOf": [{"required": ["from"]}, {"required": ["to"]}]})

    start: float = Field(default=0.0, alias="from", ge=0, le=_MAX_SECONDS, description="Its first moment")
    end: _PositiveSeconds | None = Field(
        default=None, alias="to", description="Its end; by default that of the session"
    )
    every: _PositiveSeconds | None = Field(default=None, description="The window is repeated after this many seconds")

    @model_validator(mode="after")
    def _check_order(self) -> Self:
        if not self.model_fields_set - {"every"}:
            raise ValueError("is empty: give from or to")
        if self.end is not None and self.end <= self.start:
            raise ValueError(f"can never hold: from {self.start:g} is not before to {self.end:g}")
        if self.every is not None and (self.end is None or self.every < self.end):
            raise ValueError("`every` must be at least as long as `to`, so that the windows do not overlap")
        return self

    def contains(self, seconds: float) -> bool:
        """Whether a moment is in the window."""
        moment = seconds % self.every if self.every else seconds
        return moment >= self.start and (self.end is None or moment < self.end)


class Match(StrictModel):
    """Which calls a rule applies to; keys that are not given match every call."""

    model_config = ConfigDict(json_schema_extra={"dependentRequired": {"burst": ["probability"]}})

    tool: NamePatterns = Field(min_length=1, description="The tool's name; * matches any characters, ? one character")
    args: Conditions = Field(
        default_factory=dict,
        description="By argument: the value it must equal, or conditions. Paths work: a.b, items.0.sku, items.*.sku",
    )
    exactly: bool = Field(default=False, description="The call has no arguments besides those under `args`")
    defaults: bool = Field(default=False, description="Arguments that are not given have the tool's defaults")
    call: CallNumber | None = Field(default=None, description="Which calls, by number")
    agent: NamePatterns | None = Field(
        default=None, min_length=1, description="The calling agent's name, with the wildcards of `tool`"
    )
    state: Conditions = Field(
        default_factory=dict, description="As `args`, for the session's state as the call sees it"
    )
    after: Annotated[
        list[_EarlierEntry],
        BeforeValidator(
            _wrap_in_list, json_schema_input_type=_EarlierText | EarlierCall | list[_EarlierText | EarlierCall]
        ),
    ] = Field(
        default_factory=list[str | EarlierCall],
        description="A call of an earlier turn: `create_order succeeded`, or {tool, outcome, args, result, same}",
    )
    during: TimeWindow | None = Field(default=None, description="When the call is made, by the session's clock")
    probability: float = Field(
        default=1.0, ge=0, le=1, description="The probability that the rule is used if everything else matches"
    )
    burst: int | None = Field(
        default=None,
        ge=2,
        le=1_000,
        description="A draw that is below the probability holds for this many calls of the tool",
    )
    seed: int | None = Field(
        default=None, description="The seed of the probability and of random delays; by default the file's"
    )

    @field_validator("after")
    @classmethod
    def _check_after(cls, after: list[str | EarlierCall]) -> list[str | EarlierCall]:
        for each in after:
            words = each.split() if isinstance(each, str) else ["", "called"]
            if len(words) != 2 or words[1] not in _OUTCOMES:
                raise ValueError(f"{each!r} is not '<tool> succeeded', '<tool> failed' or '<tool> called'")
        return after

    @model_validator(mode="after")
    def _check_burst(self) -> Self:
        if self.burst is not None and self.probability == 1:
            raise ValueError("`burst` needs a `probability` below 1, with which a burst begins")
        return self

    @property
    def earlier_calls(self) -> list[EarlierCall]:
        """The entries of `after`, those that are texts as models."""
        return [_parse_earlier_call(each) if isinstance(each, str) else each for each in self.after]


def _parse_earlier_call(text: str) -> EarlierCall:
    tool, outcome = text.split()
    return EarlierCall(tool=[tool], outcome=cast("Any", outcome))


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


def _wrap_action_in_list(value: object) -> object:
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
            _wrap_action_in_list, json_schema_input_type=ActionEntry | Annotated[list[ActionEntry], Field(min_length=1)]
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
