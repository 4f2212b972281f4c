"""The ADK plugin of a run in a world: offers its tools, delivers its notifications, measures time and tokens.

ADK shows what other authors said as quoted data that must not be followed, and only to agents that share the history.
Here every model request has all notifications, as plain texts and where they happened:

    world --> event in the session --ADK--> quoted content in later requests --deliver--> plain content
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import cast

from google.adk.agents import LlmAgent
from google.adk.agents.callback_context import CallbackContext
from google.adk.events import Event as AdkEvent
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins import BasePlugin
from google.genai import types

from adk_agent_sim.adk.adk_messages import extract_quoted_notification, is_quoted_notification
from adk_agent_sim.adk.compat import get_invocation_context
from adk_agent_sim.adk.worlds.world_session import WorldSession
from adk_agent_sim.errors import WorldToolConflict
from adk_agent_sim.timeline.framework_calls import ENVIRONMENT_AUTHOR


class NotificationEvents:
    """The notifications that an agent has received, as events of its ADK session."""

    def __init__(self, record_event: Callable[[AdkEvent], Awaitable[None]], texts: Sequence[str] = ()) -> None:
        """Prepare to deliver.

        Args:
            record_event: Records an event that was added to the session.
            texts: The notifications that the session has already.
        """
        self._record_event = record_event
        self._texts = list(texts)
        self._turn_contents: dict[tuple[str, str], list[types.Content]] = {}
        """By invocation and agent: the contents up to the last notification, of agents that see only their turn."""

    async def deliver(self, context: CallbackContext, request: LlmRequest, texts: Sequence[str]) -> None:
        """Store new notifications as events of the session, before a model call, and show all in its request.

        Args:
            context: The model call.
            request: Its request; notifications are put where ADK has quoted them, and those that it left out at the
                end.
            texts: What is new.
        """
        invocation = get_invocation_context(context)
        for text in texts:
            event = AdkEvent(author=ENVIRONMENT_AUTHOR, invocation_id=context.invocation_id, content=_to_content(text))
            # Through the session object of the run, from whose events ADK builds the next requests.
            await invocation.session_service.append_event(session=invocation.session, event=event)
            await self._record_event(event)
            self._texts.append(text)
        if not self._texts:
            return
        key = context.invocation_id, context.agent_name
        sees_turn_only = isinstance(invocation.agent, LlmAgent) and invocation.agent.include_contents == "none"
        contents = self._restore_turn(context, request.contents) if sees_turn_only else request.contents
        request.contents = self._show_all(contents)
        if texts and sees_turn_only:
            self._turn_contents[key] = list(request.contents)

    def _show_all(self, contents: list[types.Content]) -> list[types.Content]:
        # Counted, because the same text may be notified several times.
        missing = Counter(self._texts)
        shown: list[types.Content] = []
        for content in contents:
            text = _extract_notification(content)
            is_notification = text is not None and missing[text] > 0
            if text is not None and is_notification:
                missing[text] -= 1
            shown.append(_to_content(text) if text is not None and is_notification else content)
        for text in self._texts:
            if missing[text] > 0:
                missing[text] -= 1
                shown.append(_to_content(text))
        return shown

    def _restore_turn(self, context: CallbackContext, contents: list[types.Content]) -> list[types.Content]:
        """Return the contents of the whole turn, for an agent that sees nothing else.

        To ADK, such an agent's turn begins with the last event of another author, which a notification is.
        """
        if not contents or not is_quoted_notification(_get_user_text(contents[0])):
            return contents
        begun = self._turn_contents.get((context.invocation_id, context.agent_name))
        if begun is not None:
            return [*begun, *contents[1:]]
        return [context.user_content, *contents] if context.user_content else contents


def _to_content(text: str) -> types.Content:
    return types.Content(role="user", parts=[types.Part(text=text)])


def _extract_notification(content: types.Content) -> str | None:
    """Return the text of a content, without the quotes that ADK puts around what the environment said."""
    text = _get_user_text(content)
    return extract_quoted_notification(text) if is_quoted_notification(text) else text or None


def _get_user_text(content: types.Content) -> str:
    return (content.parts[-1].text if content.role == "user" and content.parts else None) or ""


@dataclass(kw_only=True)
class TokenCount:
    """The tokens of all model calls of a run; zero if its models report none."""

    prompt: int = 0

    output: int = 0

    def add(self, response: LlmResponse) -> None:
        """Count the tokens of one answer."""
        usage = response.usage_metadata
        # The complete answer of a stream has the tokens of the whole call, so its pieces are not counted.
        if usage is not None and not response.partial:
            self.prompt += usage.prompt_token_count or 0
            self.output += (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0)


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
