"""Fields with a fixed set of values, and the spellings that agents may use for them."""

from __future__ import annotations


class Choice:
    """An enumeration: the allowed values of a field and its name."""

    def __init__(self, name: str, *values: str) -> None:
        """Define the enumeration.

        Args:
            name: The name of the enumeration in error texts.
            values: The allowed values.
        """
        self.name = name
        self.values = values

    def parse_exact(self, value: object) -> str:
        """Return the value if it is spelled exactly as listed.

        Raises:
            ValueError: It is not an allowed value.
        """
        if isinstance(value, str) and value in self.values:
            return value
        raise ValueError(f"{value!r} is not a valid {self.name}")

    def parse_lenient(self, value: object) -> str:
        """Return the listed value, ignoring case and an enumeration name in front.

        Raises:
            ValueError: It is not an allowed value.
        """
        wanted = str(value).removeprefix(f"{self.name}.").lower()
        for each in self.values:
            if each.lower() == wanted:
                return each
        raise ValueError(f"{value!r} is not a valid {self.name}")

    def format_qualified(self, value: str | None) -> str:
        """Return the value with the name of the enumeration in front, as agents see it."""
        return f"{self.name}.{value.upper()}" if value else str(value)
