"""Decisions do not depend on how calls, agents and sessions interleave, nor on generated ids."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_agent_sim.environment.environment import Environment
from adk_agent_sim.environment.incoming_call import CallHistory, IncomingCall, SessionRandomness
from adk_agent_sim.environment.rulebook import Rulebook
from adk_agent_sim.environment.rules import Rules
from adk_agent_sim.mocks.mocked_call import ToolSpec

_TOOLS = ["a", "b", "c"]
_ARGS = st.fixed_dictionaries({}, optional={"x": st.sampled_from([1, 2, True, "1"]), "y": st.integers(0, 1)})
_CALLS = st.lists(st.tuples(st.sampled_from(_TOOLS), _ARGS), min_size=1, max_size=4)
_BRANCHES = st.dictionaries(st.sampled_from(["p.one", "p.two", "p.three"]), st.lists(_CALLS, max_size=4), min_size=1)
_SESSIONS = st.lists(_BRANCHES, min_size=1, max_size=3)


def _drop_single_burst(match: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in match.items() if key != "burst" or "probability" in match}


_MATCHES: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {"tool": st.sampled_from([*_TOOLS, "*", "[ab]", "a*"])},
    optional={
        "args": st.fixed_dictionaries({"x": st.sampled_from([1, True, {"any_of": [1, 2]}, {"present": True}])}),
        "call": st.sampled_from(
            [
                *({"nth": 2}, {"every": 2}, {"first": 2}, {"after": 1}, {"nth": [1, 3]}),
                *({"first": 1, "per": "x"}, {"after": 1, "within": 3.5}, {"first": 2, "per": "y", "within": 6}),
            ]
        ),
        "after": st.sampled_from(
            [
                *("a succeeded", "b failed", "c called", "* succeeded"),
                *({"tool": "*", "same": "x"}, {"tool": "a", "args": {"x": {"not": 1}}, "result": {"result": 1}}),
            ]
        ),
        "during": st.sampled_from([{"from": 2}, {"to": 4.5}, {"from": 1, "to": 3, "every": 5}]),
        "burst": st.just(2),
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
    st.fixed_dictionaries({"match": _MATCHES.map(_drop_single_burst), "do": st.sampled_from(_ACTIONS)}),
    min_size=1,
    max_size=6,
)


@dataclass
class _Branch:
    """An agent of a session that performs its turns step by step."""

    name: str
    turns: list[Any]
    session: _Session
    turn: int = -1
    undecided: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    responses: list[tuple[str, Any]] = field(default_factory=list[tuple[str, Any]])

    @property
    def agent(self) -> str:
        return self.name.removeprefix("p.")

    @property
    def scope(self) -> str:
        return ""

    @property
    def randomness(self) -> SessionRandomness:
        return self.session.environment.randomness

    def get_call_history(self) -> CallHistory:
        return self.session.history

    def get_argument_defaults(self) -> dict[str, Any]:
        return {}

    def get_state(self) -> dict[str, Any]:
        return {}

    def get_tool_spec(self) -> ToolSpec:
        return ToolSpec(name="t")

    def list_tool_specs(self) -> list[ToolSpec]:
        return []

    @property
    def is_done(self) -> bool:
        return self.turn >= len(self.turns)

    def step(self, random: Random | None) -> None:
        """Request a turn, decide one of its calls, or record its responses; `random` picks the next call."""
        if self.undecided:
            number = random.randrange(len(self.undecided)) if random else 0
            self._decide(*self.undecided.pop(number))
            return
        if self.responses:
            self.session.history.record_responses(self.responses, self.agent)
            self.responses = []
        self.turn += 1
        if not self.is_done:
            # Some models number their calls from 0 in each turn.
            ids = [uuid4().hex if random else f"call_{number}" for number in range(9)]
            calls = [(call_id, tool, args) for call_id, (tool, args) in zip(ids, self.turns[self.turn], strict=False)]
            self.session.history.record_calls(calls, self.agent, self.name)
            self.undecided = [(number, call_id) for number, (call_id, _, _) in enumerate(calls)]

    def _decide(self, number: int, call_id: str) -> None:
        tool, args = self.turns[self.turn][number]
        environment = self.session.environment
        call = IncomingCall(tool, args, call_id, self)
        decision = environment.decide(call)
        texts = [decision.rule_name, *environment.describe_actions(decision), *map(str, decision.list_skipped_rules())]
        self.session.decided[self.name, self.turn, number] = texts
        failed = any(text.startswith("error") for text in texts)
        delays = [text for text in texts[1:] if text.startswith("delay ")]
        call.record.duration = float(delays[0].split()[1]) if delays else 0.5
        self.responses.append((call_id, {"error_code": 1} if failed else {"result": 1}))


class _Session:
    def __init__(self, book: Rulebook, branches: dict[str, Any]) -> None:
        self.environment = Environment(book)
        self.history = CallHistory()
        self.decided: dict[tuple[str, int, int], list[str]] = {}
        self.branches = [_Branch(name, turns, self) for name, turns in branches.items()]


def _decide_all(rules: Rules, sessions: list[Any], random: Random | None) -> list[Any]:
    """Returns the decision for each call: one call after the other, or in an order that `random` picks."""
    book = Rulebook(rules, skip_checks=True)
    running = [_Session(book, branches) for branches in sessions]
    unfinished = [branch for session in running for branch in session.branches]
    while unfinished := [branch for branch in unfinished if not branch.is_done]:
        (random.choice(unfinished) if random else unfinished[0]).step(random)
    return [session.decided for session in running]


@pytest.mark.req("002/reproducible")
@given(rules=_RULES, sessions=_SESSIONS, random=st.randoms(use_true_random=False))
def test_any_interleaving_decides_as_one_call_after_the_other(rules: Any, sessions: Any, random: Random) -> None:
    model = Rules.model_validate({"seed": 1, "rules": rules})

    assert _decide_all(model, sessions, random) == _decide_all(model, sessions, None)


def test_another_label_or_seed_gives_other_draws() -> None:
    def draw_decisions(seed: int, label: str) -> list[bool]:
        rules = Rules.model_validate(
            {"seed": seed, "rules": [{"match": {"tool": "a", "probability": 0.5}, "do": {"respond": 1}}]}
        )
        session = _Session(Rulebook(rules, label=label), {"p.one": [[("a", {})] * 40]})
        while not session.branches[0].is_done:
            session.branches[0].step(None)
        return [bool(texts[0]) for texts in session.decided.values()]

    assert draw_decisions(1, "") == draw_decisions(1, "")
    assert len({tuple(draw_decisions(seed, label)) for seed in (1, 2) for label in ("", "run 2")}) == 4
