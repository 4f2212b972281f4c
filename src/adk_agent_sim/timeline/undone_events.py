"""Leaves what a person has undone out of a session's events, as if it had not happened.

    raw log    1 2 3 4 5 Rewound(to_seq=3) 7 8 Rewound(to_seq=5, redone) 10
    counts     1 2 3 4 5 10

A `Rewound` event says up to which event the log counts again, as it counted at that moment, so an undo of an undo needs
no rule of its own. Golden traces, histories and recordings read a log through `remove_undone_events`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from adk_agent_sim.timeline.events import (
    Event,
    Payload,
    Rewound,
    TurnAsked,
    TurnDecided,
    TurnRevived,
    TurnWithdrawn,
    UserSpoke,
)
from adk_agent_sim.timeline.world_events import BY_PERSON, WorldTimeChanged


@dataclass(frozen=True, slots=True)
class _CountingEvent:
    """An event that counts, and the one that counts before it."""

    event: Event
    previous: _CountingEvent | None


def remove_undone_events(events: Sequence[Event]) -> Sequence[Event]:
    """Return the events that count: without those that were undone, and without `Rewound` events."""
    if not any(isinstance(event.payload, Rewound) for event in events):
        return events
    # A linked list: each rewind shares the events before it, which copies would repeat for every rewind.
    seqs, heads = [0], list[_CountingEvent | None]([None])
    by_seq: dict[int, Event] = {}
    head: _CountingEvent | None = None
    last_rewound = 0
    for event in events:
        by_seq[event.seq] = event
        if isinstance(event.payload, Rewound):
            # Another fold may have left some events out.
            head = heads[bisect_right(seqs, event.payload.to_seq) - 1]
            for seq in event.payload.kept_seqs:
                if seq in by_seq:
                    head = _CountingEvent(by_seq[seq], head)
            last_rewound = event.seq
        else:
            head = _CountingEvent(event, head)
        seqs.append(event.seq)
        heads.append(head)
    return _remove_open_turns(_list_events(head), last_rewound)


def count_undone_turns(events: Sequence[Event]) -> int:
    """Return how many decided turns no longer count."""
    return _count_decided(events) - _count_decided(remove_undone_events(events))


def list_redoable(events: Sequence[Event]) -> Sequence[Event]:
    """Return the `Rewound` events that can still be redone, the latest last: nothing was done since."""
    redoable: list[Event] = []
    for event in events:
        match event.payload:
            case Rewound(redone=True):
                redoable = redoable[:-1]
            case Rewound():
                redoable.append(event)
            case payload if ends_redo(payload):
                redoable = []
            case _:
                pass
    return redoable


def is_undoable(payload: Payload) -> bool:
    """Return whether an undo takes this back: a decision, or time that a person let pass."""
    return isinstance(payload, TurnDecided) or (isinstance(payload, WorldTimeChanged) and payload.reason == BY_PERSON)


def ends_redo(payload: Payload) -> bool:
    """Return whether nothing can be redone after this."""
    return isinstance(payload, UserSpoke) or is_undoable(payload)


def _list_events(head: _CountingEvent | None) -> list[Event]:
    listed: list[Event] = []
    while head is not None:
        listed.append(head.event)
        head = head.previous
    listed.reverse()
    return listed


def _remove_open_turns(events: Sequence[Event], before_seq: int) -> list[Event]:
    """Remove the turns that were waiting when the log was rewound: they were asked again, under new ids."""
    decided = {event.turn_id for event in events if isinstance(event.payload, TurnDecided)}
    return [
        event
        for event in events
        if event.seq > before_seq
        or event.turn_id in decided
        or not isinstance(event.payload, TurnAsked | TurnRevived | TurnWithdrawn)
    ]


def _count_decided(events: Iterable[Event]) -> int:
    return sum(isinstance(event.payload, TurnDecided) for event in events)
