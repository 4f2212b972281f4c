"""Execution of tool calls: argument checks, logging, notifications, and the text that the agent sees.

Names of arguments are always checked, types if the tool asks for it; the error texts are ARE's.

A call by the agent or the user whose arguments do not fit is rejected and not logged. A call that a scenario event
makes is logged and notified in any case; it is logged as READ unless it is an oracle event, which stands for a call of
the agent.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol, cast

from adk_agent_sim.errors import UnknownTool
from adk_agent_sim.scenario.app_base.app import APP, ENV, READ, USER, App, AppCall, Argument, CallerRole, Tool, ToolKind

_JSON_TYPES: Mapping[str, type | None] = {
    "str": str, "int": int, "float": float, "bool": bool, "list": list, "dict": dict, "None": type(None), "Any": None
}  # fmt: skip


def check_arguments(tool: Tool, arguments: Mapping[str, Any]) -> None:
    """Check the arguments of a call.

    Raises:
        TypeError: An argument is missing or unknown, or has the wrong type.
    """
    known = tool.annotations
    for name in tool.required_arguments:
        if name not in arguments:
            raise TypeError(f"missing a required argument: {name!r}")
    # Equal numbers mean that the tool has no `**kwargs`, which would take an argument of any name.
    if len(known) == len(tool.arguments):
        for name in arguments:
            if name not in known:
                raise TypeError(f"got an unexpected keyword argument {name!r}")
    if tool.type_checked:
        for name, annotation in known.items():
            if name in arguments and not matches_type(arguments[name], annotation):
                # ARE prints plain types as classes and generic ones as `typing` does.
                expected = _JSON_TYPES.get(annotation) or annotation.replace("Any", "typing.Any")
                raise TypeError(f"Argument {name!r} must be of type {expected}, got {type(arguments[name])}")


def matches_type(value: object, annotation: str) -> bool:
    """Return whether a value has a type given as Python source, such as `list[str] | None`.

    An int is not accepted as a float, as in ARE; every value is accepted for types that JSON does not have.
    """
    return _build_checker(annotation)(value)


@cache
def _build_checker(annotation: str) -> Callable[[object], bool]:
    if len(options := split_outside_brackets(annotation, "|")) > 1:
        checkers = [_build_checker(each) for each in options]
        return lambda value: any(check(value) for check in checkers)
    outer, _, inner = annotation.removesuffix("]").partition("[")
    item_types = split_outside_brackets(inner, ",")
    if outer == "dict" and len(item_types) == len(("key", "value")):
        return _build_dict_checker(*map(_build_checker, item_types))
    if outer == "list" and inner:
        return _build_list_checker(_build_checker(inner))
    return _build_class_checker(_JSON_TYPES.get(outer))


def split_outside_brackets(text: str, separator: str) -> list[str]:
    """Split a text at the separators that are not inside square brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "[") - (character == "]")
        if character == separator and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def _build_class_checker(expected_class: type | None) -> Callable[[object], bool]:
    return lambda value: expected_class is None or isinstance(value, expected_class)


def _build_list_checker(check_item: Callable[[object], bool]) -> Callable[[object], bool]:
    def check_list(value: object) -> bool:
        return isinstance(value, list | set) and all(map(check_item, cast("list[object]", value)))

    return check_list


def _build_dict_checker(
    check_key: Callable[[object], bool], check_value: Callable[[object], bool]
) -> Callable[[object], bool]:
    def check_dict(value: object) -> bool:
        items = cast("dict[object, object]", value).items() if isinstance(value, dict) else None
        return items is not None and all(check_key(name) and check_value(each) for name, each in items)

    return check_dict


_TYPE_SCHEMAS: dict[str, dict[str, Any]] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "None": {"type": "null"},
    "list": {"type": "array"},
    "dict": {"type": "object"},
}
"""Any other type gets an empty schema, which accepts every value."""


def build_parameters_schema(tool: Tool) -> dict[str, Any]:
    """Return the JSON Schema of the object that holds a tool's arguments."""
    named = [each for each in tool.arguments if not each.variadic]
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {each.name: _build_property_schema(each) for each in named},
    }
    if tool.required_arguments:
        schema["required"] = list(tool.required_arguments)
    return schema | {"additionalProperties": len(named) < len(tool.arguments)}


def build_type_schema(annotation: str) -> dict[str, Any]:
    """Return the JSON Schema of a type given as Python source, such as `list[str] | None`."""
    if len(options := split_outside_brackets(annotation, "|")) > 1:
        return {"anyOf": [build_type_schema(each) for each in options]}
    outer, _, inner = annotation.removesuffix("]").partition("[")
    schema = dict(_TYPE_SCHEMAS.get(outer, {}))
    if outer == "list" and inner:
        schema["items"] = build_type_schema(inner)
    if outer == "dict" and inner:
        schema["additionalProperties"] = build_type_schema(split_outside_brackets(inner, ",")[-1])
    return schema


def _build_property_schema(argument: Argument) -> dict[str, Any]:
    schema = build_type_schema(argument.annotation)
    if argument.description:
        schema["description"] = argument.description
    if not argument.required and _is_json_serializable(argument.default):
        schema["default"] = argument.default
    return schema


def _is_json_serializable(value: object) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True


_CALLABLE_KINDS: Mapping[CallerRole, frozenset[ToolKind]] = {
    CallerRole.AGENT: frozenset({APP}),
    CallerRole.ENV: frozenset({ENV, USER}),
    CallerRole.USER: frozenset({ENV, USER}),
}
"""The kinds of tools that each caller can call. Like ARE, scenarios do not distinguish ENV and USER tools."""


@dataclass(frozen=True, kw_only=True)
class CallOutcome:
    """The result of a call."""

    value: Any = None
    """The return value."""

    text: str | None = None
    """What an agent sees of it; None if the call failed."""

    error: Exception | None = None
    """The exception, if the call failed. Its class and text are part of the tool's interface."""


class ArgumentResolver(Protocol):
    """Replaces placeholders in the arguments of a scenario event's call."""

    @property
    def unresolved_names(self) -> Set[str]:
        """The arguments that are still a placeholder."""
        ...

    def resolve(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments that are passed."""
        ...


def can_call(tool: Tool, caller: CallerRole) -> bool:
    """Return whether this caller can call the tool."""
    return bool(tool.kinds & _CALLABLE_KINDS[caller])


def find_tool(app: App, function: str, caller: CallerRole) -> Tool:
    """Return the tool of an app that this caller can call.

    Raises:
        UnknownTool: The app has no such tool for this caller.
    """
    tool = app.tools().get(function)
    if tool is None or not can_call(tool, caller):
        callable_names = ", ".join(name for name, each in app.tools().items() if can_call(each, caller))
        message = (
            f"{app.name} ({type(app).__name__}) has no tool {function[:80]!r} that can be called via {caller.value}"
        )
        raise UnknownTool(f"{message}. It has: {callable_names or 'none'}.")
    return tool


def call_tool(
    app: App,
    function: str,
    arguments: Mapping[str, Any],
    *,
    caller: CallerRole,
    scheduled: bool = False,
    resolver: ArgumentResolver | None = None,
) -> CallOutcome:
    """Call a tool on behalf of a caller. Exceptions of the tool are returned in the outcome, not raised.

    Args:
        app: The app.
        function: The name of the tool.
        arguments: The arguments by name.
        caller: Who calls.
        scheduled: Whether a scenario event makes the call; calls by ENV always count as scheduled.
        resolver: Replaces placeholders in the arguments of a scenario event. Those of an action expected of the agent
            are completed and checked before, as in ARE, so that the values that replace placeholders are not checked.
    """
    tool = find_tool(app, function, caller)
    world = app.context
    scheduled = scheduled or caller is CallerRole.ENV
    # A tool can let time pass (wait_for_notification), during which scenario events make calls: save and restore.
    before = world.caller, world.suppress_nested_logging
    # ARE logs an event as a single entry: what its tool calls in turn is not logged.
    world.caller, world.suppress_nested_logging = caller, scheduled
    try:
        if resolver is not None and caller is CallerRole.AGENT:
            arguments, outcome, has_started = _run_expected_call(app, tool, arguments, resolver)
        else:
            arguments = arguments if resolver is None else resolver.resolve(arguments)
            # An event's call of a tool that does not check types reaches the tool, which finds wrong names itself.
            is_checked = tool.type_checked or (tool.operation is not None and not scheduled)
            outcome, has_started = _run_tool(app, tool, arguments, is_checked=is_checked, render_text=True)
    finally:
        world.caller, world.suppress_nested_logging = before
    if not has_started and not scheduled:
        return outcome
    operation = READ if scheduled and caller is not CallerRole.AGENT else tool.operation
    if operation is not None:
        world.record_call(
            AppCall(
                caller=caller,
                operation=operation,
                app=app,
                function=function,
                arguments=dict(arguments),
                value=outcome.value,
                error=outcome.error,
            )
        )
    if tool.notification is not None and (caller is not CallerRole.AGENT or tool.notification.notify_own_calls):
        hidden = frozenset[str]() if resolver is None else resolver.unresolved_names
        shown = {name: value for name, value in arguments.items() if name not in hidden}
        notification = app.build_notification(tool, shown)
        # ARE also notifies of a scheduled call that failed.
        if notification is not None and (scheduled or outcome.error is None):
            world.notify_agent(notification)
    return outcome


def call_nested_tool(app: App, function: str, /, **arguments: Any) -> Any:
    """Call a tool from inside another tool. The call is logged like one of the agent; exceptions propagate."""
    tool = app.tools()[function]
    world = app.context
    is_checked = tool.type_checked or tool.operation is not None
    outcome, has_started = _run_tool(app, tool, arguments, is_checked=is_checked, render_text=False)
    if has_started and not world.suppress_nested_logging and world.caller is not None and tool.operation is not None:
        world.record_call(
            AppCall(
                caller=world.caller,
                operation=tool.operation,
                app=app,
                function=function,
                arguments=arguments,
                value=outcome.value,
                error=outcome.error,
                is_nested=True,
            )
        )
    if outcome.error is not None:
        raise outcome.error
    return outcome.value


def _run_expected_call(
    app: App, tool: Tool, arguments: Mapping[str, Any], resolver: ArgumentResolver
) -> tuple[dict[str, Any], CallOutcome, bool]:
    """Make a call that is expected of the agent, with defaults. Further arguments are one argument, as in ARE.

    Returns the arguments of the call, the outcome, and whether the tool was called.
    """
    complete = fill_in_defaults(tool, arguments)
    try:
        check_arguments(tool, arguments)
    except TypeError as error:
        return complete, CallOutcome(error=error), False
    resolved = resolver.resolve(complete)
    return resolved, *_run_tool(app, tool, resolved, is_checked=False, render_text=True)


def fill_in_defaults(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments in the order of the tool's signature, including defaults; further ones as `kwargs`."""
    complete = {each.name: arguments.get(each.name, each.default) for each in tool.arguments if not each.variadic}
    further = {name: value for name, value in arguments.items() if name not in complete}
    variadic = next((each.name for each in tool.arguments if each.variadic), None)
    return complete | (further if variadic is None else {variadic: further})


def _run_tool(
    app: App, tool: Tool, arguments: Mapping[str, Any], *, is_checked: bool, render_text: bool
) -> tuple[CallOutcome, bool]:
    """Return the outcome, and whether the arguments were accepted so that the tool was called."""
    try:
        if is_checked:
            check_arguments(tool, arguments)
    except TypeError as error:
        return CallOutcome(error=error), False
    try:
        value = getattr(app, tool.name)(**arguments)
        text = app.render_result(tool, value) if render_text else None
        return CallOutcome(value=value, text=text), True
    except Exception as failure:  # noqa: BLE001 - the boundary of a tool: any exception is its result
        return CallOutcome(error=failure), True
