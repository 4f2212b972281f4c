"""Finds tests that need much CPU time: `pytest -p no:xdist --cpu-seconds 0.4`."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Generator

import pytest

_NOT_IN_CHECK = {"browser", "process", "slow", "long", "soak"}


class CpuTimes:
    """Measures the CPU time of each test function in this process, with all its parameters, and lists the slow ones."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._times: defaultdict[str, list[float]] = defaultdict(list)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Measure a test with its fixtures."""
        start = time.process_time()
        result = yield
        if not _NOT_IN_CHECK & {mark.name for mark in item.iter_markers()}:
            self._times[item.nodeid.split("[")[0]].append(time.process_time() - start)
        return result

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """List the slowest first."""
        slow = sorted(((sum(times), len(times), name) for name, times in self._times.items()), reverse=True)
        for seconds, count, name in slow:
            if seconds > self._seconds:
                terminalreporter.write_line(f"{seconds:5.2f} CPU s in {count:3} tests  {name}")
