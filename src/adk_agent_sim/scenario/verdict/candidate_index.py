"""Finds the actions that an expected event can match by its arguments, so that it is not compared with all others.

The first action that fits is taken, as in the reference, so an index lists actions in their order. Where a turn has
many calls of one tool in another order than expected, comparing each with each would be quadratic.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

from adk_agent_sim.scenario.verdict.argument_check_plan import ArgumentCheck
from adk_agent_sim.scenario.verdict.argument_keys import KEYED_CHECKERS, NoKey, compute_key
from adk_agent_sim.scenario.verdict.traced_action import TracedAction


def select_keyed_checks(checks: Sequence[ArgumentCheck]) -> tuple[ArgumentCheck, ...]:
    """Return the checks by which an index can find actions."""
    return tuple(each for each in checks if each.checker in KEYED_CHECKERS)


class CandidateIndex:
    """Actions with one tool by the keys of the arguments that some expected events check."""

    def __init__(
        self,
        candidates: Sequence[TracedAction],
        checks: Sequence[ArgumentCheck],
        read_argument: Callable[[TracedAction, str], Any],
    ) -> None:
        """Index actions.

        Args:
            candidates: The actions, to which more are appended later.
            checks: The checks, from `select_keyed_checks`.
            read_argument: Returns an argument of an action, or its default.
        """
        self._candidates = candidates
        self._checks = checks
        self._read_argument = read_argument
        self._by_key: dict[Hashable, list[TracedAction]] = {}
        self._heads: dict[Hashable, int] = {}
        self._count = 0
        self._is_complete = True

    def list_candidates(self, arguments: Mapping[str, Any]) -> Iterator[TracedAction] | None:
        """Return the unmatched actions that arguments can match, in their order; None if any of the tool can."""
        self._add_new_candidates()
        try:
            key = self._compute_key([arguments.get(each.argument) for each in self._checks])
        except NoKey:
            return None
        return self._iter_unmatched(key) if self._is_complete else None

    def _iter_unmatched(self, key: Hashable) -> Iterator[TracedAction]:
        found = self._by_key.get(key, [])
        head = self._heads.get(key, 0)
        while head < len(found) and found[head].is_matched:
            head += 1
        self._heads[key] = head
        return (each for each in found[head:] if not each.is_matched)

    def _add_new_candidates(self) -> None:
        for action in self._candidates[self._count :]:
            try:
                key = self._compute_key([self._read_argument(action, each.argument) for each in self._checks])
            except NoKey:
                # An action without a key may match any arguments, so the index can no longer exclude anything.
                self._is_complete = False
                continue
            self._by_key.setdefault(key, []).append(action)
        self._count = len(self._candidates)

    def _compute_key(self, values: Sequence[Any]) -> Hashable:
        return tuple(compute_key(check.checker, value) for check, value in zip(self._checks, values, strict=True))
