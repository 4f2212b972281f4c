"""Chance that can be told again: a stream of ids and numbers that depends on a seed and a name, and on nothing else.

The n-th draw is a pure function of (seed, name, n), so a stream is put back to an earlier point by its count alone.
"""

from __future__ import annotations

from hashlib import blake2b


class Chance:
    """A seeded stream of draws. `count` says how many were made, and may be set to go back."""

    def __init__(self, seed: int, name: str) -> None:
        """Start the stream of that name.

        Args:
            seed: The seed of the run.
            name: Whose stream it is, such as the name of an app.
        """
        self._key = f"{seed}/{name}/".encode("utf-8", "surrogatepass")
        self.count = 0

    def new_id(self) -> str:
        """An id that no other draw gives: 32 hexadecimal digits."""
        return self._draw().hex()

    def fraction(self) -> float:
        """A number from 0 up to, and without, 1."""
        return int.from_bytes(self._draw()[:7], "big") / (1 << 56)

    def between(self, low: float, high: float) -> float:
        """A number between two others."""
        return low + (high - low) * self.fraction()

    def _draw(self) -> bytes:
        self.count += 1
        return blake2b(self._key + str(self.count).encode(), digest_size=16).digest()
