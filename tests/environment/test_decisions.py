"""Decisions do not depend on how calls, agents and sessions interleave, nor on ids that are random."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_agent_sim.environment.call_history import CallHistory
from adk_agent_sim.environment.environment import Environment
from adk_agent_sim.environment.incoming_call import IncomingCall
from adk_agent_sim.environment.rulebook import Rulebook
from adk_agent_sim.environment.rules import Rules

_TOOLS = ["a", "b", "c"]
_ARGS = st.fixed_dictionaries({}, optional={"x": st.sampled_from([1, 2, True, "1"]), "y": st.integers(0, 1)})
_CALLS = st.lists(st.tuples(st.sampled_from(_TOOLS), _ARGS), min_size=1, max_size=4)
_BRANCHES = st.dictionaries(st.sampled_from(["p.one", "p.two", "p.three"]), st.lists(_CALLS, max_size=4), min_size=1)
_SESSIONS = st.lists(_BRANCHES, min_size=1, max_size=3)

_MATCHES: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {"tool": st.sampled_from([*_TOOLS, "*", "[ab]", "a*"])},
    optional={
        "args": st.fixed_dictionaries({"x": st.sampled_from([1, True, {"any_of": [1, 2]}, {"present": True}])}),
        "call": st.sampled_from([{"nth": 2}, {"every": 2}, {"first": 2}, {"after": 1}, {"nth": [1, 3]}]),
        "after": st.sampled_from(["a succeeded", "b failed", "c called", "* succeeded"]),
        "agent": st.sampled_from(["one", "t*"]),
        "probability": st.sampled_from([0.3, 0.5, 0.9]),
        "seed": st.integers(0, 3),
    },
)
_ACTIONS: list[Any] = [
    {"respond": {"ok": 1}},
    {"error": {"code": 500, "message": "m"}},
    [{"delay": {"uniform": [0, 9]}}, {"respond": {}}],
    [{"delay": {"lognormal": {"median": 1, "sigma": 1}}}, {"error": {"code": 1, "message": "m"}}],
]
_RULES: st.SearchStrategy[Any] = st.lists(
    st.fixed_dictionaries({"match": _MATCHES, "do": st.sampled_from(_ACTIONS)}), min_size=1, max_size=6
)


@dataclass
class _Branch:
    """An agent of a session that works through its turns, one step at a time."""

    name: str
    turns: list[Any]
    session: _Session
    turn: int = -1
    waiting: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    responses: list[tuple[str, Any]] = field(default_factory=list[tuple[str, Any]])

    @property
    def agent(self) -> str:
        return self.name.removeprefix("p.")

    @property
    def scope(self) -> str:
        return ""

    def get_call_history(self) -> CallHistory:
        return self.session.conversation

    def get_argument_defaults(self) -> dict[str, Any]:
        return {}

    @property
    def is_done(self) -> bool:
        return self.turn >= len(self.turns)

    def step(self, random: Random | None) -> None:
        """Ask a turn, decide one of its calls, or give its answers; which call is next is left to chance."""
        if self.waiting:
            number = random.randrange(len(self.waiting)) if random else 0
            self._decide(*self.waiting.pop(number))
            return
        if self.responses:
            self.session.conversation.record_responses(self.responses, self.agent)
            self.responses = []
        self.turn += 1
        if not self.is_done:
            ids = [uuid4().hex if random else f"call_{number}" for number in range(9)]  # some models count from 0 again
            asked = [(call_id, tool, args) for call_id, (tool, args) in zip(ids, self.turns[self.turn], strict=False)]
            self.session.conversation.record_calls(asked, self.agent, self.name)
            self.waiting = [(number, call_id) for number, (call_id, _, _) in enumerate(asked)]

    def _decide(self, number: int, call_id: str) -> None:
        tool, args = self.turns[self.turn][number]
        environment = self.session.environment
        call = IncomingCall(tool, args, call_id, self)
        decision = environment.decide(call)
        told = [decision.rule_name, *environment.describe_actions(decision), *map(str, decision.list_skipped_rules())]
        self.session.decided[self.name, self.turn, number] = told
        failed = any(text.startswith("error") for text in told)
        self.responses.append((call_id, {"error_code": 1} if failed else {"result": 1}))


class _Session:
    def __init__(self, book: Rulebook, branches: dict[str, Any]) -> None:
        self.environment = Environment(book)
        self.conversation = CallHistory()
        self.decided: dict[tuple[str, int, int], list[str]] = {}
        self.branches = [_Branch(name, turns, self) for name, turns in branches.items()]


def _decisions(rules: Rules, sessions: list[Any], random: Random | None) -> list[Any]:
    """What was decided for each call: one after the other, or in an order that `random` makes up."""
    book = Rulebook(rules, skip_checks=True)
    opened = [_Session(book, branches) for branches in sessions]
    working = [branch for session in opened for branch in session.branches]
    while working := [branch for branch in working if not branch.is_done]:
        (random.choice(working) if random else working[0]).step(random)
    return [session.decided for session in opened]


@pytest.mark.req("002/reproducible")
@given(rules=_RULES, sessions=_SESSIONS, random=st.randoms(use_true_random=False))
def test_any_interleaving_decides_as_one_call_after_the_other(rules: Any, sessions: Any, random: Random) -> None:
    stated = Rules.model_validate({"seed": 1, "rules": rules})

    assert _decisions(stated, sessions, random) == _decisions(stated, sessions, None)


def test_a_label_makes_other_chances_and_a_seed_too() -> None:
    def drawn(seed: int, label: str) -> list[bool]:
        rules = Rules.model_validate(
            {"seed": seed, "rules": [{"match": {"tool": "a", "probability": 0.5}, "do": {"respond": 1}}]}
        )
        session = _Session(Rulebook(rules, label=label), {"p.one": [[("a", {})] * 40]})
        while not session.branches[0].is_done:
            session.branches[0].step(None)
        return [bool(told[0]) for told in session.decided.values()]

    assert drawn(1, "") == drawn(1, "")
    assert len({tuple(drawn(seed, label)) for seed in (1, 2) for label in ("", "run 2")}) == 4
