"""The segments of a log that was rewound, from which follows which events no longer count, without reading the log.

    log        1 2 3 4 5 Rewound(to_seq=3) 7 8
    segments   1-5, then 6-8, which continues 3
    undone     4 5

`undone_events.py` does the same for the events themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from adk_agent_sim.timeline.events import Event, Rewound
from adk_agent_sim.timeline.undone_events import is_undoable

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
