"""The result of one run of a bench, which is one line of its results file."""

from __future__ import annotations

from hashlib import blake2b
from typing import Literal

from pydantic import BaseModel, ConfigDict, computed_field

from adk_agent_sim.timeline.canonical_json import encode_json

Outcome = Literal["passed", "failed", "error", "timeout", "not_judged"]
"""How a run ended. A resumed bench runs errors and timeouts again; `not_judged` means that nobody could judge.

An error is one of the agent, or of the model that judges it.
"""


RUN_ID_LENGTH = 16
"""How long the id of a run is, in hexadecimal digits."""


class RunKey(BaseModel):
    """What identifies a run within a bench: its place on each axis of the plan."""

    # What is stored has the computed fields too, which are computed again.
    model_config = ConfigDict(frozen=True, json_schema_serialization_defaults_required=True)

    scenario: str
    agent: str
    model: str = ""
    player: str = ""
    rules: str = ""
    seed: int = 0
    run: int = 1

    @computed_field
    @property
    def run_id(self) -> str:
        """The key as one short word, for addresses and names of files."""
        values = [getattr(self, name) for name in RunKey.model_fields]
        return blake2b(encode_json(values), digest_size=RUN_ID_LENGTH // 2).hexdigest()

    @property
    def key(self) -> RunKey:
        """The run as such, without what is known of it."""
        return RunKey(**{name: getattr(self, name) for name in RunKey.model_fields})


class BenchResult(RunKey):
    """What one run of the plan gave."""

    outcome: Outcome
    passed: bool
    reason: str = ""
    tags: tuple[str, ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0
    model_calls: int = 0
    tool_calls: int = 0
    simulated_seconds: float = 0.0
    wall_seconds: float = 0.0
    report: str = ""
    """The run's own HTML page, as a path relative to the folder of the bench."""
    world_seed: int = 0
    """The seed of the run's world, which follows from `seed` and `run`: what `scenario run --seed` repeats it with."""
    session_id: str = ""
    """The run's session in the timeline database, if the bench has one."""


class ActiveRun(RunKey):
    """A run that is executed now, or was asked for again."""

    started_at: float | None = None
    """When it was started, in seconds since 1970; None if it is not running."""
