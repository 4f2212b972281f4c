"""Decorators that add several options to a command at once."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any, TypeAlias

CommandFunction: TypeAlias = Callable[..., Any]
Decorator: TypeAlias = Callable[[CommandFunction], CommandFunction]


def combine_options(*options: Decorator) -> Decorator:
    """Return a decorator that adds options, which `--help` lists in this order."""
    return lambda command: functools.reduce(lambda decorated, option: option(decorated), reversed(options), command)


def group_options(parameter: str, settings: type, options: Sequence[Decorator]) -> Decorator:
    """Return a decorator that adds options whose values the command gets as one object.

    Args:
        parameter: The parameter of the command for the object.
        settings: Its class, a dataclass whose fields have the names of the options.
        options: The options, as `--help` lists them.
    """

    def decorate(command: CommandFunction) -> CommandFunction:
        @functools.wraps(command)
        def collect(**values: Any) -> Any:
            own = {field.name: values.pop(field.name) for field in fields(settings) if field.name in values}
            return command(**{parameter: settings(**own)}, **values)

        return combine_options(*options)(collect)

    return decorate
