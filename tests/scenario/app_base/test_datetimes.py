"""Conversion of dates and times."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_agent_sim.scenario.app_base.time_and_random import (
    format_datetime,
    get_weekday_name,
    parse_datetime,
    to_datetime,
)

_FIRST, _LAST = -62_135_596_800, 253_402_300_799


@given(st.integers(_FIRST, _LAST))
def test_what_is_written_can_be_read(seconds: int) -> None:
    assert parse_datetime(format_datetime(seconds)) == seconds


@pytest.mark.parametrize(
    ("seconds", "text", "day"),
    [
        (1_728_975_667.9, "2024-10-15 07:01:07", "Tuesday"),
        (0, "1970-01-01 00:00:00", "Thursday"),
        (_FIRST, "0001-01-01 00:00:00", "Monday"),
        (-0.5, "1969-12-31 23:59:59", "Wednesday"),
    ],
)
def test_times_are_utc_to_the_second(seconds: float, text: str, day: str) -> None:
    assert (format_datetime(seconds), get_weekday_name(seconds)) == (text, day)
    assert to_datetime(seconds).utcoffset() is not None
