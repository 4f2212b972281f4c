"""What a model that simulates tools knows of a session: how the tools depend on each other, and what exists.

    {"resources": [{"name": "order", "uses": [{"tool": "create_order", "operation": "create", "id": "order_id"},
                                              {"tool": "get_order", "operation": "get", "id": "order_id"}]}]}

The model's analysis of the tools is not trusted: tools and arguments that do not exist are left out. What exists is
folded from the calls so far, and from what is given. It is not kept anywhere: a session that continues in another
process, or as a fork, has the same one.

Calls of earlier runs are found in the JSON of a trace, whichever program wrote it:

{"name", "args", "response"}                              a call with its response, as in ADK's docs
{"id", "name", "args"} and {"id", "name", "response"}     as in EvalSets and in the events of a session
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

from adk_agent_sim.mocks.llm_json import UnusableAnswer
from adk_agent_sim.mocks.mocked_call import ResourceOperation, ToolSpec, fold_name
from adk_agent_sim.mocks.resource_store import find_id_field, fold_noun
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.strict_json import InvalidJson, parse_json

_MAX_USES = 2_000
"""How many uses of resources an analysis may have."""

BY_ID = frozenset({ResourceOperation.GET, ResourceOperation.UPDATE, ResourceOperation.DELETE})
"""What a call does to one resource that exists."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ResourceUse:
    """What a tool does with a kind of resource."""

    resource: str
    """The kind of resource, in the singular."""

    tool: str
    operation: ResourceOperation

    id_name: str = ""
    """The argument with the id of the resource; of a tool that creates it, the field of the response, or the argument
    if the caller chooses it."""

    def __str__(self) -> str:
        by = f" by {self.id_name}" if self.id_name else ""
        return f"{self.operation} {self.resource}{by}"


@dataclass(frozen=True, slots=True)
class ToolConnections:
    """The uses of all tools."""

    uses: tuple[ResourceUse, ...] = ()

    def list_uses(self, tool: str) -> list[ResourceUse]:
        """Return what a tool does."""
        return [use for use in self.uses if use.tool == tool]

    def list_id_names(self, resource: str) -> list[str]:
        """Return the names under which ids of a kind of resource are known."""
        return list(dict.fromkeys(use.id_name for use in self.uses if use.resource == resource and use.id_name))

    def is_created(self, resource: str) -> bool:
        """Whether a tool creates this kind of resource, so that one that was never created does not exist."""
        return any(use.resource == resource and use.operation is ResourceOperation.CREATE for use in self.uses)


def parse_connections(answer: Mapping[str, Json], specs: Sequence[ToolSpec]) -> ToolConnections:
    """Return the connections in an answer of a model.

    Args:
        answer: The object that the model gave.
        specs: The tools that it was asked about.

    Raises:
        UnusableAnswer: The object has another shape.
    """
    resources = answer.get("resources")
    if not isinstance(resources, list):
        raise UnusableAnswer("`resources` must be a list of objects with `name` and `uses`")
    known = {spec.name: spec for spec in specs}
    found = list(dict.fromkeys(_iter_uses(cast("list[Json]", resources), known)))
    if len(found) > _MAX_USES:
        raise UnusableAnswer(f"there are more than {_MAX_USES:,} uses")
    return ToolConnections(tuple(found))


def _iter_uses(resources: Sequence[Json], known: Mapping[str, ToolSpec]) -> Iterator[ResourceUse]:
    for resource in resources:
        fields = cast("dict[str, Json]", resource) if isinstance(resource, dict) else {}
        name, uses = fields.get("name"), fields.get("uses")
        if not isinstance(name, str) or not name.strip() or not isinstance(uses, list):
            raise UnusableAnswer("each resource must have a `name` and a list of `uses`")
        for each in cast("list[Json]", uses):
            use = cast("dict[str, Json]", each) if isinstance(each, dict) else {}
            if not isinstance(use.get("tool"), str):
                raise UnusableAnswer(f"each use of {name[:80]!r} must be an object with `tool`, `operation` and `id`")
            parsed = _parse_use(fold_noun(name), use, known)
            if parsed is not None:
                yield parsed


def _parse_use(resource: str, use: Mapping[str, Json], known: Mapping[str, ToolSpec]) -> ResourceUse | None:
    spec = known.get(use["tool"])
    try:
        operation = ResourceOperation(str(use.get("operation")).lower())
    except ValueError:
        raise UnusableAnswer(f"`operation` must be one of {', '.join(ResourceOperation)}") from None
    if spec is None:
        return None
    id_name = use.get("id") if isinstance(use.get("id"), str) else ""
    # The spelling of the tool, not that of the model.
    arguments = {fold_name(name): name for name in spec.argument_names}
    id_name = arguments.get(fold_name(str(id_name)), str(id_name))
    if operation in BY_ID and id_name not in spec.argument_names:
        return None
    if operation in (ResourceOperation.LIST, ResourceOperation.SEARCH):
        id_name = ""
    return ResourceUse(resource=resource, tool=spec.name, operation=operation, id_name=id_name)


MANY = frozenset({ResourceOperation.LIST, ResourceOperation.SEARCH})
"""What a call does to any number of resources."""

_MAX_DEPTH = 20
"""How deep a response is searched for ids."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AnsweredCall:
    """A call of the session that has a response."""

    tool: str
    args: Mapping[str, Json]
    response: Json

    has_failed: bool = False


@dataclass(slots=True)
class SessionResources:
    """The resources that calls have created, changed, read and deleted."""

    records: dict[str, dict[str, dict[str, Json]]] = field(default_factory=dict[str, dict[str, dict[str, Json]]])
    """By kind and id."""

    deleted: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """The ids of those that were deleted, by kind."""

    def has(self, resource: str, resource_id: str) -> bool:
        """Whether there is such a resource."""
        return resource_id in self.records.get(resource, ())

    def was_deleted(self, resource: str, resource_id: str) -> bool:
        """Whether there was such a resource, which was deleted."""
        return resource_id in self.deleted.get(resource, ())


class WorldKnowledge:
    """What is given about the world of a session: data and traces, JSON or any text."""

    def __init__(self, *texts: str) -> None:
        self._texts = [text for text in texts if text]

    def mentions(self, resource_id: str) -> bool:
        """Whether an id occurs: as a value or key of JSON, or as a word of any other text."""
        return resource_id in self._values or any(_has_word(text, resource_id) for text in self._prose)

    @cached_property
    def _parsed(self) -> list[tuple[str, Json]]:
        parsed: list[tuple[str, Json]] = []
        for text in self._texts:
            try:
                parsed.append((text, parse_json(text, allow_duplicate_keys=True)))
            except InvalidJson:
                parsed.append((text, None))
        return parsed

    @cached_property
    def _values(self) -> set[str]:
        return {each for _, value in self._parsed for each in _iter_scalars(value)}

    @cached_property
    def _prose(self) -> list[str]:
        return [text for text, value in self._parsed if value is None]


def fold_calls(connections: ToolConnections, calls: Iterable[AnsweredCall]) -> SessionResources:
    """Return what exists after the calls."""
    resources = SessionResources()
    for call in calls:
        for use in connections.list_uses(call.tool) if not call.has_failed else ():
            for resource_id, record in _iter_records(connections, use, call):
                known = resources.records.setdefault(use.resource, {})
                deleted = resources.deleted.setdefault(use.resource, set())
                if use.operation is ResourceOperation.DELETE:
                    known.pop(resource_id, None)
                    deleted.add(resource_id)
                # A response that still shows a deleted resource does not bring it back; only creating it again does.
                elif use.operation is ResourceOperation.CREATE or resource_id not in deleted:
                    deleted.discard(resource_id)
                    known[resource_id] = {**known.get(resource_id, {}), **record}
    return resources


def _iter_records(
    connections: ToolConnections, use: ResourceUse, call: AnsweredCall
) -> Iterator[tuple[str, dict[str, Json]]]:
    """Yield the resources that a call shows, with their ids."""
    response = call.response
    if use.operation in MANY:
        for item in iter_items(response):
            if found_id := find_own_id(item, connections.list_id_names(use.resource)):
                yield found_id, dict(item)
            elif (id_field := find_id_field(item, use.resource)) is not None:
                yield str(item[id_field]), dict(item)
        return
    ids = list_ids(call.args.get(use.id_name))
    if use.operation is ResourceOperation.CREATE and not ids:
        ids = list_ids(find_value(response, use.id_name))
    fields = cast("Mapping[str, Json]", response) if isinstance(response, Mapping) else {"result": response}
    for resource_id in ids:
        attributes = {**call.args, **fields} if use.operation is not ResourceOperation.GET else dict(fields)
        yield resource_id, attributes


def find_own_id(item: Mapping[str, Json], names: Sequence[str]) -> str:
    """Return the id of a resource in a list, by the names that the tools have for it; empty if it has none."""
    return next((each for name in names for each in list_ids(item.get(name))), "")


def iter_items(response: Json) -> Iterator[Mapping[str, Json]]:
    """Yield the objects of the lists in a response."""
    values = [response, *(cast("Mapping[str, Json]", response).values() if isinstance(response, Mapping) else ())]
    for value in values:
        if isinstance(value, list):
            for item in cast("list[Json]", value):
                if isinstance(item, Mapping):
                    yield cast("Mapping[str, Json]", item)


def list_ids(value: Json) -> list[str]:
    """Return the ids in a value: one, or those of a list."""
    values = cast("Sequence[Json]", value) if isinstance(value, list) else [value]
    return [str(each) for each in values if isinstance(each, str | int) and not isinstance(each, bool)]


def find_value(value: Json, name: str) -> Json:
    """Return the value of the outermost field with a name; None if there is none."""
    wanted = fold_name(name)
    level: list[Json] = [value]
    for _ in range(_MAX_DEPTH if wanted else 0):
        inner: list[Json] = []
        for each in level:
            if isinstance(each, Mapping):
                for key, found in cast("Mapping[str, Json]", each).items():
                    if fold_name(key) == wanted and found is not None:
                        return found
                    inner.append(found)
            elif isinstance(each, list):
                inner += cast("list[Json]", each)
        level = inner
    return None


def _iter_scalars(value: Json) -> Iterator[str]:
    level: list[Json] = [value]
    while level:
        inner: list[Json] = []
        for each in level:
            if isinstance(each, Mapping):
                yield from cast("Mapping[str, Json]", each)
                inner += cast("Mapping[str, Json]", each).values()
            elif isinstance(each, list):
                inner += cast("list[Json]", each)
            elif isinstance(each, str | int) and not isinstance(each, bool):
                yield str(each)
        level = inner


def _has_word(text: str, word: str) -> bool:
    """Whether a word occurs in a text, and not only as a part of a longer one."""
    position = text.find(word) if word else -1
    while position >= 0:
        before, after = text[position - 1 : position], text[position + len(word) : position + len(word) + 1]
        if not (before.isalnum() or after.isalnum()):
            return True
        position = text.find(word, position + 1)
    return False


_MAX_TRACE_DEPTH = 50


def find_traced_calls(trace: Json) -> list[AnsweredCall]:
    """Return the calls of a trace that have a response, in its order."""
    objects = [each for each in _iter_objects(trace, 0) if isinstance(each.get("name"), str)]
    responses = {str(each["id"]): each["response"] for each in objects if "response" in each and "id" in each}
    found: list[AnsweredCall] = []
    for each in objects:
        args = each.get("args")
        if isinstance(args, Mapping):
            response = each["response"] if "response" in each else responses.get(str(each.get("id")))
            if response is not None:
                call_args = cast("Mapping[str, Json]", args)
                found.append(AnsweredCall(tool=str(each["name"]), args=call_args, response=response))
    return found


def list_traced_records(response: Json) -> dict[str, list[Json]]:
    """Return the lists of records in a response, by name: what a mock can begin with."""
    if not isinstance(response, Mapping):
        return {}
    return {
        name: cast("list[Json]", value)
        for name, value in cast("Mapping[str, Json]", response).items()
        if isinstance(value, list) and value and all(isinstance(each, Mapping) for each in cast("list[Json]", value))
    }


def _iter_objects(value: Json, depth: int) -> Iterator[Mapping[str, Json]]:
    if depth > _MAX_TRACE_DEPTH:
        return
    if isinstance(value, Mapping):
        mapping = cast("Mapping[str, Json]", value)
        yield mapping
        for inner in mapping.values():
            yield from _iter_objects(inner, depth + 1)
    elif isinstance(value, list):
        for inner in cast("list[Json]", value):
            yield from _iter_objects(inner, depth + 1)
