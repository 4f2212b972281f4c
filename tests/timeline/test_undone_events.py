"""What was undone does not count, and counts again after a redo."""

from __future__ import annotations

from collections.abc import Sequence

from timeline_builders import user_content

from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.events import (
    SERVER_STOPPED_IN_RUN,
    Closed,
    EnvironmentDecided,
    Event,
    Payload,
    Rewound,
    RunEnded,
    RunOutcome,
    TurnAsked,
    TurnDecided,
    TurnWithdrawn,
    UserSpoke,
)
from adk_agent_sim.timeline.turn_prefix import cut_at_end, cut_before_message, cut_before_turn, list_turns
from adk_agent_sim.timeline.undone_events import count_undone_turns, list_redoable, remove_undone_events

_BLOCK = Block.from_data(b"{}").block_id


def _build_turn_asked() -> TurnAsked:
    return TurnAsked(invocation_id="i", contents=((),), tools=_BLOCK, instruction=_BLOCK, config=_BLOCK)


def _build_turn_decided() -> TurnDecided:
    return TurnDecided(decision_id="d", response={"content": {"parts": [{"text": "x"}]}})


def _log(*entries: tuple[Payload, str]) -> list[Event]:
    return [
        Event(event_id=f"e{seq}", session_id="s", seq=seq, timestamp=float(seq), payload=payload, turn_id=turn_id)
        for seq, (payload, turn_id) in enumerate(entries, start=1)
    ]


def _build_rewound(to_seq: int, from_seq: int, *, redone: bool = False) -> tuple[Payload, str]:
    return Rewound(to_seq=to_seq, kept_seqs=[], from_seq=from_seq, redone=redone), ""


def _seqs(events: Sequence[Event]) -> list[int]:
    return [event.seq for event in events]


_TWO_TURNS: list[tuple[Payload, str]] = [
    (UserSpoke(content=user_content("hi")), ""),
    (_build_turn_asked(), "a"),
    (_build_turn_decided(), "a"),
    (_build_turn_asked(), "b"),
    (_build_turn_decided(), "b"),
]


def test_a_log_without_an_undo_counts_as_it_is() -> None:
    log = _log(*_TWO_TURNS)

    assert remove_undone_events(log) is log
    assert list_redoable(log) == []


def test_an_undo_a_redo_and_an_undo_of_both_decisions() -> None:
    undone = _log(*_TWO_TURNS, _build_rewound(3, 5), (_build_turn_asked(), "b2"))
    redone = _log(*_TWO_TURNS, _build_rewound(3, 5), (_build_turn_asked(), "b2"), _build_rewound(5, 7, redone=True))
    twice = _log(
        *_TWO_TURNS,
        _build_rewound(3, 5),
        (_build_turn_asked(), "b2"),
        _build_rewound(1, 7),
        (_build_turn_asked(), "a2"),
    )

    assert _seqs(remove_undone_events(undone)) == [1, 2, 3, 7]
    assert _seqs(list_redoable(undone)) == [6]
    assert count_undone_turns(undone) == 1
    assert _seqs(remove_undone_events(redone)) == [1, 2, 3, 4, 5]
    assert list_redoable(redone) == []
    assert _seqs(remove_undone_events(twice)) == [1, 9]
    assert _seqs(list_redoable(twice)) == [6, 8]


def test_a_new_decision_ends_what_can_be_redone() -> None:
    log = _log(*_TWO_TURNS, _build_rewound(3, 5), (_build_turn_asked(), "b2"), (_build_turn_decided(), "b2"))

    assert _seqs(remove_undone_events(log)) == [1, 2, 3, 7, 8]
    assert list_redoable(log) == []


def test_events_that_another_fold_has_left_out_do_not_matter() -> None:
    log = _log(*_TWO_TURNS, _build_rewound(3, 5), (_build_turn_asked(), "b2"))

    assert _seqs(remove_undone_events([event for event in log if event.seq != 3])) == [1, 7]


def test_a_cut_before_a_turn_leaves_out_turns_that_were_not_decided_by_then() -> None:
    side_by_side = _log(
        (UserSpoke(content=user_content("hi")), ""),
        (_build_turn_asked(), "a"),
        (_build_turn_asked(), "b"),
        (_build_turn_decided(), "a"),
        (_build_turn_decided(), "b"),
        (_build_turn_asked(), "c"),
    )

    assert _seqs(cut_before_turn(side_by_side, "b").events) == [1]
    assert _seqs(cut_before_turn(side_by_side, "c").events) == [1, 2, 3, 4, 5]
    assert _seqs(cut_at_end(side_by_side).interrupted) == [1, 2, 3, 4, 5]
    assert cut_before_message(side_by_side, 1).events == []
    assert _seqs(list_turns(side_by_side)) == [2, 3, 6]


def test_a_switch_that_is_recorded_while_the_server_stops_belongs_to_the_interrupted_run() -> None:
    switched = EnvironmentDecided(call_id="", tool_name="", rule="", actions=[], passed_over=[], environment={})
    stopped = _log(
        *_TWO_TURNS[:4],
        (TurnWithdrawn(), "b"),
        (RunEnded(invocation_id="i", outcome=RunOutcome.CANCELLED), ""),
        (switched, ""),
        (Closed(reason=SERVER_STOPPED_IN_RUN), ""),
    )

    prefix = cut_at_end(stopped)

    assert prefix.completed == []
    assert _seqs(prefix.interrupted) == [1, 2, 3, 7]
    assert prefix.asked is stopped[3]
