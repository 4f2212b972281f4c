"""A rule's `match`, made ready: tests that are quick to ask, and that can say why they do not hold."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import ClassVar

from adk_agent_sim.environment.call import Call
from adk_agent_sim.environment.conversation import Asked, succeeded
from adk_agent_sim.environment.match import CallNumber, Condition, Earlier, Match, glob
from adk_agent_sim.environment.values import MISSING, Path, found_at, path_of, same, shown
from adk_agent_sim.forms import pattern as patterns
from adk_agent_sim.timeline.canonical import Json
from adk_agent_sim.timeline.chance import chance


class Test(ABC):
    """Something that must hold."""

    @abstractmethod
    def holds(self, call: Call) -> bool:
        """Whether it does."""

    @abstractmethod
    def why_not(self, call: Call) -> str:
        """For people, if it does not."""


class _Equals(Test):
    """A top-level argument equals a plain value: the usual case, and the quickest."""

    def __init__(self, name: str, value: Json) -> None:
        self.name = name
        self.value = value
        self._kind: object = value.__class__

    def holds(self, call: Call) -> bool:
        value = call.args.get(self.name, MISSING)
        return value.__class__ is self._kind and value == self.value

    def why_not(self, call: Call) -> str:
        return f"{self.name} is {shown(call.args.get(self.name, MISSING))}, not {shown(self.value)}"


_PLAIN = (str, int, float, bool, type(None))


class _Argument(Test):
    """What is at a path in the arguments fits a condition."""

    def __init__(self, name: str, condition: Condition, *, defaults: bool) -> None:
        self.name = name
        self._path: Path = path_of(name)
        self._checks = list(_checks(condition))
        self._defaults = defaults

    def holds(self, call: Call) -> bool:
        value = self._value(call)
        return all(check(value) for check, _ in self._checks)

    def why_not(self, call: Call) -> str:
        value = self._value(call)
        wanted = next((wanted for check, wanted in self._checks if not check(value)), "fits")
        return f"{self.name} is {shown(value)}, not {wanted}"

    def _value(self, call: Call) -> Json:
        args = call.filled if self._defaults else call.args
        value = args.get(self.name, MISSING)  # an argument whose name holds a dot is meant first
        return found_at(args, self._path) if value is MISSING else value


def _checks(condition: Condition) -> Iterator[tuple[Callable[[Json], bool], str]]:
    """What a value must be, each with words for it."""
    if "equals" in condition.model_fields_set:
        yield (lambda value: value is not MISSING and same(value, condition.equals)), shown(condition.equals)
    if (regex := condition.regex) is not None:
        yield (
            lambda value: isinstance(value, str) and patterns.matches(regex, value, unread=False),
            f"a text like {regex}",
        )
    if (least := condition.min) is not None:
        yield (lambda value: _is_number(value) and value >= least), f"{least} or more"
    if (most := condition.max) is not None:
        yield (lambda value: _is_number(value) and value <= most), f"{most} or less"
    if (choices := condition.any_of) is not None:
        yield (lambda value: any(same(value, choice) for choice in choices)), f"one of {shown(choices)}"
    if (present := condition.present) is not None:
        yield (lambda value: (value is not MISSING) == present), "given" if present else "left out"


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


class _NoOthers(Test):
    """There are no other arguments."""

    def __init__(self, match: Match) -> None:
        self._known = {*match.args, *(path_of(name)[0] for name in match.args)}

    def holds(self, call: Call) -> bool:
        return call.args.keys() <= self._known

    def why_not(self, call: Call) -> str:
        return f"there are other arguments: {', '.join(sorted(call.args.keys() - self._known))}"


class _Agent(Test):
    """Who calls."""

    def __init__(self, names: list[str]) -> None:
        self._names = names
        self._pattern = glob(names)

    def holds(self, call: Call) -> bool:
        return self._pattern.match(call.agent) is not None

    def why_not(self, call: Call) -> str:
        return f"the agent is {call.agent}, not {' or '.join(self._names)}"


class _Earlier(Test):
    """Something happened in an earlier turn."""

    _MEANT: ClassVar[Mapping[str, Callable[[Json], bool]]] = {
        "succeeded": succeeded,
        "failed": lambda response: not succeeded(response),
        "called": lambda response: True,
    }

    def __init__(self, earlier: Earlier) -> None:
        self._earlier = earlier
        self._pattern: re.Pattern[str] = glob([earlier.tool])
        self._is_meant = self._MEANT[earlier.what]

    def holds(self, call: Call) -> bool:
        place, conversation = call.place, call.caller.conversation()
        return any(
            self._is_meant(seen.response)
            for tool in conversation.tools()
            if self._pattern.match(tool)
            for seen in conversation.seen_by(place, tool)
        )

    def why_not(self, call: Call) -> str:
        return f"{self._earlier.tool} has not {self._earlier.what} before".replace("not called", "not been called")


class _Number(Test):
    """Which call it is, among those that fit the rule otherwise."""

    def __init__(self, rule: int, wanted: CallNumber, static: list[Test]) -> None:
        self._rule = rule
        self._wanted = wanted
        self._static = static

    def holds(self, call: Call) -> bool:
        return self._wanted.holds(self._number(call))

    def why_not(self, call: Call) -> str:
        wanted = ", ".join(f"{key} {value}" for key, value in self._wanted.model_dump(exclude_none=True).items())
        return f"it is call {self._number(call)}, not {wanted}"

    def _number(self, call: Call) -> int:
        return call.caller.conversation().count(call.place, self._rule, lambda asked: self._fits(asked, call))

    def _fits(self, asked: Asked, call: Call) -> bool:
        """Whether another call of the tool fits what does not depend on the order of calls."""
        other = call.sibling(asked)
        return all(test.holds(other) for test in self._static)


class _Chance(Test):
    """A throw that depends on the call and on nothing else."""

    def __init__(self, rule: str, probability: float, seed: int, label: str) -> None:
        self._rule = rule
        self._probability = probability
        self._seed = seed
        self._label = label

    def holds(self, call: Call) -> bool:
        return self._drawn(call) < self._probability

    def why_not(self, call: Call) -> str:
        return f"chance: {self._drawn(call):.3f} is not below {self._probability:g}"

    def _drawn(self, call: Call) -> float:
        return chance(self._seed, self._label, self._rule, *call.key(), "fires")


def tests_of(match: Match, *, index: int, rule: str, seed: int, label: str) -> list[Test]:
    """The tests of a rule, the quick ones first; the tool's name is looked at before."""
    static: list[Test] = [_argument(name, condition, match) for name, condition in match.args.items()]
    if match.exactly:
        static.append(_NoOthers(match))
    if match.agent is not None:
        static.append(_Agent(match.agent))
    tests: list[Test] = [*static, *map(_Earlier, match.earlier)]
    if match.call is not None:
        tests.append(_Number(index, match.call, static))
    if match.probability < 1:
        tests.append(_Chance(rule, match.probability, seed, label))
    return tests


def _argument(name: str, condition: Condition, match: Match) -> Test:
    is_plain = condition.model_fields_set == {"equals"} and isinstance(condition.equals, _PLAIN)
    if is_plain and not match.defaults and len(path_of(name)) == 1 and not name.startswith("/"):
        return _Equals(name, condition.equals)
    return _Argument(name, condition, defaults=match.defaults)
