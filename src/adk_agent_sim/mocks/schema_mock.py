"""The mock `schema`: generates a response from a tool's results schema, its name and the arguments of the call.

results schema? --yes--> a response that fits it
     |
     no --> a schema that the tool's name suggests: `search_products` has products and a total, `get_order` an order
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from adk_agent_sim.errors import MockImpossible
from adk_agent_sim.forms.schema_checker import SchemaChecker
from adk_agent_sim.mocks.mocked_call import (
    BOUND_WORDS,
    CallInputs,
    KeyedDraws,
    ResourceOperation,
    ToolSpec,
    fold_name,
    read_intent,
    split_words,
    to_plural,
)
from adk_agent_sim.mocks.response_plan import ResponsePlan
from adk_agent_sim.timeline.canonical_json import Json, encode_json

NAME_ORIGIN = "name"
"""The origin of a schema that the tool's name suggests."""

_EXAMPLE_COUNT = 16

_STEERING_NAMES = frozenset({"limit", "offset", "page", "pagesize", "query", "q", "cursor", "sort", "orderby"})
"""Arguments that say how to search, and are no attributes of what is found."""


class MockedResponse(NamedTuple):
    """A response, and what it was made from."""

    value: Json

    origin: str
    """What its shape comes from: `output schema`, `return annotation` or `name`."""

    used_arguments: tuple[str, ...]
    """The arguments whose values are in it."""


class SchemaMock:
    """Generates the responses of one tool."""

    def __init__(self, spec: ToolSpec) -> None:
        """Prepare the responses of a tool.

        Raises:
            MockImpossible: No response can be made for the schema of its results.
        """
        self._intent = read_intent(spec.name)
        self.origin = spec.results_origin if spec.results is not None else NAME_ORIGIN
        schema = spec.results if spec.results is not None else suggest_results_schema(spec)
        # A schema that the name suggests takes its fields from the arguments themselves.
        self._plan = ResponsePlan(schema, noun=self._intent.noun, checks_arguments=spec.results is not None)
        self._checker = SchemaChecker(schema)
        self._noun = (self._intent.noun or spec.name).replace("_", " ")
        self._is_plain_text = schema.keys() <= {"type", "title", "description"} and schema.get("type") == "string"
        self._check_example()

    @property
    def is_reading(self) -> bool:
        """Whether the tool only reads, so that equal calls have equal responses."""
        return self._intent.is_reading

    def respond(self, args: Mapping[str, Json], draws: KeyedDraws) -> MockedResponse:
        """Return the response to a call."""
        value, used = self._plan.generate(draws, CallInputs(args))
        if self._is_plain_text:
            value, used = generate_sentence(self._noun, args, str(value)), tuple(args)
        return MockedResponse(value, self.origin, used)

    @cached_property
    def examples(self) -> tuple[Json, ...]:
        """Responses to calls without arguments; what is the same in all of them cannot vary."""
        return tuple(self._plan.generate(KeyedDraws(base), CallInputs({}))[0] for base in range(_EXAMPLE_COUNT))

    @property
    def has_schema(self) -> bool:
        """Whether the tool declares its results."""
        return self.origin != NAME_ORIGIN

    def respond_with_record(self, record: Mapping[str, Json], draws: KeyedDraws) -> Json:
        """Return a response with the fields of a stored record; what the record does not have is generated."""
        if self._is_plain_text:
            return encode_json(record).decode()
        if not self.has_schema:
            return dict(record)
        value, _ = self._plan.generate(draws, CallInputs(record, is_record=True))
        return value

    def respond_with_records(self, records: Sequence[Mapping[str, Json]], total: int, draws: KeyedDraws) -> Json:
        """Return a response with a list of stored records.

        Args:
            records: The records in the list.
            total: How many there are, also on other pages.
            draws: What the values depend on that the records do not have.
        """
        if self._is_plain_text:
            return encode_json(list(records)).decode()
        if not self.has_schema:
            return {to_plural(self._intent.noun or "item"): list(records), "total": total}
        inputs = CallInputs({})
        inputs.records, inputs.total = [CallInputs(record, is_record=True) for record in records], total
        value, _ = self._plan.generate(draws, inputs)
        return value

    def _check_example(self) -> None:
        """Check a response once, so that a schema that is not understood fails for all calls and not for some."""
        example, _ = self._plan.generate(KeyedDraws(0), CallInputs({}))
        if problems := self._checker.find_problems(example):
            raise MockImpossible(problems[0].path, problems[0].message)


def generate_sentence(noun: str, args: Mapping[str, Json], remark: str) -> str:
    """Return the result of a tool that responds with a text: what was asked for, and a remark."""
    asked = ", ".join(f"{name} {format_value(value)}" for name, value in args.items() if value is not None)
    return f"{noun.capitalize()} ({asked}): {remark}" if asked else f"{noun.capitalize()}: {remark}"


def format_value(value: Json) -> str:
    """Return a value as it appears in a sentence."""
    return value if isinstance(value, str) else encode_json(value).decode()


@lru_cache(maxsize=4096)
def get_schema_mock(spec: ToolSpec) -> SchemaMock:
    """Return the mock of a tool, which is compiled once.

    Raises:
        MockImpossible: No response can be made for the schema of its results.
    """
    return SchemaMock(spec)


def suggest_results_schema(spec: ToolSpec) -> dict[str, Any]:
    """Return a schema for the results of a tool that declares none, from its name and arguments."""
    intent = read_intent(spec.name)
    noun = intent.noun or "item"
    identifier = {f"{noun}_id": {"type": "string"}}
    attributes = _list_attributes(spec)
    fields: dict[str, Any]
    match intent.operation:
        case ResourceOperation.LIST | ResourceOperation.SEARCH:
            item = {"type": "object", "properties": {**identifier, "name": {"type": "string"}, **attributes}}
            fields = {to_plural(noun): {"type": "array", "items": item}, "total": {"type": "integer"}}
        case ResourceOperation.CREATE | ResourceOperation.GET | ResourceOperation.UPDATE:
            status = {"const": intent.status} if intent.status else {"type": "string"}
            fields = {**identifier, **attributes, "status": status}
        case ResourceOperation.DELETE:
            fields = {**attributes, "deleted": {"const": True}}
        case None:
            fields = {"status": {"const": "ok"}, **attributes}
    definitions = {"$defs": spec.parameters["$defs"]} if "$defs" in spec.parameters else {}
    return {"type": "object", "properties": fields, **definitions}


def _list_attributes(spec: ToolSpec) -> dict[str, Any]:
    """Return the arguments that are probably attributes of a result, with their schemas; `max_price` means a price."""
    attributes: dict[str, Any] = {}
    for name, schema in spec.parameters.get("properties", {}).items():
        first, *rest = split_words(name) or ("",)
        if rest and first in BOUND_WORDS:
            attributes["_".join(rest)] = schema
        elif fold_name(name) not in _STEERING_NAMES:
            attributes[name] = schema
    return attributes
