"""Calling a tool: whether the arguments fit, what is logged, what the agent is told and sees.

A call by the agent, or by the user himself, is refused before it is logged when its arguments do not fit. A call that a
scenario's event makes is logged and told in any case, as READ unless it stands for one of the agent's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from adk_agent_sim.errors import UnknownTool
from adk_agent_sim.scenario.app_base.app import App
from adk_agent_sim.scenario.app_base.app_context import AppCall, CallerRole
from adk_agent_sim.scenario.app_base.argument_check import check_arguments
from adk_agent_sim.scenario.app_base.tool import APP, ENV, READ, USER, Tool, ToolKind

_CALLABLE_KINDS: Mapping[CallerRole, frozenset[ToolKind]] = {
    CallerRole.AGENT: frozenset({APP}),
    CallerRole.ENV: frozenset({ENV, USER}),
    CallerRole.USER: frozenset({ENV, USER}),
}
"""Whose tools each caller can call; scenarios make no difference between what happens and what the user does."""


@dataclass(frozen=True, kw_only=True)
class CallOutcome:
    """What came of a call."""

    value: Any = None
    """What the tool returned."""

    text: str | None = None
    """What an agent sees of it; None if the call failed."""

    error: Exception | None = None
    """Why it failed: the class and the text that the app chose."""


def can_call(tool: Tool, caller: CallerRole) -> bool:
    """Whether this caller can call the tool."""
    return bool(tool.kinds & _CALLABLE_KINDS[caller])


def find_tool(app: App, function: str, caller: CallerRole) -> Tool:
    """The tool of an app that this caller can call.

    Raises:
        UnknownTool: The app has no such tool for this caller.
    """
    tool = app.tools().get(function)
    if tool is None or not can_call(tool, caller):
        offered = ", ".join(name for name, each in app.tools().items() if can_call(each, caller))
        message = (
            f"{app.name} ({type(app).__name__}) has no tool {function[:80]!r} that can be called via {caller.value}"
        )
        raise UnknownTool(f"{message}. It has: {offered or 'none'}.")
    return tool


def call_tool(
    app: App, function: str, arguments: Mapping[str, Any], *, caller: CallerRole, scheduled: bool = False
) -> CallOutcome:
    """Call a tool from outside; what it raises is in the outcome, not raised.

    Args:
        app: The app.
        function: The name of the tool.
        arguments: The arguments by name.
        via: Who calls.
        scheduled: Whether an event of the scenario makes the call; what happens by itself always is.
    """
    tool = find_tool(app, function, caller)
    world = app.context
    scheduled = scheduled or caller is CallerRole.ENV
    before = world.caller, world.suppress_nested_logging
    world.caller, world.suppress_nested_logging = caller, scheduled
    try:
        outcome, begun = _run_tool(app, tool, arguments, render_text=True)
    finally:
        world.caller, world.suppress_nested_logging = before
    if not begun and not scheduled:
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
        message = app.build_notification(tool, arguments)
        if message is not None and (scheduled or outcome.error is None):
            world.notify_agent(message)
    return outcome


def call_nested_tool(app: App, function: str, /, **arguments: Any) -> Any:
    """Call a tool from inside another one: it is logged like the agent's own calls, and raises what it raises."""
    tool = app.tools()[function]
    world = app.context
    outcome, begun = _run_tool(app, tool, arguments, render_text=False)
    if begun and not world.suppress_nested_logging and world.caller is not None and tool.operation is not None:
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


def _run_tool(app: App, tool: Tool, arguments: Mapping[str, Any], *, render_text: bool) -> tuple[CallOutcome, bool]:
    """What came of it, and whether the arguments let it begin."""
    try:
        if tool.operation is not None:
            check_arguments(tool, arguments)
    except TypeError as misfit:
        return CallOutcome(error=misfit), False
    try:
        value = getattr(app, tool.name)(**arguments)
        text = app.render_result(tool, value) if render_text else None
        return CallOutcome(value=value, text=text), True
    except Exception as failure:  # noqa: BLE001 - the edge of a tool: whatever it raises is its answer
        return CallOutcome(error=failure), True
