"""What a run's world was like before each model turn, so that an undo or a fork can go back there."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from adk_agent_sim.errors import ForkRefused
from adk_agent_sim.scenario.world.event_log import WorldSnapshot
from adk_agent_sim.timeline.events import Event, TurnAsked
from adk_agent_sim.timeline.world_events import NotificationDelivered


class InnerDeliveries:
    """What has happened since the last model call of the main conversation, and who has been told.

    An agent that is used as a tool has a conversation of its own, which is gone when it returns its result.
    """

    def __init__(self) -> None:
        self._waiting: list[NotificationDelivered] = []
        self._reported_counts: dict[str, int] = {}

    def deliver(self, session_id: str, new: Sequence[NotificationDelivered]) -> list[NotificationDelivered]:
        """Add what is new, and return what this ADK session of an inner agent has not been told yet."""
        self._waiting += new
        reported_count = self._reported_counts.get(session_id, 0)
        self._reported_counts[session_id] = len(self._waiting)
        return self._waiting[reported_count:]

    def take_all(self) -> list[NotificationDelivered]:
        """Return what the main conversation has not been told yet, and forget it."""
        waiting, self._waiting, self._reported_counts = self._waiting, [], {}
        return waiting

    def copy(self) -> InnerDeliveries:
        """Return a copy, for a checkpoint."""
        copied = InnerDeliveries()
        copied._waiting, copied._reported_counts = list(self._waiting), dict(self._reported_counts)
        return copied


MAX_SNAPSHOTS = 500
"""How many snapshots are kept. They share what has not changed in between, but not the list of what happened."""

_NO_SNAPSHOT = (
    "The state of the world before this turn is no longer kept: only that of the last {count} turns is. "
    "Choose a later turn, or play the scenario again."
)


@dataclass(frozen=True, kw_only=True)
class TurnCheckpoint:
    """The world and the run when a model turn began."""

    snapshot: WorldSnapshot
    """The world, with the turn's notifications taken."""

    notifications: Sequence[NotificationDelivered]
    """What the agent was notified of in the turn's request."""

    is_inner: bool = False
    """Whether the turn is of an agent that is used as a tool, whose conversation ends with its result."""

    inner_deliveries: InnerDeliveries = field(default_factory=InnerDeliveries)
    """What the agent that called such an agent has not been told yet."""

    is_user_turn: bool
    has_answered: bool
    step_count: int
    call_count: int
    message_count: int


@dataclass(kw_only=True)
class WorldCheckpoints:
    """The checkpoints of one session, by where its turns are on the timeline."""

    _seqs: list[int] = field(default_factory=list[int])
    _checkpoints: list[TurnCheckpoint] = field(default_factory=list[TurnCheckpoint])
    _by_turn: dict[str, TurnCheckpoint] = field(default_factory=dict[str, TurnCheckpoint])

    def add(self, seq: int, checkpoint: TurnCheckpoint) -> None:
        """Add the checkpoint after the event with this seq: of a turn that is asked next, or after time has passed."""
        self._seqs.append(seq)
        self._checkpoints.append(checkpoint)
        if len(self._seqs) > MAX_SNAPSHOTS:
            del self._seqs[0], self._checkpoints[0]

    def find(self, asked: Event) -> TurnCheckpoint:
        """Return the checkpoint of a turn.

        Raises:
            ForkRefused: It is not kept any more.
        """
        if found := self._by_turn.get(asked.turn_id):
            return found
        # A checkpoint is added just before its turn is asked, so it is the last one with a smaller number.
        place = bisect_left(self._seqs, asked.seq) - 1
        if place < 0:
            raise ForkRefused(_NO_SNAPSHOT.format(count=MAX_SNAPSHOTS))
        return self._checkpoints[place]

    def find_at(self, asked: Event, to_seq: int) -> TurnCheckpoint:
        """Return the checkpoint of a turn, with the world as it was after an event: its clock may have been moved.

        Raises:
            ForkRefused: It is not kept any more.
        """
        checkpoint = self.find(asked)
        if asked.turn_id in self._by_turn:
            return checkpoint
        place = bisect_right(self._seqs, to_seq) - 1
        if place < 0:
            raise ForkRefused(_NO_SNAPSHOT.format(count=MAX_SNAPSHOTS))
        return replace(checkpoint, snapshot=self._checkpoints[place].snapshot)

    def list_turns(self, events: Iterable[Event]) -> list[TurnCheckpoint]:
        """Return the checkpoints of all turns among these events; raise ForkRefused if one is not kept any more."""
        return [self.find(event) for event in events if isinstance(event.payload, TurnAsked)]

    def copy_turns(self, events: Iterable[Event]) -> WorldCheckpoints:
        """Return the checkpoints of a session that begins with copies of these events."""
        asked = [event for event in events if isinstance(event.payload, TurnAsked)]
        return WorldCheckpoints(_by_turn={event.turn_id: self.find(event) for event in asked})
