"""The ADK plugin of a run in a world: offers its tools, delivers its notifications, measures time and tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from google.adk.agents import LlmAgent
from google.adk.agents.callback_context import CallbackContext
from google.adk.events import Event as AdkEvent
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins import BasePlugin

from adk_agent_sim.adk.compat import get_invocation_context
from adk_agent_sim.adk.worlds.notification_events import NotificationEvents
from adk_agent_sim.adk.worlds.world_session import WorldSession
from adk_agent_sim.errors import WorldToolConflict


@dataclass(kw_only=True)
class TokenCount:
    """The tokens of all model calls of a run; zero if its models report none."""

    prompt: int = 0

    output: int = 0

    def add(self, response: LlmResponse) -> None:
        """Count the tokens of one complete answer."""
        usage = response.usage_metadata
        if usage is not None:
            self.prompt += usage.prompt_token_count or 0
            self.output += (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0)

    @property
    def total(self) -> int:
        """All of them."""
        return self.prompt + self.output


class WorldPlugin(BasePlugin):
    """Puts every LlmAgent of an App into a world, without any change to the agents."""

    def __init__(
        self, session: WorldSession, notification_events: NotificationEvents, name: str, tokens: TokenCount
    ) -> None:
        super().__init__(name=name)
        self._session = session
        self._notification_events = notification_events
        self.main_session_id = ""
        """The ADK session of the run. An agent that is used as a tool has one of its own."""
        self._inner_events: dict[str, NotificationEvents] = {}
        """The notifications of agents that are used as tools, by their ADK sessions."""
        self._tokens = tokens

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        """Add the world's tools and the notifications to the request, and stop the world's time."""
        self._offer_tools(callback_context, llm_request)
        session = self._session
        session_id = callback_context.session.id
        is_inner = session_id != self.main_session_id
        notifications = await session.begin_model_call(callback_context, is_inner=is_inner)
        texts = [session.format_notification(each) for each in notifications]
        events = self._notification_events
        if is_inner:
            # What happens inside of a tool is its own; the notification is on the timeline as an event of the world.
            events = self._inner_events.setdefault(session_id, NotificationEvents(_record_nothing))
        await events.deliver(callback_context, llm_request, texts)
        return None

    async def after_model_callback(
        self, *, callback_context: CallbackContext, llm_response: LlmResponse
    ) -> LlmResponse | None:
        """Let the world's time go on when the model has answered."""
        if not llm_response.partial:
            self._tokens.add(llm_response)
            self._session.end_model_call(callback_context)
        return None

    async def on_model_error_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest, error: Exception
    ) -> LlmResponse | None:
        """Let the world's time go on when the model has failed."""
        self._session.end_model_call(callback_context)
        return None

    def _offer_tools(self, context: CallbackContext, request: LlmRequest) -> None:
        agent = get_invocation_context(context).agent
        if not self._gets_tools(agent):
            return
        tools = self._session.tools
        taken = next((name for name in request.tools_dict if name in tools), None)
        if taken is not None:
            raise WorldToolConflict(context.agent_name, taken)
        request.append_tools(list(tools.values()))

    def _gets_tools(self, agent: object) -> bool:
        if not isinstance(agent, LlmAgent):
            return False
        if agents := self._session.options.agents:
            return agent.name in agents
        # An agent that only formats its answer has no tools in ADK either: most models cannot do both.
        own_tools = cast("list[object]", agent.tools)  # pyright: ignore[reportUnknownMemberType]
        return agent.output_schema is None or bool(own_tools)


async def _record_nothing(event: AdkEvent) -> None:
    """Leave an event of an agent that is used as a tool to its own session."""
