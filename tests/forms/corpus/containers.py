"""Lists, sets, tuples and mappings."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Dict, FrozenSet, NamedTuple, Set, Tuple, cast

from forms.corpus.case import ANNOTATED, COERCED, DROPPED, Case, bad
from pydantic import Field, StringConstraints


class Point(NamedTuple):
    x: float
    y: float


def mean(values: list[float]) -> str:
    return "done"


def anything_in(values: list) -> str:  # pyright: ignore
    return "done"


def matrix(rows: list[list[int]]) -> str:
    return "done"


def unique(names: Set[str]) -> str:
    return "done"


def frozen(codes: FrozenSet[int]) -> str:
    return "done"


def place(position: Tuple[float, float]) -> str:
    return "done"


def row(cells: tuple[str, int, bool]) -> str:
    return "done"


def bag(values: tuple[int, ...]) -> str:
    return "done"


def move_to(point: Point) -> str:
    return "done"


def count(words: Dict[str, int]) -> str:
    return "done"


def store(document: dict) -> str:  # pyright: ignore
    return "done"


def configure(settings: dict[str, Any], more: Mapping[str, str | None] | None = None) -> str:
    return "done"


def group(members: dict[str, list[str]]) -> str:
    return "done"


def headers(values: dict[Annotated[str, StringConstraints(pattern="^x-")], str]) -> str:
    return "done"


def labels(values: dict[Annotated[str, StringConstraints(min_length=3)], int]) -> str:
    return "done"


def walk(steps: Sequence[str], over: Iterable[int] = ()) -> str:
    return "done"


def shortlist(names: Annotated[list[str], Field(min_length=1, max_length=3)]) -> str:
    return "done"


CASES = [
    Case(
        tool=mean,
        good=[{"values": []}, {"values": [1, 2.5]}],
        bad=[
            bad(
                {"values": [1, "x", None]}, {"values[1]": "must be a number", "values[2]": "is None, must be a number"}
            ),
            bad({"values": ["1"]}, {"values[0]": "is '1', must be a number"}, taken=COERCED),
        ],
    ),
    Case(
        tool=cast("Any", anything_in),
        good=[{"values": [1, "a", None, {}]}],
        bad=[bad({"values": {"a": 1}}, {"values": "must be a list"})],
    ),
    Case(
        tool=matrix,
        good=[{"rows": [[1, 2], []]}],
        bad=[bad({"rows": [[1], [2, "x"]]}, {"rows[1][1]": "is 'x', must be an integer"})],
    ),
    Case(
        tool=unique,
        good=[{"names": []}, {"names": ["a", "b"]}],
        bad=[
            bad({"names": ["a", "a"]}, {"names": "has 'a' twice, must have each item once"}, taken=DROPPED),
            bad({"names": [1]}, {"names[0]": "must be text"}),
        ],
        older="none",
    ),
    Case(
        tool=frozen,
        good=[{"codes": [1, 2]}],
        bad=[bad({"codes": [1, 1.0]}, {"codes": "has 1.0 twice"}, taken=DROPPED)],
        older="none",
    ),
    Case(
        tool=place,
        good=[{"position": [1, 2.5]}],
        bad=[
            bad({"position": [1]}, {"position": "has 1 item, must have exactly 2 items"}),
            bad({"position": [1, 2, 3]}, {"position": "has 3 items, must have exactly 2 items"}),
            bad({"position": [1, "x"]}, {"position[1]": "must be a number"}),
        ],
    ),
    Case(
        tool=row,
        good=[{"cells": ["a", 1, True]}],
        bad=[bad({"cells": [1, "a", True]}, {"cells[0]": "must be text", "cells[1]": "must be an integer"}, lost=True)],
    ),
    Case(
        tool=bag,
        good=[{"values": []}, {"values": [1, 2, 3]}],
        bad=[bad({"values": [1, "b"]}, {"values[1]": "must be an integer"})],
    ),
    Case(
        tool=move_to,
        good=[{"point": [1, 2]}],
        bad=[bad({"point": [1]}, {"point": "has 1 item"}), bad({"point": 5}, {"point": "is 5, must be a list"})],
    ),
    Case(
        tool=count,
        good=[{"words": {}}, {"words": {"a": 1, "b c": 2}}],
        bad=[
            bad({"words": {"a": 1, "b": "many"}}, {"words.b": "is 'many', must be an integer"}, lost=True),
            bad({"words": ["a"]}, {"words": "must be an object"}),
        ],
        older="looser",
    ),
    Case(
        tool=cast("Any", store),
        good=[{"document": {"a": [1]}}],
        bad=[bad({"document": "text"}, {"document": "must be an object"}, lost=True)],
    ),
    Case(
        tool=configure,
        good=[{"settings": {}}, {"settings": {"a": [None]}, "more": {"x": None, "y": "z"}}],
        bad=[
            bad({"settings": None}, {"settings": "must be an object"}),
            bad({"settings": {}, "more": {"x": 5}}, {"more.x": "is 5, must be text or null"}, lost=True),
        ],
        older="looser",
    ),
    Case(
        tool=group,
        good=[{"members": {"a": ["x"], "b": []}}],
        bad=[bad({"members": {"a": "x"}}, {"members.a": "is 'x', must be a list"}, lost=True)],
    ),
    Case(
        tool=headers,
        good=[{"values": {}}, {"values": {"x-a": "1"}}],
        bad=[bad({"values": {"x-a": 5}}, {"values.x-a": "is 5, must be text"}, lost=True)],
    ),
    Case(
        tool=labels,
        good=[{"values": {"abc": 1}}],
        bad=[
            bad(
                {"values": {"ab": 1}},
                {"values.ab": "its name is 'ab', must have at least 3 characters"},
                taken=ANNOTATED,
                lost=True,
            )
        ],
    ),
    Case(
        tool=walk,
        good=[{"steps": ["a"]}, {"steps": [], "over": [1]}],
        bad=[bad({"steps": [5]}, {"steps[0]": "must be text"}), bad({"steps": "ab"}, {"steps": "must be a list"})],
    ),
    Case(
        tool=shortlist,
        good=[{"names": ["a"]}],
        bad=[
            bad({"names": []}, {"names": "has 0 items, must have 1 to 3 items"}, taken=ANNOTATED, lost=True),
            bad({"names": list("abcd")}, {"names": "has 4 items, must have 1 to 3 items"}, taken=ANNOTATED, lost=True),
        ],
    ),
]
