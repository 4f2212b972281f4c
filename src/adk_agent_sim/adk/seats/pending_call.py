"""A model call that waits for a person in this process."""

from __future__ import annotations

from dataclasses import dataclass, field

from google.adk.models.llm_request import LlmRequest

from adk_agent_sim.adk.seats.model_seat import ModelCallInterceptor, ModelSeat
from adk_agent_sim.timeline.events import AgentPath


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
