"""The interface between a player and a world: what a player sees, and what it does next.

```
PlayerView (notifications, tools, last results) --> WorldPlayer.choose_action --> PlayerAction
        ^                                                                             |
        +---- world <-- build_tool_call: messages and waits are calls of tools too <--+
```
The same players work in the loop of `play_world` and in the place of an agent's model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from adk_agent_sim.errors import UnknownTool
from adk_agent_sim.scenario.world.agent_tools import OfferedTool
from adk_agent_sim.timeline.world_events import NotificationDelivered


@dataclass(frozen=True, kw_only=True)
class ToolResult:
    """What the agent sees of a call."""

    name: str
    """The tool, under the name by which it was called."""

    text: str
    """The result, or the text of the error."""

    is_error: bool = False


@dataclass(frozen=True, kw_only=True)
class PlayerView:
    """What an agent sees before its next action."""

    now: float
    """The simulated time, in seconds since 1970."""

    tools: Mapping[str, OfferedTool]
    """The tools by the names under which the agent calls them."""

    notifications: Sequence[NotificationDelivered] = ()
    """The notifications since the last view."""

    results: Sequence[ToolResult] = ()
    """The results of the calls since the last view."""


@dataclass(frozen=True, kw_only=True)
class ToolUse:
    """The player calls a tool."""

    name: str
    """The name under which the tool is offered."""

    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, kw_only=True)
class MessageToUser:
    """The player says something to the user, which ends its turn."""

    text: str


@dataclass(frozen=True, kw_only=True)
class NotificationWait:
    """The player waits for a notification."""

    seconds: int
    """How long at most."""


@dataclass(frozen=True)
class PlayFinished:
    """The player does nothing more."""


PlayerAction: TypeAlias = ToolUse | MessageToUser | NotificationWait | PlayFinished


class WorldPlayer(Protocol):
    """Plays the agent of a scenario. One player plays one run."""

    def choose_action(self, view: PlayerView) -> PlayerAction:
        """Return the next action. Not called again after `PlayFinished`."""
        ...


def build_tool_call(action: PlayerAction, tools: Mapping[str, OfferedTool]) -> ToolUse | None:
    """Return the call that an action stands for, under the name by which its tool is offered; None if it is no call.

    Raises:
        UnknownTool: The world does not offer such a tool.
    """
    match action:
        case ToolUse():
            return action
        case MessageToUser(text=text):
            name = find_offered_name(tools, "AgentUserInterface", "send_message_to_user")
            return ToolUse(name=name, arguments={"content": text})
        case NotificationWait(seconds=seconds):
            name = find_offered_name(tools, "SystemApp", "wait_for_notification")
            return ToolUse(name=name, arguments={"timeout": seconds})
        case PlayFinished():
            return None


def find_offered_name(tools: Mapping[str, OfferedTool], app: str, function: str) -> str:
    """Return the name under which the tool of an app is offered.

    Raises:
        UnknownTool: The world does not offer such a tool.
    """
    plain_name = f"{app}__{function}"
    if (plain := tools.get(plain_name)) is not None and (plain.app, plain.tool.name) == (app, function):
        return plain_name
    for name, each in tools.items():
        if (each.app, each.tool.name) == (app, function):
            return name
    raise UnknownTool(f"The agent is not offered the tool {plain_name[:120]!r}. Add its app to the scenario.")


_PATIENCE_SECONDS = 24 * 60 * 60
"""How long it waits for the next notification before it gives up."""


class IdlePlayer:
    """Never calls a tool and never answers; a scenario that it passes demands nothing."""

    def __init__(self) -> None:
        self._is_waiting = False

    def choose_action(self, view: PlayerView) -> PlayerAction:
        """Wait as long as something happens."""
        # What ends a wait without anything else is the notification that the time is up.
        if self._is_waiting and len(view.notifications) <= 1 and _has_timed_out(view):
            return PlayFinished()
        self._is_waiting = True
        return NotificationWait(seconds=_PATIENCE_SECONDS)


def _has_timed_out(view: PlayerView) -> bool:
    return all(each.text.startswith("SystemApp: Wait for notification timeout") for each in view.notifications)
