"""The root of the exception hierarchy, and the problem of a value that does not match its schema."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

OVERRIDE_HINT = "Pass force=True to send it anyway."
"""How a caller of the Python API overrides a check."""


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One mismatch between a value and its schema."""

    path: str
    """The path of the field, such as `items[0].quantity`; empty for the value as a whole."""

    message: str
    """What is wrong, and which values are valid."""

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class SimulatorError(Exception):
    """The base class of all errors that the package raises."""


def join_problems(problems: Sequence[Problem]) -> str:
    """Return the problems as one line of text."""
    return "; ".join(str(problem) for problem in problems)
