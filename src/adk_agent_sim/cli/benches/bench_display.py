"""The line on a terminal that shows how far a bench is: a bar and counts, drawn by rich.

It shows numbers and words of this package, and the names of agents and models, which are escaped. It starts no thread,
because workers may be forked from this process.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task
from rich.table import Column
from rich.text import Text

from adk_agent_sim.text.escaping import escape_line

_BAR_WIDTH = 20

StyledText: TypeAlias = tuple[str, str]
"""A text, and rich's style for it."""


class BenchDisplay:
    """Draws the line on standard error, and erases it at the end."""

    def __init__(self, total: int) -> None:
        """Draw nothing yet.

        Args:
            total: The number of runs of the plan.
        """
        # What is redirected through rich would be interpreted by it.
        self._progress = Progress(
            BarColumn(_BAR_WIDTH, complete_style="cyan", finished_style="cyan"),  # by default as red as a failure
            _CountsColumn(),
            console=_VisibleCursorConsole(stderr=True, force_terminal=True, force_jupyter=False),
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._task = self._progress.add_task("", total=total, counts=Text())

    def show(self, done: int, parts: Sequence[StyledText]) -> None:
        """Replace the line."""
        self._progress.update(self._task, completed=done, counts=_join(parts))
        self._progress.start()
        self._progress.refresh()

    def close(self) -> None:
        """Erase the line, if one was drawn."""
        self._progress.stop()


def _join(parts: Iterable[StyledText]) -> Text:
    return Text(", ").join(Text(escape_line(text), style) for text, style in parts)


class _CountsColumn(ProgressColumn):
    """The counts; in a narrow terminal, the end of them is left out."""

    def __init__(self) -> None:
        super().__init__(Column(no_wrap=True, overflow="ellipsis"))

    def render(self, task: Task) -> Text:
        return task.fields["counts"]


class _VisibleCursorConsole(Console):
    """Leaves the cursor alone: a process that is killed could not show it again."""

    def show_cursor(self, show: bool = True) -> bool:
        return False
