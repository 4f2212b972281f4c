"""Finds tests that need much CPU time: `pytest -p no:xdist --cpu-seconds 0.2`."""

from __future__ import annotations

import time
from collections.abc import Generator

import pytest

_NOT_IN_CHECK = {"browser", "process", "slow", "long", "soak"}


class CpuTimes:
    """Measures the CPU time of each test in this process, and lists the slow ones at the end."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._slow: list[tuple[float, str]] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Measure a test with its fixtures."""
        start = time.process_time()
        result = yield
        seconds = time.process_time() - start
        if seconds > self._seconds and not _NOT_IN_CHECK & {mark.name for mark in item.iter_markers()}:
            self._slow.append((seconds, item.nodeid))
        return result

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """List the slowest first."""
        for seconds, name in sorted(self._slow, reverse=True):
            terminalreporter.write_line(f"{seconds:5.2f} CPU s  {name}")
