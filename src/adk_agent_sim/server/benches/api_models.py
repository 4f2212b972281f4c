"""The messages of the web API about benches."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from adk_agent_sim.bench.bench_result import Outcome
from adk_agent_sim.server.sessions.row_api_models import Row
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


class BenchRunKey(Record):
    """What identifies a run within a bench: its position on each axis of the plan."""

    scenario: str
    agent: str
    model: str
    player: str
    rules: str
    seed: int
    run: int


class BenchRunInfo(Record):
    """A run that has ended."""

    scenario: int = Field(description="The row of the matrix")
    variant: int = Field(description="The column of the matrix")
    run_key: BenchRunKey = Field(description="Identifies the run, such as to run it again")
    run_id: str = Field(description="The same as one word, for addresses")
    outcome: Outcome
    reason: str
    tokens: int
    model_calls: int
    tool_calls: int
    simulated_seconds: float
    wall_seconds: float
    report: str = Field(description="The page of the run, as a parameter of the API; empty if there is none")


class BenchRunRef(Record):
    """A run without a result: one that is executed now, or was asked for again."""

    scenario: int
    variant: int
    run_key: BenchRunKey
    run_id: str
    started_at: float | None = Field(
        description="When it was started, in seconds since 1970; None if it is not running"
    )


class BenchRunDetail(Record):
    """A run, and what has happened in it since a request before."""

    bench_name: str
    variant_name: str = Field(description="The column of the matrix")
    run_ref: BenchRunRef
    status: BenchRunStatus
    result: BenchRunInfo | None = Field(description="How it ended; None while it is running")
    attempt: str = Field(description="Identifies the attempt that the rows are of; empty if there are none")
    last_seq: int = Field(description="What to send as `after_seq` next time")
    row_count: int
    turn_count: int
    call_count: int
    rows: list[Row] = Field(description="Those that are new or have changed; at first, the last ones")
    problem: str = Field(description="Why no further rows can be read; empty if there is no problem")


class BenchInfo(Record):
    """A bench, and what has happened since a request before."""

    key: str
    name: str
    path: str
    planned: int
    is_running: bool = Field(description="Whether a process runs the bench")
    is_paused: bool = Field(description="Whether that process starts no further runs")
    running: list[BenchRunRef]
    requested: list[BenchRunRef] = Field(description="Runs that were asked for again and are not queued yet")
    keeps_timelines: bool = Field(description="Whether the rows of runs that have ended are stored")
    generation: int = Field(description="Changes when the results were rewritten: then drop those from before")
    variants: list[str] = Field(description="The columns of the matrix")
    scenarios: list[str] = Field(description="The rows of the matrix")
    runs: list[BenchRunInfo] = Field(description="Those that were not known yet; a later one replaces an earlier one")
    next: int = Field(description="What to send as `after` next time")


class PauseInput(Record):
    """Whether a bench is to be paused."""

    paused: bool
