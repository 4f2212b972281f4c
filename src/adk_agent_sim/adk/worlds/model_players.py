"""Players of worlds in the place of an agent's model: the oracle, one that does nothing, one that acts at random.

The agent's own Runner, tools, callbacks and plugins run as with a real model; only the decisions come from the player.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from adk_agent_sim.adk.worlds.world_session import WorldSession
from adk_agent_sim.scenario.players.world_player import (
    MessageToUser,
    PlayerView,
    PlayFinished,
    WorldPlayer,
    build_tool_call,
)


class WorldModelPlayer:
    """Answers the model calls of a run by a player of its world."""

    def __init__(self, player: WorldPlayer, session: WorldSession, *, speaks_by_tool: bool = True) -> None:
        """Take the model's seat.

        Args:
            player: Chooses the actions.
            session: The run.
            speaks_by_tool: Whether messages to the user are calls of the agent-user interface, or final texts.
        """
        self._player = player
        self._session = session
        self._speaks_by_tool = speaks_by_tool
        self._has_finished = False

    def __call__(self, request: LlmRequest) -> LlmResponse:
        """Return the player's next action as a model's answer."""
        world, session = self._session.world, self._session
        if self._has_finished:
            return _build_response()
        view = PlayerView(
            now=world.now,
            tools=world.tools(),
            notifications=tuple(session.take_seen_notifications()),
            results=tuple(session.take_results()),
        )
        action = self._player.choose_action(view)
        self._has_finished = isinstance(action, PlayFinished)
        if isinstance(action, MessageToUser) and not self._speaks_by_tool:
            return _build_response(types.Part(text=action.text))
        use = build_tool_call(action, view.tools)
        if use is None:
            return _build_response()
        arguments: Mapping[str, Any] = use.arguments
        if not self._speaks_by_tool and session.is_message_tool(use.name):
            return _build_response(types.Part(text=str(arguments.get("content", ""))))
        return _build_response(types.Part(function_call=types.FunctionCall(name=use.name, args=dict(arguments))))


def _build_response(*parts: types.Part) -> LlmResponse:
    return LlmResponse(content=types.Content(role="model", parts=list(parts)))
