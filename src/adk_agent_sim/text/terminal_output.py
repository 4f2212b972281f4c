"""Prints to the terminal, also tables; nothing else in the package does, but for the counts of
`cli/benches/bench_progress.py`.

Every text is escaped unless it is a `TerminalText`, which only `style` and `join_text` create. Joining one with another
text in any other way yields a plain text, whose colours are then printed as escapes: forgetting this is visible, not
dangerous.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Collection, Generator, Iterable, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout, suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, cast

import click

from adk_agent_sim.text.escaping import escape_document, escape_json, escape_line, escape_message

_own_output: IO[str] | None = None
"""Where results are printed while the standard output belongs to somebody else; None if it does not."""


class OutputClosed(BrokenPipeError):
    """The program that reads our output has ended, such as `head`. It is no error of ours or of the user."""


class TerminalText(str):
    """Text that is safe to print: escaped, and maybe coloured."""

    __slots__ = ()


def style(text: str, *, fg: str | None = None, bold: bool | None = None) -> TerminalText:
    """Return a text, escaped in one line, with a colour or in bold."""
    return TerminalText(click.style(_make_line(text), fg=fg, bold=bold))


def join_text(*parts: str) -> TerminalText:
    """Return the parts as one line; those that are not safe yet are escaped."""
    return TerminalText("".join(map(_make_line, parts)))


def stack_lines(lines: Iterable[str]) -> TerminalText:
    """Return texts as lines below each other; those that are not safe yet are escaped, each in one line."""
    return TerminalText("\n".join(map(_make_line, lines)))


def make_document(text: str) -> TerminalText:
    """Return a text of several lines that is safe to print."""
    return text if isinstance(text, TerminalText) else TerminalText(escape_document(text))


@contextmanager
def send_other_output_to_stderr() -> Generator[None]:
    """Send what others print to standard output, such as an agent's code, to standard error inside the context.

    What this module prints still goes to standard output, so a result stays readable by programs.
    """
    global _own_output  # noqa: PLW0603 - there is one standard output in a process
    before, output = _own_output, cast("IO[str]", sys.stdout)
    with ExitStack() as stack:
        with suppress(OSError):  # what tests and notebooks replace it by may have no file descriptor
            output = stack.enter_context(_move_descriptor(output))
        stack.enter_context(redirect_stdout(sys.stderr))
        _own_output = output
        try:
            yield
        finally:
            output.flush()
            _own_output = before


@contextmanager
def _move_descriptor(stream: IO[str]) -> Generator[IO[str]]:
    """Let the stream's file descriptor write to standard error, also for subprocesses; yield its old target."""
    descriptor, error_descriptor = stream.fileno(), sys.stderr.fileno()
    stream.flush()
    with os.fdopen(os.dup(descriptor), "w", encoding="utf-8", errors="backslashreplace") as moved:
        os.dup2(error_descriptor, descriptor)
        try:
            yield moved
        finally:
            moved.flush()
            os.dup2(moved.fileno(), descriptor)


def _write(text: str, *, err: bool = False, nl: bool = True) -> None:
    try:
        click.echo(text, file=None if err else _own_output, err=err, nl=nl)
    except BrokenPipeError as error:
        _discard_output(sys.stderr if err else _own_output or sys.stdout)
        raise OutputClosed(*error.args) from error


def _discard_output(stream: IO[str]) -> None:
    """Let a stream without a reader write to nowhere, so that flushing what it still holds does not fail again."""
    with suppress(OSError), Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), stream.fileno())


def print_line(*parts: str, err: bool = False) -> None:
    """Print one line: line breaks in a part are escaped."""
    _write(join_text(*parts), err=err)


def print_lines(lines: Iterable[str], *, err: bool = False) -> None:
    """Print each text as one line."""
    for line in lines:
        print_line(line, err=err)


def print_document(text: str, *, err: bool = False) -> None:
    """Print a text of several lines; a line break is added if it does not end with one."""
    safe = make_document(text)
    _write(safe, err=err, nl=not safe.endswith("\n"))


def print_message(text: str, *, fg: str | None = None, err: bool = False) -> None:
    """Print a message indented by two spaces, in a colour; a terminal cannot take one of its lines for another."""
    _write(click.style(f"  {escape_message(text)}", fg=fg), err=err)


def print_json(value: Any, *, indent: int | None = 2) -> None:
    """Print a value as JSON."""
    print_json_text(json.dumps(value, indent=indent, ensure_ascii=False))


def print_json_text(text: str) -> None:
    """Print a text that is JSON, or has a JSON value in each line."""
    _write(escape_json(text), nl=not text.endswith("\n"))


def print_progress(text: str) -> None:
    """Replace the last line of the terminal by a text, without ending it."""
    click.echo(f"\r  {escape_line(text)}", nl=False, err=True)


def erase_progress() -> None:
    """Erase what `print_progress` printed."""
    click.echo("\r" + " " * 78 + "\r", nl=False, err=True)


def print_uncaught(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
    """Print the traceback of an exception; a replacement for `sys.excepthook`."""
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, where)
        return
    click.echo(escape_document("".join(traceback.format_exception(kind, error, where))), nl=False, err=True)


def _make_line(text: str) -> str:
    return text if isinstance(text, TerminalText) else escape_line(text)


_MAX_WIDTH = 40
"""The most columns of a terminal that a column of a table has; a longer text moves the rest of its row."""


def format_table(rows: Sequence[Sequence[str]], *, right: Collection[int] = ()) -> list[TerminalText]:
    """Return a line per row.

    Args:
        rows: The texts of the cells, which are escaped here; each row has the same number of them.
        right: The columns that are aligned to the right, such as those of numbers, counted from 0.
    """
    cells = [list(map(escape_line, row)) for row in rows]
    widths = [min(_MAX_WIDTH, max(map(_count_columns, column))) for column in zip(*cells, strict=True)]
    return [
        TerminalText("  ".join(_pad(row[at], width, at in right) for at, width in enumerate(widths)).rstrip())
        for row in cells
    ]


def shorten_cell(text: str) -> str:
    """Return a text that fits into a column, with an ellipsis if it has been cut."""
    return text if len(text) <= _MAX_WIDTH else f"{text[: _MAX_WIDTH - 1]}…"


def _pad(text: str, width: int, is_right: bool) -> str:
    space = " " * (width - _count_columns(text))
    return space + text if is_right else text + space


def _count_columns(text: str) -> int:
    from rich.cells import cell_len  # noqa: PLC0415 - most commands print no table, and none does for --help

    return cell_len(text)
