"""Why a run in a scenario's world ended."""

from __future__ import annotations

from enum import StrEnum


class RunEnd(StrEnum):
    """Why a run ended. A limit is no error: what was done until then is judged."""

    COMPLETED = "completed"
    """The agent has ended as many turns as the scenario expects."""

    TURN_REJECTED = "turn_rejected"
    """The judge rejected a turn, so later turns did not begin."""

    NOTHING_LEFT = "nothing_left"
    """The agent has stopped, and nothing more happens in the world."""

    MAX_STEPS = "max_steps"
    """The agent has made the most model calls that a run may have."""

    MAX_DURATION = "max_duration"
    """The simulated time is over."""

    MAX_WALL_TIME = "max_wall_time"
    """The real time is over."""

    EXCEPTION = "exception"
    """The agent's run raised an exception."""
