"""The resources of one session: records by kind and id. What getting and adding one costs is always the same.

What a tool does with the resources is inferred from its name and arguments, or declared:

place_order(order)               creates an order          by its name
orders_get(id), getOrderById     gets an order             by its name and an argument with the order's id
tickets(action="close", id)      changes a ticket          by the argument that says what to do
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import cast

from adk_agent_sim.mocks.mocked_call import (
    BOOKING_NOUNS,
    NEW_VERBS,
    ResourceOperation,
    ToolSpec,
    fold_name,
    read_intent,
    split_words,
    to_singular,
)
from adk_agent_sim.timeline.canonical_json import Json

_ID_WORDS = ("id", "sku", "uuid", "key", "code", "number", "email", "name")
"""The last words of fields that may identify a record, in this order."""


class ResourceCollection:
    """The records of one kind, such as orders."""

    __slots__ = ("_deleted", "_records", "noun")

    def __init__(self, noun: str) -> None:
        self.noun = noun
        """What a record is, in the singular."""
        self._records: dict[str, dict[str, Json]] = {}
        self._deleted: set[str] = set()

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[dict[str, Json]]:
        """Yield the records in the order in which they were added."""
        return iter(self._records.values())

    def get(self, resource_id: Json) -> dict[str, Json] | None:
        """Return a record; None if there is none with this id."""
        return self._records.get(_to_key(resource_id))

    def put(self, resource_id: Json, record: Mapping[str, Json]) -> None:
        """Add or replace a record."""
        self._records[_to_key(resource_id)] = dict(record)

    def delete(self, resource_id: Json) -> None:
        """Remove a record."""
        self._records.pop(_to_key(resource_id), None)
        self._deleted.add(_to_key(resource_id))

    def was_deleted(self, resource_id: Json) -> bool:
        """Whether there was a record with this id, which was removed."""
        return _to_key(resource_id) in self._deleted and _to_key(resource_id) not in self._records


class ResourceStore:
    """All records of a session."""

    def __init__(self, initial: Mapping[str, Json] | None = None, created_nouns: Iterable[str] = ()) -> None:
        """Create the store.

        Args:
            initial: By name, lists of records or objects of records by id; other values are ignored.
            created_nouns: The kinds of records that tools create.
        """
        self._collections: dict[str, ResourceCollection] = {}
        for name, content in (initial or {}).items():
            self._add_initial(fold_noun(name), content)
        self.closed_nouns = {*self._collections, *created_nouns}
        """The kinds of which only the records exist that are in the store."""
        self.is_restored = False
        """Whether it has what calls before the first mocked one have created."""

    def get_collection(self, noun: str) -> ResourceCollection:
        """Return the records of a kind; there may be none yet."""
        if noun not in self._collections:
            self._collections[noun] = ResourceCollection(noun)
        return self._collections[noun]

    def count(self, noun: str) -> int:
        """Return how many records of a kind there are."""
        return len(self._collections[noun]) if noun in self._collections else 0

    def _add_initial(self, noun: str, content: Json) -> None:
        items: list[tuple[Json, Json]] = []
        if isinstance(content, Mapping):
            items = [*cast("Mapping[str, Json]", content).items()]
        elif isinstance(content, list):
            items = [(None, each) for each in cast("list[Json]", content)]
        if not all(isinstance(each, Mapping) for _, each in items):
            return  # settings of the environment, and no records
        records = [cast("Mapping[str, Json]", each) for _, each in items]
        repeated = find_repeated_fields(records)
        for position, ((key, _), record) in enumerate(zip(items, records, strict=True)):
            field = find_id_field(record, noun, repeated)
            own_id = record[field] if field else position
            self.get_collection(noun).put(own_id if key is None else key, record)


def fold_noun(name: str) -> str:
    """Return a kind of records as it is written in the store: `orderLines` and `order-lines` are `order_line`."""
    *first, last = split_words(name) or (name,)
    return "_".join([*first, to_singular(last)])


def find_id_field(record: Mapping[str, Json], noun: str, repeated: Container[str] = ()) -> str | None:
    """Return the field of a record that identifies it; None if there is none.

    Args:
        record: The record.
        noun: The kind of the record.
        repeated: Fields in which several records have the same value. They are no ids, unless their name says so.
    """
    folded = {fold_name(name): name for name, value in record.items() if isinstance(value, str | int)}
    for candidate in _list_own_names(noun):
        if candidate in folded:
            return folded[candidate]
    for word in _ID_WORDS:
        for name in folded.values():
            if split_words(name)[-1:] == (word,) and name not in repeated:
                return name
    return None


def find_repeated_fields(records: Sequence[Mapping[str, Json]]) -> frozenset[str]:
    """Return the fields in which two of the records have the same value, as in `currency_code`."""
    counts = Counter((name, _to_key(value)) for record in records for name, value in record.items())
    return frozenset(name for (name, _), count in counts.items() if count > 1)


def is_own_id_field(name: str, noun: str) -> bool:
    """Whether a field is the id of a kind of records by its name; others may be something else, as `status_code` is."""
    return fold_name(name) in _list_own_names(noun)


def _list_own_names(noun: str) -> list[str]:
    return ["id", *(f"{fold_name(noun)}{word}" for word in _ID_WORDS[:-2])]


def _to_key(resource_id: Json) -> str:
    # A caller may write the id 7 as a number or as a text.
    return str(resource_id)


_ACTION_ARGUMENTS = ("action", "operation", "op", "command", "method", "verb")
_ID_ENDINGS = ("id", "number", "code", "key", "sku", "ref", "reference", "uuid")
_BY_ID = frozenset({ResourceOperation.GET, ResourceOperation.UPDATE, ResourceOperation.DELETE})


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolRole:
    """What a call does, and to what."""

    operation: ResourceOperation

    noun: str
    """The kind of resource, in the singular."""

    id_argument: str = ""
    """The argument with the id of the resource; empty if there is none."""

    action_argument: str = ""
    """The argument that says what to do, if the tool does several things."""

    status: str = ""
    """The status that the call sets, if its verb says so."""

    is_declared: bool = False
    """Whether the rules say so; otherwise it is inferred."""


def infer_role(spec: ToolSpec, args: Mapping[str, Json] | None = None) -> ToolRole | None:
    """Return what a call of a tool does; None if its name and arguments do not say.

    Args:
        spec: The tool.
        args: The arguments of the call, if the tool does several things.
    """
    action_argument = find_action_argument(spec)
    intent = read_intent(spec.name)
    operation, noun, status = intent.operation, intent.noun, intent.status
    if action_argument:
        action = read_intent(str((args or {}).get(action_argument, "")))
        operation, noun, status = action.operation, noun or action.noun, action.status
    if operation is None or not noun:
        return None
    noun = fold_noun(noun)
    id_argument = find_id_argument(spec, noun)
    if operation is ResourceOperation.LIST and id_argument and not action_argument:
        operation = ResourceOperation.GET  # get_orders(order_id)
    elif operation is ResourceOperation.GET and not id_argument:
        operation = ResourceOperation.LIST
    elif operation is ResourceOperation.CREATE and id_argument and not action_argument:
        if intent.verb in BOOKING_NOUNS:
            noun, id_argument = BOOKING_NOUNS[intent.verb], ""
        elif intent.verb not in NEW_VERBS:
            operation = ResourceOperation.UPDATE
    if operation in _BY_ID and not id_argument:
        return None
    if operation in (ResourceOperation.LIST, ResourceOperation.SEARCH):
        id_argument = ""
    return ToolRole(
        operation=operation, noun=noun, id_argument=id_argument, action_argument=action_argument, status=status
    )


def declare_role(
    spec: ToolSpec, args: Mapping[str, Json], operation: ResourceOperation | None, noun: str, id_argument: str
) -> ToolRole | None:
    """Return what a call does, with the parts that rules declare; None if that is not enough."""
    inferred = infer_role(spec, args)
    if inferred is None:
        intent = read_intent(spec.name)
        operation, noun = operation or intent.operation, noun or intent.noun
        if operation is None or not noun:
            return None
        inferred = ToolRole(operation=operation, noun=noun, action_argument=find_action_argument(spec))
    noun = fold_noun(noun) if noun else inferred.noun
    return replace(
        inferred,
        operation=operation or inferred.operation,
        noun=noun,
        id_argument=id_argument or inferred.id_argument or find_id_argument(spec, noun),
        is_declared=True,
    )


def find_action_argument(spec: ToolSpec) -> str:
    """Return the argument that says what a tool does; empty if the tool does one thing."""
    return next((name for name in spec.argument_names if fold_name(name) in _ACTION_ARGUMENTS), "")


def find_id_argument(spec: ToolSpec, noun: str) -> str:
    """Return the argument with the id of a resource of a kind; empty if there is none."""
    nouns = {fold_name(noun), fold_name(noun.rsplit("_", maxsplit=1)[-1])}
    wanted = ["id", *(f"{each}{ending}" for each in nouns for ending in _ID_ENDINGS), *nouns]
    properties = spec.parameters.get("properties", {})
    # The object of `place_order(order)` is no id.
    names = {fold_name(name): name for name in properties if not _is_object(properties[name])}
    return next((names[each] for each in wanted if each in names), "")


@lru_cache(maxsize=256)
def list_created_nouns(specs: tuple[ToolSpec, ...]) -> frozenset[str]:
    """Return the kinds of resources that tools create. One of them that was never created does not exist."""
    roles = [infer_role(spec, args) for spec in specs for args in _list_actions(spec)]
    return frozenset(role.noun for role in roles if role and role.operation is ResourceOperation.CREATE)


def find_referenced_noun(argument: str) -> str:
    """Return the kind of resource whose id an argument is, such as `order` for `order_id`; empty if it is no id."""
    words = split_words(argument)
    return "_".join(words[:-1]) if len(words) > 1 and words[-1] == "id" else ""


def _list_actions(spec: ToolSpec) -> list[dict[str, Json]]:
    name = find_action_argument(spec)
    choices = spec.parameters.get("properties", {}).get(name, {}).get("enum", ()) if name else ()
    return [{name: choice} for choice in choices] or [{}]


def _is_object(schema: Mapping[str, Json]) -> bool:
    return bool({"$ref", "properties"} & schema.keys()) or schema.get("type") in ("object", "array")
