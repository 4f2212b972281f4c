"""Schemas as MCP servers and OpenAPI documents write them, in older drafts and with everything JSON Schema has."""

from __future__ import annotations

from typing import Any

from forms.corpus.case import Case, bad
from forms.corpus.declared import Served
from google.adk.tools.openapi_tool import OpenAPIToolset

_DRAFT_7 = {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object"}


def _build_served(name: str, properties: dict[str, Any], **more: Any) -> Served:
    return Served(name, {**_DRAFT_7, "properties": properties, **more})


_EDIT = _build_served(
    "edit_file",
    {
        "path": {"type": "string"},
        "edits": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"oldText": {"type": "string"}, "newText": {"type": "string"}},
                "required": ["oldText", "newText"],
                "additionalProperties": False,
            },
        },
        "dryRun": {"type": "boolean", "default": False},
    },
    required=["path", "edits"],
    additionalProperties=False,
)
_SHAPE = _build_served(
    "draw",
    {"shape": {"oneOf": [{"$ref": "#/definitions/circle"}, {"$ref": "#/definitions/square"}]}},
    required=["shape"],
    definitions={
        "circle": {
            "type": "object",
            "properties": {"kind": {"const": "circle"}, "r": {"type": "number"}},
            "required": ["kind", "r"],
        },
        "square": {
            "type": "object",
            "properties": {"kind": {"const": "square"}, "a": {"type": "number"}},
            "required": ["kind", "a"],
        },
    },
)
_TUPLE = _build_served(
    "zoom",
    {
        "box": {
            "type": "array",
            "items": [{"type": "number"}, {"type": "number"}],
            "additionalItems": False,
            "minItems": 2,
        }
    },
)
_MAP = _build_served(
    "set_env", {"env": {"type": "object", "additionalProperties": {"type": "string"}}, "any": {}, "never": False}
)
_SIGN_UP = _build_served(
    "sign_up",
    {
        "name": {"type": "string", "pattern": r"^\p{L}[\p{L} '-]*$"},
        "password": {"type": "string", "pattern": r"^(?=.*\d)(?=.*[a-z]).{8,}$"},
        "mail": {"type": "string", "format": "email"},
    },
)
_COMPOSED = _build_served(
    "compose",
    {"a": {"type": "integer"}},
    allOf=[{"properties": {"b": {"type": "string"}}, "required": ["b"]}],
)
_CONDITIONS = _build_served(
    "ship",
    {
        "how": {"enum": ["post", "pickup"]},
        "address": {"type": "string"},
        "gift": {"type": "boolean"},
        "note": {"not": {"const": ""}},
        "codes": {"type": "array", "contains": {"type": "integer"}},
    },
    **{
        "if": {"properties": {"how": {"const": "post"}}, "required": ["how"]},
        "then": {"required": ["address"]},
        "dependentRequired": {"gift": ["note"]},
    },
    additionalProperties=False,
)
_DRAFT_4 = _build_served(
    "measure",
    {
        "width": {"type": "number", "minimum": 0, "exclusiveMinimum": True, "required": True},
        "unit": {"type": "STRING", "enum": ["m", "ft"]},
        "colour": {"type": "color"},
        "label": {"type": "string", "nullable": True},
    },
)

_OPENAPI = """
openapi: 3.0.3
info: {title: Pets, version: "1"}
servers: [{url: "http://localhost"}]
paths:
  /pets/{pet_id}:
    put:
      operationId: update_pet
      parameters:
        - {name: pet_id, in: path, required: true, schema: {type: integer, format: int64, minimum: 1}}
        - {name: verbose, in: query, schema: {type: boolean, nullable: true}}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: "#/components/schemas/Pet"}
      responses: {"200": {description: ok}}
  /pets:
    get:
      operationId: list_pets
      parameters:
        - {name: limit, in: query, schema: {type: integer, maximum: 100}}
        - {name: status, in: query, schema: {type: array, items: {type: string, enum: [sold, free]}}}
        - {name: since, in: query, schema: {type: string, format: date-time}}
      responses: {"200": {description: ok}}
components:
  schemas:
    Pet:
      type: object
      required: [name]
      properties:
        name: {type: string, minLength: 1}
        nick: {type: string, nullable: true}
        toys: {type: array, items: {$ref: "#/components/schemas/Toy"}}
    Toy:
      type: object
      properties: {colour: {type: string, enum: [red, blue]}}
"""
_API = {tool.name: tool for tool in OpenAPIToolset(spec_str=_OPENAPI, spec_str_type="yaml")._tools}  # pyright: ignore[reportPrivateUsage]

CASES = [
    Case(
        tool=_EDIT,
        good=[{"path": "a", "edits": []}, {"path": "a", "edits": [{"oldText": "x", "newText": "y"}], "dryRun": True}],
        bad=[
            bad({"path": "a", "edits": [{"oldText": "x"}]}, {"edits[0].newText": "is required (text)"}),
            bad(
                {"path": "a", "edits": [{"oldText": "x", "newText": "y", "z": 1}]},
                {"edits[0].z": "the fields are: oldText, newText"},
                lost=True,
            ),
            bad({"path": "a", "edits": [], "dry_run": True}, {"dry_run": "the fields are: path, edits, dryRun"}),
        ],
    ),
    Case(
        tool=_SHAPE,
        good=[{"shape": {"kind": "circle", "r": 1}}, {"shape": {"kind": "square", "a": 1.5}}],
        bad=[
            bad({"shape": {"kind": "circle"}}, {"shape.r": "is required (a number)"}),
            bad({"shape": {"kind": "line"}}, {"shape.kind": "is 'line', must be one of: 'circle', 'square'"}),
        ],
        older="differs",
    ),
    Case(
        tool=_TUPLE,
        good=[{}, {"box": [1, 2]}],
        bad=[
            bad({"box": [1, 2, 3]}, {"box": "has 3 items, must have at most 2 items"}),
            bad({"box": [1, "x"]}, {"box[1]": "is 'x', must be a number"}),
        ],
        older="none",
    ),
    Case(
        tool=_MAP,
        good=[{"env": {"A": "1"}, "any": [None]}, {}],
        bad=[
            bad({"env": {"A": 1}}, {"env.A": "is 1, must be text"}),
            bad({"never": 1}, {"never": "is 1, which is not allowed"}),
        ],
        older="looser",
    ),
    Case(
        tool=_SIGN_UP,
        good=[{"name": "Zoë O'Hara", "password": "secret123", "mail": "a@b"}],
        bad=[
            bad({"name": "5"}, {"name": "must match the pattern"}),
            bad({"password": "secret"}, {"password": "must match the pattern"}),
        ],
    ),
    Case(
        tool=_COMPOSED,
        good=[{"a": 1, "b": "x"}],
        bad=[bad({"a": "x"}, {"a": "must be an integer", "b": "is required (text)"})],
        older="differs",
    ),
    Case(
        tool=_CONDITIONS,
        good=[{"how": "pickup"}, {"how": "post", "address": "x"}, {"gift": True, "note": "x"}, {"codes": ["a", 1]}],
        bad=[
            bad({"how": "post"}, {"address": "is required"}),
            bad({"gift": True}, {"note": "is required, because gift is given"}),
            bad({"note": ""}, {"note": "is '', which is not allowed"}),
            bad({"codes": ["a"]}, {"codes": "lacks a required item"}),
        ],
        older="differs",
    ),
    Case(
        tool=_DRAFT_4,
        good=[{"width": 1, "unit": "m", "colour": "red", "label": None}, {}],
        bad=[
            bad({"width": 0}, {"width": "is 0, must be more than 0"}),
            bad({"unit": "km"}, {"unit": "is 'km', must be one of: 'm', 'ft'"}),
            bad({"label": 5}, {"label": "is 5, must be text or null"}),
        ],
        older="none",
    ),
    Case(
        tool=_API["update_pet"],
        good=[
            {"pet_id": 5, "name": "Rex"},
            {"pet_id": 5, "name": "Rex", "verbose": None, "nick": None, "toys": [{"colour": "red"}]},
        ],
        bad=[
            bad(
                {"pet_id": 0, "name": ""},
                {"pet_id": "0 is less than the minimum of 1", "name": "must have at least 1 character"},
            ),
            bad(
                {"pet_id": 5, "name": "Rex", "toys": [{"colour": "pink"}]},
                {"toys[0].colour": "must be one of: 'red', 'blue'"},
            ),
        ],
        older="differs",
    ),
    Case(
        tool=_API["list_pets"],
        good=[{}, {"limit": 100, "status": ["sold"], "since": "2026-01-31T00:00:00Z"}],
        bad=[
            bad({"limit": 101}, {"limit": "101 is more than the maximum of 100"}),
            bad({"status": ["lost"]}, {"status[0]": "must be one of: 'sold', 'free'"}),
        ],
    ),
]
