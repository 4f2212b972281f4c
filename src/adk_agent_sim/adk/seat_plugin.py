"""The ADK plugin that seats players, for the sessions bound to it; others are left alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeAlias, cast

from google.adk.agents import BaseAgent, LlmAgent
from google.adk.agents.callback_context import CallbackContext
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins import BasePlugin
from google.adk.sessions import Session
from google.adk.tools import BaseTool, ToolContext
from google.genai import types

from adk_agent_sim.adk import model_seat, tool_seat
from adk_agent_sim.adk.recorded_session import RecordedSession
from adk_agent_sim.adk.toolset_check import check_toolsets
from adk_agent_sim.adk.turn_player import TurnPlayer

SessionKey: TypeAlias = tuple[str, str, str]
"""The app, the user and the id of an ADK session."""


class SeatPlugin(BasePlugin):
    """Seats the player of each bound session in every LlmAgent that runs in it. Belongs first in an App's plugins."""

    def __init__(self, name: str = "adksim_seats") -> None:
        super().__init__(name=name)
        self._bound_sessions: dict[SessionKey, RecordedSession] = {}

    def bind(self, session: Session, recorded_session: RecordedSession) -> None:
        """Let `seated` play an ADK session from now on."""
        self._bound_sessions[get_session_key(session)] = recorded_session

    def unbind(self, key: SessionKey) -> None:
        """Let an ADK session alone from now on."""
        self._bound_sessions.pop(key, None)

    async def before_agent_callback(
        self, *, agent: BaseAgent, callback_context: CallbackContext
    ) -> types.Content | None:
        """Put a seat into the agent, and see that its toolsets load."""
        seated = self._find_recorded_session(callback_context.session)
        if isinstance(agent, LlmAgent) and seated is not None:
            model_seat.install_seat(agent)
            self._set_model_player(callback_context, agent.name)  # a live session connects before any model callback
            if seated.policy.should_play(agent.name) and agent.name not in seated.checked_agents:
                await check_toolsets(agent, callback_context)
                seated.checked_agents.add(agent.name)
        return None

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        """Say who plays."""
        self._set_model_player(callback_context, callback_context.agent_name)
        return None

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        """Put a seat into the tool. A name that the model made up has none."""
        seated = self._find_recorded_session(tool_context.session)
        if seated is not None and type(tool) is not BaseTool:
            tool_seat.install_seat(tool)
        tool_seat.SESSION_CALLS.set(seated.running_calls if seated else None)
        return None

    def _set_model_player(self, context: CallbackContext, agent_name: str) -> None:
        """Say who plays. An agent that is used as a tool runs in a session of its own: who called it plays it too."""
        if seated := self._bound_sessions.get(get_session_key(context.session)):
            seated.adk_session = context.session
            model_seat.MODEL_PLAYER.set(TurnPlayer(seated, agent_name, context.invocation_id))
        elif (caller := self._find_calling_player()) is not None:
            model_seat.MODEL_PLAYER.set(replace(caller, agent_name=agent_name))

    def _find_recorded_session(self, session: Session) -> RecordedSession | None:
        """The session's seats, or those of the session that called it as a tool."""
        if seated := self._bound_sessions.get(get_session_key(session)):
            return seated
        caller = self._find_calling_player()
        return caller.recorded_session if caller else None

    def _find_calling_player(self) -> TurnPlayer | None:
        """Who plays in the task that this one came from, if it is a session of ours."""
        player = model_seat.MODEL_PLAYER.get()
        ours = isinstance(player, TurnPlayer) and player.recorded_session in self._bound_sessions.values()
        return cast("TurnPlayer", player) if ours else None


def get_session_key(session: Session) -> SessionKey:
    """What tells an ADK session from all others."""
    return session.app_name, session.user_id, session.id
