"""What no longer counts, from the segments of a log alone, is what the events themselves say."""

from __future__ import annotations

from functools import reduce
from random import Random

import pytest

from adk_agent_sim.persistence.read_model_codec import decode_summary, encode_summary
from adk_agent_sim.timeline.events import CancelAsked, Event, Payload, Rewound, Session, TurnDecided
from adk_agent_sim.timeline.read_model.session_read_model import fold_event
from adk_agent_sim.timeline.read_model.session_summary import create_summary
from adk_agent_sim.timeline.undone_events import find_undone_ranges, has_decision, list_redoable, remove_undone_events


def _build_log(random: Random) -> list[Event]:
    """Return a log of facts and decisions that was rewound at random."""
    log: list[Event] = []
    for seq in range(1, random.randint(2, 40)):
        payload: Payload = CancelAsked(call_id="c")
        kind = random.random()
        if kind < 0.2:
            payload = TurnDecided(response={}, decision_id=str(seq))
        elif kind < 0.4 and seq > 1:
            to_seq = random.randint(0, seq - 1)
            kept = [each for each in range(to_seq + 1, seq) if random.random() < 0.2]
            kept = [each for each in kept if isinstance(log[each - 1].payload, CancelAsked)]
            payload = Rewound(to_seq=to_seq, kept_seqs=kept, from_seq=seq - 1, redone=random.random() < 0.3)
        log.append(Event(event_id=str(seq), session_id="s", seq=seq, timestamp=seq, payload=payload, turn_id=str(seq)))
    return log


@pytest.mark.parametrize("seed", range(200))
def test_the_undone_events_are_those_that_do_not_count(seed: int) -> None:
    log = _build_log(Random(seed))  # noqa: S311 - reproducible on purpose
    empty = create_summary(Session(session_id="s", created_at=0))
    summary = decode_summary(empty.session, {}, encode_summary(reduce(fold_event, log, empty)))
    counting = {event.seq for event in remove_undone_events(log)}
    ranges = find_undone_ranges(summary.segments, summary.last_seq)

    undone = {seq for first, last in ranges for seq in range(first, last + 1)}
    assert undone == {event.seq for event in log if not isinstance(event.payload, Rewound)} - counting
    assert has_decision(summary.segments, summary.last_seq) == any(
        isinstance(event.payload, TurnDecided) for event in log if event.seq in counting
    )
    assert summary.redoable_count == len(list_redoable(log))
