"""Literals and enumerations."""

from enum import Enum, IntEnum, StrEnum
from typing import Literal, Optional

from forms.corpus.case import COERCED, DROPPED, Case, bad


class Colour(Enum):
    RED = "red"
    GREEN = "green"


class Size(StrEnum):
    SMALL = "S"
    LARGE = "L"


class Floor(IntEnum):
    GROUND = 0
    FIRST = 1


class Mixed(Enum):
    ONE = 1
    TWO = "two"


def export(form: Literal["json", "xml"]) -> str:
    return "done"


def print_pages(sides: Literal[1, 2] = 1) -> str:
    return "done"


def confirm(answer: Literal["yes"]) -> str:
    return "done"


def rate(stars: Literal[1, 2, 3, "none"]) -> str:
    return "done"


def sort(by: Optional[Literal["price", "name"]] = None) -> str:
    return "done"


def agree(terms: Literal[True]) -> str:
    return "done"


def paint(colour: Colour) -> str:
    return "done"


def order_shirt(size: Size = Size.SMALL) -> str:
    return "done"


def ride(floor: Floor) -> str:
    return "done"


def pick(which: Mixed) -> str:
    return "done"


def palette(colours: list[Colour], sizes: set[Size] | None = None) -> str:
    return "done"


CASES = [
    Case(
        tool=export,
        good=[{"form": "json"}, {"form": "xml"}],
        bad=[
            bad({"form": "yaml"}, {"form": "is 'yaml', must be one of: 'json', 'xml'"}),
            bad({}, {"form": "is required (one of: 'json', 'xml')"}),
            bad({"form": "JSON"}, {"form": "must be one of: 'json', 'xml'"}),
        ],
    ),
    Case(
        tool=print_pages,
        good=[{}, {"sides": 1}, {"sides": 2}],
        bad=[bad({"sides": 3}, {"sides": "is 3, must be one of: 1, 2"})],
        older="none",
    ),
    Case(
        tool=confirm,
        good=[{"answer": "yes"}],
        bad=[bad({"answer": "no"}, {"answer": "is 'no', must be "}), bad({}, {"answer": "is required ("})],
    ),
    Case(
        tool=rate,
        good=[{"stars": 1}, {"stars": "none"}],
        bad=[bad({"stars": 5}, {"stars": "is 5, must be one of: 1, 2, 3, 'none'"})],
        older="none",
    ),
    Case(
        tool=sort,
        good=[{}, {"by": None}, {"by": "name"}],
        bad=[bad({"by": "size"}, {"by": "is 'size', must be one of: 'price', 'name'"})],
    ),
    Case(
        tool=agree,
        good=[{"terms": True}],
        bad=[bad({"terms": False}, {"terms": "is False, must be True"}, lost=True)],
    ),
    Case(
        tool=paint,
        good=[{"colour": "red"}],
        bad=[
            bad({"colour": "RED"}, {"colour": "is 'RED', must be one of: 'red', 'green'"}),
            bad({}, {"colour": "one of"}),
        ],
    ),
    Case(
        tool=order_shirt,
        good=[{}, {"size": "L"}],
        bad=[bad({"size": "XL"}, {"size": "must be one of: 'S', 'L'"})],
    ),
    Case(
        tool=ride,
        good=[{"floor": 0}, {"floor": 1}],
        bad=[
            bad({"floor": 2}, {"floor": "is 2, must be one of: 0, 1"}),
            bad({"floor": True}, {"floor": "is True, must be an integer"}, taken=COERCED),
        ],
        older="differs",
    ),
    Case(
        tool=pick,
        good=[{"which": 1}, {"which": "two"}],
        bad=[bad({"which": "one"}, {"which": "is 'one', must be one of: 1, 'two'"})],
        older="differs",
    ),
    Case(
        tool=palette,
        good=[{"colours": []}, {"colours": ["red", "red"], "sizes": ["S", "L"]}, {"colours": ["green"], "sizes": None}],
        bad=[
            bad({"colours": ["red", "blue"]}, {"colours[1]": "is 'blue', must be one of: 'red', 'green'"}),
            bad({"colours": [], "sizes": ["S", "S"]}, {"sizes": "has 'S' twice"}, taken=DROPPED),
        ],
        older="none",
    ),
]
