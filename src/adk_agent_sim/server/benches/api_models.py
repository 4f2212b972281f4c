"""The messages of the web API about benches."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from adk_agent_sim.bench.bench_control import BenchActivity
from adk_agent_sim.bench.bench_result import ActiveRun, BenchResult
from adk_agent_sim.bench.run_group import Variant
from adk_agent_sim.timeline.read_model.timeline_row import TimelineRow
from adk_agent_sim.use_cases.record import Record

BenchRunStatus = Literal["running", "ended", "waiting", "stopped"]
"""A run that waits will be tried again, or its result is being saved; one that is stopped has a bench that is too."""


class BenchEntry(Record):
    """A bench in the list."""

    key: str = Field(description="Identifies the bench in the API")
    name: str
    path: str = Field(description="The folder, for display only")
    planned: int
    finished: int
    passed: int
    is_running: bool


class BenchRunDetail(Record):
    """A run, and what has happened in it since a request before."""

    bench_name: str
    variant_name: str = Field(description="The column of the matrix")
    run: ActiveRun
    status: BenchRunStatus
    result: BenchResult | None = Field(description="How it ended; None while it is running")
    attempt: str = Field(description="Identifies the attempt that the rows are of; empty if there are none")
    last_seq: int = Field(description="What to send as `after_seq` next time")
    row_count: int
    turn_count: int
    call_count: int
    rows: list[TimelineRow] = Field(description="Those that are new or have changed; at first, the last ones")
    problem: str = Field(description="Why no further rows can be read; empty if there is no problem")


class BenchVariant(Record):
    """A column of the matrix."""

    label: str
    variant: Variant


class BenchInfo(BenchActivity):
    """A bench, and what has happened since a request before."""

    key: str
    name: str
    path: str
    planned: int
    keeps_timelines: bool = Field(description="Whether the rows of runs that have ended are stored")
    generation: int = Field(description="Changes when the results were rewritten: then drop those from before")
    variants: list[BenchVariant] = Field(description="The columns of the matrix")
    scenarios: list[str] = Field(description="The rows of the matrix")
    runs: list[BenchResult] = Field(description="Those that were not known yet; a later one replaces an earlier one")
    next: int = Field(description="What to send as `after` next time")


class PauseInput(Record):
    """Whether a bench is to be paused."""

    paused: bool
