"""What the mocks of a session share: the recordings that are replayed, and the calls that models have answered."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from adk_agent_sim.environment.visible_calls import MockedCall
from adk_agent_sim.errors import SimulatorError
from adk_agent_sim.mocks.llm_mock import LlmMock, ModelChoice
from adk_agent_sim.mocks.replay_mock import ReplayMock
from adk_agent_sim.mocks.replayable_calls import ReplaySource


class SessionReplays:
    """The replay mocks of one session, one for each file."""

    def __init__(self) -> None:
        self._mocks: dict[ReplaySource, ReplayMock] = {}
        self._used: list[str] = []

    def get_mock(self, source: ReplaySource) -> ReplayMock:
        """Return the mock of a file; rules that name the same file share it."""
        if source not in self._mocks:
            self._mocks[source] = ReplayMock(source)
        return self._mocks[source]

    def take_new_uses(self) -> list[str]:
        """Return the references of the recorded calls that were used since the last time."""
        new = [reference for mock in self._mocks.values() for reference in mock.take_new_uses()]
        self._used += new
        return new

    def list_uses(self) -> list[str]:
        """Return the references of all recorded calls that were used."""
        return [*self._used, *(reference for mock in self._mocks.values() for reference in mock.new_uses)]


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
