"""A scripted `BaseLlm`, which tests use instead of a mock."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Any, cast

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models import BaseLlm, LlmCapabilities
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from pydantic import PrivateAttr

from adk_agent_sim.timeline.events import Event, TurnDecided
from adk_agent_sim.timeline.json_conversion import to_json_value


class ScriptedModel(BaseLlm):
    """Returns its responses in order, to any agent, and starts over after the last one."""

    model: str = "scripted"
    script: list[dict[str, Any]]
    _next: int = PrivateAttr(default=0)
    _requests: list[LlmRequest] = PrivateAttr(default_factory=list[LlmRequest])

    @property
    def capabilities(self) -> LlmCapabilities:
        return LlmCapabilities()

    @property
    def requests(self) -> list[LlmRequest]:
        return self._requests

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        self._requests.append(llm_request)
        response = self.script[self._next % len(self.script)]
        self._next += 1
        yield LlmResponse.model_validate(response)


def text_response(text: str) -> dict[str, Any]:
    return to_json_value(LlmResponse(content=types.Content(role="model", parts=[types.Part(text=text)])))


def call_response(*wanted: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    parts = [types.Part(function_call=types.FunctionCall(name=name, args=args)) for name, args in wanted]
    return to_json_value(LlmResponse(content=types.Content(role="model", parts=parts)))


def extract_decisions(log: Sequence[Event]) -> list[dict[str, Any]]:
    """Return the decisions of a timeline as a script."""
    return [event.payload.response for event in log if isinstance(event.payload, TurnDecided)]


def replace_model(app: App, model: BaseLlm) -> App:
    """Return a copy of the app with another model in all its agents."""
    root = cast("LlmAgent", app.root_agent)
    return app.model_copy(update={"root_agent": _replace_agent_model(root, model)})


def _replace_agent_model(agent: LlmAgent, model: BaseLlm) -> LlmAgent:
    children = [_replace_agent_model(cast("LlmAgent", child), model) for child in agent.sub_agents]
    return agent.clone(update={"model": model, "sub_agents": children})
