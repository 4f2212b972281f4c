"""Finds rules that are never reached, because earlier rules answer every call that they match.

    rule --split--> one case per tool, agent and value of `any_of` --each is covered by--> an earlier rule

What a rule requires is a set of tokens, such as (argument, operator, value). An earlier rule covers a case if its
tokens are among those of the case. Earlier rules are indexed by their rarest token, so the time to check a file grows
with its length, not with its square.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from adk_agent_sim.environment.rules import ArgumentCondition, Match, Rule
from adk_agent_sim.text.glob_match import GlobSet, is_glob
from adk_agent_sim.timeline.canonical_json import Json, encode_json, normalize_value

Token: TypeAlias = tuple[object, ...]

_MAX_CASES = 64
"""How many cases of one rule are looked at; one that has more is taken to be reachable."""


@dataclass(frozen=True, slots=True)
class _Case:
    """Calls of one tool that a rule matches."""

    tool: str
    agent: str | None
    """The calling agent; None if any."""

    tokens: frozenset[Token]


class EarlierRuleIndex:
    """The rules so far, in the order of the file."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        """Prepare the index for these rules; they are added one by one."""
        self._frequency = Counter(token for rule in rules for token in _list_tokens(rule.match))
        self._rules: dict[int, Rule] = {}
        self._by_tool: dict[tuple[str, Token | None], list[int]] = {}
        self._globs = _GlobIndex()

    def find_covering(self, match: Match) -> Sequence[int] | None:
        """Return the earlier rules that together answer every call of a match; None if that is not certain."""
        covering: dict[int, None] = {}
        cases = _split(match)
        if cases is None:
            return None
        for case in cases:
            found = self._find_for_case(case)
            if found is None:
                return None
            covering.update(dict.fromkeys(found))
        return sorted(covering)

    def add(self, index: int, rule: Rule) -> None:
        """Add the next rule."""
        match = rule.match
        # Such a rule may leave a call that it seems to match to the rules after it, so it covers nothing.
        if not rule.enabled or match.probability < 1 or match.exactly:
            return
        self._rules[index] = rule
        tokens = _list_tokens(match)
        anchor = min(tokens, key=self._frequency.__getitem__, default=None)
        for tool in dict.fromkeys(match.tool):
            self._by_tool.setdefault((tool, anchor), []).append(index)
            if is_glob(tool):
                self._globs.add(tool)

    def _find_for_case(self, case: _Case) -> Sequence[int] | None:
        partial = _PartialCoverage()
        for index in self._iter_candidates(case):
            match = self._rules[index].match
            if not _covers(match, case):
                continue
            if match.call is None:
                return (index,)
            if pair := partial.add(index, match):
                return pair
        return None

    def _iter_candidates(self, case: _Case) -> Iterator[int]:
        names = [case.tool, *(self._globs.find(case.tool) if not is_glob(case.tool) else ())]
        if "*" not in names:
            names.append("*")
        anchors: list[Token | None] = [None, *case.tokens]
        found = {index for name in names for anchor in anchors for index in self._by_tool.get((name, anchor), ())}
        yield from sorted(found)


class _PartialCoverage:
    """Rules for some of the calls of a case. Two that count the same calls cover all: `first: n` and `after: n`."""

    def __init__(self) -> None:
        self._first: dict[tuple[object, ...], tuple[int, int]] = {}
        self._after: dict[tuple[object, ...], tuple[int, int]] = {}

    def add(self, index: int, match: Match) -> tuple[int, int] | None:
        """Add a rule; returns the two that cover all calls, if there are such."""
        assert match.call is not None  # noqa: S101 - the others cover all calls by themselves
        limits = match.call.model_dump(exclude_none=True)
        counted = (tuple(match.tool), tuple(match.agent or ()), _list_tokens(match))
        for key, known in (("first", self._first), ("after", self._after)):
            if limits.keys() == {key}:
                known.setdefault(counted, (index, limits[key]))
        first, after = self._first.get(counted), self._after.get(counted)
        return (first[0], after[0]) if first and after and after[1] <= first[1] else None


class _GlobIndex:
    """Finds the patterns that match a name, by what they begin with."""

    def __init__(self) -> None:
        self._by_beginning: dict[str, dict[str, None]] = {}

    def add(self, pattern: str) -> None:
        beginning = pattern.partition("*")[0].partition("?")[0]
        self._by_beginning.setdefault(beginning, {})[pattern] = None

    def find(self, name: str) -> list[str]:
        candidates = (pattern for end in range(len(name) + 1) for pattern in self._by_beginning.get(name[:end], ()))
        return [pattern for pattern in candidates if GlobSet([pattern]).matches(name)]


def _covers(earlier: Match, case: _Case) -> bool:
    """Whether an earlier rule matches every call of a case, apart from the number of the call."""
    if earlier.agent is not None and (case.agent is None or not _includes(earlier.agent, case.agent)):
        return False
    return _includes(earlier.tool, case.tool) and _list_tokens(earlier) <= case.tokens


def _includes(names: Sequence[str], name: str) -> bool:
    return name in names or "*" in names or (not is_glob(name) and GlobSet(names).matches(name))


def _split(match: Match) -> list[_Case] | None:
    """Split a match into cases that one earlier rule can cover; None if there are too many."""
    choices: list[list[tuple[str, ArgumentCondition]]] = []
    for name, condition in match.args.items():
        if condition.model_fields_set == {"any_of"} and condition.any_of:
            choices.append([(name, ArgumentCondition(equals=value)) for value in condition.any_of])
        else:
            choices.append([(name, condition)])
    agents: Sequence[str | None] = match.agent or [None]
    count = len(match.tool) * len(agents)
    for each in choices:
        count *= len(each)
    if count > _MAX_CASES:
        return None
    # With the match's own tokens: an earlier rule may have the same `any_of`.
    own = _list_tokens(match)
    return [
        _Case(tool, agent, own | {("agent", agent)} | _list_argument_tokens(dict(args), uses_defaults=match.defaults))
        for tool, agent, args in product(match.tool, agents, product(*choices))
    ]


def _list_tokens(match: Match) -> frozenset[Token]:
    """Return what a match requires of a call, apart from the tool and the number of the call."""
    tokens = _list_argument_tokens(match.args, uses_defaults=match.defaults)
    tokens |= {("after", each if isinstance(each, str) else _encode(each.model_dump())) for each in match.after}
    tokens |= {("state", *token) for token in _list_argument_tokens(match.state, uses_defaults=False)}
    if match.during is not None:
        tokens.add(("during", _encode(match.during.model_dump())))
    # Several names or wildcards are alternatives, which a token cannot express; `_covers` looks at them.
    if match.agent is not None and len(match.agent) == 1 and not is_glob(match.agent[0]):
        tokens.add(("agent", match.agent[0]))
    return frozenset(tokens)


def _list_argument_tokens(args: Mapping[str, ArgumentCondition], *, uses_defaults: bool) -> set[Token]:
    return {
        (uses_defaults, name, operator, _encode(value))
        for name, condition in args.items()
        for operator, value in condition.model_dump(exclude_unset=True).items()
    }


def _encode(value: Json) -> bytes:
    return encode_json(normalize_value(value))
