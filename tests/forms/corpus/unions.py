"""Unions of models, with and without a discriminator field."""

from __future__ import annotations

from typing import Annotated, Literal, Union

from forms.corpus.case import Case, bad
from pydantic import BaseModel, Field


class Expression(BaseModel):
    left: Union[int, Expression]
    right: Union[int, Expression]


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"] = "dog"
    good: bool


class Bird(BaseModel):
    kind: Literal["parrot", "finch"]
    words: list[str]


Pet = Annotated[Union[Cat, Dog, Bird], Field(discriminator="kind")]


class Owner(BaseModel):
    pets: list[Pet]


class Card(BaseModel):
    number: str


class Transfer(BaseModel):
    iban: str
    bank: str


def evaluate(expression: Expression) -> str:
    return "done"


def adopt(pet: Pet) -> str:
    return "done"


def register(owner: Owner) -> str:
    return "done"


def pay(how: Union[Card, Transfer]) -> str:
    return "done"


def pay_or_not(how: Card | None = None) -> str:
    return "done"


CASES = [
    Case(
        tool=evaluate,
        good=[{"expression": {"left": 1, "right": {"left": 2, "right": 3}}}],
        bad=[
            bad({"expression": {"left": 1, "right": {"left": 2}}}, {"expression.right.right": "is required"}),
            bad(
                {"expression": {"left": 1, "right": "x"}},
                {"expression.right": "is 'x', must be an integer or an object"},
            ),
        ],
        older="none",
    ),
    Case(
        tool=adopt,
        good=[
            {"pet": {"kind": "cat"}},
            {"pet": {"kind": "dog", "good": True}},
            {"pet": {"kind": "finch", "words": []}},
        ],
        bad=[
            bad({"pet": {"kind": "dog"}}, {"pet.good": "is required (true or false)"}),
            bad({"pet": {"kind": "cat", "lives": "nine"}}, {"pet.lives": "is 'nine', must be an integer"}),
            bad({"pet": {"kind": "parrot"}}, {"pet.words": "is required (a list)"}),
            bad({"pet": {"kind": "fish"}}, {"pet.kind": "is 'fish', must be one of: 'cat', 'dog', 'parrot', 'finch'"}),
            bad({"pet": {}}, {"pet.kind": "is required (one of: 'cat', 'dog', 'finch', 'parrot')"}),
            bad({"pet": 5}, {"pet": "is 5"}),
        ],
        older="differs",
    ),
    Case(
        tool=register,
        good=[{"owner": {"pets": [{"kind": "cat"}, {"kind": "dog", "good": False}]}}],
        bad=[bad({"owner": {"pets": [{"kind": "cat"}, {"kind": "dog"}]}}, {"owner.pets[1].good": "is required"})],
        older="looser",
    ),
    Case(
        tool=pay,
        good=[{"how": {"number": "1"}}, {"how": {"iban": "x", "bank": "y"}}],
        bad=[
            bad({"how": {"iban": "x"}}, {"how": "matches none of 2 variants; closest: how."}),
            bad({"how": "cash"}, {"how": "is 'cash', matches none of 2 variants"}),
        ],
    ),
    Case(
        tool=pay_or_not,
        good=[{}, {"how": None}, {"how": {"number": "1"}}],
        bad=[bad({"how": {}}, {"how.number": "is required (text)"})],
    ),
]
