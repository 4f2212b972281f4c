"""A player that does in a world what a recorded trace says its agent did, at the recorded times."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from adk_agent_sim.scenario.format.models import ExportedCompletedEvent
from adk_agent_sim.scenario.players.world_player import (
    NotificationWait,
    PlayerAction,
    PlayerView,
    PlayFinished,
    ToolUse,
    find_offered_name,
)
from adk_agent_sim.scenario.world.event_recorder import read_arguments
from adk_agent_sim.scenario.world.world import World

_READ = "SystemApp__get_current_time"


class TracePlayer:
    """Follows the agent's actions of a trace.

    Calls that failed have changed nothing, so they are left out. The world gives other ids than the recorded one: where
    an argument is what an earlier event returned, the player gives what that event returned here.
    """

    def __init__(self, events: Sequence[ExportedCompletedEvent], world: World) -> None:
        self._world = world
        done = [each for each in events if each.metadata is None or each.metadata.exception is None]
        actions = [each for each in done if each.event_type == "AGENT" and each.action is not None]
        self._actions = sorted(actions, key=lambda each: each.event_time)
        self._returned = {
            each.event_id: each.metadata.return_value for each in done if each.metadata and each.metadata.return_value
        }
        self._ids: dict[str, str] = {}
        self._last: tuple[str, str, str] | None = None

    def choose_action(self, view: PlayerView) -> PlayerAction:
        """Return the next recorded action if it is time, else wait."""
        self._learn_ids()
        if not self._actions:
            return PlayFinished()
        event = self._actions[0]
        assert event.action is not None
        app, function = event.action.app or "", event.action.function or ""
        remaining = event.event_time - view.now
        if remaining >= 1:
            return NotificationWait(seconds=math.floor(remaining))
        self._actions.pop(0)
        tool = view.tools[find_offered_name(view.tools, app, function)]
        if event.action.operation_type == "READ" and tool.tool.operation == "WRITE":
            return ToolUse(name=_READ)  # the recording calls it a read, which it is not
        self._last = event.event_id, app, function
        arguments = {name: self._translate(value) for name, value in read_arguments(event.action.args).items()}
        return ToolUse(name=tool.name, arguments=arguments)

    def _translate(self, value: Any) -> Any:
        return self._ids.get(value, value) if isinstance(value, str) else value

    def _learn_ids(self) -> None:
        found = {name: str(value) for name, value in self._world.return_values.items() if isinstance(value, str)}
        if self._last is not None:
            event_id, app, function = self._last
            calls = [each for each in self._world.event_log() if (each.app, each.function) == (app, function)]
            if calls and calls[-1].value is not None:
                found.setdefault(event_id, calls[-1].value)
        self._ids |= {self._returned[name]: value for name, value in found.items() if name in self._returned}
