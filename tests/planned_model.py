"""A model that takes the place of Gemini in ADK's registry, and decides for each agent what its script plans."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from agent_scripts import PlannedDecision
from google.adk.models import Gemini, LLMRegistry
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from scripted_model import call_response, text_response

_RESPONSE_TOOL = "set_model_response"

_PLANS: ContextVar[dict[str, deque[PlannedDecision]] | None] = ContextVar("planned_decisions", default=None)


class PlannedModel(Gemini):
    """Decides what is planned for the agent that asks; without a plan, it must not be asked."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        plans = _PLANS.get()
        assert plans is not None, "the own model was asked"
        agent_name = (llm_request.config.labels or {})["adk_agent_name"]
        yield LlmResponse.model_validate(_build_response(plans[agent_name].popleft(), llm_request))


@contextmanager
def plan_decisions(decisions: Mapping[str, Sequence[PlannedDecision]] | None) -> Generator[None]:
    """Let the models of all agents that name a Gemini model decide as planned; None: they must not be asked."""
    plans = {agent: deque(planned) for agent, planned in decisions.items()} if decisions is not None else None
    token = _PLANS.set(plans)
    LLMRegistry.register(PlannedModel)
    try:
        yield
    finally:
        LLMRegistry.register(Gemini)
        _PLANS.reset(token)
    assert not any((plans or {}).values()), f"these turns were not asked for: {plans}"


def _build_response(decision: PlannedDecision, request: LlmRequest) -> dict[str, Any]:
    if decision.respond is None:
        calls = decision.calls or [decision]
        return call_response(*((each.call or "", each.args) for each in calls))
    if _RESPONSE_TOOL not in request.tools_dict:
        answer = decision.respond
        return text_response(answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False))
    data: Any = json.loads(decision.respond) if isinstance(decision.respond, str) else decision.respond
    return call_response((_RESPONSE_TOOL, data))
