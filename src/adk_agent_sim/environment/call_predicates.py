"""A rule's `match`, made ready: tests that are quick to ask, and that can say why they do not hold."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import ClassVar

from adk_agent_sim.environment.call_history import CallRecord, is_success
from adk_agent_sim.environment.incoming_call import IncomingCall
from adk_agent_sim.environment.json_values import (
    MISSING,
    ValuePath,
    format_value,
    get_at_path,
    is_same_value,
    parse_path,
)
from adk_agent_sim.environment.rule_match import ArgumentCondition, CallNumber, EarlierOutcome, Match, compile_globs
from adk_agent_sim.forms import bounded_regex as patterns
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.seeded_random import draw_uniform


class CallPredicate(ABC):
    """Something that must hold."""

    @abstractmethod
    def is_met(self, call: IncomingCall) -> bool:
        """Whether it does."""

    @abstractmethod
    def explain_mismatch(self, call: IncomingCall) -> str:
        """For people, if it does not."""


class _EqualsPredicate(CallPredicate):
    """A top-level argument equals a plain value: the usual case, and the quickest."""

    def __init__(self, name: str, value: Json) -> None:
        self.name = name
        self.value = value
        self._type: object = value.__class__

    def is_met(self, call: IncomingCall) -> bool:
        value = call.args.get(self.name, MISSING)
        return value.__class__ is self._type and value == self.value

    def explain_mismatch(self, call: IncomingCall) -> str:
        return f"{self.name} is {format_value(call.args.get(self.name, MISSING))}, not {format_value(self.value)}"


_SCALAR_TYPES = (str, int, float, bool, type(None))


class _ArgumentPredicate(CallPredicate):
    """What is at a path in the arguments fits a condition."""

    def __init__(self, name: str, condition: ArgumentCondition, *, use_defaults: bool) -> None:
        self.name = name
        self._path: ValuePath = parse_path(name)
        self._value_checks = list(_iter_value_checks(condition))
        self._use_defaults = use_defaults

    def is_met(self, call: IncomingCall) -> bool:
        value = self._read_value(call)
        return all(check(value) for check, _ in self._value_checks)

    def explain_mismatch(self, call: IncomingCall) -> str:
        value = self._read_value(call)
        wanted = next((wanted for check, wanted in self._value_checks if not check(value)), "fits")
        return f"{self.name} is {format_value(value)}, not {wanted}"

    def _read_value(self, call: IncomingCall) -> Json:
        args = call.args_with_defaults if self._use_defaults else call.args
        value = args.get(self.name, MISSING)  # an argument whose name holds a dot is meant first
        return get_at_path(args, self._path) if value is MISSING else value


def _iter_value_checks(condition: ArgumentCondition) -> Iterator[tuple[Callable[[Json], bool], str]]:
    """What a value must be, each with words for it."""
    if "equals" in condition.model_fields_set:
        yield (
            (lambda value: value is not MISSING and is_same_value(value, condition.equals)),
            format_value(condition.equals),
        )
    if (regex := condition.regex) is not None:
        yield (
            lambda value: isinstance(value, str) and patterns.is_match(regex, value, if_unchecked=False),
            f"a text like {regex}",
        )
    if (least := condition.min) is not None:
        yield (lambda value: _is_number(value) and value >= least), f"{least} or more"
    if (most := condition.max) is not None:
        yield (lambda value: _is_number(value) and value <= most), f"{most} or less"
    if (choices := condition.any_of) is not None:
        yield (lambda value: any(is_same_value(value, choice) for choice in choices)), f"one of {format_value(choices)}"
    if (present := condition.present) is not None:
        yield (lambda value: (value is not MISSING) == present), "given" if present else "left out"


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


class _NoExtraArgumentsPredicate(CallPredicate):
    """There are no other arguments."""

    def __init__(self, match: Match) -> None:
        self._allowed_names = {*match.args, *(parse_path(name)[0] for name in match.args)}

    def is_met(self, call: IncomingCall) -> bool:
        return call.args.keys() <= self._allowed_names

    def explain_mismatch(self, call: IncomingCall) -> str:
        return f"there are other arguments: {', '.join(sorted(call.args.keys() - self._allowed_names))}"


class _AgentPredicate(CallPredicate):
    """Who calls."""

    def __init__(self, names: list[str]) -> None:
        self._names = names
        self._pattern = compile_globs(names)

    def is_met(self, call: IncomingCall) -> bool:
        return self._pattern.match(call.agent) is not None

    def explain_mismatch(self, call: IncomingCall) -> str:
        return f"the agent is {call.agent}, not {' or '.join(self._names)}"


class _EarlierOutcomePredicate(CallPredicate):
    """Something happened in an earlier turn."""

    _OUTCOME_CHECKS: ClassVar[Mapping[str, Callable[[Json], bool]]] = {
        "succeeded": is_success,
        "failed": lambda response: not is_success(response),
        "called": lambda response: True,
    }

    def __init__(self, earlier: EarlierOutcome) -> None:
        self._earlier = earlier
        self._pattern: re.Pattern[str] = compile_globs([earlier.tool])
        self._is_expected_outcome = self._OUTCOME_CHECKS[earlier.outcome]

    def is_met(self, call: IncomingCall) -> bool:
        place, conversation = call.record, call.caller.get_call_history()
        return any(
            self._is_expected_outcome(seen.response)
            for tool in conversation.get_called_tools()
            if self._pattern.match(tool)
            for seen in conversation.iter_visible_calls(place, tool)
        )

    def explain_mismatch(self, call: IncomingCall) -> str:
        return f"{self._earlier.tool} has not {self._earlier.outcome} before".replace("not called", "not been called")


class _CallNumberPredicate(CallPredicate):
    """Which call it is, among those that fit the rule otherwise."""

    def __init__(self, rule_index: int, call_number: CallNumber, order_independent: list[CallPredicate]) -> None:
        self._rule_index = rule_index
        self._call_number = call_number
        self._order_independent = order_independent

    def is_met(self, call: IncomingCall) -> bool:
        return self._call_number.is_selected(self._count_call(call))

    def explain_mismatch(self, call: IncomingCall) -> str:
        wanted = ", ".join(f"{key} {value}" for key, value in self._call_number.model_dump(exclude_none=True).items())
        return f"it is call {self._count_call(call)}, not {wanted}"

    def _count_call(self, call: IncomingCall) -> int:
        return call.caller.get_call_history().count_for_rule(
            call.record, self._rule_index, lambda asked: self._is_counted(asked, call)
        )

    def _is_counted(self, record: CallRecord, call: IncomingCall) -> bool:
        """Whether another call of the tool fits what does not depend on the order of calls."""
        other = call.build_sibling(record)
        return all(test.is_met(other) for test in self._order_independent)


class _ProbabilityPredicate(CallPredicate):
    """A throw that depends on the call and on nothing else."""

    def __init__(self, rule_name: str, probability: float, seed: int, label: str) -> None:
        self._rule_name = rule_name
        self._probability = probability
        self._seed = seed
        self._label = label

    def is_met(self, call: IncomingCall) -> bool:
        return self._draw(call) < self._probability

    def explain_mismatch(self, call: IncomingCall) -> str:
        return f"chance: {self._draw(call):.3f} is not below {self._probability:g}"

    def _draw(self, call: IncomingCall) -> float:
        return draw_uniform(self._seed, self._label, self._rule_name, *call.build_random_key(), "fires")


def build_predicates(match: Match, *, rule_index: int, rule_name: str, seed: int, label: str) -> list[CallPredicate]:
    """The tests of a rule, the quick ones first; the tool's name is looked at before."""
    static: list[CallPredicate] = [
        _build_argument_predicate(name, condition, match) for name, condition in match.args.items()
    ]
    if match.exactly:
        static.append(_NoExtraArgumentsPredicate(match))
    if match.agent is not None:
        static.append(_AgentPredicate(match.agent))
    tests: list[CallPredicate] = [*static, *map(_EarlierOutcomePredicate, match.earlier_outcomes)]
    if match.call is not None:
        tests.append(_CallNumberPredicate(rule_index, match.call, static))
    if match.probability < 1:
        tests.append(_ProbabilityPredicate(rule_name, match.probability, seed, label))
    return tests


def _build_argument_predicate(name: str, condition: ArgumentCondition, match: Match) -> CallPredicate:
    is_plain = condition.model_fields_set == {"equals"} and isinstance(condition.equals, _SCALAR_TYPES)
    if is_plain and not match.defaults and len(parse_path(name)) == 1 and not name.startswith("/"):
        return _EqualsPredicate(name, condition.equals)
    return _ArgumentPredicate(name, condition, use_defaults=match.defaults)
