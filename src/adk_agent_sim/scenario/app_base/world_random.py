"""Reproducible randomness: a stream of ids and numbers that depends only on a seed and a name.

The n-th draw is a pure function of (seed, name, n), so the draw count alone restores a stream.
"""

from __future__ import annotations

from hashlib import blake2b


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
        return int.from_bytes(self._next_bytes()[:7], "big") / (1 << 56)

    def uniform(self, low: float, high: float) -> float:
        """Return a number in the interval [low, high)."""
        return low + (high - low) * self.next_float()

    def _next_bytes(self) -> bytes:
        self.draw_count += 1
        return blake2b(self._key + str(self.draw_count).encode(), digest_size=16).digest()
