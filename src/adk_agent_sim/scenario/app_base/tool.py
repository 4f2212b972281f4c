"""Declaration of app tools: who may call them, whether they change anything, and what the agent is notified of.

The `tool` decorator marks a method; its signature gives the arguments and its docstring the descriptions. `tool_call`
executes the tools.
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
    """ENV events of the scenario."""
    USER = "user"
    """USER events of the scenario."""
    DATA = "data"
    """Code that prepares the data of a scenario; never called in a run."""


class Operation(StrEnum):
    """Whether a call changes the world. Logged with the call."""

    READ = "READ"
    WRITE = "WRITE"


class NotificationLevel(StrEnum):
    """How many notifications the agent receives; each level includes those of the levels before it."""

    LOW = "LOW"
    MEDIUM = "MEDIUM"
    HIGH = "HIGH"


APP, ENV, USER, DATA = ToolKind
"""Who calls a tool: the agent, events of the environment, events of the user, or nobody (it only prepares data)."""

READ, WRITE = Operation
"""What a tool does with the state of its app."""

LOW, MEDIUM, HIGH = NotificationLevel
"""The level of a notification: an agent gets those of its own level and of the levels before it."""


@dataclass(frozen=True)
class NotificationTemplate:
    """The notification that the agent receives when a tool was called."""

    level: NotificationLevel
    """The lowest level at which the agent receives it."""

    text: str
    """The text after the app's class name; `{argument}` is replaced by an argument of the call."""

    notify_own_calls: bool = True
    """Whether the agent is also notified of its own calls."""


@dataclass(frozen=True, kw_only=True)
class Argument:
    """One argument of a tool."""

    name: str

    annotation: str
    """The type, as Python source."""

    description: str = ""

    required: bool = True

    default: Any = None
    """The default value; meaningless for a required argument."""

    variadic: bool = False
    """Whether it is `**kwargs` and stands for any further named arguments."""


@dataclass(frozen=True, kw_only=True)
class Tool:
    """One tool of an app."""

    name: str

    description: str
    """What it does; shown to models."""

    kinds: frozenset[ToolKind]

    operation: Operation | None
    """None if calls are not logged."""

    arguments: tuple[Argument, ...]

    return_type: str
    """The type of the return value, as Python source."""

    notification: NotificationTemplate | None
    """None if the agent is never notified."""

    type_checked: bool
    """Whether a call is rejected before it runs if an argument has the wrong type."""

    success_text: str = ""
    """What an agent sees of a successful call, if that is not the return value."""

    @cached_property
    def required_arguments(self) -> tuple[str, ...]:
        """The names of the required arguments."""
        return tuple(each.name for each in self.arguments if each.required and not each.variadic)

    @cached_property
    def annotations(self) -> Mapping[str, str]:
        """The types of the named arguments by name, as Python source."""
        return {each.name: each.annotation for each in self.arguments if not each.variadic}

    def find_argument(self, name: str) -> Argument | None:
        """Return the argument of that name, or the variadic argument, or None."""
        named = next((each for each in self.arguments if each.name == name and not each.variadic), None)
        return named or next((each for each in self.arguments if each.variadic), None)


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
        operation: The operation that calls are logged as; None if they are not logged.
        return_type: The return type as Python source, if it differs from the annotation.
        notification: What the agent is notified of.
        type_checked: Whether argument types are checked before the call.
        success_text: What an agent sees of a successful call, if that is not the return value.
    """
    declaration = _ToolDeclaration(
        kinds=frozenset(kinds),
        operation=operation,
        return_type=return_type,
        notification=notification,
        type_checked=type_checked,
        success_text=success_text,
    )

    def mark_method(method: _Method) -> _Method:
        setattr(method, _DECLARATION_ATTRIBUTE, declaration)
        return method

    return mark_method


def read_tool(method: object) -> Tool | None:
    """Return the tool that a method declares, or None if it is not marked as a tool."""
    declaration = getattr(method, _DECLARATION_ATTRIBUTE, None)
    if not isinstance(declaration, _ToolDeclaration) or not inspect.isfunction(method):
        return None
    signature = inspect.signature(method)
    descriptions = _parse_docstring(inspect.getdoc(method) or "")
    return Tool(
        name=method.__name__,
        description=descriptions.pop("", ""),
        kinds=declaration.kinds,
        operation=declaration.operation,
        arguments=tuple(_read_argument(each, descriptions) for each in list(signature.parameters.values())[1:]),
        return_type=declaration.return_type or _format_annotation(signature.return_annotation),
        notification=declaration.notification,
        type_checked=declaration.type_checked,
        success_text=declaration.success_text,
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
    """Return a type as Python source, whether or not the module postpones the evaluation of annotations."""
    if annotation is inspect.Signature.empty:
        return "Any"
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def _parse_docstring(docstring: str) -> dict[str, str]:
    """Return the descriptions in a docstring by argument name; the tool's own is under the empty name."""
    summary, _, arguments = docstring.partition("\n\nArgs:\n")
    lines = (line.strip().partition(": ") for line in arguments.splitlines() if line.strip())
    return {"": " ".join(summary.split())} | {name: text for name, _, text in lines}
