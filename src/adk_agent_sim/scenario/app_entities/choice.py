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
        """Return the listed value, ignoring case and anything up to the last dot, such as the enumeration's name.

        Raises:
            ValueError: It is not an allowed value.
        """
        wanted = value.rpartition(".")[2] if isinstance(value, str) else value
        for each in self.values:
            if isinstance(wanted, str) and each.lower() == wanted.lower():
                return each
        raise ValueError(f"{wanted!r} is not a valid {self.name}")

    def format_qualified(self, value: object) -> str:
        """Return an allowed value with the name of the enumeration in front, as agents see it; others as they are."""
        return f"{self.name}.{value.upper()}" if isinstance(value, str) and value in self.values else str(value)
