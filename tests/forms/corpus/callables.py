"""Everything that can be called: methods, partials, decorated and async functions, with every kind of parameter."""

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from forms.corpus.case import IGNORED, Case, bad
from google.adk.tools import LongRunningFunctionTool, ToolContext
from pydantic import BaseModel

P = ParamSpec("P")
R = TypeVar("R")


def with_context(query: str, tool_context: ToolContext) -> str:
    assert tool_context.state is not None
    return "done"


def context_by_type(ctx: ToolContext, query: str) -> str:
    assert ctx.state is not None
    return "done"


def keyword_only(*, name: str, loud: bool = False) -> str:
    return "done"


def positional_only(a: int, /, b: int = 2) -> str:
    return "done"


def with_rest(first: int, *more: int, **named: str) -> str:
    return "done"


async def asynchronous(city: str) -> str:
    return "done"


def forward(node: "Later") -> str:
    return "done"


class Later(BaseModel):
    a: int


def forward_calls(function: Callable[P, R]) -> Callable[P, R]:
    @functools.wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        return function(*args, **kwargs)

    return wrapper


@forward_calls
def decorated(amount: float, currency: str = "EUR") -> str:
    return "done"


class Shop:
    def stock(self, sku: str, limit: int = 5) -> str:
        return "done"

    @classmethod
    def named(cls, name: str) -> str:
        return "done"

    @staticmethod
    def tax(rate: float) -> str:
        return "done"


class Converter:
    """Convert between units."""

    def __call__(self, value: float, unit: str) -> str:
        return "done"


def _convert(value: float, unit: str, digits: int = 2) -> str:
    return "done"


to_metres = functools.partial(_convert, unit="m")


def approve(amount: int) -> str:
    return "done"


CASES = [
    Case(
        tool=with_context,
        good=[{"query": "x"}],
        bad=[
            bad({}, {"query": "is required"}),
            bad(
                {"query": "x", "tool_context": {}},
                {"tool_context": "is not a field here; the fields are: query"},
                taken=IGNORED,
            ),
        ],
    ),
    Case(tool=context_by_type, good=[{"query": "x"}], bad=[bad({"query": 1}, {"query": "must be text"})]),
    Case(
        tool=keyword_only,
        good=[{"name": "a"}, {"name": "a", "loud": True}],
        bad=[bad({"loud": True}, {"name": "is required"})],
    ),
    Case(
        tool=positional_only,
        good=[{"a": 1}, {"a": 1, "b": 3}],
        bad=[bad({"b": 3}, {"a": "is required"}), bad({"a": "x"}, {"a": "must be an integer"})],
    ),
    Case(
        tool=with_rest,
        good=[{"first": 1}],
        bad=[bad({"first": 1, "colour": "red"}, {"colour": "the fields are: first"}, taken=IGNORED)],
    ),
    Case(tool=asynchronous, good=[{"city": "Rome"}], bad=[bad({"city": ["Rome"]}, {"city": "must be text"})]),
    Case(tool=forward, good=[{"node": {"a": 1}}], bad=[bad({"node": 5}, {"node": "is 5, must be an object"})]),
    Case(
        tool=decorated,
        good=[{"amount": 1.5}, {"amount": 2, "currency": "CHF"}],
        bad=[bad({"amount": None}, {"amount": "must be a number"})],
    ),
    Case(
        tool=Shop().stock, good=[{"sku": "a"}], bad=[bad({"self": 1}, {"sku": "is required", "self": "is not a field"})]
    ),
    Case(tool=Shop.named, good=[{"name": "a"}], bad=[bad({"name": 1}, {"name": "must be text"})]),
    Case(tool=Shop.tax, good=[{"rate": 0.2}], bad=[bad({"rate": "20%"}, {"rate": "must be a number"})]),
    Case(
        tool=Converter(),
        good=[{"value": 1, "unit": "m"}],
        bad=[bad({"value": 1}, {"unit": "is required"})],
    ),
    Case(
        tool=to_metres,
        good=[{"value": 1}, {"value": 1, "digits": 3}],
        bad=[bad({"value": "1 m"}, {"value": "must be a number"})],
    ),
    Case(
        tool=LongRunningFunctionTool(approve),
        good=[{"amount": 5}],
        bad=[bad({"amount": "five"}, {"amount": "must be an integer"})],
    ),
]
