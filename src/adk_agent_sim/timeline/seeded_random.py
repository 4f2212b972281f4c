"""Chance that can be repeated: a draw is a pure function of a seed and of what it decides.

There is no stream that calls would share, so the same run gives the same draws however its tasks interleave. What is
random by itself (session ids, call ids, the time) never belongs into a key.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TypeAlias

DrawKey: TypeAlias = str | int
"""One part of what a draw decides."""

_FLOAT_BITS = 53
"""What a float between 0 and 1 holds."""


def draw_uniform(seed: int, *key: DrawKey) -> float:
    """A number from 0 up to, but not including, 1; for other keys another one, as if thrown."""
    digest = blake2b(repr((seed, key)).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return (int.from_bytes(digest, "big") >> (64 - _FLOAT_BITS)) / (1 << _FLOAT_BITS)
