"""Random values of one mocked response: each is a pure function of the call and of the place that it is for.

A response has many values, so only the call's own key is hashed; the places are mixed into it with integers. A field
that is added to a schema does not change the values of the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

_MASK = (1 << 64) - 1
_FLOAT_BITS = 53

_Item = TypeVar("_Item")


def make_salt(*place: str) -> int:
    """Return the number that stands for a place in a response, such as the path of a field."""
    return int.from_bytes(blake2b("\0".join(place).encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


class KeyedDraws:
    """The random values of one call, or of one item in its response."""

    __slots__ = ("_base",)

    def __init__(self, base: int) -> None:
        """Begin with the 64 random bits of a call."""
        self._base = base

    def derive(self, number: int) -> KeyedDraws:
        """Return the values of an item in a list."""
        # The factor is that of SplitMix64: it spreads consecutive numbers over all 64 bits.
        return KeyedDraws(self.draw_bits(number * 0x9E3779B97F4A7C15 + 1))

    def draw_bits(self, salt: int) -> int:
        """Return 64 random bits for a place; the finalizer of SplitMix64."""
        mixed = (self._base ^ salt) & _MASK
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        return mixed ^ (mixed >> 31)

    def draw_integer(self, salt: int, low: int, high: int) -> int:
        """Return a number from `low` to `high`, both included."""
        return low + self.draw_bits(salt) % (high - low + 1)

    def draw_fraction(self, salt: int) -> float:
        """Return a number in [0, 1)."""
        return (self.draw_bits(salt) >> (64 - _FLOAT_BITS)) / (1 << _FLOAT_BITS)

    def choose(self, salt: int, items: Sequence[_Item]) -> _Item:
        """Return one of the items."""
        return items[self.draw_bits(salt) % len(items)]
