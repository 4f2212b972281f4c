"""The ADK plugin that seats players and records what happens, for the sessions bound to it; others are left alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from google.adk.agents import BaseAgent, LlmAgent
from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.invocation_context import InvocationContext
from google.adk.events import Event
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins import BasePlugin
from google.adk.sessions import Session
from google.adk.tools import BaseTool, ToolContext
from google.genai import types

from adk_agent_sim.adk.model_seat import PLAYING, ModelSeat
from adk_agent_sim.adk.seated import SeatedSession, TurnPlayer
from adk_agent_sim.adk.tool_seat import CALLING, take
from adk_agent_sim.adk.toolsets import check_toolsets
from adk_agent_sim.timeline.events import Outcome


class SeatPlugin(BasePlugin):
    """Seats the player of each bound session in every LlmAgent that runs in it. Belongs first in an App's plugins."""

    def __init__(self, name: str = "adksim_seats") -> None:
        super().__init__(name=name)
        self._bound: dict[tuple[str, str, str], SeatedSession] = {}

    def bind(self, session: Session, seated: SeatedSession) -> None:
        """Let `seated` play and record an ADK session from now on."""
        self._bound[_key(session)] = seated

    async def on_user_message_callback(
        self, *, invocation_context: InvocationContext, user_message: types.Content
    ) -> types.Content | None:
        """Record the message."""
        if seated := self._bound.get(_key(invocation_context.session)):
            await seated.user_spoke(invocation_context, user_message)
        return None

    async def before_agent_callback(
        self, *, agent: BaseAgent, callback_context: CallbackContext
    ) -> types.Content | None:
        """Put a seat into the agent, and see that its toolsets load."""
        if isinstance(agent, LlmAgent):
            ModelSeat.take(agent)
            seated = self._seated(callback_context.session)
            if seated is not None and agent.name not in seated.checked_agents:
                await check_toolsets(agent, callback_context)
                seated.checked_agents.add(agent.name)
        return None

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        """Say who plays. An agent that is used as a tool runs in a session of its own: who called it plays it too."""
        agent_name = callback_context.agent_name
        if seated := self._bound.get(_key(callback_context.session)):
            PLAYING.set(TurnPlayer(seated, agent_name, callback_context.invocation_id))
        elif (caller := self._caller()) is not None:
            PLAYING.set(replace(caller, agent_name=agent_name))
        return None

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        """Put a seat into the tool. A name that the model made up has none."""
        seated = self._seated(tool_context.session)
        if seated is not None and type(tool) is not BaseTool:
            take(tool)
        CALLING.set(seated.calls if seated else None)
        return None

    def _seated(self, session: Session) -> SeatedSession | None:
        """The session's seats, or those of the session that called it as a tool."""
        if seated := self._bound.get(_key(session)):
            return seated
        caller = self._caller()
        return caller.seated if caller else None

    def _caller(self) -> TurnPlayer | None:
        """Who plays in the task that this one came from, if it is a session of ours."""
        player = PLAYING.get()
        ours = isinstance(player, TurnPlayer) and player.seated in self._bound.values()
        return cast("TurnPlayer", player) if ours else None

    async def on_event_callback(self, *, invocation_context: InvocationContext, event: Event) -> Event | None:
        """Record the event."""
        if seated := self._bound.get(_key(invocation_context.session)):
            await seated.agent_event(invocation_context, event)
        return None

    async def after_run_callback(self, *, invocation_context: InvocationContext) -> None:
        """Record the end of the run."""
        if seated := self._bound.get(_key(invocation_context.session)):
            await seated.run_ended(invocation_context.invocation_id, Outcome.DONE)

    async def on_run_error_callback(self, *, invocation_context: InvocationContext, error: Exception) -> None:
        """Record that the run failed."""
        if seated := self._bound.get(_key(invocation_context.session)):
            await seated.run_ended(invocation_context.invocation_id, Outcome.FAILED, error)


def _key(session: Session) -> tuple[str, str, str]:
    return session.app_name, session.user_id, session.id
