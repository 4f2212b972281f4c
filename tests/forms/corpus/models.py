"""Models, dataclasses and typed dicts: nested, generic, recursive."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Generic, Optional, TypeVar

from forms.corpus.case import COERCED, Case, bad
from pydantic import BaseModel, ConfigDict, Field, RootModel
from typing_extensions import NotRequired, TypedDict

T = TypeVar("T")


class Address(BaseModel):
    """Where somebody lives."""

    street: str
    city: str = Field(description="The town")
    zip_code: Optional[str] = None


class Person(BaseModel):
    name: str
    home: Address
    former: list[Address] = []
    by_label: dict[str, Address] = Field(default_factory=dict)


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")
    a: int


class Node(BaseModel):
    value: int
    children: list[Node] = []


class Page(BaseModel, Generic[T]):
    items: list[T]
    total: int


class Tags(RootModel[list[str]]):
    pass


class Aliased(BaseModel):
    from_: str = Field(alias="from")


@dataclass
class Line:
    sku: str
    quantity: int = 1
    notes: list[str] = field(default_factory=list[str])


class Filter(TypedDict):
    field: str
    value: NotRequired[Any]


class Options(TypedDict, total=False):
    deep: bool
    limit: int


def move(to: Address) -> str:
    return "done"


def hire(person: Person, boss: Optional[Person] = None) -> str:
    return "done"


def exact(what: Strict) -> str:
    return "done"


def plant(tree: Node) -> str:
    return "done"


def show(page: Page[Address]) -> str:
    return "done"


def label(tags: Tags) -> str:
    return "done"


def send(letter: Aliased) -> str:
    return "done"


def pack(line: Line) -> str:
    return "done"


def pack_all(lines: list[Line]) -> str:
    return "done"


def select(filters: list[Filter], options: Options | None = None) -> str:
    return "done"


_HOME = {"street": "Main 1", "city": "Rome"}

CASES = [
    Case(
        tool=move,
        good=[{"to": _HOME}, {"to": {**_HOME, "zip_code": None}}, {"to": {**_HOME, "extra": 1}}],
        bad=[
            bad({}, {"to": "is required (an object)"}),
            bad({"to": {"street": "Main 1"}}, {"to.city": "is required (text)"}),
            bad({"to": {**_HOME, "zip_code": 123}}, {"to.zip_code": "is 123, must be text or null"}),
            bad({"to": "Rome"}, {"to": "is 'Rome', must be an object"}),
        ],
    ),
    Case(
        tool=hire,
        good=[
            {"person": {"name": "A", "home": _HOME}},
            {"person": {"name": "A", "home": _HOME, "former": [_HOME], "by_label": {"x": _HOME}}, "boss": None},
            {"person": {"name": "A", "home": _HOME}, "boss": {"name": "B", "home": _HOME}},
        ],
        bad=[
            bad(
                {"person": {"name": "A", "home": _HOME, "former": [{}]}},
                {"person.former[0].street": "is required", "person.former[0].city": "is required"},
            ),
            bad(
                {"person": {"name": "A", "home": _HOME, "by_label": {"x": 5}}},
                {"person.by_label.x": "is 5, must be an object"},
                lost=True,
            ),
            bad(
                {"person": {"name": "A", "home": _HOME}, "boss": {"name": "B"}},
                {"boss.home": "is required (an object)"},
            ),
            bad({"person": {"name": "A", "home": _HOME}, "boss": 5}, {"boss": "is 5, must be an object or null"}),
        ],
    ),
    Case(
        tool=exact,
        good=[{"what": {"a": 1}}],
        bad=[bad({"what": {"a": 1, "b": 2}}, {"what.b": "is not a field here; the fields are: a"}, lost=True)],
    ),
    Case(
        tool=plant,
        good=[{"tree": {"value": 1}}, {"tree": {"value": 1, "children": [{"value": 2, "children": [{"value": 3}]}]}}],
        bad=[
            bad(
                {"tree": {"value": 1, "children": [{"value": 2, "children": [{"value": "x"}]}]}},
                {"tree.children[0].children[0].value": "is 'x', must be an integer"},
            ),
        ],
        older="none",
    ),
    Case(
        tool=show,
        good=[{"page": {"items": [_HOME], "total": 1}}],
        bad=[bad({"page": {"items": [{"city": "Rome"}], "total": 1}}, {"page.items[0].street": "is required"})],
    ),
    Case(
        tool=label,
        good=[{"tags": ["a"]}],
        bad=[bad({"tags": [1]}, {"tags[0]": "is 1, must be text"})],
        older="differs",
    ),
    Case(
        tool=send,
        good=[{"letter": {"from": "Ada"}}],
        bad=[bad({"letter": {"from_": "Ada"}}, {"letter.from": "is required (text)"})],
        older="differs",
    ),
    Case(
        tool=pack,
        good=[{"line": {"sku": "a"}}, {"line": {"sku": "a", "quantity": 2, "notes": ["x"]}}],
        bad=[bad({"line": {"quantity": 2}}, {"line.sku": "is required"})],
        older="none",
    ),
    Case(
        tool=pack_all,
        good=[{"lines": [{"sku": "a"}]}],
        bad=[
            bad({"lines": [{"sku": "a", "quantity": "1"}]}, {"lines[0].quantity": "is '1'"}, taken=COERCED),
            bad({"lines": [{"sku": "a"}, {}]}, {"lines[1].sku": "is required"}),
        ],
    ),
    Case(
        tool=select,
        good=[{"filters": [{"field": "a"}, {"field": "b", "value": None}], "options": {"deep": True}}, {"filters": []}],
        bad=[
            bad({"filters": [{"value": 1}]}, {"filters[0].field": "is required (text)"}),
            bad({"filters": [], "options": {"limit": "x"}}, {"options.limit": "is 'x', must be an integer"}),
        ],
    ),
]
