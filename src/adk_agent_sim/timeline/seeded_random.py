"""Reproducible random numbers: a draw is a pure function of a seed and a key that says what it decides.

Calls share no stream, so a run gives the same draws however its tasks interleave. Values that differ between runs
(session ids, call ids, the time) must not be part of a key.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TypeAlias

DrawKey: TypeAlias = str | int
"""One component of a key."""

_FLOAT_BITS = 53
"""The precision of a float between 0 and 1."""


def draw_uniform(seed: int, *key: DrawKey) -> float:
    """Return a number in [0, 1), uniformly distributed over the keys."""
    # All 64 bits would be rounded, and could yield 1.0.
    return (draw_bits(seed, *key) >> (64 - _FLOAT_BITS)) / (1 << _FLOAT_BITS)


def draw_bits(seed: int, *key: DrawKey) -> int:
    """Return 64 random bits, uniformly distributed over the keys."""
    digest = blake2b(repr((seed, key)).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big")
