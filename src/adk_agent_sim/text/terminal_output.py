"""Prints to the terminal; nothing else in the package does.

Every text is escaped unless it is a `TerminalText`, which only `style` and `join_text` create. Joining one with another
text in any other way yields a plain text, whose colours are then printed as escapes: forgetting this is visible, not
dangerous.
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Iterable
from types import TracebackType
from typing import Any

import click

from adk_agent_sim.text.escaping import escape_document, escape_json, escape_line, escape_message


class TerminalText(str):
    """Text that is safe to print: escaped, and maybe coloured."""

    __slots__ = ()


def style(text: str, *, fg: str | None = None, bold: bool | None = None) -> TerminalText:
    """Returns a text, escaped in one line, with a colour or in bold."""
    return TerminalText(click.style(_make_line(text), fg=fg, bold=bold))


def join_text(*parts: str) -> TerminalText:
    """Returns the parts as one line; those that are not safe yet are escaped."""
    return TerminalText("".join(map(_make_line, parts)))


def stack_lines(lines: Iterable[str]) -> TerminalText:
    """Returns texts as lines below each other; those that are not safe yet are escaped, each in one line."""
    return TerminalText("\n".join(map(_make_line, lines)))


def make_document(text: str) -> TerminalText:
    """Returns a text of several lines that is safe to print."""
    return text if isinstance(text, TerminalText) else TerminalText(escape_document(text))


def print_line(*parts: str, err: bool = False) -> None:
    """Print one line: line breaks in a part are escaped."""
    click.echo(join_text(*parts), err=err)


def print_lines(lines: Iterable[str], *, err: bool = False) -> None:
    """Print each text as one line."""
    for line in lines:
        print_line(line, err=err)


def print_document(text: str, *, err: bool = False) -> None:
    """Print a text of several lines; a line break is added if it does not end with one."""
    safe = make_document(text)
    click.echo(safe, err=err, nl=not safe.endswith("\n"))


def print_message(text: str, *, fg: str | None = None, err: bool = False) -> None:
    """Print a message indented by two spaces, in a colour; a terminal cannot take one of its lines for another."""
    click.echo(click.style(f"  {escape_message(text)}", fg=fg), err=err)


def print_json(value: Any, *, indent: int | None = 2) -> None:
    """Print a value as JSON."""
    print_json_text(json.dumps(value, indent=indent, ensure_ascii=False))


def print_json_text(text: str) -> None:
    """Print a text that is JSON, or has a JSON value in each line."""
    click.echo(escape_json(text), nl=not text.endswith("\n"))


def print_progress(text: str) -> None:
    """Replace the last line of the terminal by a text, without ending it."""
    click.echo(f"\r  {escape_line(text)}", nl=False, err=True)


def erase_progress() -> None:
    """Erase what `print_progress` printed."""
    click.echo("\r" + " " * 60 + "\r", nl=False, err=True)


def print_uncaught(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
    """Print the traceback of an exception; a replacement for `sys.excepthook`."""
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, where)
        return
    click.echo(escape_document("".join(traceback.format_exception(kind, error, where))), nl=False, err=True)


def _make_line(text: str) -> str:
    return text if isinstance(text, TerminalText) else escape_line(text)
