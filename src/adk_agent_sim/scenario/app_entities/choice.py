"""A choice among a few words, and how agents may write it."""

from __future__ import annotations


class Choice:
    """The words that a field can hold, under a common name."""

    def __init__(self, name: str, *values: str) -> None:
        """List the words.

        Args:
            name: What the choice is called in errors.
            values: The words.
        """
        self.name = name
        self.values = values

    def parse_exact(self, value: object) -> str:
        """The word, written as it is listed.

        Raises:
            ValueError: It is not listed.
        """
        if isinstance(value, str) and value in self.values:
            return value
        raise ValueError(f"{value!r} is not a valid {self.name}")

    def parse_lenient(self, value: object) -> str:
        """The word, in upper or lower case, with or without the name of the choice in front.

        Raises:
            ValueError: It is not listed.
        """
        wanted = str(value).removeprefix(f"{self.name}.").lower()
        for each in self.values:
            if each.lower() == wanted:
                return each
        raise ValueError(f"{value!r} is not a valid {self.name}")

    def format_qualified(self, value: str | None) -> str:
        """The word with the name of the choice in front, as agents see it."""
        return f"{self.name}.{value.upper()}" if value else str(value)
