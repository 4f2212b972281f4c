"""Makes ids unique, in time that does not depend on how often an id was used before."""

from __future__ import annotations


class UniqueIds:
    """Ids of one history. A model may use the same id for several calls, and files may repeat or omit them."""

    def __init__(self, separator: str) -> None:
        """Start without ids; `separator` stands between an id that was used before and its number."""
        self._separator = separator
        self._used: set[str] = set()
        self._last_numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._used)

    def assign(self, wanted: str) -> str:
        """Return the id, or with the first free number from 2 up if it was used before."""
        free, number = wanted, self._last_numbers.get(wanted, 1)
        while free in self._used:
            number += 1
            free = f"{wanted}{self._separator}{number}"
        self._last_numbers[wanted] = number
        self._used.add(free)
        return free
