"""Tables for the terminal: rows in columns that are as wide as their content, in a pipe as on a screen."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rich.cells import cell_len

from adk_agent_sim.text.escaping import escape_line
from adk_agent_sim.text.terminal_output import TerminalText

_MAX_WIDTH = 40
"""The most columns of a terminal that a column of a table has; a longer text moves the rest of its row."""


def format_table(rows: Sequence[Sequence[str]], *, right: Collection[int] = ()) -> list[TerminalText]:
    """Return a line per row.

    Args:
        rows: The texts of the cells, which are escaped here; each row has the same number of them.
        right: The columns that are aligned to the right, such as those of numbers, counted from 0.
    """
    cells = [list(map(escape_line, row)) for row in rows]
    widths = [min(_MAX_WIDTH, max(map(cell_len, column))) for column in zip(*cells, strict=True)]
    return [
        TerminalText("  ".join(_pad(row[at], width, at in right) for at, width in enumerate(widths)).rstrip())
        for row in cells
    ]


def shorten_cell(text: str) -> str:
    """Return a text that fits into a column, with an ellipsis if it has been cut."""
    return text if len(text) <= _MAX_WIDTH else f"{text[: _MAX_WIDTH - 1]}…"


def _pad(text: str, width: int, is_right: bool) -> str:
    space = " " * (width - cell_len(text))
    return space + text if is_right else text + space
