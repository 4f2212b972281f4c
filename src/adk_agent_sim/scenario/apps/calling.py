"""Calling a tool: whether the arguments fit, what is logged, what the agent is told and sees.

A call by the agent, or by the user himself, is refused before it is logged when its arguments do not fit. A call that a
scenario's event makes is logged and told in any case, as READ unless it stands for one of the agent's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from adk_agent_sim.errors import ToolNotThere
from adk_agent_sim.scenario.apps.app import App
from adk_agent_sim.scenario.apps.fitting import check
from adk_agent_sim.scenario.apps.surroundings import Call, Via
from adk_agent_sim.scenario.apps.tool import APP, ENV, READ, USER, Kind, Tool

_TOOLS_OF: Mapping[Via, frozenset[Kind]] = {
    Via.AGENT: frozenset({APP}),
    Via.ENV: frozenset({ENV, USER}),
    Via.USER: frozenset({ENV, USER}),
}
"""Whose tools each caller can call; scenarios make no difference between what happens and what the user does."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of a call."""

    value: Any = None
    """What the tool returned."""

    text: str | None = None
    """What an agent sees of it; None if the call failed."""

    error: Exception | None = None
    """Why it failed: the class and the text that the app chose."""


def can_call(tool: Tool, via: Via) -> bool:
    """Whether this caller can call the tool."""
    return bool(tool.kinds & _TOOLS_OF[via])


def find_tool(app: App, function: str, via: Via) -> Tool:
    """The tool of an app that this caller can call.

    Raises:
        ToolNotThere: The app has no such tool for this caller.
    """
    tool = app.tools().get(function)
    if tool is None or not can_call(tool, via):
        offered = ", ".join(name for name, each in app.tools().items() if can_call(each, via))
        message = f"{app.name} ({type(app).__name__}) has no tool {function[:80]!r} that can be called via {via.value}"
        raise ToolNotThere(f"{message}. It has: {offered or 'none'}.")
    return tool


def call(app: App, function: str, arguments: Mapping[str, Any], *, via: Via, scheduled: bool = False) -> Outcome:
    """Call a tool from outside; what it raises is in the outcome, not raised.

    Args:
        app: The app.
        function: The name of the tool.
        arguments: The arguments by name.
        via: Who calls.
        scheduled: Whether an event of the scenario makes the call; what happens by itself always is.
    """
    tool = find_tool(app, function, via)
    world = app.world
    scheduled = scheduled or via is Via.ENV
    before = world.caller, world.quiet
    world.caller, world.quiet = via, scheduled
    try:
        outcome, begun = _run(app, tool, arguments, seen=True)
    finally:
        world.caller, world.quiet = before
    if not begun and not scheduled:
        return outcome
    operation = READ if scheduled and via is not Via.AGENT else tool.operation
    if operation is not None:
        world.record(
            Call(
                via=via,
                operation=operation,
                app=app,
                function=function,
                arguments=dict(arguments),
                value=outcome.value,
                error=outcome.error,
            )
        )
    if tool.notice is not None and (via is not Via.AGENT or tool.notice.own_calls):
        message = app.message(tool, arguments)
        if message is not None and (scheduled or outcome.error is None):
            world.tell(message)
    return outcome


def call_within(app: App, function: str, /, **arguments: Any) -> Any:
    """Call a tool from inside another one: it is logged like the agent's own calls, and raises what it raises."""
    tool = app.tools()[function]
    world = app.world
    outcome, begun = _run(app, tool, arguments, seen=False)
    if begun and not world.quiet and world.caller is not None and tool.operation is not None:
        world.record(
            Call(
                via=world.caller,
                operation=tool.operation,
                app=app,
                function=function,
                arguments=arguments,
                value=outcome.value,
                error=outcome.error,
                nested=True,
            )
        )
    if outcome.error is not None:
        raise outcome.error
    return outcome.value


def _run(app: App, tool: Tool, arguments: Mapping[str, Any], *, seen: bool) -> tuple[Outcome, bool]:
    """What came of it, and whether the arguments let it begin."""
    try:
        if tool.operation is not None:
            check(tool, arguments)
    except TypeError as misfit:
        return Outcome(error=misfit), False
    try:
        value = getattr(app, tool.name)(**arguments)
        text = app.observed(tool, value) if seen else None
        return Outcome(value=value, text=text), True
    except Exception as failure:  # noqa: BLE001 - the edge of a tool: whatever it raises is its answer
        return Outcome(error=failure), True
