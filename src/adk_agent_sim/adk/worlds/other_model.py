"""Lets another model than the agents' own answer all model calls of a run."""

from __future__ import annotations

from google.adk.models import BaseLlm, LLMRegistry
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse

from adk_agent_sim.adk.seats.model_seat import get_complete_answer
from adk_agent_sim.errors import ModelUnavailable
from adk_agent_sim.timeline.events import Player


class OtherModel:
    """A model's player that asks one model, whatever models the agents have."""

    player = Player.REAL

    def __init__(self, model: str | BaseLlm) -> None:
        """Prepare to ask a model.

        Args:
            model: A model, or its name as in `LlmAgent(model=...)`.

        Raises:
            ModelUnavailable: ADK knows no model of this name, or lacks a package for it.
        """
        self._model = create_model(model) if isinstance(model, str) else model

    async def __call__(self, request: LlmRequest) -> LlmResponse:
        """Return the model's complete answer."""
        # ADK has put the name of the agent's own model into the request.
        request.model = self._model.model
        return await get_complete_answer(self._model.generate_content_async(request, stream=False))


def create_model(name: str) -> BaseLlm:
    """Return the model of a name.

    Raises:
        ModelUnavailable: ADK knows no model of this name, or lacks a package for it.
    """
    try:
        return LLMRegistry.new_llm(name)
    except (ValueError, ImportError) as error:
        reason = " ".join(str(error).split())
        if "/" in name and "extensions" not in reason:
            reason += ". Install what it needs with `pip install 'google-adk[extensions]'`"
        raise ModelUnavailable(name, reason) from error


def join_model_name(provider: str | None, name: str) -> str:
    """Return the name under which ADK knows the model of a provider, such as `openai/gpt-4o`."""
    return f"{provider}/{name}" if provider else name
