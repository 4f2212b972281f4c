"""Checks rules against what tools declare: names, paths, types and values of arguments, and results of mocks.

Mocks are checked for results for which no response can be generated, and for models that cannot be asked.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from adk_agent_sim.environment.actions import AnyAction
from adk_agent_sim.environment.actions.mock_response import DEFAULT_MODEL, Mock
from adk_agent_sim.environment.json_values import WILDCARD, ValuePath, format_value, is_index, parse_path
from adk_agent_sim.environment.rule_finding import KeyPath, RuleFinding, suggest_closest
from adk_agent_sim.environment.rules import OPERATORS, ArgumentCondition
from adk_agent_sim.errors import MockImpossible
from adk_agent_sim.forms.schema_checker import SchemaChecker
from adk_agent_sim.forms.schema_dialect import JsonSchema
from adk_agent_sim.mocks.mocked_call import ToolSpec
from adk_agent_sim.mocks.schema_mock import get_schema_mock
from adk_agent_sim.timeline.canonical_json import Json

_TYPE_NAMES: Mapping[str, str] = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_ANNOTATIONS = frozenset({"type", "title", "description", "default", "examples"})
"""Keywords that say no more about a value than its type does."""

_OPERAND_TYPES: Mapping[str, tuple[str, ...]] = {
    "regex": ("string",),
    "min": ("number", "integer"),
    "max": ("number", "integer"),
    "contains": ("string", "array", "object"),
    "any": ("array",),
}
"""The types of the values that an operator can accept."""


@dataclass(frozen=True, slots=True)
class _Problem:
    """Why a condition can never hold for a tool."""

    code: str
    message: str
    advice: str


def check_conditions(
    key_path: KeyPath, conditions: Mapping[str, ArgumentCondition], tools: Mapping[str, Mapping[str, Any]]
) -> Iterator[RuleFinding]:
    """Yield the conditions that no call of the tools can meet.

    Args:
        key_path: The position of the conditions in the file.
        conditions: The conditions, by the argument's name or path.
        tools: The JSON Schemas of the arguments of the tools that the rule matches, by name.
    """
    for name, condition in conditions.items():
        problems = [_find_problem(name, condition, tool, dict(schema)) for tool, schema in tools.items()]
        # A condition on one of several tools is fine if it can hold for that one.
        if problems and all(problems):
            problem = next((each for each in problems if each and each.code != "unknown-argument"), problems[0])
            assert problem is not None  # noqa: S101 - all are problems
            yield RuleFinding(
                code=problem.code, key_path=(*key_path, name), message=problem.message, advice=problem.advice
            )


def find_argument_problem(name: str, tools: Mapping[str, Mapping[str, Any]]) -> tuple[str, str] | None:
    """Return a message and advice if no tool has an argument with a name or at a path."""
    problems = [_find_problem(name, None, tool, dict(schema)) for tool, schema in tools.items()]
    if not problems or not all(problems):
        return None
    problem = problems[0]
    assert problem is not None  # noqa: S101 - all are problems
    return problem.message, problem.advice


def _find_problem(name: str, condition: ArgumentCondition | None, tool: str, schema: JsonSchema) -> _Problem | None:
    properties = cast("Mapping[str, Any]", schema.get("properties") or {})
    path = (name,) if name in properties else parse_path(name)
    if path[0] is not WILDCARD and path[0] not in properties and not schema.get("additionalProperties"):
        return _Problem(
            "unknown-argument",
            f"{tool} has no argument {path[0]!r}",
            suggest_closest(path[0], properties, "Its arguments are"),
        )
    found = find_schemas(schema, path)
    if isinstance(found, DeadEnd):
        return _describe_dead_end(found)
    return None if condition is None else _find_condition_problem(name, condition, found, schema)


def _describe_dead_end(dead_end: DeadEnd) -> _Problem:
    if "object" in dead_end.types:
        return _Problem(
            "unknown-argument",
            f"{dead_end.parent} has no field {dead_end.step!r}",
            suggest_closest(dead_end.step, dead_end.known, "Its fields are"),
        )
    advice = "Compare the value as a whole"
    if "array" in dead_end.types:
        advice = f"Write {dead_end.parent}.0 for an item, or {dead_end.parent}.* for any of them"
    return _Problem("bad-path", f"{dead_end.parent} is {_list_type_names(dead_end.types)}: it has no fields", advice)


def _find_condition_problem(
    name: str, condition: ArgumentCondition, schemas: Sequence[JsonSchema], root: JsonSchema
) -> _Problem | None:
    """Return why no value of the schemas meets a condition; None if one may."""
    types = _union_types(schemas)
    given = condition.model_fields_set
    for operator in sorted(given & _OPERAND_TYPES.keys()):
        if types is not None and not types & set(_OPERAND_TYPES[operator]):
            return _Problem(
                "wrong-type",
                f"{name} is {_list_type_names(types)}, which `{operator}` never accepts",
                "Use a condition for values of that type",
            )
    values = [condition.equals] if "equals" in given else []
    for value in [*values, *(condition.any_of or ())]:
        if not any(_is_accepted(value, schema, root) for schema in schemas):
            return _describe_value_problem(name, value, schemas, types)
    if condition.negated is not None:
        return _find_condition_problem(name, condition.negated, schemas, root)
    if condition.any is not None:
        items = find_item_schemas(schemas, root)
        return _find_condition_problem(f"an item of {name}", condition.any, items, root) if items else None
    return None


def _is_accepted(value: Json, schema: JsonSchema, root: JsonSchema) -> bool:
    types = list_types(schema)
    if types is not None and not types & _get_types(value):
        return False
    if schema.keys() <= _ANNOTATIONS:
        return True
    definitions = {key: root[key] for key in ("$defs", "definitions") if key in root}
    return not SchemaChecker({**schema, **definitions}).find_problems(value)


def _describe_value_problem(
    name: str, value: Json, schemas: Sequence[JsonSchema], types: frozenset[str] | None
) -> _Problem:
    shown = format_value(value)
    if types is not None and not types & _get_types(value):
        message = f"{name} is {_list_type_names(types)}, and {shown} is {_describe_type(value)}"
        return _Problem("wrong-type", message, _suggest_value(value, types))
    choices = [str(choice) for schema in schemas for choice in cast("list[object]", schema.get("enum") or [])]
    if choices:
        return _Problem(
            "wrong-value", f"{name} is never {shown}", suggest_closest(str(value), choices, "Its values are")
        )
    return _Problem("wrong-value", f"{name} is never {shown}, by the tool's declaration", "Write a value that it takes")


def _suggest_value(value: Json, types: frozenset[str]) -> str:
    """Return advice that shows the value in the right type, if it can be converted."""
    if isinstance(value, str):
        converted = _convert_text(value)
        if converted is not None and types & _get_types(converted):
            return f"Write {value.lower()} without quotes"
    elif "string" in types and not isinstance(value, dict | list | None):
        return f"Write '{str(value).lower() if isinstance(value, bool) else value}' in quotes"
    if isinstance(value, dict):
        return f"Write {_list_type_names(types)}, or conditions: {', '.join(sorted(OPERATORS))}"
    return f"Write {_list_type_names(types)}"


def _convert_text(text: str) -> Json:
    """Return the boolean or number that a string looks like; None if it does not."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _union_types(schemas: Iterable[JsonSchema]) -> frozenset[str] | None:
    union: set[str] = set()
    for schema in schemas:
        types = list_types(schema)
        if types is None:
            return None
        union |= types
    return frozenset(union)


def _get_types(value: Json) -> frozenset[str]:
    """Return the names that JSON Schema has for the type of a value; 5.0 is an integer too."""
    if isinstance(value, bool):
        return frozenset({"boolean"})
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return frozenset({"integer", "number"})
    if value is None:
        return frozenset({"null"})
    for kind, name in ((float, "number"), (str, "string"), (list, "array")):
        if isinstance(value, kind):
            return frozenset({name})
    return frozenset({"object"})


def _describe_type(value: Json) -> str:
    return _TYPE_NAMES[min(_get_types(value))]


def _list_type_names(types: Iterable[str]) -> str:
    return " or ".join(_TYPE_NAMES.get(each, each) for each in sorted(types)) or "a value"


_MAX_BRANCHES = 100
"""The most alternatives of a schema that are looked at; one that has more accepts everything."""

_ANYTHING: JsonSchema = {}
_COMBINED = ("allOf", "not", "if", "dependentSchemas", "patternProperties")
"""Keywords whose effect is not computed: a schema with one of them accepts everything."""


@dataclass(frozen=True, slots=True)
class DeadEnd:
    """The place at which a schema has nothing for a path."""

    parent: str
    """The path so far."""
    step: str
    """The step that cannot be taken."""
    types: Sequence[str]
    """The types that the value there can have."""
    known: Sequence[str]
    """The names that the value there has, if it is an object."""


def find_schemas(arguments: JsonSchema, path: ValuePath) -> list[JsonSchema] | DeadEnd:
    """Return the alternatives for the value at a path, without references; or where the path ends too early."""
    current = _list_branches(arguments, arguments)
    for number, step in enumerate(path):
        children = [
            branch
            for schema in current
            for child in _iter_children(schema, step)
            for branch in _list_branches(child, arguments)
        ][:_MAX_BRANCHES]
        if not children:
            types = sorted({each for schema in current for each in list_types(schema) or ()})
            known = sorted({name for schema in current for name in _get_mapping(schema, "properties")})
            return DeadEnd(parent=".".join(path[:number]), step=str(step), types=types, known=known)
        current = children
    return current


def find_item_schemas(schemas: Iterable[JsonSchema], arguments: JsonSchema) -> list[JsonSchema]:
    """Return the alternatives for the items of a list."""
    lists = [schema for schema in schemas if "array" in (list_types(schema) or ("array",))]
    return [
        branch
        for schema in lists
        for child in _iter_children(schema, WILDCARD)
        for branch in _list_branches(child, arguments)
    ][:_MAX_BRANCHES]


def list_types(schema: JsonSchema) -> frozenset[str] | None:
    """Return the types that a schema without alternatives allows; None if any."""
    declared = schema.get("type")
    if isinstance(declared, str):
        return frozenset({declared})
    if isinstance(declared, list):
        return frozenset(str(each) for each in cast("list[object]", declared))
    if "properties" in schema:
        return frozenset({"object"})
    return frozenset({"array"}) if "items" in schema else None


def _iter_children(schema: JsonSchema, step: str) -> Iterator[JsonSchema]:
    types = list_types(schema)
    if types is None or any(keyword in schema for keyword in _COMBINED):
        yield _ANYTHING
        return
    if "object" in types:
        yield from _iter_properties(schema, step)
    if "array" in types and (step is WILDCARD or is_index(step)):
        yield _get_schema(schema, "items")


def _iter_properties(schema: JsonSchema, step: str) -> Iterator[JsonSchema]:
    properties = _get_mapping(schema, "properties")
    others = schema.get("additionalProperties")
    if step is WILDCARD:
        yield from (_as_schema(each) for each in properties.values())
    elif step in properties:
        yield _as_schema(properties[step])
        return
    # Without `additionalProperties`, an object that lists its names has no others, as ADK's own form of arguments.
    if others or (others is None and not properties):
        yield _get_schema(schema, "additionalProperties")


def _list_branches(schema: JsonSchema, root: JsonSchema) -> list[JsonSchema]:
    """Return the alternatives of a schema (`anyOf`, `oneOf`), with references replaced."""
    found: list[JsonSchema] = []
    remaining: list[JsonSchema] = [schema]
    steps = 0
    while remaining:
        steps += 1
        # Definitions may refer to each other in a circle.
        if steps > _MAX_BRANCHES:
            return [_ANYTHING]
        each = remaining.pop(0)
        if isinstance(reference := each.get("$ref"), str):
            remaining.append(_find_definition(root, reference))
        elif alternatives := each.get("anyOf") or each.get("oneOf"):
            remaining += [_as_schema(one) for one in cast("Sequence[object]", alternatives)]
        else:
            found.append(each)
    return found


def _find_definition(root: JsonSchema, reference: str) -> JsonSchema:
    value: object = root
    for step in reference.removeprefix("#/").split("/"):
        value = cast("Mapping[str, object]", value).get(step) if isinstance(value, Mapping) else None
    return _as_schema(value)


def _get_mapping(schema: JsonSchema, key: str) -> Mapping[str, Any]:
    value = schema.get(key)
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _get_schema(schema: JsonSchema, key: str) -> JsonSchema:
    return _as_schema(schema.get(key))


def _as_schema(value: object) -> JsonSchema:
    """Return a subschema; one that accepts everything if it is `true`, missing or malformed."""
    return cast("JsonSchema", value) if isinstance(value, Mapping) else _ANYTHING


@dataclass(frozen=True, kw_only=True)
class ModelProblem:
    """Why a model that rules name cannot be asked."""

    message: str
    advice: str

    is_unknown: bool
    """Whether there is no such model; otherwise it lacks credentials, which other machines may have."""


ModelCheck: TypeAlias = Callable[[str], ModelProblem | None]
"""Returns what is wrong with the model of a name; None if it can be asked, or if that cannot be known."""


def check_models(key_path: KeyPath, actions: Sequence[AnyAction], find_problem: ModelCheck) -> Iterator[RuleFinding]:
    """Yield the models of a rule that cannot be asked. Recorded answers need none.

    Args:
        key_path: The position of the list of actions in the file.
        actions: The actions of the rule.
        find_problem: Finds what is wrong with a model.
    """
    for index, action in enumerate(actions):
        if not isinstance(action, Mock) or action.mock != "llm" or action.answers is not None:
            continue
        position = (*key_path, index, "model") if action.model else (*key_path, index)
        problem = find_problem(action.model or DEFAULT_MODEL)
        if problem is not None and problem.is_unknown:
            yield RuleFinding(code="unknown-model", key_path=position, message=problem.message, advice=problem.advice)
        elif problem is not None:
            yield RuleFinding(
                code="missing-credentials",
                key_path=position,
                message=problem.message,
                advice=problem.advice,
                severity="warning",
            )


def check_recordings(key_path: KeyPath, actions: Sequence[AnyAction]) -> Iterator[RuleFinding]:
    """Yield the recordings of a rule that were not read.

    Args:
        key_path: The position of the list of actions in the file.
        actions: The actions of the rule.
    """
    for index, action in enumerate(actions):
        if isinstance(action, Mock) and action.recording_problem:
            yield RuleFinding(
                code="bad-recording",
                key_path=(*key_path, index, "from"),
                message=f"the recording cannot be replayed: {action.recording_problem}",
                advice="Name an EvalSet, a session, a timeline or a cassette, by a path relative to the rules file",
            )


def check_mocks(key_path: KeyPath, actions: Sequence[AnyAction], specs: Iterable[ToolSpec]) -> Iterator[RuleFinding]:
    """Yield the tools of a rule that its mock cannot answer.

    Args:
        key_path: The position of the list of actions in the file.
        actions: The actions of the rule.
        specs: The tools that the rule matches.
    """
    generating = [isinstance(action, Mock) and action.mock in ("schema", "stateful") for action in actions]
    positions = [index for index, is_generating in enumerate(generating) if is_generating]
    for spec in specs if positions else ():
        try:
            get_schema_mock(spec)
        except MockImpossible as error:
            yield RuleFinding(
                code="mock-impossible",
                key_path=(*key_path, positions[0]),
                message=f"the result of {spec.name} cannot be generated: {error}",
                advice="Write `respond` with a value for this tool, in a rule before this one",
            )
