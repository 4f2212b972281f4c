"""The models of `match` in a rules file: which calls a rule applies to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple, Self, cast

from pydantic import BeforeValidator, Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from adk_agent_sim.environment.operator_typos import find_intended_operators
from adk_agent_sim.environment.strict_model import StrictModel
from adk_agent_sim.forms import bounded_regex as patterns

_NAME_PATTERN = r"^\S+$"


class ArgumentCondition(StrictModel):
    """Conditions on one argument; all of them must hold."""

    equals: Any = Field(default=None, description="This value. 50 is also 50.0, but true is not 1, and '5' is not 5")
    regex: str | None = Field(
        default=None, description="A text that contains a match of this pattern; anchor it with ^ and $"
    )
    min: int | float | None = Field(default=None, description="A number greater than or equal to this")
    max: int | float | None = Field(default=None, description="A number less than or equal to this")
    any_of: list[Any] | None = Field(default=None, min_length=1, description="One of these values")
    present: bool | None = Field(default=None, description="Whether the argument is given at all")

    @field_validator("regex")
    @classmethod
    def _check_regex(cls, regex: str | None) -> str | None:
        if regex is None:
            return None
        try:
            patterns.check_syntax(regex)
        except ValueError as error:
            raise ValueError(f"is not a regular expression: {error}") from None
        # The results differ only for a pattern that is not evaluated, because matching could take too long.
        if patterns.is_match(regex, "", if_unchecked=True) and not patterns.is_match(regex, "", if_unchecked=False):
            raise ValueError("is a pattern that could take too long to match; write a simpler one")
        return regex

    @model_validator(mode="after")
    def _check_satisfiable(self) -> Self:
        if not self.model_fields_set:
            raise ValueError("is empty: give one of " + ", ".join(sorted(OPERATORS)))
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError(f"can never hold: min {self.min} is greater than max {self.max}")
        if self.present is False and len(self.model_fields_set) > 1:
            raise ValueError("can never hold: an argument that must be absent cannot have a value")
        return self


OPERATORS = frozenset(ArgumentCondition.model_fields)


def _parse_condition(value: object) -> object:
    """Read a mapping of operators as conditions, and any other value as the value the argument must equal."""
    if isinstance(value, ArgumentCondition):
        return value
    keys = set(cast("Mapping[str, Any]", value)) if isinstance(value, Mapping) else set[str]()
    if not keys & OPERATORS:
        _refuse_mistyped_operators(keys)
        return ArgumentCondition(equals=value)
    if keys - OPERATORS:
        raise ValueError(
            f"mixes conditions ({', '.join(sorted(keys & OPERATORS))}) with other keys "
            f"({', '.join(sorted(map(str, keys - OPERATORS)))}); write {{equals: ...}} to match the whole object"
        )
    return cast("Any", value)


def _refuse_mistyped_operators(keys: set[str]) -> None:
    """Refuse an object whose keys all look like operators: read as a value, it would never match."""
    if intended := find_intended_operators(keys, OPERATORS):
        raise PydanticCustomError(
            "unknown_operator",
            "{written} is not a condition",
            {
                "written": " and ".join(sorted(intended)),
                "intended": " and ".join(intended[key] for key in sorted(keys)),
            },
        )


class CallNumber(StrictModel):
    """Which calls, numbered from 1 in the order in which the model requested them; all conditions must hold.

    Only calls of the tool in the session that match the rule's `tool`, `args` and `agent` are counted.
    """

    nth: int | list[int] | None = Field(default=None, description="The number of the call, or a list of numbers")
    every: int | None = Field(default=None, ge=1, description="Every n-th call")
    first: int | None = Field(default=None, ge=1, description="The first n calls")
    after: int | None = Field(default=None, ge=1, description="All calls after the first n")

    @model_validator(mode="after")
    def _check_satisfiable(self) -> Self:
        if not self.model_fields_set:
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
        latest = last - last % (self.every or 1)
        return latest > 0 and self.is_selected(latest)


class EarlierOutcome(NamedTuple):
    """An outcome of an earlier call that a rule requires."""

    tool: str
    outcome: Literal["succeeded", "failed", "called"]


_OUTCOMES = ("succeeded", "failed", "called")


def _wrap_in_list(value: object) -> object:
    return [value] if isinstance(value, str) else value


NamePatterns = Annotated[
    list[Annotated[str, Field(pattern=_NAME_PATTERN)]],
    BeforeValidator(_wrap_in_list, json_schema_input_type=str | list[str]),
]
"""One or more names; `*` matches any characters, `?` one character."""


class Match(StrictModel):
    """Which calls a rule applies to; keys that are not given match every call."""

    tool: NamePatterns = Field(min_length=1, description="The tool's name; * matches any characters, ? one character")
    args: dict[
        Annotated[str, Field(min_length=1)],
        Annotated[ArgumentCondition, BeforeValidator(_parse_condition, json_schema_input_type=ArgumentCondition | Any)],
    ] = Field(
        default_factory=dict,
        min_length=1,
        description="By argument: the value it must equal, or conditions. Paths work: a.b, items.0.sku, items.*.sku",
    )
    exactly: bool = Field(default=False, description="The call has no arguments besides those under `args`")
    defaults: bool = Field(default=False, description="Arguments that are not given have the tool's defaults")
    call: CallNumber | None = Field(default=None, description="Which calls, by number")
    agent: NamePatterns | None = Field(
        default=None, min_length=1, description="The calling agent's name, with the wildcards of `tool`"
    )
    after: Annotated[list[str], BeforeValidator(_wrap_in_list, json_schema_input_type=str | list[str])] = Field(
        default_factory=list, description="An outcome of an earlier turn, such as `create_order succeeded`"
    )
    probability: float = Field(
        default=1.0, ge=0, le=1, description="The probability that the rule is used if everything else matches"
    )
    seed: int | None = Field(
        default=None, description="The seed of the probability and of random delays; by default the file's"
    )

    @field_validator("after")
    @classmethod
    def _check_after(cls, after: list[str]) -> list[str]:
        for each in after:
            words = each.split()
            if len(words) != 2 or words[1] not in _OUTCOMES:
                raise ValueError(f"{each!r} is not '<tool> succeeded', '<tool> failed' or '<tool> called'")
        return after

    @property
    def earlier_outcomes(self) -> list[EarlierOutcome]:
        """The parsed entries of `after`."""
        return [EarlierOutcome(*cast("Any", each.split())) for each in self.after]

    @property
    def is_unconditional(self) -> bool:
        """Whether it matches every call of its tools."""
        return not (self.args or self.exactly or self.call or self.agent or self.after) and self.probability == 1
