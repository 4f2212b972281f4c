"""What exists in a session whose tools a model simulates: folded from the calls so far, and from what is given.

The state is not kept anywhere: a session that continues in another process, or as a fork, has the same one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

from adk_agent_sim.mocks.llm_connections import ResourceUse, ToolConnections
from adk_agent_sim.mocks.name_words import fold_name
from adk_agent_sim.mocks.resource_store import find_id_field
from adk_agent_sim.mocks.tool_intent import ResourceOperation
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.strict_json import InvalidJson, parse_json

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
