"""The messages of the web API about going back in a session, and about who plays its models."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from adk_agent_sim.use_cases.record import Record
from adk_agent_sim.use_cases.time_travel import TimeTravelAction, TimeTravelPoint


class SessionLink(Record):
    """Another session, to be opened."""

    session_id: str
    name: str


class TimeTravelInfo(Record):
    """What of a session was undone, what can be, who plays its models, and which sessions are forks of which."""

    player: str = Field(default="human", description="Who plays the models: `human`, `real`, or a recording's key")
    can_undo: bool = Field(default=False, description="Whether any decision counts that can be undone")
    can_redo: bool = Field(default=False, description="Whether an undo can be redone")
    rewind_problem: str = Field(default="", description="Why nothing can be undone in this session; empty if it can")
    fork_problem: str = Field(default="", description="Why the session cannot be forked; empty if it can")
    player_problem: str = Field(default="", description="Why no player can be chosen in this session; empty if one can")
    undone: list[tuple[int, int]] = Field(
        default_factory=list[tuple[int, int]],
        description="The seqs of the events that no longer count, as ranges: rows made from them are undone",
    )
    forked_from: SessionLink | None = Field(default=None, description="The session that this one is a fork of")
    forks: list[SessionLink] = Field(default_factory=list[SessionLink], description="The forks of this session")


class TimeTravelRequest(Record):
    """A request to continue a session from another point of it, or to fork it there."""

    action: TimeTravelAction
    row: int | None = Field(
        default=None,
        ge=0,
        le=2**53 - 1,
        description="The row whose turn is decided again, or whose user message is replaced; for go_back and fork. "
        "A fork without a row is where the session is now",
    )
    turn: int | None = Field(
        default=None,
        ge=1,
        le=2**53 - 1,
        description="Instead of a row, the number of the turn that is decided again, as `adksim fork` lists them",
    )
    force: bool = Field(default=False, description="Continue although the replay differs from the recording")

    @property
    def point(self) -> TimeTravelPoint:
        """Where the session continues, or is forked."""
        return TimeTravelPoint(row=self.row, turn=self.turn)


class TimeTravelProgress(Record):
    """How far a request to continue a session from another point of it, or to fork it, has got."""

    waits_for: str = Field(description="What the replay has been waiting for since some seconds; empty if nothing")


class PlayerOption(Record):
    """A player that can take the seats of a session's models."""

    player: str = Field(description="`human`, `real`, or the key of a recording")
    kind: Literal["human", "real", "recording"]
    label: str
    note: str = Field(description="What it does, or where the recording comes from")


class PlayerInput(Record):
    """A request to let another player take the seats of a session's models."""

    player: str = Field(max_length=4096, description="One of the options")
