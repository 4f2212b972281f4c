"""The seat of an agent's model: whoever is bound to the session answers; where nobody is, the agent's own model does.

The seat is put in once and belongs to the agent object, which all sessions of a process share. Who plays is told by a
context variable, so two sessions of one agent can have different players at the same time.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, aclosing
from contextvars import ContextVar
from functools import lru_cache
from typing import Protocol, cast

from google.adk.agents import BaseAgent, LlmAgent
from google.adk.models import BaseLlm, LlmCapabilities
from google.adk.models.base_llm_connection import BaseLlmConnection
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.tools import AgentTool
from pydantic import PrivateAttr

from adk_agent_sim.adk.live_seat import open_live_connection


class ModelPlayer(Protocol):
    """Answers the model calls of one session."""

    def answer(self, request: LlmRequest, seat: ModelSeat, *, stream: bool) -> AsyncGenerator[LlmResponse, None]:
        """The responses to `request`; `seat.own_model()` is the agent's own model."""
        ...

    @property
    def can_play_live(self) -> bool:
        """Whether a live connection goes to this player rather than to the agent's own model."""
        ...


MODEL_PLAYER: ContextVar[ModelPlayer | None] = ContextVar("adksim_model_player", default=None)
"""Who plays the model in the current task."""


class ModelSeat(BaseLlm):
    """Stands where the agent's model stood and reports its name and capabilities."""

    _original_agent: LlmAgent = PrivateAttr()

    @property
    def capabilities(self) -> LlmCapabilities:
        """What the agent's own model can do; ADK's defaults if it cannot be resolved here."""
        try:
            return self.get_own_model().capabilities
        except (ImportError, ValueError):
            return LlmCapabilities()

    def get_own_model(self) -> BaseLlm:
        """The agent's own model, resolved by ADK when first needed: a wizard needs neither its library nor a key."""
        model = self._original_agent.canonical_model
        return model.get_own_model() if isinstance(model, ModelSeat) else model

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """Let the session's player answer, or the agent's own model."""
        player = MODEL_PLAYER.get()
        answers = (
            self.get_own_model().generate_content_async(llm_request, stream)
            if player is None
            else player.answer(llm_request, self, stream=stream)
        )
        async with aclosing(answers):
            async for answer in answers:
                yield answer

    def connect(self, llm_request: LlmRequest) -> AbstractAsyncContextManager[BaseLlmConnection]:
        """Open a live connection to the session's player, or to the agent's own model."""
        player = MODEL_PLAYER.get()
        if player is None or not player.can_play_live:
            return self.get_own_model().connect(llm_request)
        return open_live_connection(llm_request, lambda request: player.answer(request, self, stream=False))


def install_seat(agent: LlmAgent) -> None:
    """Put a seat where `agent` has its model; an agent that has one keeps it.

    Agents that it calls as tools without its plugins are seated too, since nobody else will.
    """
    if not isinstance(agent.model, ModelSeat):
        before = agent.model_copy()
        seat = _create_seat(agent)
        seat._original_agent = before  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        agent.model = seat
    for tool in cast("list[object]", agent.tools):  # pyright: ignore[reportUnknownMemberType]
        if isinstance(tool, AgentTool) and not tool.include_plugins:
            _install_seats_in_tree(tool.agent)


def _install_seats_in_tree(agent: BaseAgent) -> None:
    if isinstance(agent, LlmAgent):
        install_seat(agent)
    for child in agent.sub_agents:
        _install_seats_in_tree(child)


def _create_seat(agent: LlmAgent) -> ModelSeat:
    """A seat of the kind of the agent's model: ADK treats some models in ways of their own, by their class.

    A model that is only named is not resolved for that; ADK then sees a model of no special kind.
    """
    if not isinstance(agent.model, BaseLlm):
        return ModelSeat(model=_find_model_name(agent))
    return _get_seat_class(type(agent.model)).model_construct(**agent.model.__dict__)


@lru_cache(maxsize=64)
def _get_seat_class(model: type[BaseLlm]) -> type[ModelSeat]:
    return cast("type[ModelSeat]", type(f"Seated{model.__name__}", (ModelSeat, model), {"__module__": __name__}))


def _find_model_name(agent: LlmAgent) -> str:
    """The name of the agent's model, or of the one it inherits, without resolving it."""
    above: BaseAgent | None = agent
    while above is not None:
        model = above.model if isinstance(above, LlmAgent) else ""
        if model:
            return model if isinstance(model, str) else model.model
        above = above.parent_agent
    return agent.canonical_model.model
