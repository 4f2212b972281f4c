"""Chance that can be told again: a stream of ids and numbers that depends on a seed and a name, and on nothing else.

The n-th draw is a pure function of (seed, name, n), so a stream is put back to an earlier point by its count alone.
"""

from __future__ import annotations

from hashlib import blake2b


class WorldRandom:
    """A seeded stream of draws. `count` says how many were made, and may be set to go back."""

    def __init__(self, seed: int, name: str) -> None:
        """Start the stream of that name.

        Args:
            seed: The seed of the run.
            name: Whose stream it is, such as the name of an app.
        """
        self._key = f"{seed}/{name}/".encode("utf-8", "surrogatepass")
        self.draw_count = 0

    def new_id(self) -> str:
        """An id that no other draw gives: 32 hexadecimal digits."""
        return self._next_bytes().hex()

    def next_float(self) -> float:
        """A number from 0 up to, and without, 1."""
        return int.from_bytes(self._next_bytes()[:7], "big") / (1 << 56)

    def uniform(self, low: float, high: float) -> float:
        """A number between two others."""
        return low + (high - low) * self.next_float()

    def _next_bytes(self) -> bytes:
        self.draw_count += 1
        return blake2b(self._key + str(self.draw_count).encode(), digest_size=16).digest()
