"""The ADK plugin that installs seats and sets the players of the sessions bound to it. Other sessions are untouched."""

from __future__ import annotations

from typing import Any, TypeAlias, cast

from google.adk.agents import BaseAgent, LlmAgent
from google.adk.agents.callback_context import CallbackContext
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins import BasePlugin
from google.adk.sessions import Session
from google.adk.tools import BaseTool, ToolContext
from google.genai import types

from adk_agent_sim.adk.compat import get_invocation_context
from adk_agent_sim.adk.players.turn_player import TurnPlayer
from adk_agent_sim.adk.runs.recorded_session import RecordedSession
from adk_agent_sim.adk.seats import model_seat, tool_seat

SessionKey: TypeAlias = tuple[str, str, str]
"""App name, user id and session id of an ADK session."""


class SeatPlugin(BasePlugin):
    """Lets the player of each bound session play every LlmAgent that runs in it.

    It must be the first of an App's plugins: ADK stops calling plugins once one of them has returned a value.
    """

    def __init__(self, name: str = "adksim_seats") -> None:
        super().__init__(name=name)
        self._bound_sessions: dict[SessionKey, RecordedSession] = {}
        self._seat_owner = model_seat.SeatOwner()

    def bind(self, session: Session, recorded_session: RecordedSession) -> None:
        """Record and play an ADK session through `recorded_session` from now on."""
        self._bound_sessions[get_session_key(session)] = recorded_session

    def unbind(self, key: SessionKey) -> None:
        """Leave an ADK session alone from now on."""
        self._bound_sessions.pop(key, None)

    def release_seats(self) -> None:
        """Give all agents their own models back, unless another plugin still plays them."""
        self._seat_owner.release()

    async def before_agent_callback(
        self, *, agent: BaseAgent, callback_context: CallbackContext
    ) -> types.Content | None:
        """Install a seat in the agent and verify that its toolsets load, except those that need a credential."""
        recorded = self._find_recorded_session(callback_context.session)
        if isinstance(agent, LlmAgent) and recorded is not None:
            model_seat.install_seat(agent, self._seat_owner)
            # A live session connects before any model callback, so the player has to be set here already.
            self._set_model_player(callback_context, agent.name)
            await self._check_toolsets(agent, callback_context, has_credentials=False)
        return None

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        """Set the player of the model call, and verify the toolsets for which ADK has a credential by now."""
        self._set_model_player(callback_context, callback_context.agent_name)
        await self._check_toolsets(
            get_invocation_context(callback_context).agent, callback_context, has_credentials=True
        )
        return None

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        """Install a seat in the tool, unless it is a plain BaseTool, which stands for a name that the model made up."""
        recorded = self._find_recorded_session(tool_context.session)
        if recorded is not None and type(tool) is not BaseTool:
            tool_seat.install_seat(tool)
            recorded.give_recorded_consent(tool_context, tool)
        # Also to None: the task may have inherited the calls of another session, and the tool may still have a seat.
        tool_seat.SESSION_CALLS.set(recorded.running_calls if recorded else None)
        return None

    def _set_model_player(self, context: CallbackContext, agent_name: str) -> None:
        """Set the player of the current task.

        An agent that is used as a tool runs in an ADK session of its own, which is not bound: it has its caller's
        player.
        """
        if recorded := self._bound_sessions.get(get_session_key(context.session)):
            # ADK makes a new session object for each run; the one of the last run does not get the new events.
            recorded.adk_session = context.session
            model_seat.MODEL_PLAYER.set(TurnPlayer.from_context(recorded, context, agent_name, context.invocation_id))
        elif (caller := self._find_calling_player()) is not None:
            model_seat.MODEL_PLAYER.set(caller.play_inner_agent(context, agent_name))

    async def _check_toolsets(self, agent: object, context: CallbackContext, *, has_credentials: bool) -> None:
        """Verify the toolsets of an agent that is played; see `ToolsetCheck`."""
        recorded = self._find_recorded_session(context.session)
        if isinstance(agent, LlmAgent) and recorded is not None and recorded.policy.should_play(agent.name):
            await recorded.toolset_check.check(agent, context, has_credentials=has_credentials)

    def _find_recorded_session(self, session: Session) -> RecordedSession | None:
        """Return the recorded session of an ADK session, or of the one that called it as a tool."""
        if recorded := self._bound_sessions.get(get_session_key(session)):
            return recorded
        caller = self._find_calling_player()
        return caller.recorded_session if caller else None

    def _find_calling_player(self) -> TurnPlayer | None:
        """Return the player inherited from the calling task, if it belongs to a session of this plugin."""
        player = model_seat.MODEL_PLAYER.get()
        # A tool may itself run an app with such a plugin, which then inherits a player of somebody else's session.
        ours = isinstance(player, TurnPlayer) and player.recorded_session in self._bound_sessions.values()
        return cast("TurnPlayer", player) if ours else None


def get_session_key(session: Session) -> SessionKey:
    """Return the unique key of an ADK session."""
    return session.app_name, session.user_id, session.id
