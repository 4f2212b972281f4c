"""Leaves what a person has undone out of a session's events, as if it had not happened.

    raw log    1 2 3 4 5 Rewound(to_seq=3) 7 8 Rewound(to_seq=5, redone) 10
    counts     1 2 3 4 5 10

A `Rewound` event says up to which event the log counts again, as it counted at that moment, so an undo of an undo needs
no rule of its own. Golden traces, histories and recordings read a log through `remove_undone_events`.

The segments of a log say the same without reading it:

    log        1 2 3 4 5 Rewound(to_seq=3) 7 8
    segments   1-5, then 6-8, which continues 3
    undone     4 5
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

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


SeqRange: TypeAlias = tuple[int, int]
"""The first and the last seq of a range."""


@dataclass(frozen=True, slots=True)
class LogSegment:
    """What was appended between two rewinds."""

    start_seq: int = 0
    """The `Rewound` event that the segment begins with; 0 for the first one."""

    to_seq: int = 0
    """The last event that it continues."""

    kept_seqs: Sequence[int] = ()
    """The events after `to_seq` that count too: results of calls, never decisions."""

    first_decided_seq: int = 0
    """The first event that can be undone, which is usually a decision; 0 without one."""


def extend_segments(segments: Sequence[LogSegment], event: Event) -> Sequence[LogSegment]:
    """Return the segments after one more event."""
    match event.payload:
        case Rewound(to_seq=to_seq, kept_seqs=kept_seqs):
            return (*(segments or (LogSegment(),)), LogSegment(event.seq, to_seq, tuple(kept_seqs)))
        case payload if is_undoable(payload):
            *earlier, last = segments or (LogSegment(),)
            return segments if last.first_decided_seq else (*earlier, replace(last, first_decided_seq=event.seq))
        case _:
            return segments


def has_decision(segments: Sequence[LogSegment], last_seq: int) -> bool:
    """Return whether anything counts that can be undone."""
    return any(0 < segment.first_decided_seq <= end for segment, end in _list_counting(segments, last_seq))


def find_undone_ranges(segments: Sequence[LogSegment], last_seq: int) -> list[SeqRange]:
    """Return the events that no longer count, as ranges in order; `Rewound` events are not among them."""
    counting = {segment.start_seq: end for segment, end in _list_counting(segments, last_seq)}
    kept = {seq for segment, _ in _list_counting(segments, last_seq) for seq in segment.kept_seqs}
    ranges: list[SeqRange] = []
    for place, segment in enumerate(segments):
        end = segments[place + 1].start_seq - 1 if place + 1 < len(segments) else last_seq
        first = counting.get(segment.start_seq, segment.start_seq) + 1
        ranges += _split_range(first, end, kept)
    return ranges


def _list_counting(segments: Sequence[LogSegment], last_seq: int) -> list[tuple[LogSegment, int]]:
    """Return the segments that count, the last one first, each with its last event that counts."""
    counting: list[tuple[LogSegment, int]] = []
    end = last_seq
    for segment in reversed(segments):
        # A segment that began later was undone as a whole by a rewind to a point before it.
        if segment.start_seq <= end:
            counting.append((segment, end))
            end = segment.to_seq
    return counting


def _split_range(first: int, last: int, kept: set[int]) -> list[SeqRange]:
    """Return a range without the events that are kept."""
    ranges: list[SeqRange] = []
    for seq in sorted(each for each in kept if first <= each <= last):
        if first < seq:
            ranges.append((first, seq - 1))
        first = seq + 1
    return [*ranges, (first, last)] if first <= last else ranges
