"""What a checker accepts has the same key, and a turn with many calls in another order is judged in linear work."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from world_builders import build_reply_event, build_world_event, build_world_scenario

from adk_agent_sim.scenario import Judge
from adk_agent_sim.scenario.verdict.argument_checkers import passes_checker
from adk_agent_sim.scenario.verdict.turn_matching import KEYED_CHECKERS, NoKey, compute_key
from adk_agent_sim.scenario.world.event_log import CompletedEvent

_TEXTS = st.sampled_from(
    ["", " ", "a", "a ", "/a", "a/", "a/./b", "ab", "ba", "1", "+1 2", "12", "2024-01-02 03:04:05", "2024-1-2 3:4:5"]
)
_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.sampled_from([0, 1, 1.0, 0.0, 2]) | _TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=2),
    max_leaves=4,
)


@settings(max_examples=500)
@given(st.sampled_from(sorted(KEYED_CHECKERS)), _VALUES, _VALUES)
def test_values_that_count_as_the_same_have_the_same_key(checker: str, got: Any, expected: Any) -> None:
    if not passes_checker(checker, got, expected):
        return
    with suppress(NoKey):
        assert compute_key(checker, got) == compute_key(checker, expected)


class _CountedText(str):
    """Counts how often the checkers look at it, which put recipients into sets."""

    __slots__ = ()
    looks = 0

    def __hash__(self) -> int:
        _CountedText.looks += 1
        return super().__hash__()


@pytest.mark.parametrize("is_reversed", [False, True])
def test_the_work_per_call_does_not_grow_with_the_number_of_calls_in_any_order(is_reversed: bool) -> None:
    looks: list[float] = []
    for size in (50, 400):
        mails = [
            build_world_event(f"a{n}", "AGENT", ("u",), "Emails__send_email", recipients=[f"{n}@example.org"])
            for n in range(size)
        ]
        reply = build_reply_event("m", *(f"a{n}" for n in range(size)))
        judge = Judge(build_world_scenario(build_world_event("u", "USER", delay=0), *mails, reply))
        order = range(size - 1, -1, -1) if is_reversed else range(size)
        sends = [_build_send(f"{n}@example.org", 1001.0 + place / size) for place, n in enumerate(order)]
        _CountedText.looks = 0
        assert judge.judge([_build_user(), *sends, _build_reply()]).passed
        looks.append(_CountedText.looks / size)
    assert looks[0] >= 1
    assert looks[1] <= looks[0] * 1.5, looks


def _build_send(recipient: str, time: float) -> CompletedEvent:
    return CompletedEvent(
        event_id=f"AGENT-{recipient}",
        kind="AGENT",
        time=time,
        operation="WRITE",
        app="Emails",
        function="send_email",
        arguments={"recipients": [_CountedText(recipient)]},
    )


def _build_user() -> CompletedEvent:
    return CompletedEvent(
        event_id="u",
        kind="USER",
        time=1000.0,
        app="AgentUserInterface",
        function="send_message_to_agent",
        arguments={"content": "Please help."},
    )


def _build_reply() -> CompletedEvent:
    return CompletedEvent(
        event_id="AGENT-reply",
        kind="AGENT",
        time=1003.0,
        operation="WRITE",
        app="AgentUserInterface",
        function="send_message_to_user",
        arguments={"content": "Done."},
    )
