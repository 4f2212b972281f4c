"""Plain types, defaults, and what may be null."""

from typing import Any, List, Optional, Union, cast

from forms.corpus.case import COERCED, IGNORED, Case, bad


def add(a: int, b: int) -> str:
    """Add two numbers."""
    return "done"


def greet(name: str) -> str:
    return "done"


def set_volume(level: float) -> str:
    return "done"


def switch_light(on: bool) -> str:
    return "done"


def search(query: str, limit: int = 10) -> str:
    return "done"


def book(seats: int = 1, vegetarian: bool = False, note: str = "", price: float = 9.5) -> str:
    return "done"


def ping() -> str:
    return "done"


def remind(text: str, minutes: Optional[int] = None) -> str:
    return "done"


def rename(old: str, new: str | None) -> str:
    return "done"


def find(key: Union[int, str]) -> str:
    return "done"


def mark(value: int | float | str | bool | None = None) -> str:
    return "done"


def tag(names: List[str]) -> str:
    return "done"


def remember(anything: Any) -> str:
    return "done"


def untyped(a, b=3):  # pyright: ignore
    return "done"


def wrong_default(limit: int = None) -> str:  # noqa: RUF013 # pyright: ignore[reportArgumentType]
    return "done"


CASES = [
    Case(
        tool=add,
        good=[{"a": 1, "b": 2}, {"a": 0, "b": -(10**30)}, {"a": 1.0, "b": 2}],
        bad=[
            bad({"a": 1}, {"b": "is required (an integer)"}),
            bad({}, {"a": "is required (an integer)", "b": "is required (an integer)"}),
            bad({"a": "one", "b": 2}, {"a": "is 'one', must be an integer"}),
            bad({"a": 1.5, "b": 2}, {"a": "is 1.5, must be an integer"}),
            bad({"a": True, "b": 2}, {"a": "is True, must be an integer"}, taken=COERCED),
            bad({"a": "1", "b": 2}, {"a": "is '1', must be an integer"}, taken=COERCED),
            bad({"a": 1, "b": 2, "c": 3}, {"c": "is not a field here; the fields are: a, b"}, taken=IGNORED),
        ],
    ),
    Case(
        tool=greet,
        good=[{"name": "Ada"}, {"name": ""}, {"name": "日本\ud83c\udf89"}],
        bad=[
            bad({"name": 5}, {"name": "is 5, must be text"}),
            bad({"name": None}, {"name": "is None, must be text"}),
            bad({"Name": "Ada"}, {"name": "is required", "Name": "the fields are: name"}),
        ],
    ),
    Case(
        tool=set_volume,
        good=[{"level": 0.5}, {"level": 3}, {"level": -0.0}],
        bad=[bad({"level": "loud"}, {"level": "must be a number"}), bad({"level": [1]}, {"level": "must be a number"})],
    ),
    Case(
        tool=switch_light,
        good=[{"on": True}, {"on": False}],
        bad=[
            bad({"on": "maybe"}, {"on": "is 'maybe', must be true or false"}),
            bad({"on": 1}, {"on": "is 1, must be true or false"}, taken=COERCED),
        ],
    ),
    Case(
        tool=search,
        good=[{"query": "x"}, {"query": "x", "limit": 3}],
        bad=[
            bad({"limit": 3}, {"query": "is required (text)"}),
            bad({"query": "x", "limit": None}, {"limit": "must be"}),
        ],
    ),
    Case(
        tool=book,
        good=[{}, {"seats": 2, "vegetarian": True, "note": "window", "price": 3}],
        bad=[bad({"seats": "two", "price": "free"}, {"seats": "must be an integer", "price": "must be a number"})],
    ),
    Case(tool=ping, good=[{}], bad=[bad({"x": 1}, {"x": "is not a field here; the fields are: none"}, taken=IGNORED)]),
    Case(
        tool=remind,
        good=[{"text": "tea"}, {"text": "tea", "minutes": 5}, {"text": "tea", "minutes": None}],
        bad=[bad({"text": "tea", "minutes": "soon"}, {"minutes": "is 'soon', must be an integer or null"})],
    ),
    Case(
        tool=rename,
        good=[{"old": "a", "new": None}, {"old": "a", "new": "b"}],
        bad=[
            bad({"old": "a"}, {"new": "is required (text or null)"}, lost=True),
            bad({"old": None, "new": 5}, {"old": "must be text", "new": "must be text or null"}),
        ],
    ),
    Case(
        tool=find,
        good=[{"key": 5}, {"key": "five"}],
        bad=[
            bad({"key": [5]}, {"key": "is [5], must be an integer or text"}),
            bad({"key": None}, {"key": "is None, must be an integer or text"}),
        ],
    ),
    Case(
        tool=mark,
        good=[{}, {"value": 5}, {"value": 0.5}, {"value": "x"}, {"value": True}, {"value": None}],
        bad=[bad({"value": {}}, {"value": "must be an integer or a number or text or true or false or null"})],
    ),
    Case(
        tool=tag,
        good=[{"names": []}, {"names": ["a", "b"]}],
        bad=[
            bad({"names": ["a", 2]}, {"names[1]": "is 2, must be text"}),
            bad({"names": "a"}, {"names": "is 'a', must be a list"}),
        ],
    ),
    Case(
        tool=remember,
        good=[{"anything": value} for value in (None, 5, "x", [1, "a"], {"a": {"b": None}}, True)],
        bad=[bad({}, {"anything": "is required"})],
    ),
    Case(
        tool=cast("Any", untyped),
        good=[{"a": 1}, {"a": [], "b": "x"}],
        bad=[bad({}, {"a": "is required"})],
        older="looser",
    ),
    Case(
        tool=wrong_default,
        good=[{}, {"limit": 5}],
        bad=[bad({"limit": "x"}, {"limit": "must be an integer"})],
    ),
]
