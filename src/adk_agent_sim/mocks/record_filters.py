"""Selects the records that a list or search asks for: by attributes, ranges, words and pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from adk_agent_sim.mocks.call_inputs import CallInputs
from adk_agent_sim.mocks.name_words import fold_name
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.json_equality import equals_value

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
