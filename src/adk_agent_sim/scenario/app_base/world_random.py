"""Reproducible randomness: a stream of ids and numbers that depends only on a seed and a name.

The n-th draw is a pure function of (seed, name, n), so the draw count alone restores a stream.
"""

from __future__ import annotations

import math
from hashlib import blake2b

_HIGHEST_FRACTION = math.nextafter(1, 0)


class WorldRandom:
    """A seeded random stream. Setting `draw_count` moves it to that position."""

    def __init__(self, seed: int, name: str) -> None:
        """Start the stream of a name.

        Args:
            seed: The seed of the run.
            name: The owner of the stream, such as the name of an app.
        """
        # Names of apps come from files and may contain lone surrogates, which UTF-8 cannot encode strictly.
        self._key = f"{seed}/{name}/".encode("utf-8", "surrogatepass")
        self.draw_count = 0

    def new_id(self) -> str:
        """Return a unique id of 32 hexadecimal digits."""
        return self._next_bytes().hex()

    def next_float(self) -> float:
        """Return a number in the interval [0, 1)."""
        # A float has 53 bits, so the highest quotients of 56 would be rounded to 1.
        return min(int.from_bytes(self._next_bytes()[:7], "big") / (1 << 56), _HIGHEST_FRACTION)

    def uniform(self, low: float, high: float) -> float:
        """Return a number in the interval [low, high)."""
        drawn = low + (high - low) * self.next_float()
        # The sum is rounded, too.
        return min(drawn, math.nextafter(high, low)) if low < high else drawn

    def _next_bytes(self) -> bytes:
        self.draw_count += 1
        return blake2b(self._key + str(self.draw_count).encode(), digest_size=16).digest()
