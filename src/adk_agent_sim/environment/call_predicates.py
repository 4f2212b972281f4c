"""The compiled form of a rule's `match`: predicates that are fast to evaluate and can explain a mismatch."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import ClassVar, cast

from adk_agent_sim.environment.incoming_call import CallRecord, IncomingCall, is_success
from adk_agent_sim.environment.json_values import MISSING, WILDCARD, escape_name, find_value, format_value, parse_path
from adk_agent_sim.environment.report_fold import Difference, SkipReason
from adk_agent_sim.environment.rules import ArgumentCondition, CallNumber, EarlierCall, Match, TimeWindow
from adk_agent_sim.environment.value_conditions import ValueCheck, build_checks
from adk_agent_sim.text.glob_match import GlobSet
from adk_agent_sim.timeline.canonical_json import Json, encode_json, normalize_value
from adk_agent_sim.timeline.json_equality import equals_value


class CallPredicate(ABC):
    """One condition on a call."""

    reason: ClassVar[SkipReason] = SkipReason.CONDITION
    """Why a rule is skipped if the condition is not met."""

    @abstractmethod
    def is_met(self, call: IncomingCall) -> bool:
        """Whether the call meets the condition."""

    @abstractmethod
    def explain_mismatch(self, call: IncomingCall) -> str:
        """Return the reason, in a few words, if the call does not meet the condition."""

    @abstractmethod
    def describe(self) -> str:
        """Return the condition in a few words."""

    def compare(self, call: IncomingCall) -> Difference:
        """Return what differs if the call does not meet the condition."""
        return Difference(self.reason.value, self.describe(), self.explain_mismatch(call))


class _EqualsPredicate(CallPredicate):
    """A top-level argument equals a scalar: the usual case, and the fastest to check."""

    reason = SkipReason.ARGUMENTS

    def __init__(self, name: str, value: Json) -> None:
        self.name = name
        self.value = value
        self._type: object = value.__class__
        # Numbers are compared by value; bool has a type of its own.
        self._other_type: object = {int: float, float: int}.get(value.__class__, value.__class__)

    def describe(self) -> str:
        return f"{self.name} is {format_value(self.value)}"

    def is_met(self, call: IncomingCall) -> bool:
        value = call.args.get(self.name, MISSING)
        kind = value.__class__
        return (kind is self._type or kind is self._other_type) and value == self.value

    def explain_mismatch(self, call: IncomingCall) -> str:
        return f"{self.name} is {format_value(call.args.get(self.name, MISSING))}, not {format_value(self.value)}"

    def compare(self, call: IncomingCall) -> Difference:
        return Difference(self.name, format_value(self.value), format_value(call.args.get(self.name, MISSING)))


_SCALAR_TYPES = (str, int, float, bool, type(None))


class _ArgumentPredicate(CallPredicate):
    """A value in the arguments meets a condition."""

    reason = SkipReason.ARGUMENTS

    def __init__(self, check: ValueCheck, *, use_defaults: bool) -> None:
        self._check = check
        self._use_defaults = use_defaults

    def describe(self) -> str:
        return self._check.describe()

    def is_met(self, call: IncomingCall) -> bool:
        arguments = self._get_args(call)
        if self._check.is_met(arguments):
            return True
        if self._check.find_unsearchable(arguments) is not None:
            call.unsearched = (*call.unsearched, self)
        return False

    def explain_mismatch(self, call: IncomingCall) -> str:
        return self._check.explain_mismatch(self._get_args(call))

    def compare(self, call: IncomingCall) -> Difference:
        return self._check.compare(self._get_args(call))

    def _get_args(self, call: IncomingCall) -> Mapping[str, Json]:
        return call.args_with_defaults if self._use_defaults else call.args


class _StatePredicate(CallPredicate):
    """A value in the session's state meets a condition."""

    reason = SkipReason.STATE

    def __init__(self, check: ValueCheck) -> None:
        self._check = check

    def describe(self) -> str:
        return f"state {self._check.describe()}"

    def is_met(self, call: IncomingCall) -> bool:
        state = call.caller.get_state()
        if self._check.is_met(state):
            return True
        if self._check.find_unsearchable(state) is not None:
            call.unsearched = (*call.unsearched, self)
        return False

    def explain_mismatch(self, call: IncomingCall) -> str:
        return f"state {self._check.explain_mismatch(call.caller.get_state())}"

    def compare(self, call: IncomingCall) -> Difference:
        path, expected, found = self._check.compare(call.caller.get_state())
        return Difference(f"state {path}", expected, found)


class _NoExtraArgumentsPredicate(CallPredicate):
    """The call has no arguments besides those that `args` names."""

    reason = SkipReason.ARGUMENTS

    def __init__(self, match: Match) -> None:
        first_steps = [parse_path(name)[0] for name in match.args]
        self._allowed_names = {*match.args, *first_steps}
        self._allows_all = any(step is WILDCARD for step in first_steps)

    def describe(self) -> str:
        return "no other arguments"

    def is_met(self, call: IncomingCall) -> bool:
        return self._allows_all or call.args.keys() <= self._allowed_names

    def explain_mismatch(self, call: IncomingCall) -> str:
        return f"it has other arguments: {self._list_others(call)}"

    def compare(self, call: IncomingCall) -> Difference:
        return Difference("other arguments", "none", self._list_others(call))

    def _list_others(self, call: IncomingCall) -> str:
        return ", ".join(sorted(call.args.keys() - self._allowed_names))


class _AgentPredicate(CallPredicate):
    """The calling agent has one of the names."""

    reason = SkipReason.AGENT

    def __init__(self, names: list[str]) -> None:
        self._names = names
        self._pattern = GlobSet(names)

    def describe(self) -> str:
        return f"the agent is {' or '.join(self._names)}"

    def is_met(self, call: IncomingCall) -> bool:
        return self._pattern.matches(call.agent)

    def explain_mismatch(self, call: IncomingCall) -> str:
        return f"the agent is {call.agent}, not {' or '.join(self._names)}"

    def compare(self, call: IncomingCall) -> Difference:
        return Difference("the agent", " or ".join(self._names), call.agent)


class _EarlierCallPredicate(CallPredicate):
    """A tool was called in an earlier turn, with given arguments and a given response."""

    reason = SkipReason.EARLIER_CALLS

    _OUTCOME_CHECKS: ClassVar[Mapping[str, Callable[[Json], bool]]] = {
        "succeeded": is_success,
        "failed": lambda response: not is_success(response),
        "called": lambda response: True,
    }

    def __init__(self, earlier: EarlierCall) -> None:
        self._earlier = earlier
        self._pattern = GlobSet(earlier.tool)
        self._is_expected_outcome = self._OUTCOME_CHECKS[earlier.outcome]
        self._argument_checks = build_checks(earlier.args)
        self._result_checks = build_checks(earlier.result)

    def describe(self) -> str:
        return f"after {self._format_tools()} {self._earlier.outcome}".replace(" called", " was called") + (
            f" with {details}" if (details := self._format_details()) else ""
        )

    def is_met(self, call: IncomingCall) -> bool:
        record, history = call.record, call.caller.get_call_history()
        return any(
            self._is_expected_outcome(earlier.response) and self._has_values(earlier, call)
            for tool in history.get_called_tools()
            if self._pattern.matches(tool)
            for earlier in history.iter_visible_calls(record, tool)
        )

    def explain_mismatch(self, call: IncomingCall) -> str:
        outcome = f"{self._format_tools()} has not {self._earlier.outcome} before"
        details = self._format_details()
        return outcome.replace("not called", "not been called") + (f" with {details}" if details else "")

    def _has_values(self, earlier: CallRecord, call: IncomingCall) -> bool:
        if any(not check.is_met(earlier.args) for check in self._argument_checks):
            return False
        if self._result_checks:
            response = earlier.response
            if not isinstance(response, Mapping):
                return False
            if any(not check.is_met(cast("Mapping[str, Json]", response)) for check in self._result_checks):
                return False
        return all(_has_same_argument(name, earlier, call) for name in self._earlier.same)

    def _format_tools(self) -> str:
        return " or ".join(self._earlier.tool)

    def _format_details(self) -> str:
        checks = [check.describe() for check in self._argument_checks]
        checks += [f"result {check.describe()}" for check in self._result_checks]
        return " and ".join([*checks, *(f"the same {name}" for name in self._earlier.same)])


def _has_same_argument(name: str, earlier: CallRecord, call: IncomingCall) -> bool:
    value = find_value(dict(call.args), name)
    return value is not MISSING and equals_value(find_value(dict(earlier.args), name), value)


class _CallNumberPredicate(CallPredicate):
    """The call has a given number among those that meet the rule's `tool`, `args` and `agent`."""

    reason = SkipReason.CALL_NUMBER

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
        fields = self._call_number.model_dump(exclude_none=True, exclude={"per", "within"})
        text = ", ".join(f"{key} {value}" for key, value in fields.items())
        if self._call_number.per is not None:
            text += f" for each {' and '.join(self._call_number.per)}"
        return text if self._call_number.within is None else f"{text} within {self._call_number.within:g} s"

    def _count_call(self, call: IncomingCall) -> int:
        return call.caller.get_call_history().count_for_rule(
            call.record,
            self._rule_index,
            lambda record: self._find_group(record, call),
            within=self._call_number.within,
        )

    def _find_group(self, record: CallRecord, call: IncomingCall) -> bytes | None:
        """Return the calls among which a call of the tool is counted; None if it is not counted.

        Only predicates that do not depend on the order of calls decide this.
        """
        other = call.build_sibling(record)
        if not all(predicate.is_met(other) for predicate in self._order_independent):
            return None
        if self._call_number.per is None:
            return b""
        values = [find_value(dict(record.args), name) for name in self._call_number.per]
        # Each value is in a list of its own, so that a missing argument differs from null.
        return encode_json([[] if value is MISSING else [normalize_value(value)] for value in values])


class _TimePredicate(CallPredicate):
    """The call is made at a given time of the session's clock."""

    reason = SkipReason.TIME

    def __init__(self, window: TimeWindow) -> None:
        self._window = window

    def describe(self) -> str:
        return f"at {self._format_window()}"

    def is_met(self, call: IncomingCall) -> bool:
        return self._window.contains(call.record.time)

    def explain_mismatch(self, call: IncomingCall) -> str:
        return f"it is made at {call.record.time:g} s, not at {self._format_window()}"

    def _format_window(self) -> str:
        window = self._window
        text = f"{window.start:g} s or later" if window.end is None else f"{window.start:g} to {window.end:g} s"
        return text if window.every is None else f"{text} of every {window.every:g} s"


class _ProbabilityPredicate(CallPredicate):
    """A random draw keyed by the call, so that it is the same in every run and in every interleaving of tasks."""

    reason = SkipReason.PROBABILITY

    def __init__(self, rule_name: str, match: Match) -> None:
        self._rule_name = rule_name
        self._probability = match.probability
        self._seed = match.seed
        self._burst = match.burst or 1

    def describe(self) -> str:
        text = f"with probability {self._probability:g}"
        return text if self._burst == 1 else f"{text}, for {self._burst} calls"

    def is_met(self, call: IncomingCall) -> bool:
        return self._draw(call) < self._probability

    def explain_mismatch(self, call: IncomingCall) -> str:
        return f"probability: the draw {self._draw(call):.3f} is not below {self._probability:g}"

    def _draw(self, call: IncomingCall) -> float:
        """Return the draw of the call; with bursts, the lowest of the draws that decide about it.

        The draws of earlier calls are computed again: they depend on nothing but the numbers of the calls.
        """
        last = call.record.call_number
        first = max(1, last - self._burst + 1)
        return min(
            call.draw_for_number(number, self._rule_name, self._seed, "fires") for number in range(first, last + 1)
        )


def build_predicates(match: Match, *, rule_index: int, rule_name: str) -> list[CallPredicate]:
    """Return the predicates of a rule, the fast ones first. The tool's name is matched by the rulebook."""
    static: list[CallPredicate] = [
        _build_argument_predicate(name, condition, match) for name, condition in match.args.items()
    ]
    if match.exactly:
        static.append(_NoExtraArgumentsPredicate(match))
    if match.agent is not None:
        static.append(_AgentPredicate(match.agent))
    predicates: list[CallPredicate] = [*static, *map(_StatePredicate, build_checks(match.state))]
    predicates += map(_EarlierCallPredicate, match.earlier_calls)
    if match.during is not None:
        predicates.append(_TimePredicate(match.during))
    if match.call is not None:
        predicates.append(_CallNumberPredicate(rule_index, match.call, static))
    if match.probability < 1:
        predicates.append(_ProbabilityPredicate(rule_name, match))
    return predicates


def _build_argument_predicate(name: str, condition: ArgumentCondition, match: Match) -> CallPredicate:
    is_scalar = condition.model_fields_set == {"equals"} and isinstance(condition.equals, _SCALAR_TYPES)
    # A name that can also be read as a path needs the general check.
    if is_scalar and not match.defaults and escape_name(name) == name:
        return _EqualsPredicate(name, condition.equals)
    return _ArgumentPredicate(ValueCheck(name, condition), use_defaults=match.defaults)
