"""The compiled form of a rule's `match`: predicates that are fast to evaluate and can explain a mismatch."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import ClassVar

from adk_agent_sim.environment.call_history import CallRecord, is_success
from adk_agent_sim.environment.incoming_call import IncomingCall
from adk_agent_sim.environment.json_values import (
    MISSING,
    WILDCARD,
    ValuePath,
    equals_value,
    escape_name,
    expand_wildcards,
    format_value,
    get_at_path,
    has_wildcard,
    is_number,
    parse_path,
)
from adk_agent_sim.environment.rule_match import ArgumentCondition, CallNumber, EarlierOutcome, Match
from adk_agent_sim.forms import bounded_regex as patterns
from adk_agent_sim.text.glob_match import GlobSet
from adk_agent_sim.timeline.canonical_json import Json


class CallPredicate(ABC):
    """One condition on a call."""

    @abstractmethod
    def is_met(self, call: IncomingCall) -> bool:
        """Whether the call meets the condition."""

    @abstractmethod
    def explain_mismatch(self, call: IncomingCall) -> str:
        """Returns the reason, in a few words, if the call does not meet the condition."""

    @abstractmethod
    def describe(self) -> str:
        """Returns the condition in a few words."""


class _EqualsPredicate(CallPredicate):
    """A top-level argument equals a scalar: the usual case, and the fastest to check."""

    def __init__(self, name: str, value: Json) -> None:
        self.name = name
        self.value = value
        self._type: object = value.__class__
        self._is_number = is_number(value)

    def describe(self) -> str:
        return f"{self.name} is {format_value(self.value)}"

    def is_met(self, call: IncomingCall) -> bool:
        value = call.args.get(self.name, MISSING)
        if value.__class__ is self._type:
            return value == self.value
        return self._is_number and is_number(value) and value == self.value

    def explain_mismatch(self, call: IncomingCall) -> str:
        return f"{self.name} is {format_value(call.args.get(self.name, MISSING))}, not {format_value(self.value)}"


_SCALAR_TYPES = (str, int, float, bool, type(None))


class _ArgumentPredicate(CallPredicate):
    """The value at a path in the arguments meets an `ArgumentCondition`; with wildcards, one of the values does."""

    def __init__(self, name: str, condition: ArgumentCondition, *, use_defaults: bool) -> None:
        self.name = name
        self._path: ValuePath = parse_path(name)
        # A JSON Pointer is always a path, also to a name that itself looks like one.
        self._is_pointer = name.startswith("/")
        self._has_wildcard = has_wildcard(self._path)
        self._value_checks = list(_iter_value_checks(condition))
        self._use_defaults = use_defaults

    def describe(self) -> str:
        return f"{self.name} is {' and '.join(expected for _, expected in self._value_checks)}"

    def is_met(self, call: IncomingCall) -> bool:
        return any(all(check(value) for check, _ in self._value_checks) for value in self._read_values(call))

    def explain_mismatch(self, call: IncomingCall) -> str:
        values = self._read_values(call)
        expected = next((expected for check, expected in self._value_checks if not check(values[0])), "a match")
        listed = format_value(values[0]) if len(values) == 1 else f"one of {format_value(values)}"
        return f"{self.name} is {listed}, not {expected}"

    def _read_values(self, call: IncomingCall) -> list[Json]:
        """Returns the values at the path; MISSING if there are none."""
        args = call.args_with_defaults if self._use_defaults else call.args
        if not self._is_pointer:
            value = args.get(self.name, MISSING)  # an argument whose name contains a dot takes precedence over a path
            if value is not MISSING:
                return [value]
        if self._has_wildcard:
            return [get_at_path(args, path) for path in expand_wildcards(args, self._path)] or [MISSING]
        return [get_at_path(args, self._path)]


def _iter_value_checks(condition: ArgumentCondition) -> Iterator[tuple[Callable[[Json], bool], str]]:
    """Yield the checks of a condition, each with a description of the values it accepts."""
    if "equals" in condition.model_fields_set:
        yield (
            (lambda value: value is not MISSING and equals_value(value, condition.equals)),
            format_value(condition.equals),
        )
    if (regex := condition.regex) is not None:
        yield (
            lambda value: isinstance(value, str) and patterns.is_match(regex, value, if_unchecked=False),
            f"a text that matches {regex}",
        )
    if (minimum := condition.min) is not None:
        yield (lambda value: is_number(value) and value >= minimum), f"{minimum} or more"
    if (maximum := condition.max) is not None:
        yield (lambda value: is_number(value) and value <= maximum), f"{maximum} or less"
    if (choices := condition.any_of) is not None:
        yield (lambda value: any(equals_value(value, choice) for choice in choices)), f"one of {format_value(choices)}"
    if (present := condition.present) is not None:
        yield (lambda value: (value is not MISSING) == present), "given" if present else "left out"


class _NoExtraArgumentsPredicate(CallPredicate):
    """The call has no arguments besides those that `args` names."""

    def __init__(self, match: Match) -> None:
        first_steps = [parse_path(name)[0] for name in match.args]
        self._allowed_names = {*match.args, *first_steps}
        self._allows_all = any(step is WILDCARD for step in first_steps)

    def describe(self) -> str:
        return "no other arguments"

    def is_met(self, call: IncomingCall) -> bool:
        return self._allows_all or call.args.keys() <= self._allowed_names

    def explain_mismatch(self, call: IncomingCall) -> str:
        return f"it has other arguments: {', '.join(sorted(call.args.keys() - self._allowed_names))}"


class _AgentPredicate(CallPredicate):
    """The calling agent has one of the names."""

    def __init__(self, names: list[str]) -> None:
        self._names = names
        self._pattern = GlobSet(names)

    def describe(self) -> str:
        return f"the agent is {' or '.join(self._names)}"

    def is_met(self, call: IncomingCall) -> bool:
        return self._pattern.matches(call.agent)

    def explain_mismatch(self, call: IncomingCall) -> str:
        return f"the agent is {call.agent}, not {' or '.join(self._names)}"


class _EarlierOutcomePredicate(CallPredicate):
    """A tool was called in an earlier turn with a given outcome."""

    _OUTCOME_CHECKS: ClassVar[Mapping[str, Callable[[Json], bool]]] = {
        "succeeded": is_success,
        "failed": lambda response: not is_success(response),
        "called": lambda response: True,
    }

    def __init__(self, earlier: EarlierOutcome) -> None:
        self._earlier = earlier
        self._pattern = GlobSet([earlier.tool])
        self._is_expected_outcome = self._OUTCOME_CHECKS[earlier.outcome]

    def describe(self) -> str:
        return f"after {self._earlier.tool} {self._earlier.outcome}".replace(" called", " was called")

    def is_met(self, call: IncomingCall) -> bool:
        record, history = call.record, call.caller.get_call_history()
        return any(
            self._is_expected_outcome(earlier.response)
            for tool in history.get_called_tools()
            if self._pattern.matches(tool)
            for earlier in history.iter_visible_calls(record, tool)
        )

    def explain_mismatch(self, call: IncomingCall) -> str:
        return f"{self._earlier.tool} has not {self._earlier.outcome} before".replace("not called", "not been called")


class _CallNumberPredicate(CallPredicate):
    """The call has a given number among those that meet the rule's `tool`, `args` and `agent`."""

    def __init__(self, rule_index: int, call_number: CallNumber, order_independent: list[CallPredicate]) -> None:
        self._rule_index = rule_index
        self._call_number = call_number
        self._order_independent = order_independent

    def describe(self) -> str:
        return f"call number: {self._format_numbers()}"

    def is_met(self, call: IncomingCall) -> bool:
        return self._call_number.is_selected(self._count_call(call))

    def explain_mismatch(self, call: IncomingCall) -> str:
        return f"it is call {self._count_call(call)}, not {self._format_numbers()}"

    def _format_numbers(self) -> str:
        fields = self._call_number.model_dump(exclude_none=True)
        return ", ".join(f"{key} {value}" for key, value in fields.items())

    def _count_call(self, call: IncomingCall) -> int:
        return call.caller.get_call_history().count_for_rule(
            call.record, self._rule_index, lambda record: self._is_counted(record, call)
        )

    def _is_counted(self, record: CallRecord, call: IncomingCall) -> bool:
        """Whether a call of the tool meets the predicates that do not depend on the order of calls."""
        other = call.build_sibling(record)
        return all(predicate.is_met(other) for predicate in self._order_independent)


class _ProbabilityPredicate(CallPredicate):
    """A random draw keyed by the call, so that it is the same in every run and in every interleaving of tasks."""

    def __init__(self, rule_name: str, probability: float, seed: int | None) -> None:
        self._rule_name = rule_name
        self._probability = probability
        self._seed = seed

    def describe(self) -> str:
        return f"with probability {self._probability:g}"

    def is_met(self, call: IncomingCall) -> bool:
        return self._draw(call) < self._probability

    def explain_mismatch(self, call: IncomingCall) -> str:
        return f"probability: the draw {self._draw(call):.3f} is not below {self._probability:g}"

    def _draw(self, call: IncomingCall) -> float:
        return call.draw(self._rule_name, self._seed, "fires")


def build_predicates(match: Match, *, rule_index: int, rule_name: str) -> list[CallPredicate]:
    """Returns the predicates of a rule, the fast ones first. The tool's name is matched by the rulebook."""
    static: list[CallPredicate] = [
        _build_argument_predicate(name, condition, match) for name, condition in match.args.items()
    ]
    if match.exactly:
        static.append(_NoExtraArgumentsPredicate(match))
    if match.agent is not None:
        static.append(_AgentPredicate(match.agent))
    predicates: list[CallPredicate] = [*static, *map(_EarlierOutcomePredicate, match.earlier_outcomes)]
    if match.call is not None:
        predicates.append(_CallNumberPredicate(rule_index, match.call, static))
    if match.probability < 1:
        predicates.append(_ProbabilityPredicate(rule_name, match.probability, match.seed))
    return predicates


def _build_argument_predicate(name: str, condition: ArgumentCondition, match: Match) -> CallPredicate:
    is_scalar = condition.model_fields_set == {"equals"} and isinstance(condition.equals, _SCALAR_TYPES)
    if is_scalar and not match.defaults and escape_name(name) == name:
        return _EqualsPredicate(name, condition.equals)
    return _ArgumentPredicate(name, condition, use_defaults=match.defaults)
