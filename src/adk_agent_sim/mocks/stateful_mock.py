"""The mock `stateful`: tools create, get, change, list and delete records of a store that lasts as long as the session.

    call --role--> create          a record with a new id, which later calls find
                   get, update...  the record, or a response like a 404
                   list, search    the records that meet the arguments

Resources that a tool of the agent creates, or that are in the initial data, exist only if they were created. Others
(`get_user_profile`, if no tool creates users) are generated when they are first asked for, and remembered.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, cast

from adk_agent_sim.mocks.mocked_call import CallInputs, KeyedDraws, ResourceOperation, ToolSpec, fold_name, to_plural
from adk_agent_sim.mocks.resource_store import (
    ResourceCollection,
    ResourceStore,
    ToolRole,
    find_id_field,
    find_referenced_noun,
    find_repeated_fields,
    is_own_id_field,
)
from adk_agent_sim.mocks.schema_mock import SchemaMock, get_schema_mock
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.json_equality import equals_value

_WRAPPING_ARGUMENTS = frozenset(
    {"data", "fields", "body", "payload", "input", "request", "attributes", "record", "updates", "changes", "patch"}
)
"""Arguments whose fields are the attributes of a resource."""

_MAX_DRAWS = 1_000
"""How often a new resource is drawn until its id is free: 99 of 100 ids may be in use."""

_MANY = frozenset({ResourceOperation.LIST, ResourceOperation.SEARCH})


@dataclass(frozen=True, slots=True)
class StatefulResponse:
    """The response to a call."""

    value: Json
    is_error: bool = False


class StatefulMock:
    """Answers the calls of a session's tools from its store."""

    def __init__(self, store: ResourceStore, created_nouns: frozenset[str]) -> None:
        """Create the mock.

        Args:
            store: The records of the session.
            created_nouns: The kinds of resources that tools create; these do not exist before.
        """
        self._store = store
        store.closed_nouns |= created_nouns

    def describe(self, role: ToolRole) -> str:
        """Return what a call does, why, and what it finds in the store."""
        reason = "as the rules declare" if role.is_declared else "by the tool's name and arguments"
        count = self._store.count(role.noun)
        noun = role.noun.replace("_", " ")
        return f"{role.operation} {noun}, {reason}; the store has {count} {noun if count == 1 else to_plural(noun)}"

    def respond(self, spec: ToolSpec, role: ToolRole, args: Mapping[str, Json], draws: KeyedDraws) -> StatefulResponse:
        """Carry out a call, and return its response."""
        if role.operation not in _MANY and (missing := self._find_missing_reference(role, args)):
            return missing
        call = self._build_call(spec, role, args, draws)
        match role.operation:
            case ResourceOperation.CREATE:
                self._store.closed_nouns.add(role.noun)
                return call.create()
            case ResourceOperation.LIST | ResourceOperation.SEARCH:
                return call.select()
            case ResourceOperation.GET:
                return call.get()
            case ResourceOperation.UPDATE:
                return call.update()
            case ResourceOperation.DELETE:
                return call.delete()

    def restore(self, spec: ToolSpec, role: ToolRole, args: Mapping[str, Json], response: Json) -> None:
        """Bring the store to where it was after an earlier call, from the response that the call had."""
        self._build_call(spec, role, args, KeyedDraws(0)).restore(response)

    def _build_call(self, spec: ToolSpec, role: ToolRole, args: Mapping[str, Json], draws: KeyedDraws) -> _StatefulCall:
        return _StatefulCall(
            mock=get_schema_mock(spec),
            role=role,
            args=args,
            draws=draws,
            records=self._store.get_collection(role.noun),
            is_closed=role.noun in self._store.closed_nouns,
        )

    def _find_missing_reference(self, role: ToolRole, args: Mapping[str, Json]) -> StatefulResponse | None:
        """Return an error if an argument is the id of another resource that does not exist."""
        for name, value in args.items():
            noun = find_referenced_noun(name)
            is_other = noun in self._store.closed_nouns and name != role.id_argument and isinstance(value, str | int)
            if is_other and self._store.get_collection(noun).get(value) is None:
                return _build_not_found(noun, value)
        return None


class _NewRecord(NamedTuple):
    """What a call creates."""

    value: Json
    """The whole response."""

    record: dict[str, Json] | None
    """The part of the response that describes the resource."""

    id_field: str | None

    resource_id: Json


@dataclass(frozen=True, kw_only=True, slots=True)
class _StatefulCall:
    mock: SchemaMock
    role: ToolRole
    args: Mapping[str, Json]
    draws: KeyedDraws
    records: ResourceCollection
    is_closed: bool
    """Whether a resource that is not in the store does not exist."""

    def create(self) -> StatefulResponse:
        attributes = self._read_attributes()
        given_id = self._get_id()
        if given_id is not None and self.records.get(given_id) is not None:
            return _build_error(409, f"There is a {self._noun} {given_id!r} already.")
        draws, new = self.draws, self._draw_record(self.draws)
        for _ in range(_MAX_DRAWS):
            # Two of many resources may get the same id, or a text of the response may be taken for one.
            if given_id is not None or self.records.get(new.resource_id) is None:
                break
            draws = draws.derive(len(self.records))
            new = self._draw_record(draws)
        else:
            # The schema allows few ids, or the caller has chosen this one.
            if new.id_field is not None and is_own_id_field(new.id_field, self.role.noun):
                return _build_error(409, f"There is a {self._noun} {new.resource_id!r} already.")
            new = self._draw_record(self.draws)._replace(id_field=None, resource_id=self._invent_id(self.draws))
        value, record, id_field, new_id = new
        if not self.mock.has_schema:
            value = {id_field or f"{self.role.noun}_id": new_id, **attributes, "status": (record or {}).get("status")}
            record = value
        self.records.put(new_id, {**attributes, **(record or {id_field or f"{self.role.noun}_id": new_id})})
        return StatefulResponse(value)

    def _draw_record(self, draws: KeyedDraws) -> _NewRecord:
        value = self.mock.respond(self.args, draws).value
        record = _find_record(value, self.role.noun)
        id_field = self._find_new_id_field(record or {})
        resource_id = record[id_field] if record and id_field else self._get_id()
        if resource_id is None:
            resource_id = f"{self._id_prefix}-{draws.draw_integer(1, 10_000, 99_999)}"
        return _NewRecord(value, record, id_field, resource_id)

    def _invent_id(self, draws: KeyedDraws) -> str:
        """Return an id that is free, for a resource whose response has none."""
        number = draws.draw_integer(1, 10_000, 99_999)
        while self.records.get(f"{self._id_prefix}-{number}") is not None:
            number += 1
        return f"{self._id_prefix}-{number}"

    def _find_new_id_field(self, record: Mapping[str, Json]) -> str | None:
        """Return the field of a new record with its id. Ids that were given are those of other resources."""
        given = {fold_name(name) for name in self.args if name != self.role.id_argument}
        candidates = {name: value for name, value in record.items() if fold_name(name) not in given}
        found = find_id_field(candidates, self.role.noun)
        if found is None or is_own_id_field(found, self.role.noun):
            return found
        # A field that only sounds like an id, and is the same in all responses, is none: `status_code` is 201.
        examples = [_find_record(each, self.role.noun) or {} for each in self.mock.examples]
        fixed = {name for name in candidates if all(each.get(name) == examples[0].get(name) for each in examples)}
        return find_id_field(candidates, self.role.noun, fixed)

    def get(self) -> StatefulResponse:
        record = self._find_or_generate()
        if record is None:
            return _build_not_found(self.role.noun, self._get_id())
        return StatefulResponse(self._render(record))

    def update(self) -> StatefulResponse:
        record = self._find_or_generate()
        if record is None:
            return _build_not_found(self.role.noun, self._get_id())
        changed = {**record, **_rename_fields(self._read_attributes(), record)}
        if self.role.status:
            changed["status"] = self.role.status
        self.records.put(self._get_id(), changed)
        return StatefulResponse(self._render(changed))

    def delete(self) -> StatefulResponse:
        if self._find_or_generate() is None:
            return _build_not_found(self.role.noun, self._get_id())
        self.records.delete(self._get_id())
        if self.mock.has_schema:
            return StatefulResponse(self.mock.respond(self.args, self.draws).value)
        return StatefulResponse({self.role.id_argument: self._get_id(), "deleted": True})

    def select(self) -> StatefulResponse:
        if not self.is_closed:
            return StatefulResponse(self._generate_list())
        args = {name: value for name, value in self.args.items() if name != self.role.action_argument}
        inputs = CallInputs(args)
        found = select_records(self.records, args, inputs)
        page = cut_page(found, args, inputs)
        return StatefulResponse(self.mock.respond_with_records(page, len(found), self.draws))

    def restore(self, response: Json) -> None:
        if self.role.operation is ResourceOperation.DELETE:
            self.records.delete(self._get_id())
        elif self.role.operation in _MANY:
            items = _find_items(response)
            repeated = find_repeated_fields(items)
            for item in items:
                if (id_field := find_id_field(item, self.role.noun, repeated)) is not None:
                    self.records.put(item[id_field], {**(self.records.get(item[id_field]) or {}), **item})
        elif (record := _find_record(response, self.role.noun)) is not None:
            resource_id = self._get_id()
            if resource_id is None:
                resource_id = self._find_restored_id(record)
            if resource_id is not None:
                known = self.records.get(resource_id) or {}
                self.records.put(resource_id, {**known, **self._read_attributes(), **record})

    def _find_restored_id(self, record: Mapping[str, Json]) -> Json:
        """Return the id under which a response's record is kept; it may be invented, as in `create`."""
        id_field = self._find_new_id_field(record)
        is_creating = self.role.operation is ResourceOperation.CREATE
        if id_field is not None:
            is_own = is_own_id_field(id_field, self.role.noun)
            if is_own or not is_creating or self.records.get(record[id_field]) is None:
                return record[id_field]
        return self._invent_id(self.draws.derive(len(self.records))) if is_creating else None

    @property
    def _noun(self) -> str:
        return self.role.noun.replace("_", " ")

    @property
    def _id_prefix(self) -> str:
        return self._noun[:3].upper()

    def _get_id(self) -> Json:
        return self.args.get(self.role.id_argument) if self.role.id_argument else None

    def _find_or_generate(self) -> dict[str, Json] | None:
        """Return the record of a call; None if it does not exist."""
        resource_id = self._get_id()
        record = self.records.get(resource_id)
        if record is None and not self.is_closed and not self.records.was_deleted(resource_id):
            value = self.mock.respond({self.role.id_argument: resource_id}, self.draws).value
            record = {self.role.id_argument: resource_id, **(_find_record(value, self.role.noun) or {})}
            self.records.put(resource_id, record)
        return record

    def _render(self, record: Mapping[str, Json]) -> Json:
        """Return a response with a record; what is generated for it belongs to the record from now on."""
        value = self.mock.respond_with_record(record, self.draws)
        if self.mock.has_schema and (shown := _find_record(value, self.role.noun)) is not None:
            self.records.put(self._get_id(), {**shown, **record})
        return value

    def _generate_list(self) -> Json:
        """Return generated resources, as later calls have left those that were generated before, and remember them."""
        value = self.mock.respond(self.args, self.draws).value
        items = _find_items(value)
        repeated = find_repeated_fields(items)
        kept: list[Json] = []
        for item in items:
            id_field = find_id_field(item, self.role.noun, repeated)
            if id_field is None:
                kept.append(item)
            elif not self.records.was_deleted(item[id_field]):
                known = self.records.get(item[id_field]) or {}
                current = {name: known.get(name, generated) for name, generated in item.items()}
                self.records.put(item[id_field], {**known, **current})
                kept.append(current)
        # In place, because the list is a part of the response.
        items[:] = cast("list[dict[str, Json]]", kept)
        return value

    def _read_attributes(self) -> dict[str, Json]:
        """Return the arguments that are attributes of the resource; the fields of an object that describes it count."""
        found: dict[str, Json] = {}
        for name, value in self.args.items():
            folded = fold_name(name)
            if name in (self.role.action_argument, self.role.id_argument) or value is None:
                continue
            if isinstance(value, Mapping) and folded in _WRAPPING_ARGUMENTS | {fold_name(self.role.noun)}:
                found |= cast("Mapping[str, Json]", value)
            else:
                found[name] = value
        return found


def _rename_fields(attributes: Mapping[str, Json], record: Mapping[str, Json]) -> dict[str, Json]:
    """Return attributes with the names that the record has for them: `newStatus` and `new_status` are its `status`."""
    names = {fold_name(name): name for name in record}
    return {
        names.get(fold_name(name)) or names.get(fold_name(name).removeprefix("new")) or name: value
        for name, value in attributes.items()
    }


def _find_record(value: Json, noun: str) -> dict[str, Json] | None:
    """Return the object in a response that describes the resource."""
    if not isinstance(value, dict):
        return None
    response = cast("dict[str, Json]", value)
    for name, inner in response.items():
        if isinstance(inner, dict) and fold_name(name) in (fold_name(noun), "data", "result", "item", "resource"):
            return cast("dict[str, Json]", inner)
    return response


def _find_items(value: Json) -> list[dict[str, Json]]:
    """Return the list of objects in a response."""
    candidates = [value, *(cast("dict[str, Json]", value).values() if isinstance(value, dict) else ())]
    for each in candidates:
        if isinstance(each, list) and all(isinstance(item, dict) for item in cast("list[Json]", each)):
            return cast("list[dict[str, Json]]", each)
    return []


def _build_not_found(noun: str, resource_id: Json) -> StatefulResponse:
    return _build_error(404, f"There is no {noun.replace('_', ' ')} {resource_id!r}.")


def _build_error(code: int, message: str) -> StatefulResponse:
    return StatefulResponse({"error_code": code, "error_message": message}, is_error=True)


_OFFSET_NAMES = frozenset({"offset", "skip", "start", "startindex"})
_MAX_DEPTH = 3


def select_records(
    records: Iterable[dict[str, Json]], args: Mapping[str, Json], inputs: CallInputs
) -> list[dict[str, Json]]:
    """Return the records that meet the arguments of a call, before it is cut into pages.

    An argument that no field of a record is named after, such as a sort order, selects nothing.
    """
    filters = {
        folded: value for folded, (_, value) in inputs.top.items() if not isinstance(value, Mapping) and value != ""
    }
    words = inputs.query[1].lower().split() if inputs.query else []
    return [each for each in records if _meets_filters(each, filters, inputs) and _contains(each, words)]


def cut_page(records: list[dict[str, Json]], args: Mapping[str, Json], inputs: CallInputs) -> list[dict[str, Json]]:
    """Return the part of the records that a call asks for."""
    numbers = {fold_name(name): value for name, value in args.items() if isinstance(value, int)}
    offset = next((value for name, value in numbers.items() if name in _OFFSET_NAMES), 0)
    limit = inputs.limit[1] if inputs.limit else None
    if limit and numbers.get("page", 0) > 0:
        offset = (numbers["page"] - 1) * limit
    return records[offset:] if limit is None else records[offset : offset + limit]


def _meets_filters(record: Mapping[str, Json], filters: Mapping[str, Json], inputs: CallInputs) -> bool:
    for name, value in record.items():
        folded = fold_name(name)
        if folded in filters and not _is_equal(value, filters[folded]):
            return False
        if (bounds := inputs.bounds.get(folded)) is not None and isinstance(value, int | float):
            is_low = bounds.low is not None and value < bounds.low
            if is_low or (bounds.high is not None and value > bounds.high):
                return False
    return True


def _is_equal(value: Json, wanted: Json) -> bool:
    if isinstance(wanted, list):
        return any(equals_value(value, item) for item in cast("list[Json]", [*wanted, wanted]))
    if isinstance(value, list):
        return any(equals_value(item, wanted) for item in cast("list[Json]", value))
    return str(value).lower() == str(wanted).lower()


def _contains(record: Mapping[str, Json], words: list[str]) -> bool:
    if not words:
        return True
    text = " ".join(_iter_texts(record, 0)).lower()
    return all(word in text for word in words)


def _iter_texts(value: Json, depth: int) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif depth < _MAX_DEPTH and isinstance(value, Mapping):
        for each in cast("Mapping[str, Json]", value).values():
            yield from _iter_texts(each, depth + 1)
    elif depth < _MAX_DEPTH and isinstance(value, list):
        for each in cast("list[Json]", value):
            yield from _iter_texts(each, depth + 1)
