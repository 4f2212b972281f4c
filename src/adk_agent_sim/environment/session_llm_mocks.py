"""The mocks of a session that ask a model: where to find them, and which calls they have answered."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from adk_agent_sim.environment.visible_calls import MockedCall
from adk_agent_sim.errors import SimulatorError
from adk_agent_sim.mocks.llm_mock import LlmMock, ModelChoice

LlmMockFinder: TypeAlias = Callable[[ModelChoice], LlmMock]
"""Returns the mock of a model, which all sessions of an environment share."""


class SessionLlmMocks:
    """What one session needs to let a model answer its calls."""

    def __init__(self, find_mock: LlmMockFinder) -> None:
        self.find_mock = find_mock
        self.calls: list[MockedCall] = []
        """The calls that were answered, also those of agents that are used as tools."""


def refuse_llm_mock(choice: ModelChoice) -> LlmMock:
    """Raise: models are asked through ADK."""
    raise SimulatorError("`mock: llm` asks a model through ADK: use EnvironmentSimulationFactory or Simulation.")
