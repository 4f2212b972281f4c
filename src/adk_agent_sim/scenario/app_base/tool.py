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

_DECLARATION_ATTRIBUTE = "__adksim_tool__"

_Method = TypeVar("_Method", bound=Callable[..., Any])


class ToolKind(StrEnum):
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


class NotificationLevel(StrEnum):
    """How much the agent wants to be told; each level has what the ones before it have."""

    LOW = "LOW"
    MEDIUM = "MEDIUM"
    HIGH = "HIGH"


APP, ENV, USER, DATA = ToolKind
READ, WRITE = Operation
LOW, MEDIUM, HIGH = NotificationLevel


@dataclass(frozen=True)
class NotificationTemplate:
    """What the agent is told when a tool was called."""

    level: NotificationLevel
    """The lowest level at which the agent is told."""

    text: str
    """The text after the name of the app's class; `{argument}` stands for an argument of the call."""

    notify_own_calls: bool = True
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

    kinds: frozenset[ToolKind]

    operation: Operation | None
    """None: the call is not logged."""

    arguments: tuple[Argument, ...]

    return_type: str
    """The type of what it returns, as Python writes it."""

    notification: NotificationTemplate | None
    """None: the agent is never told."""

    type_checked: bool
    """Whether a call with an argument of another type is refused before it does anything."""

    success_text: str = ""
    """What an agent sees of a call that went well, where that is not what was returned."""

    @cached_property
    def required_arguments(self) -> tuple[str, ...]:
        """The names of the arguments that must be given."""
        return tuple(each.name for each in self.arguments if each.required and not each.variadic)

    @cached_property
    def annotations(self) -> Mapping[str, str]:
        """The types of the arguments by name, as Python writes them."""
        return {each.name: each.annotation for each in self.arguments if not each.variadic}

    def find_argument(self, name: str) -> Argument | None:
        """The argument of that name, or the one that stands for any further ones."""
        found = next((each for each in self.arguments if each.name == name and not each.variadic), None)
        return found or next((each for each in self.arguments if each.variadic), None)


@dataclass(frozen=True, kw_only=True)
class _ToolDeclaration:
    kinds: frozenset[ToolKind]
    operation: Operation | None
    return_type: str
    notification: NotificationTemplate | None
    type_checked: bool
    success_text: str


def tool(
    *kinds: ToolKind,
    operation: Operation | None,
    return_type: str = "",
    notification: NotificationTemplate | None = None,
    type_checked: bool = True,
    success_text: str = "",
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
    mark = _ToolDeclaration(
        kinds=frozenset(kinds),
        operation=operation,
        return_type=return_type,
        notification=notification,
        type_checked=type_checked,
        success_text=success_text,
    )

    def mark_method(method: _Method) -> _Method:
        setattr(method, _DECLARATION_ATTRIBUTE, mark)
        return method

    return mark_method


def read_tool(method: object) -> Tool | None:
    """The tool that a method declares, if it is one."""
    mark = getattr(method, _DECLARATION_ATTRIBUTE, None)
    if not isinstance(mark, _ToolDeclaration) or not inspect.isfunction(method):
        return None
    signature = inspect.signature(method)
    described = _parse_docstring(inspect.getdoc(method) or "")
    return Tool(
        name=method.__name__,
        description=described.pop("", ""),
        kinds=mark.kinds,
        operation=mark.operation,
        arguments=tuple(_read_argument(each, described) for each in list(signature.parameters.values())[1:]),
        return_type=mark.return_type or _format_annotation(signature.return_annotation),
        notification=mark.notification,
        type_checked=mark.type_checked,
        success_text=mark.success_text,
    )


def _read_argument(parameter: inspect.Parameter, descriptions: dict[str, str]) -> Argument:
    variadic = parameter.kind is inspect.Parameter.VAR_KEYWORD
    required = not variadic and parameter.default is inspect.Parameter.empty
    return Argument(
        name=parameter.name,
        annotation=_format_annotation(parameter.annotation),
        description=descriptions.get(parameter.name, ""),
        required=required,
        default=None if required or variadic else parameter.default,
        variadic=variadic,
    )


def _format_annotation(annotation: object) -> str:
    """A type as Python writes it, whether the module postpones annotations or not."""
    if annotation is inspect.Signature.empty:
        return "Any"
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def _parse_docstring(docstring: str) -> dict[str, str]:
    """What a docstring says: of the tool under the empty name, of each argument under its own."""
    summary, _, listed = docstring.partition("\n\nArgs:\n")
    lines = (line.strip().partition(": ") for line in listed.splitlines() if line.strip())
    return {"": " ".join(summary.split())} | {name: text for name, _, text in lines}
