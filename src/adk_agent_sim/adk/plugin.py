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
from adk_agent_sim.adk.seated import SeatedSession
from adk_agent_sim.adk.toolsets import check_toolsets
from adk_agent_sim.adk.turn_player import TurnPlayer

SessionKey: TypeAlias = tuple[str, str, str]
"""The app, the user and the id of an ADK session."""


class SeatPlugin(BasePlugin):
    """Seats the player of each bound session in every LlmAgent that runs in it. Belongs first in an App's plugins."""

    def __init__(self, name: str = "adksim_seats") -> None:
        super().__init__(name=name)
        self._bound: dict[SessionKey, SeatedSession] = {}

    def bind(self, session: Session, seated: SeatedSession) -> None:
        """Let `seated` play an ADK session from now on."""
        self._bound[session_key(session)] = seated

    def unbind(self, key: SessionKey) -> None:
        """Let an ADK session alone from now on."""
        self._bound.pop(key, None)

    async def before_agent_callback(
        self, *, agent: BaseAgent, callback_context: CallbackContext
    ) -> types.Content | None:
        """Put a seat into the agent, and see that its toolsets load."""
        seated = self._seated(callback_context.session)
        if isinstance(agent, LlmAgent) and seated is not None:
            model_seat.take(agent)
            self._play(callback_context, agent.name)  # a live session connects before any model callback
            if seated.terms.plays(agent.name) and agent.name not in seated.checked_agents:
                await check_toolsets(agent, callback_context)
                seated.checked_agents.add(agent.name)
        return None

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        """Say who plays."""
        self._play(callback_context, callback_context.agent_name)
        return None

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        """Put a seat into the tool. A name that the model made up has none."""
        seated = self._seated(tool_context.session)
        if seated is not None and type(tool) is not BaseTool:
            tool_seat.take(tool)
        tool_seat.CALLING.set(seated.calls if seated else None)
        return None

    def _play(self, context: CallbackContext, agent_name: str) -> None:
        """Say who plays. An agent that is used as a tool runs in a session of its own: who called it plays it too."""
        if seated := self._bound.get(session_key(context.session)):
            seated.adk_session = context.session
            model_seat.PLAYING.set(TurnPlayer(seated, agent_name, context.invocation_id))
        elif (caller := self._caller()) is not None:
            model_seat.PLAYING.set(replace(caller, agent_name=agent_name))

    def _seated(self, session: Session) -> SeatedSession | None:
        """The session's seats, or those of the session that called it as a tool."""
        if seated := self._bound.get(session_key(session)):
            return seated
        caller = self._caller()
        return caller.seated if caller else None

    def _caller(self) -> TurnPlayer | None:
        """Who plays in the task that this one came from, if it is a session of ours."""
        player = model_seat.PLAYING.get()
        ours = isinstance(player, TurnPlayer) and player.seated in self._bound.values()
        return cast("TurnPlayer", player) if ours else None


def session_key(session: Session) -> SessionKey:
    """What tells an ADK session from all others."""
    return session.app_name, session.user_id, session.id
