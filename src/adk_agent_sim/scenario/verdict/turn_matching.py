"""Matches the expected events of a run with the agent's actions, turn by turn; the first action that fits is taken.

same tool -> time window -> deterministic checks -> soft checks -> after all parents -> matched

The first action that fits is taken, as in the reference, so an index lists actions in their order. Where a turn has
many calls of one tool in another order than expected, comparing each with each would be quadratic.

What a checker accepts has the same key as the expected value; the other direction need not hold. A judge uses keys to
find the few actions that an expected event can match, and then compares those with the checker itself.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, Final, cast

from adk_agent_sim.scenario.verdict.argument_checkers import (
    keep_digits,
    normalize_path,
    normalize_text,
    parse_time,
    passes_checker,
)
from adk_agent_sim.scenario.verdict.oracle_plan import (
    ActionWindow,
    ArgumentCheck,
    ExpectedEvent,
    ExpectedTurn,
    OraclePlan,
)
from adk_agent_sim.scenario.verdict.soft_check import SoftCheck, SoftPanel, has_blank_name
from adk_agent_sim.scenario.verdict.traced_action import TracedAction, find_tool_declaration
from adk_agent_sim.timeline.verdict import JudgedEvent, VerdictDifference


class NoKey(Exception):
    """A value has no key: it must be compared with every action."""


def compute_key(checker: str, value: Any) -> Hashable:
    """Return the key of a value for one of `KEYED_CHECKERS`; raise NoKey if it has none."""
    try:
        return _KEYS[checker](value)
    except (TypeError, ValueError, AttributeError):
        # Values that the checker cannot compare only count if they are equal.
        return _key_equal(value)


def _key_equal(value: Any) -> Hashable:
    if isinstance(value, list):
        return "list", tuple(map(_key_equal, cast("list[Any]", value)))
    if isinstance(value, dict):
        items = cast("dict[Any, Any]", value).items()
        return "dict", frozenset((name, _key_equal(inner)) for name, inner in items)
    # Equal numbers such as 1 and 1.0 have the same hash, so they share a key, as `==` demands.
    try:
        hash(value)
    except TypeError:
        raise NoKey from None
    return value


def _key_unordered(value: Any) -> Hashable:
    return frozenset(value or ())


def _key_path(value: Any) -> Hashable:
    return None if value is None else normalize_path(value)


def _key_paths(value: Any) -> Hashable:
    return frozenset(map(normalize_path, value or ()))


def _key_time(value: Any) -> Hashable:
    return None if value is None else parse_time(value)


def _key_number(value: Any) -> Hashable:
    return None if value is None else keep_digits(value)


def _key_stripped(value: Any) -> Hashable:
    return value.strip() if value else ""


_KEYS: Final[Mapping[str, Callable[[Any], Hashable]]] = {
    "equal": _key_equal,
    "unordered": _key_unordered,
    "path": _key_path,
    "paths": _key_paths,
    "datetime": _key_time,
    "phone": _key_number,
    "stripped": _key_stripped,
}

KEYED_CHECKERS: Final = frozenset(_KEYS)
"""The checkers that compare two values by a normal form; the others accept values of many forms."""


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


class _MissingArgument(str):
    """Stands for an argument that the agent did not give; a text, so that verdicts are JSON."""

    __slots__ = ()


_MAX_SCANNED = 16
"""How many actions are compared one after the other before an index of their arguments is used."""

MISSING_ARGUMENT = _MissingArgument("(missing)")


class ActionMatching:
    """Which action is which expected event, in one run."""

    def __init__(self, plan: OraclePlan, panel: SoftPanel | None) -> None:
        self.plan = plan
        self.panel = panel
        self.actions: dict[str, TracedAction] = {}
        """The matched actions by the id of the expected event."""
        self._candidates: dict[str, list[TracedAction]] = {}
        self._heads: dict[str, int] = {}
        self._indexes: dict[tuple[str, tuple[tuple[str, str], ...]], CandidateIndex] = {}
        self._happened: dict[tuple[str, str, str], TracedAction] = {}

    def add_turn(self, actions: Sequence[TracedAction]) -> None:
        """Add the next turn: the agent's actions are candidates, and what happened by itself is found by its id."""
        # Actions stay candidates in later turns, as in ARE; what happened by itself counts only in its own turn.
        self._happened = {}
        for each in actions:
            if each.kind == "AGENT":
                self._candidates.setdefault(each.tool, []).append(each)
            else:
                self._happened.setdefault((each.event_id, each.kind, each.tool), each)

    def list_candidates(self, tool: str) -> Iterator[TracedAction]:
        """Yield the actions with a tool that are not matched yet."""
        candidates = self._candidates.get(tool, [])
        return _iter_unmatched(candidates, self._find_head(tool, candidates), len(candidates))

    def _find_head(self, tool: str, candidates: Sequence[TracedAction]) -> int:
        """Return the place of the first action that is not matched: in a perfect run, it is the one that matches."""
        head = self._heads.get(tool, 0)
        while head < len(candidates) and candidates[head].is_matched:
            head += 1
        self._heads[tool] = head
        return head

    def match_event(self, event: ExpectedEvent, turn: ExpectedTurn, *, may_ask: bool = True) -> JudgedEvent | None:
        """Match an expected event with the first action that fits; return None if none does."""
        if event.kind != "AGENT":
            found = self._happened.get((event.event_id, event.kind, event.tool))
            return None if found is None else self._add_match(event, found, "same id")
        arguments = self.resolve_arguments(event)
        for action in self._list_fitting_candidates(event, arguments):
            # Differences are computed one by one: no soft check is asked if a deterministic one has failed before.
            difference = next(self.find_differences(event, turn, action, arguments, may_ask=may_ask), None)
            if difference is None:
                return self._add_match(event, action, "all checks passed")
        return None

    def _list_fitting_candidates(self, event: ExpectedEvent, arguments: Mapping[str, Any]) -> Iterator[TracedAction]:
        """Yield the actions that an expected event may match, in their order, without most of those it cannot."""
        candidates = self._candidates.get(event.tool, [])
        head = self._find_head(event.tool, candidates)
        end = min(head + _MAX_SCANNED, len(candidates))
        yield from _iter_unmatched(candidates, head, end)
        if end == len(candidates):
            return
        # The index lists these actions as well.
        scanned = {id(each) for each in candidates[head:end]}
        indexed = self._find_index(event).list_candidates(arguments)
        rest = _iter_unmatched(candidates, end, len(candidates)) if indexed is None else indexed
        yield from (each for each in rest if id(each) not in scanned)

    def _find_index(self, event: ExpectedEvent) -> CandidateIndex:
        checks = select_keyed_checks(event.checks.hard)
        key = event.tool, tuple((each.argument, each.checker) for each in checks)
        if key not in self._indexes:
            self._indexes[key] = CandidateIndex(self._candidates[event.tool], checks, _read_argument)
        return self._indexes[key]

    def _add_match(self, event: ExpectedEvent, action: TracedAction, rule: str) -> JudgedEvent:
        action.is_matched = True
        self.actions[event.event_id] = action
        return JudgedEvent(
            event_id=event.event_id,
            kind=event.kind,
            tool=event.tool,
            status="matched",
            rule=rule,
            agent_event_id=action.event_id,
        )

    def resolve_arguments(self, event: ExpectedEvent) -> Mapping[str, Any]:
        """Return the expected arguments, where references stand for what the agent's own actions returned."""
        found = {
            name: self.actions[source].returned for name, source in event.references.items() if source in self.actions
        }
        return {**event.arguments, **found} if found else event.arguments

    def find_differences(
        self,
        event: ExpectedEvent,
        turn: ExpectedTurn,
        action: TracedAction,
        arguments: Mapping[str, Any],
        *,
        may_ask: bool,
    ) -> Iterator[VerdictDifference]:
        """Yield what differs between an action and an expected event, in the order of the rules.

        Args:
            event: The expected event.
            turn: Its turn.
            action: An action with the same tool.
            arguments: The expected arguments with references resolved.
            may_ask: Whether soft checks may be asked; if not, only answers that were given count.
        """
        if event.window is not None:
            yield from self._check_time(event, event.window, action)
        given = action.arguments
        for check in event.checks.hard:
            got = given[check.argument] if check.argument in given else _get_default(action, check.argument)
            expected = arguments.get(check.argument)
            if got is MISSING_ARGUMENT or not passes_checker(check.checker, got, expected, check.texts):
                wanted = list(check.texts) if check.rule.startswith("parameter: contains") else expected
                yield VerdictDifference(argument=check.argument, expected=wanted, got=got, rule=check.rule)
        if self.panel is not None and event.checks.soft:
            ask = self.panel.answer if may_ask else self.panel.recall
            yield from self._check_softly(event, turn, action, arguments, ask)
        for parent in event.parents:
            if parent in self.actions and self.actions[parent].position >= action.position:
                yield VerdictDifference(
                    argument="order", expected=f"after {parent}", got=f"before {parent}", rule="causality"
                )

    def _check_time(
        self, event: ExpectedEvent, window: ActionWindow, action: TracedAction
    ) -> Iterator[VerdictDifference]:
        since = 0.0
        if window.is_relative:
            times = [self.actions[each].time for each in event.latest_parents if each in self.actions]
            if event.counts_from_start:
                times.append(self.plan.start_time)
            if not times:
                return
            since = max(times)
        if not window.contains(action.time - since):
            origin = since if window.is_relative else self.plan.start_time
            shift = 0.0 if window.is_relative else self.plan.start_time
            yield VerdictDifference(
                argument="time",
                expected=_describe_window(window.earliest, window.latest, shift, is_relative=window.is_relative),
                got=f"{action.time - origin:g} s",
                rule="time window",
            )

    def _check_softly(
        self,
        event: ExpectedEvent,
        turn: ExpectedTurn,
        action: TracedAction,
        arguments: Mapping[str, Any],
        ask: Callable[[SoftCheck], bool | None],
    ) -> Iterator[VerdictDifference]:
        names = [name for name in event.checks.soft if arguments.get(name)]
        given = action.arguments
        values = {name: given[name] if name in given else _get_default(action, name) for name in names}
        differing = [name for name in names if normalize_text(values[name]) != normalize_text(arguments[name])]
        if not differing:
            return
        if event.checks.is_signed and has_blank_name([each for each in values.values() if isinstance(each, str)]):
            name = differing[0]
            yield VerdictDifference(argument=name, expected=arguments[name], got=values[name], rule="blank name")
            return
        for name in differing:
            if values[name] is MISSING_ARGUMENT:
                passed: bool | None = False
            else:
                check = SoftCheck(
                    task=turn.task,
                    tool=event.tool,
                    argument=name,
                    expected=arguments[name],
                    got=values[name],
                    user=self.plan.user_name,
                )
                passed = ask(check)
            if passed is False:
                yield VerdictDifference(argument=name, expected=arguments[name], got=values[name], rule="soft")


def _iter_unmatched(candidates: Sequence[TracedAction], start: int, end: int) -> Iterator[TracedAction]:
    for place in range(start, end):
        if not candidates[place].is_matched:
            yield candidates[place]


def _read_argument(action: TracedAction, name: str) -> Any:
    given = action.arguments
    return given[name] if name in given else _get_default(action, name)


def _get_default(action: TracedAction, name: str) -> Any:
    """Return the value of an argument that the log of an action lacks: the default of its tool, if it has one."""
    tool = find_tool_declaration(action.class_name, action.function)
    declared = next((each for each in tool.arguments if each.name == name), None) if tool is not None else None
    return MISSING_ARGUMENT if declared is None or declared.required else declared.default


def _describe_window(earliest: float | None, latest: float | None, shift: float, *, is_relative: bool) -> str:
    origin = "its latest parent" if is_relative else "the start"
    if earliest is None:
        return f"at most {(latest or 0) - shift:g} s after {origin}"
    if latest is None:
        return f"at least {earliest - shift:g} s after {origin}"
    return f"{earliest - shift:g} to {latest - shift:g} s after {origin}"
