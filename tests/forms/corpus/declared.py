"""Tools whose declaration is written by hand, in either form, and agents as tools."""

from __future__ import annotations

from typing import Any

from forms.corpus.case import Case, bad
from google.adk.agents import LlmAgent
from google.adk.features import FeatureName, is_feature_enabled
from google.adk.tools import AgentTool, BaseTool
from google.adk.tools._gemini_schema_util import _to_gemini_schema  # pyright: ignore[reportPrivateUsage]
from google.genai import types
from pydantic import BaseModel


class Declared(BaseTool):
    """A tool with its own declaration."""

    def __init__(self, declaration: types.FunctionDeclaration) -> None:
        super().__init__(name=declaration.name or "", description="Declared by hand")
        self._declaration = declaration

    def _get_declaration(self) -> types.FunctionDeclaration:
        return self._declaration


class Served(BaseTool):
    """A tool with an external JSON Schema, declared as ADK declares the tools of an MCP server."""

    def __init__(self, name: str, schema: dict[str, Any]) -> None:
        super().__init__(name=name, description="Served")
        self._schema = schema

    def _get_declaration(self) -> types.FunctionDeclaration:
        if is_feature_enabled(FeatureName.JSON_SCHEMA_FOR_FUNC_DECL):
            return types.FunctionDeclaration(name=self.name, parameters_json_schema=self._schema)
        return types.FunctionDeclaration(name=self.name, parameters=_to_gemini_schema(self._schema))


class Question(BaseModel):
    text: str
    words: int = 50


_SCHEMA = types.Schema(
    type=types.Type.OBJECT,
    properties={
        "level": types.Schema(type=types.Type.INTEGER, minimum=1, maximum=5, enum=["1", "3", "5"]),
        "name": types.Schema(type=types.Type.STRING, nullable=True, max_length=4),
        "tags": types.Schema(type=types.Type.ARRAY, items=types.Schema(type=types.Type.STRING), min_items=1),
        "either": types.Schema(
            type=types.Type.OBJECT,
            any_of=[types.Schema(type=types.Type.INTEGER), types.Schema(type=types.Type.BOOLEAN)],
            nullable=True,
        ),
        "free": types.Schema(type=types.Type.TYPE_UNSPECIFIED),
    },
    required=["level"],
    property_ordering=["name", "level"],
)

CASES = [
    Case(
        tool=Declared(types.FunctionDeclaration(name="hand_written_schema", parameters=_SCHEMA)),
        good=[
            {"level": 3},
            {"level": 1, "name": None, "tags": ["a"], "either": True, "free": [1]},
            {"level": 5, "either": None, "free": {}},
        ],
        bad=[
            bad({"level": 2}, {"level": "is 2, must be one of: 1, 3, 5"}),
            bad({"level": 1, "name": "abcde"}, {"name": "must have at most 4 characters"}),
            bad({"level": 1, "tags": []}, {"tags": "has 0 items, must have at least 1 item"}),
            bad({"level": 1, "either": "x"}, {"either": "is 'x', must be an integer or true or false or null"}),
            bad({"x": 1}, {"level": "is required", "x": "the fields are: name, level, tags, either, free"}),
        ],
    ),
    Case(
        tool=Declared(
            types.FunctionDeclaration(
                name="hand_written_json",
                parameters_json_schema={
                    "type": "object",
                    "properties": {"a": {"type": ["integer", "null"]}, "b": {"const": 5}, "c": {}},
                    "required": ["a", "b"],
                },
            )
        ),
        good=[{"a": None, "b": 5}, {"a": 1, "b": 5.0, "c": {"x": []}}],
        bad=[
            bad({"a": "x", "b": 6}, {"a": "is 'x', must be an integer or null", "b": "is 6, must be 5"}),
            bad({"a": 1}, {"b": "is required (5)"}),
        ],
    ),
    Case(
        tool=Declared(types.FunctionDeclaration(name="without_parameters")),
        good=[{}],
        bad=[bad({"a": 1}, {"a": "is not a field here; the fields are: none"})],
    ),
    Case(
        tool=AgentTool(LlmAgent(name="helper")),
        good=[{"request": "do it"}],
        bad=[bad({}, {"request": "is required (text)"})],
    ),
    Case(
        tool=AgentTool(LlmAgent(name="asker", input_schema=Question)),
        good=[{"text": "why"}, {"text": "why", "words": 5}],
        bad=[bad({"text": "why", "words": "few"}, {"words": "is 'few', must be an integer"})],
    ),
]
