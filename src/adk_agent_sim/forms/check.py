"""Checks a value against a JSON Schema and says what is wrong, field by field.

Schemas come from tools and are hostile text: a reference is never fetched, what cannot be read checks nothing, and
no schema and no value takes long. A value that fits is never refused; a few that do not fit are let through.
"""

from __future__ import annotations

from adk_agent_sim.errors import Problem
from adk_agent_sim.forms.dialect import JsonSchema, read
from adk_agent_sim.forms.validator import errors_of, validator_of
from adk_agent_sim.forms.wording import Wording

_COMPOSED = frozenset({"$ref", "allOf", "anyOf", "oneOf", "if", "dependentSchemas"})


class Check:
    """A schema made ready to check many values.

    It differs from jsonschema's own check in four points. Formats that a person mistypes are checked (`formats.py`).
    Patterns are matched as pydantic matches them (`pattern.py`). Multiples of a fraction allow for rounding.
    `unevaluatedProperties` and `unevaluatedItems` are not checked.
    """

    def __init__(self, schema: JsonSchema) -> None:
        """Make ready `schema`; a keyword in it that is malformed accepts everything."""
        readable = read(schema)
        self._validator = validator_of(readable)
        self._wording = Wording(readable)

    def problems(self, value: object) -> list[Problem]:
        """All that is wrong with `value`, in the order of the schema's fields."""
        return [problem for error in errors_of(self._validator, value) for problem in self._wording.problems(error)]


def arguments_check(schema: JsonSchema) -> Check:
    """The check of a call's arguments: a name that the schema does not have is a problem, unless it says otherwise."""
    if schema.get("properties") is not None and not {"additionalProperties", *_COMPOSED} & schema.keys():
        schema = {**schema, "additionalProperties": False}
    return Check(schema)
