"""The recordings that are replayed in one session, and which of their responses were used."""

from __future__ import annotations

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
