"""The interface between a player and a world: what a player sees, and what it does next.

```
PlayerView (notifications, tools, last results) --> WorldPlayer.choose_action --> PlayerAction
        ^                                                                             |
        +---- world <-- build_tool_call: messages and waits are calls of tools too <--+
```
The same players work in the loop of `play_world` and in the place of an agent's model.

`OraclePlayer` does what the scenario expects, when it is expected: real calls, and messages to the user. Unlike an
agent it knows the plan of the world that it plays in, and the return values that placeholders stand for. Whether an
agent can meet the expectations does not show in a run of the scenario's events alone: there, an event of the
environment can refer to an action of a turn that no agent has ended yet.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from adk_agent_sim.errors import UnknownTool
from adk_agent_sim.scenario.format.call_arguments import ValueDoesNotFit, parse_placeholder
from adk_agent_sim.scenario.world.event_plan import PlannedEvent
from adk_agent_sim.scenario.world.event_recorder import UnresolvedReference, resolve_arguments
from adk_agent_sim.scenario.world.noise import OfferedTool
from adk_agent_sim.scenario.world.world import World
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


_MAX_ATTEMPTS = 10
"""How often it tries a call that is refused; with noise, calls fail at random."""

_MAX_PAUSES = 3
"""How often it lets a step of time pass when it does not know what it is waiting for."""


@dataclass
class _StartedCall:
    """A call that was chosen, and whose result is not known yet."""

    event: PlannedEvent
    app: str
    function: str
    call_count: int
    """How many calls of the tool the log had before."""
    attempts: int = 1


@dataclass
class OraclePlayer:
    """Follows the expected events of a world's scenario."""

    world: World

    problems: list[str] = field(default_factory=list[str])
    """Expected actions that it could not do, as sentences."""

    def __post_init__(self) -> None:
        self._open: _StartedCall | None = None
        self._times: dict[str, float] = {}
        self._return_values: dict[str, Any] = {}
        self._pauses = 0
        self._remaining = {
            name: event
            for name, event in self.world.planned_events.items()
            if event.kind == "AGENT" and event.action is not None
        }
        self._by_turn: dict[int, dict[str, PlannedEvent]] = {}
        for name, event in self._remaining.items():
            self._by_turn.setdefault(event.turn, {})[name] = event

    def choose_action(self, view: PlayerView) -> PlayerAction:
        """Return the expected action that is due, or wait for it or for what it depends on."""
        if self._open is not None and (again := self._settle_call(self._open, view)) is not None:
            return again
        while (found := self._find_next()) is not None:
            due, event = found
            # Waits are in whole seconds; less than one is not worth waiting for.
            if due - view.now >= 1:
                break
            if (action := self._start_call(event, view)) is not None:
                self._pauses = 0
                return action
        return self._wait(view, None if found is None else found[0])

    def _find_next(self) -> tuple[float, PlannedEvent] | None:
        """Return the remaining event that is due first, of those whose dependencies have happened."""
        # What follows a message to the user waits for the end of its turn, so that later turns need not be looked at.
        begun = [each for turn, events in self._by_turn.items() if turn <= self.world.turn for each in events.values()]
        due = [(time, each) for each in begun if (time := self._compute_due_time(each)) is not None]
        return min(due, key=lambda each: (each[0], each[1].event_id), default=None)

    def _compute_due_time(self, event: PlannedEvent) -> float | None:
        if event.blocked_reason:
            return None
        times = [self._get_time(each) for each in event.parents]
        known = [each for each in times if each is not None]
        if len(known) < len(times):
            return None
        if event.absolute_time is not None:
            return float(event.absolute_time)
        return max(known, default=self.world.now - self.world.elapsed) + event.delay

    def _get_time(self, event_id: str) -> float | None:
        """Return when an event happened, or None. A message to the user has happened when its turn has ended."""
        if event_id in self._remaining:
            return None
        completed = self.world.find_completion_time(event_id)
        return completed if self._is_message(event_id) else self._times.get(event_id, completed)

    def _is_message(self, event_id: str) -> bool:
        action = self.world.planned_events[event_id].action
        return action is not None and action.function == "send_message_to_user"

    def _start_call(self, event: PlannedEvent, view: PlayerView) -> PlayerAction | None:
        """Return the call of an event; None if it cannot be made, which is a problem of the scenario."""
        del self._remaining[event.event_id], self._by_turn[event.turn][event.event_id]
        action = event.action
        app, function = (action.app or "", action.function or "") if action is not None else ("", "")
        args = (action.args if action is not None else None) or []
        try:
            name = find_offered_name(view.tools, app, function)
            has_placeholders = any(parse_placeholder(each.value) for each in args)
            arguments = resolve_arguments(args, self._collect_return_values() if has_placeholders else {})
        except (UnknownTool, UnresolvedReference, ValueDoesNotFit) as error:
            self._add_problem(event, str(error))
            return None
        self._open = _StartedCall(event, app, function, len(self._list_calls(app, function)))
        self._open_use = ToolUse(name=name, arguments=arguments)
        return self._open_use

    def _settle_call(self, call: _StartedCall, view: PlayerView) -> PlayerAction | None:
        """Keep the result of the last call; return the call again if it was not made."""
        calls = self._list_calls(call.app, call.function)
        text = next((each.text for each in reversed(view.results)), "")
        # A call that noise lets fail is not logged, so an unchanged count means that trying again makes sense.
        if len(calls) == call.call_count and call.attempts < _MAX_ATTEMPTS:
            call.attempts += 1
            return self._open_use
        self._open = None
        self._times[call.event.event_id] = view.now
        if len(calls) == call.call_count:
            self._add_problem(call.event, f"the call was refused: {text}")
            return None
        event_id, error = calls[-1]
        if error is not None:
            self._add_problem(call.event, f"the call failed: {type(error).__name__}: {error}")
        elif event_id in self.world.return_values:
            self._return_values[call.event.event_id] = self.world.return_values[event_id]
        return None

    def _wait(self, view: PlayerView, due: float | None) -> PlayerAction:
        upcoming = self.world.find_upcoming_event()
        # Rounded down to be in time for an own action, and up so that an event has happened by then.
        seconds = [] if due is None else [math.floor(due - view.now)]
        if upcoming is not None and upcoming.time is not None:
            seconds.append(math.ceil(upcoming.time - view.now))
        if seconds:
            return NotificationWait(seconds=max(1, min(seconds)))
        # The end of a turn is noticed at the next step of time, after which more can be due.
        if self._remaining and self._pauses < _MAX_PAUSES:
            self._pauses += 1
            return NotificationWait(seconds=math.ceil(self.world.time_increment))
        return PlayFinished()

    def _list_calls(self, app: str, function: str) -> list[tuple[str, Exception | None]]:
        return [(each.event_id, each.error) for each in self.world.find_agent_calls(app, function)]

    def _collect_return_values(self) -> Mapping[str, Any]:
        return {**self.world.return_values, **self._return_values}

    def _add_problem(self, event: PlannedEvent, reason: str) -> None:
        self.problems.append(f"The expected action {event.event_id!r:.120} ({event.call_name:.120}): {reason:.300}")
