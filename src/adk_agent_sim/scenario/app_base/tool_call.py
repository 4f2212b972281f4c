"""Execution of tool calls: argument checks, logging, notifications, and the text that the agent sees.

A call by the agent or the user whose arguments do not fit is rejected and not logged. A call that a scenario event
makes is logged and notified in any case; it is logged as READ unless it is an oracle event, which stands for a call of
the agent.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any, Protocol

from adk_agent_sim.errors import UnknownTool
from adk_agent_sim.scenario.app_base.app import APP, ENV, READ, USER, App, AppCall, CallerRole, Tool, ToolKind
from adk_agent_sim.scenario.app_base.argument_check import check_arguments

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
