"""The ADK plugin that seats players and records what happens, for the sessions bound to it; others are left alone."""

from __future__ import annotations

from google.adk.agents import BaseAgent, LlmAgent
from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.invocation_context import InvocationContext
from google.adk.events import Event
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins import BasePlugin
from google.adk.sessions import Session
from google.adk.tools import BaseTool
from google.genai import types

from adk_agent_sim.adk.model_seat import PLAYING, ModelSeat
from adk_agent_sim.adk.seated import SeatedSession, TurnPlayer
from adk_agent_sim.adk.tool_seat import Calls
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
        """Put a seat into the agent."""
        if isinstance(agent, LlmAgent):
            ModelSeat.take(agent)
        return None

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        """Say who plays, and seat the tools of the request."""
        seated = self._bound.get(_key(callback_context.session))
        if seated is None:
            PLAYING.set(None)
            return None
        PLAYING.set(TurnPlayer(seated, callback_context.agent_name, callback_context.invocation_id))
        llm_request.tools_dict = _SeatedTools(llm_request.tools_dict, seated.calls)
        return None

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


class _SeatedTools(dict[str, BaseTool]):
    """The tools of a request; one is seated when ADK looks it up to call it."""

    def __init__(self, tools: dict[str, BaseTool], calls: Calls) -> None:
        super().__init__(tools)
        self._calls = calls
        self._seated: dict[str, BaseTool] = {}

    def __getitem__(self, name: str) -> BaseTool:
        if name not in self._seated:
            self._seated[name] = self._calls.seat(super().__getitem__(name))
        return self._seated[name]


def _key(session: Session) -> tuple[str, str, str]:
    return session.app_name, session.user_id, session.id
