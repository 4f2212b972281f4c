"""Finds the point of a fork from how a person names it."""

from __future__ import annotations

from collections.abc import Sequence

from adk_agent_sim.errors import ForkRefused
from adk_agent_sim.timeline.events import Event, Rewound, UserSpoke
from adk_agent_sim.timeline.history import is_user_query
from adk_agent_sim.timeline.turn_prefix import TurnPrefix, cut_at_end, cut_before_message, cut_before_turn, list_turns
from adk_agent_sim.timeline.undone_events import remove_undone_events


def choose_fork_point(events: Sequence[Event], turn: str | int | None, *, replaces_message: bool = False) -> TurnPrefix:
    """Return what counts before the point of a fork.

    Args:
        events: The events of the session that count.
        turn: The number of a turn from 1, or its id; None for where the session is now.
        replaces_message: Fork before the user message that led there.

    Raises:
        TurnNotFound: The session has no turn with that id.
        ForkRefused: The session has no turn with that number, or no user message.
    """
    prefix = cut_at_end(events) if turn is None else cut_before_turn(events, _find_turn_id(events, turn))
    if not replaces_message:
        return prefix
    messages = [event for event in events if isinstance(event.payload, UserSpoke)]
    before = messages if turn is None else [event for event in messages if event.seq <= prefix.to_seq]
    for number in range(len(before), 0, -1):
        spoken = before[number - 1].payload
        if isinstance(spoken, UserSpoke) and is_user_query(spoken.content):
            return cut_before_message(events, number)
    raise ForkRefused("The session has no user message that could be replaced. Send one with `send`.")


def select_events_before_undo(log: Sequence[Event], seq: int) -> Sequence[Event] | None:
    """Return the events that counted when an event that was undone did; None if it still counts.

    Args:
        log: All events of the session.
        seq: The event.
    """
    if any(event.seq == seq for event in remove_undone_events(log)):
        return None
    ends = [event.seq - 1 for event in log if event.seq > seq and isinstance(event.payload, Rewound)]
    # The numbers of events count from 1 without gaps, so a slice up to a number ends with that event.
    return remove_undone_events(log[: ends[0]]) if ends else None


def cut_before_message_at(events: Sequence[Event], seq: int) -> TurnPrefix:
    """Return what counts before the user message with this seq; raise ForkRefused if it is none."""
    spoken = [event.seq for event in events if isinstance(event.payload, UserSpoke)]
    if seq not in spoken:
        raise ForkRefused("There is no user message at this place of the session. Choose another row.")
    return cut_before_message(events, spoken.index(seq) + 1)


def _find_turn_id(events: Sequence[Event], turn: str | int) -> str:
    if isinstance(turn, str):
        return turn
    turns = list_turns(events)
    if not 1 <= turn <= len(turns):
        count = f"{len(turns)} turn{'' if len(turns) == 1 else 's'}"
        raise ForkRefused(f"There is no turn {turn}: the session has {count}. Choose a number from 1 to {len(turns)}.")
    return turns[turn - 1].turn_id
