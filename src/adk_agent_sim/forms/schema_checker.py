"""Checks values against a JSON Schema and reports problems by field.

Schemas come from tools and are untrusted: references are never fetched, malformed keywords are ignored, and time is
bounded for every schema and value. A valid value is never rejected; a few invalid ones are accepted.
"""

from __future__ import annotations

from adk_agent_sim.errors import Problem
from adk_agent_sim.forms.problem_writer import ProblemWriter
from adk_agent_sim.forms.schema_dialect import JsonSchema, normalize_schema
from adk_agent_sim.forms.schema_validator import build_validator, collect_errors

_COMPOSITION_KEYWORDS = frozenset({"$ref", "allOf", "anyOf", "oneOf", "if", "dependentSchemas"})


class SchemaChecker:
    """A compiled schema that can check many values.

    It differs from jsonschema in four points. Formats that a person mistypes are checked (`text_formats.py`). Patterns
    are matched with pydantic's engine (`bounded_regex.py`). Multiples of a fraction allow for rounding.
    `unevaluatedProperties` and `unevaluatedItems` are not checked.
    """

    def __init__(self, schema: JsonSchema) -> None:
        """Compile `schema`. A malformed keyword accepts everything."""
        normalized = normalize_schema(schema)
        self._validator = build_validator(normalized)
        self._problem_writer = ProblemWriter(normalized)

    def find_problems(self, value: object) -> list[Problem]:
        """Return the problems of `value`, in the order of the schema's fields."""
        return [
            problem
            for error in collect_errors(self._validator, value)
            for problem in self._problem_writer.write_problems(error)
        ]


def build_arguments_checker(schema: JsonSchema) -> SchemaChecker:
    """Return a checker of call arguments, which rejects unknown names unless the schema allows them.

    Schemas that combine others are left alone: their properties are not all listed at the top level.
    """
    if schema.get("properties") is not None and not {"additionalProperties", *_COMPOSITION_KEYWORDS} & schema.keys():
        schema = {**schema, "additionalProperties": False}
    return SchemaChecker(schema)
