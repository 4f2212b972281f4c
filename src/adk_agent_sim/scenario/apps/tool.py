"""What a tool of an app declares: who may call it, whether it changes anything, and what the agent is told of it.

The arguments are those of the method that carries the mark, their meaning is in its docstring; `calling` runs it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, TypeVar

_MARK = "__adksim_tool__"

_Method = TypeVar("_Method", bound=Callable[..., Any])


class Kind(StrEnum):
    """Who may call a tool."""

    APP = "app"
    """The agent."""
    ENV = "env"
    """The scenario's ENV events."""
    USER = "user"
    """The scenario's USER events."""
    DATA = "data"
    """Whoever prepares the data of a scenario; never in a run."""


class Operation(StrEnum):
    """Whether a call changes the world, as it is logged for the agent's calls."""

    READ = "READ"
    WRITE = "WRITE"


class Level(StrEnum):
    """How much the agent wants to be told; each level has what the ones before it have."""

    LOW = "LOW"
    MEDIUM = "MEDIUM"
    HIGH = "HIGH"


APP, ENV, USER, DATA = Kind
READ, WRITE = Operation
LOW, MEDIUM, HIGH = Level


@dataclass(frozen=True)
class Notice:
    """What the agent is told when a tool was called."""

    level: Level
    """The lowest level at which the agent is told."""

    text: str
    """The text after the name of the app's class; `{argument}` stands for an argument of the call."""

    own_calls: bool = True
    """Whether the agent is told of its own calls too."""


@dataclass(frozen=True, kw_only=True)
class Argument:
    """One argument of a tool."""

    name: str

    annotation: str
    """Its type, as Python writes it."""

    description: str = ""

    required: bool = True

    default: Any = None
    """What is used when it is left out; means nothing when it is required."""

    variadic: bool = False
    """Stands for any further arguments, by their names."""


@dataclass(frozen=True, kw_only=True)
class Tool:
    """One tool of an app."""

    name: str

    description: str
    """What it does, for a model."""

    kinds: frozenset[Kind]

    operation: Operation | None
    """None: the call is not logged."""

    arguments: tuple[Argument, ...]

    returns: str
    """The type of what it returns, as Python writes it."""

    notice: Notice | None
    """None: the agent is never told."""

    type_checked: bool
    """Whether a call with an argument of another type is refused before it does anything."""

    says: str = ""
    """What an agent sees of a call that went well, where that is not what was returned."""

    @cached_property
    def required(self) -> tuple[str, ...]:
        """The names of the arguments that must be given."""
        return tuple(each.name for each in self.arguments if each.required and not each.variadic)

    @cached_property
    def annotations(self) -> Mapping[str, str]:
        """The types of the arguments by name, as Python writes them."""
        return {each.name: each.annotation for each in self.arguments if not each.variadic}

    def argument(self, name: str) -> Argument | None:
        """The argument of that name, or the one that stands for any further ones."""
        found = next((each for each in self.arguments if each.name == name and not each.variadic), None)
        return found or next((each for each in self.arguments if each.variadic), None)


@dataclass(frozen=True, kw_only=True)
class _Mark:
    kinds: frozenset[Kind]
    operation: Operation | None
    returns: str
    notice: Notice | None
    type_checked: bool
    says: str


def tool(
    *kinds: Kind,
    operation: Operation | None,
    returns: str = "",
    notice: Notice | None = None,
    type_checked: bool = True,
    says: str = "",
) -> Callable[[_Method], _Method]:
    """Mark a method as a tool.

    Args:
        kinds: Who may call it.
        operation: As what a call is logged; None if it is not.
        returns: What it returns, where the annotation does not say it.
        notice: What the agent is told.
        type_checked: Whether the types of arguments are checked before the call.
        says: What an agent sees of a call that went well, where that is not what was returned.
    """
    mark = _Mark(
        kinds=frozenset(kinds),
        operation=operation,
        returns=returns,
        notice=notice,
        type_checked=type_checked,
        says=says,
    )

    def marked(method: _Method) -> _Method:
        setattr(method, _MARK, mark)
        return method

    return marked


def declared(method: object) -> Tool | None:
    """The tool that a method declares, if it is one."""
    mark = getattr(method, _MARK, None)
    if not isinstance(mark, _Mark) or not inspect.isfunction(method):
        return None
    signature = inspect.signature(method)
    described = _described(inspect.getdoc(method) or "")
    return Tool(
        name=method.__name__,
        description=described.pop("", ""),
        kinds=mark.kinds,
        operation=mark.operation,
        arguments=tuple(_argument(each, described) for each in list(signature.parameters.values())[1:]),
        returns=mark.returns or _written(signature.return_annotation),
        notice=mark.notice,
        type_checked=mark.type_checked,
        says=mark.says,
    )


def _argument(parameter: inspect.Parameter, described: dict[str, str]) -> Argument:
    variadic = parameter.kind is inspect.Parameter.VAR_KEYWORD
    required = not variadic and parameter.default is inspect.Parameter.empty
    return Argument(
        name=parameter.name,
        annotation=_written(parameter.annotation),
        description=described.get(parameter.name, ""),
        required=required,
        default=None if required or variadic else parameter.default,
        variadic=variadic,
    )


def _written(annotation: object) -> str:
    """A type as Python writes it, whether the module postpones annotations or not."""
    if annotation is inspect.Signature.empty:
        return "Any"
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def _described(docstring: str) -> dict[str, str]:
    """What a docstring says: of the tool under the empty name, of each argument under its own."""
    summary, _, listed = docstring.partition("\n\nArgs:\n")
    lines = (line.strip().partition(": ") for line in listed.splitlines() if line.strip())
    return {"": " ".join(summary.split())} | {name: text for name, _, text in lines}
