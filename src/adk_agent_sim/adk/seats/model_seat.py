"""The seat of an agent's model: the session's player answers; without a player, the agent's own model does.

A seat is installed once in the agent object, which all sessions of a process share. A context variable holds the
player, so two sessions of one agent can have different players at the same time.

In a live session, contents sent to the model form a conversation, and each of them begins a turn. Players read and
write text. Audio and video that is streamed to the model is ignored.
"""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol, TypeAlias, cast
from weakref import WeakSet

from google.adk.agents import BaseAgent, LlmAgent
from google.adk.agents.context import Context
from google.adk.models import BaseLlm, LlmCapabilities
from google.adk.models.base_llm_connection import BaseLlmConnection, RealtimeInput
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.tools import AgentTool
from google.genai import types
from pydantic import PrivateAttr

from adk_agent_sim.timeline.events import AgentPath, EnvironmentDecided


@dataclass(kw_only=True, slots=True)
class PendingCall:
    """A model call that waits for a person in this process."""

    request: LlmRequest

    seat: ModelSeat
    """The seat that called; through it the agent's own model can be asked too."""

    agent_name: str
    agent_path: AgentPath

    interceptor: ModelCallInterceptor | None
    """Lets rules act on the call if the agent's own model is to decide it."""

    failures: dict[str, Exception] = field(default_factory=dict[str, Exception])
    """By the id of a decision, the error with which the call fails if it is decided so."""


AnswerFunction = Callable[[LlmRequest], AsyncGenerator[LlmResponse, None]]
"""The player: a function from a request to its responses."""


class LiveSeat(BaseLlmConnection):
    """A live connection that is answered by the session's player."""

    def __init__(self, request: LlmRequest, answer: AnswerFunction) -> None:
        self._request = request
        self._answer = answer
        self._contents: list[types.Content] = []
        # A queue, because contents may arrive while the player still answers, and each of them begins a turn.
        self._turn_signals: asyncio.Queue[bool] = asyncio.Queue()
        self._closed = False

    async def send_history(self, history: list[types.Content]) -> None:
        """Set the conversation so far; begins a turn if its last content is the user's."""
        self._contents = list(history)
        if history and history[-1].role == "user":
            self._turn_signals.put_nowait(True)

    async def send_content(self, content: types.Content) -> None:
        """Add a user message or tool responses, and begin a turn."""
        self._contents.append(content)
        self._turn_signals.put_nowait(True)

    async def send_realtime(self, blob: RealtimeInput) -> None:
        """Ignore audio and video."""

    async def receive(self) -> AsyncGenerator[LlmResponse, None]:
        """Yield the player's answers, turn by turn, until the connection is closed."""
        while not self._closed and await self._turn_signals.get():
            # A copy for each turn: contents that arrive later must not change a request that somebody is looking at.
            request = self._request.model_copy(update={"contents": list(self._contents)})
            calls = False
            async with aclosing(self._answer(request)) as answers:
                async for answer in answers:
                    if answer.content is not None and not answer.partial:
                        self._contents.append(answer.content)
                        calls = any(part.function_call for part in answer.content.parts or ())
                    yield answer
            # After a call the model's turn continues with the tool responses, so it is not complete yet.
            if not calls:
                yield LlmResponse(turn_complete=True)

    async def close(self) -> None:
        """Close the connection and end `receive`."""
        self._closed = True
        # `receive` may be waiting for a turn that never comes.
        self._turn_signals.put_nowait(False)


@asynccontextmanager
async def open_live_connection(request: LlmRequest, answer: AnswerFunction) -> AsyncGenerator[BaseLlmConnection]:
    """Open a live connection that is closed with the context."""
    seat = LiveSeat(request, answer)
    try:
        yield seat
    finally:
        await seat.close()


AskPlayer: TypeAlias = Callable[[], Awaitable[LlmResponse]]
"""Returns the answer of a model call's player."""


class ModelPlayer(Protocol):
    """Answers the model calls of one session."""

    def answer(self, request: LlmRequest, seat: ModelSeat, *, stream: bool) -> AsyncGenerator[LlmResponse, None]:
        """Yield the responses to `request`; `seat.get_own_model()` is the agent's own model."""
        ...

    @property
    def can_play_live(self) -> bool:
        """Whether live connections go to this player instead of the agent's own model."""
        ...

    def play_inner_agent(self, context: Context, agent_name: str) -> ModelPlayer:
        """Return the player of an agent that runs inside a tool call of the agent that this one plays."""
        ...


class ModelCallInterceptor(Protocol):
    """Lets rules act on one model call, ahead of the player."""

    def decide(self) -> bool:
        """Decide whether a rule acts on the call; without one, the player answers as usual."""
        ...

    @property
    def is_active(self) -> bool:
        """Whether there is anything to decide."""
        ...

    @property
    def changes_answer(self) -> bool:
        """Whether the rule does more than to wait."""
        ...

    async def answer(self, ask_player: AskPlayer) -> LlmResponse:
        """Return the answer of the rule that acts on the call, which may ask the player."""
        ...

    def build_decision_event(self) -> EnvironmentDecided:
        """Return the decision and its outcome as an event for the timeline."""
        ...


MODEL_INTERCEPTOR: ContextVar[ModelCallInterceptor | None] = ContextVar("adksim_model_interceptor", default=None)
"""The interceptor of the next model call in the current task."""


def take_interceptor() -> ModelCallInterceptor | None:
    """Return the interceptor of a model call; an agent inside a tool, which has none, must not find it again."""
    interceptor = MODEL_INTERCEPTOR.get()
    if interceptor is not None:
        MODEL_INTERCEPTOR.set(None)
    return interceptor


MODEL_PLAYER: ContextVar[ModelPlayer | None] = ContextVar("adksim_model_player", default=None)
"""The player of the model in the current task."""


class ModelSeat(BaseLlm):
    """Replaces the agent's model, with the same name and capabilities."""

    _original_agent: LlmAgent = PrivateAttr()
    # An owner that is dropped without a release must not keep the seat in the agent for all others.
    _owners: WeakSet[SeatOwner] = PrivateAttr(default_factory=WeakSet["SeatOwner"])  # pyrefly: ignore[not-a-type] - defined below

    def bind_agent(self, agent: LlmAgent) -> None:
        """Set the agent that still has its own model."""
        self._original_agent = agent

    @property
    def replaced_model(self) -> str | BaseLlm:
        """The agent's own model, as it was given: a name or an object."""
        return self._original_agent.model

    @property
    def owners(self) -> WeakSet[SeatOwner]:
        """Who needs the seat."""
        return self._owners

    def leave(self, agent: LlmAgent) -> None:
        """Give the agent its own model and callbacks back."""
        agent.model = self._original_agent.model
        # Other agents never got our callback, and a callback that their user has set meanwhile must stay.
        if _set_inner_player in agent.canonical_before_model_callbacks:
            agent.before_model_callback = self._original_agent.before_model_callback

    @property
    def capabilities(self) -> LlmCapabilities:
        """The capabilities of the agent's own model; ADK's defaults if it cannot be resolved here."""
        try:
            return self.get_own_model().capabilities
        except (ImportError, ValueError):
            # ADK raises ValueError for a name that it does not know, and ImportError if a library is missing.
            return LlmCapabilities()

    def get_own_model(self) -> BaseLlm:
        """Return the agent's own model.

        ADK resolves it only now, so that a wizard needs neither the model's library nor its API key.
        """
        model = self._original_agent.canonical_model
        # An agent without a model of its own inherits that of its parent, which may have a seat already.
        return model.get_own_model() if isinstance(model, ModelSeat) else model

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """Yield the responses of the session's player, or of the agent's own model."""
        player = MODEL_PLAYER.get()
        if player is not None:
            answers = player.answer(llm_request, self, stream=stream)
        else:
            # A player takes the interceptor by itself, because it asks a person before any rule may act.
            interceptor = take_interceptor()
            if interceptor is not None and interceptor.is_active and interceptor.decide():
                # Rules act on complete answers, so nothing is streamed here even if ADK asks for it.
                yield await interceptor.answer(lambda: self.ask_own_model(llm_request))
                return
            answers = self.get_own_model().generate_content_async(llm_request, stream)
        async with aclosing(answers):
            async for answer in answers:
                yield answer

    async def ask_own_model(self, request: LlmRequest) -> LlmResponse:
        """Return the complete answer of the agent's own model."""
        return await get_complete_answer(self.get_own_model().generate_content_async(request, stream=False))

    def connect(self, llm_request: LlmRequest) -> AbstractAsyncContextManager[BaseLlmConnection]:
        """Open a live connection to the session's player, or to the agent's own model."""
        player = MODEL_PLAYER.get()
        if player is None or not player.can_play_live:
            return self.get_own_model().connect(llm_request)
        return open_live_connection(llm_request, lambda request: player.answer(request, self, stream=False))


async def get_complete_answer(answers: AsyncGenerator[LlmResponse, None]) -> LlmResponse:
    """Return the last of a model's answers to one request, which is the complete one."""
    answer = LlmResponse()
    async with aclosing(answers):
        async for answer in answers:  # noqa: B007 - the last one is complete
            pass
    return answer


def build_error_response(error: Exception) -> LlmResponse:
    """Return what the timeline records as the decision of a model call that failed."""
    return LlmResponse(error_code=type(error).__name__, error_message=str(error))


class SeatOwner:
    """Somebody who needs seats for a while; several owners can need the seat of one agent."""

    def __init__(self) -> None:
        self._agents: list[weakref.ref[LlmAgent]] = []

    def add(self, agent: LlmAgent, seat: ModelSeat) -> None:
        """Keep the agent's seat until `release`."""
        if self not in seat.owners:
            seat.owners.add(self)
            # ADK copies agents for each run: the copies must not be kept.
            self._agents = [known for known in self._agents if known() is not None]
            self._agents.append(weakref.ref(agent))

    def release(self) -> None:
        """Give the agents that nobody else plays their own models back."""
        for known in self._agents:
            agent = known()
            if agent is not None and isinstance(agent.model, ModelSeat):
                agent.model.owners.discard(self)
                if not agent.model.owners:
                    agent.model.leave(agent)
        self._agents.clear()


def install_seat(agent: LlmAgent, owner: SeatOwner) -> None:
    """Replace the model of `agent` with a seat, unless it has one.

    Agents that it uses as tools without plugins get their seats here too, because no callback of ours sees them.
    """
    if isinstance(agent.model, ModelSeat):
        seat = agent.model
    else:
        # A copy of the agent and not only its model: ADK resolves a name, or the model of a parent, through the agent.
        original = agent.model_copy()
        seat = _create_seat(agent)
        seat.bind_agent(original)
        agent.model = seat
    owner.add(agent, seat)
    for tool in cast("list[object]", agent.tools):  # pyright: ignore[reportUnknownMemberType]
        if isinstance(tool, AgentTool) and not tool.include_plugins:
            _install_seats_in_tree(tool.agent, owner)


@contextmanager
def copy_with_seat(agent: LlmAgent) -> Generator[LlmAgent]:
    """Yield a copy of an agent whose model is not resolved: that may need a key or a library that is not there."""
    owner = SeatOwner()
    copy = agent.model_copy()
    install_seat(copy, owner)
    try:
        yield copy
    finally:
        owner.release()


async def _set_inner_player(callback_context: Context, llm_request: LlmRequest) -> None:
    """Set the player of an agent that is used as a tool without plugins, which still has the player of its caller."""
    if (player := MODEL_PLAYER.get()) is not None:
        MODEL_PLAYER.set(player.play_inner_agent(callback_context, callback_context.agent_name))


def _install_seats_in_tree(agent: BaseAgent, owner: SeatOwner) -> None:
    if isinstance(agent, LlmAgent):
        install_seat(agent, owner)
        callbacks = agent.canonical_before_model_callbacks
        if _set_inner_player not in callbacks:
            agent.before_model_callback = [_set_inner_player, *callbacks]
    for child in agent.sub_agents:
        _install_seats_in_tree(child, owner)


def _create_seat(agent: LlmAgent) -> ModelSeat:
    """Return a seat whose class derives from the class of the agent's model.

    ADK treats some models differently by their class (isinstance checks for Gemini, for example). A model that is given
    by name is not resolved for that; ADK then sees a model of no special class.
    """
    if not isinstance(agent.model, BaseLlm):
        return ModelSeat(model=_find_model_name(agent))
    # Not by the constructor: that of a model class may take other arguments than its fields, as that of LiteLlm does.
    return _get_seat_class(type(agent.model)).model_construct(**agent.model.__dict__)


@lru_cache(maxsize=64)
def _get_seat_class(model: type[BaseLlm]) -> type[ModelSeat]:
    # ModelSeat comes first, so that its methods win over those of the model's class.
    return cast("type[ModelSeat]", type(f"Seated{model.__name__}", (ModelSeat, model), {"__module__": __name__}))


def _find_model_name(agent: LlmAgent) -> str:
    """Return the name of the agent's model, or of the one it inherits from its parents, without resolving it."""
    ancestor: BaseAgent | None = agent
    while ancestor is not None:
        model = ancestor.model if isinstance(ancestor, LlmAgent) else ""
        if model:
            return model if isinstance(model, str) else model.model
        ancestor = ancestor.parent_agent
    # No agent up to the root names a model, so it is ADK's default, which only ADK knows.
    return agent.canonical_model.model
