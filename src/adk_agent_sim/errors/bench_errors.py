"""Errors about benches: their plans and their folders."""

from __future__ import annotations

from adk_agent_sim.errors.base import SimulatorError


class InvalidBench(SimulatorError, ValueError):
    """The plan of a bench cannot be used: nothing to run, an axis given twice, or an engine that is not there."""


class BenchFolderRefused(SimulatorError):
    """The folder of a bench has other results, cannot be read, or another process writes to it; it is unchanged."""

    def __init__(self, folder: str, reason: str, advice: str) -> None:
        super().__init__(f"Cannot use {folder} as the folder of a bench: {reason}. {advice}")
        self.reason = reason


class BenchesNotComparable(SimulatorError):
    """Two benches have nothing in common, or it is not clear what to compare with what."""

    def __init__(self, reason: str, advice: str) -> None:
        super().__init__(f"The benches cannot be compared: {reason}. {advice}")
