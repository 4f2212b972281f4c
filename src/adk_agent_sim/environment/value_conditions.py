"""The models of conditions on one value: `equals`, `regex`, `min` and the other operators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Self, cast

from pydantic import BeforeValidator, ConfigDict, Field, WithJsonSchema, field_validator, model_validator
from pydantic_core import PydanticCustomError

from adk_agent_sim.environment.operator_typos import find_intended_operators
from adk_agent_sim.environment.strict_model import StrictModel
from adk_agent_sim.forms import bounded_regex as patterns


def _parse_condition(value: object) -> object:
    """Read a mapping of operators as conditions, and any other value as the value it must equal."""
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
                "intended": " and ".join(intended[key] for key in sorted(intended)),
            },
        )


CONDITION_MARK: Mapping[str, Any] = {"$comment": "condition"}
"""Stands for a condition in the JSON Schema that pydantic writes; `rules_schema.py` replaces it."""

_AS_CONDITION = (BeforeValidator(_parse_condition), WithJsonSchema(dict(CONDITION_MARK)))


class ArgumentCondition(StrictModel):
    """Conditions on one value; all of them must hold."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    equals: Any = Field(default=None, description="This value. 50 is also 50.0, but true is not 1, and '5' is not 5")
    regex: str | None = Field(
        default=None, description="A text that contains a match of this pattern; anchor it with ^ and $"
    )
    min: int | float | None = Field(default=None, description="A number greater than or equal to this")
    max: int | float | None = Field(default=None, description="A number less than or equal to this")
    any_of: list[Any] | None = Field(default=None, min_length=1, description="One of these values")
    contains: Any = Field(
        default=None, description="A text with this text, a list with this item, or an object with these fields"
    )
    any: Annotated[ArgumentCondition | None, *_AS_CONDITION] = Field(
        default=None, description="A list in which an item equals this value or meets these conditions"
    )
    negated: Annotated[ArgumentCondition | None, *_AS_CONDITION] = Field(
        default=None, alias="not", description="Not this value, or not these conditions; also if there is no value"
    )
    present: bool | None = Field(default=None, description="Whether there is a value at all")

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
        if self.present is False and self.model_fields_set - {"present", "negated"}:
            raise ValueError("can never hold: an argument that must be absent cannot have a value")
        return self


OPERATORS = frozenset(field.alias or name for name, field in ArgumentCondition.model_fields.items())

Conditions = Annotated[
    dict[Annotated[str, Field(min_length=1)], Annotated[ArgumentCondition, *_AS_CONDITION]], Field(min_length=1)
]
"""Conditions by the name or path of a value."""
