"""A player that makes valid calls at random, waits, and says something to the user.

Its calls fit the schemas of the tools, with ids and names that occur in the world. A scenario that it passes does not
tell agents apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adk_agent_sim.scenario.app_base.tool import Operation
from adk_agent_sim.scenario.app_base.tool_schema import build_parameters_schema
from adk_agent_sim.scenario.app_base.world_random import WorldRandom
from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.players.known_values import KnownValues
from adk_agent_sim.scenario.players.random_arguments import RandomArguments
from adk_agent_sim.scenario.players.world_player import (
    MessageToUser,
    NotificationWait,
    PlayerAction,
    PlayerView,
    PlayFinished,
    ToolUse,
)
from adk_agent_sim.scenario.world.agent_tools import OfferedTool

_TURN_ENDING, _WAITING = "send_message_to_user", "wait_for_notification"
"""Tools that it calls on purpose and not at random."""

_MIN_CALLS, _MAX_CALLS = 10, 20
"""Calls before each message to the user."""

_MAX_EXTRA_CALLS = 30
"""Further calls of tools that change something, until one succeeds: who only reads and answers is not random."""

_WAIT_PROBABILITY = 0.1
_MAX_WAIT_SECONDS = 60
_ANSWER_SECONDS = 120
"""How long it waits for what follows its message."""


class RandomPlayer:
    """Plays some turns at random. The same scenario, seed and views give the same actions."""

    def __init__(self, scenario: ScenarioImportedFromJson, *, seed: int = 0, max_turns: int = 4) -> None:
        """Prepare a player.

        Args:
            scenario: The scenario, whose apps have the ids and names that it uses.
            seed: The seed of its choices.
            max_turns: How many messages it sends to the user.
        """
        self._chance = WorldRandom(seed, "random player")
        self._known = KnownValues()
        self._known.add_state([each.app_state for each in scenario.apps])
        self._arguments = RandomArguments(self._chance, self._known)
        self._remaining_turns = max_turns
        self._start_turn()
        self._schemas: dict[str, dict[str, Any]] = {}
        self._has_asked = False

    def choose_action(self, view: PlayerView) -> PlayerAction:
        """Return a call, a wait or, after some of them, a message."""
        for text in [*(each.text for each in view.results), *(each.text for each in view.notifications)]:
            self._known.add_text(text)
        self._arguments.now = view.now
        if self._has_asked:
            self._has_asked = False
            return NotificationWait(seconds=_ANSWER_SECONDS)
        if self._remaining_turns == 0:
            return PlayFinished()
        if any(not each.is_error and _is_write(view.tools.get(each.name)) for each in view.results):
            self._remaining_extra_calls = 0
        if self._remaining_calls + self._remaining_extra_calls > 0:
            if self._chance.next_float() < _WAIT_PROBABILITY:
                return NotificationWait(seconds=1 + int(self._chance.uniform(0, _MAX_WAIT_SECONDS)))
            is_extra = self._remaining_calls == 0
            self._remaining_calls -= not is_extra
            self._remaining_extra_calls -= is_extra
            if (use := self._choose_call(view.tools, writes_only=is_extra)) is not None:
                return use
        self._remaining_turns -= 1
        self._start_turn()
        self._has_asked = True
        return MessageToUser(text=self._arguments.generate_text())

    def _start_turn(self) -> None:
        self._remaining_calls = int(self._chance.uniform(_MIN_CALLS, _MAX_CALLS + 1))
        self._remaining_extra_calls = _MAX_EXTRA_CALLS

    def _choose_call(self, tools: Mapping[str, OfferedTool], *, writes_only: bool) -> ToolUse | None:
        names = [
            name
            for name, each in tools.items()
            if each.tool.name not in (_TURN_ENDING, _WAITING) and (_is_write(each) or not writes_only)
        ]
        if not names:
            return None
        name = self._arguments.pick(names)
        if name not in self._schemas:
            self._schemas[name] = build_parameters_schema(tools[name].tool)
        return ToolUse(name=name, arguments=self._arguments.generate(self._schemas[name]))


def _is_write(offered: OfferedTool | None) -> bool:
    return offered is not None and offered.tool.operation is Operation.WRITE and offered.tool.name != _TURN_ENDING
