"""Counts the work of a function in executed lines of Python: unlike time, the same on every machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


class TooMuchWork(Exception):
    """The function executed more lines than it may."""


def count_lines(function: Callable[[], object], limit: int) -> int:
    """Return the number of lines that a function executes, in all modules; raise TooMuchWork beyond the limit."""
    count = 0

    def trace(_frame: FrameType, event: str, _argument: object) -> Any:
        nonlocal count
        count += event == "line"
        if count > limit:
            raise TooMuchWork(f"more than {limit:,} lines")
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(before)
    return count
