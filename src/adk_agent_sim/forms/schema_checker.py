"""Checks a value against a JSON Schema and says what is wrong, field by field.

Schemas come from tools and are hostile text: a reference is never fetched, what cannot be read checks nothing, and
no schema and no value takes long. A value that fits is never refused; a few that do not fit are let through.
"""

from __future__ import annotations

from adk_agent_sim.errors import Problem
from adk_agent_sim.forms.problem_writer import ProblemWriter
from adk_agent_sim.forms.schema_dialect import JsonSchema, normalize_schema
from adk_agent_sim.forms.schema_validator import build_validator, collect_errors

_COMPOSITION_KEYWORDS = frozenset({"$ref", "allOf", "anyOf", "oneOf", "if", "dependentSchemas"})


class SchemaChecker:
    """A schema made ready to check many values.

    It differs from jsonschema's own check in four points. Formats that a person mistypes are checked (`formats.py`).
    Patterns are matched as pydantic matches them (`pattern.py`). Multiples of a fraction allow for rounding.
    `unevaluatedProperties` and `unevaluatedItems` are not checked.
    """

    def __init__(self, schema: JsonSchema) -> None:
        """Make ready `schema`; a keyword in it that is malformed accepts everything."""
        readable = normalize_schema(schema)
        self._validator = build_validator(readable)
        self._problem_writer = ProblemWriter(readable)

    def find_problems(self, value: object) -> list[Problem]:
        """All that is wrong with `value`, in the order of the schema's fields."""
        return [
            problem
            for error in collect_errors(self._validator, value)
            for problem in self._problem_writer.write_problems(error)
        ]


def build_arguments_checker(schema: JsonSchema) -> SchemaChecker:
    """The check of a call's arguments: a name that the schema does not have is a problem, unless it says otherwise."""
    if schema.get("properties") is not None and not {"additionalProperties", *_COMPOSITION_KEYWORDS} & schema.keys():
        schema = {**schema, "additionalProperties": False}
    return SchemaChecker(schema)
