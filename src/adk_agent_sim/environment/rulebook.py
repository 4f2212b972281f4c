"""Compiled rules, indexed by tool name, so that a lookup does not depend on the number of rules; and the faults that a
person has put on the next calls of a session, checked when they are entered.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias, cast

from pydantic import ValidationError

from adk_agent_sim.environment.actions import AnyAction
from adk_agent_sim.environment.actions.action import Action
from adk_agent_sim.environment.actions.delay import Delay
from adk_agent_sim.environment.actions.mock_response import Mock
from adk_agent_sim.environment.actions.model_faults import UnknownToolCall
from adk_agent_sim.environment.actions.pass_through import Pass
from adk_agent_sim.environment.actions.raise_exception import BUILT_IN_EXCEPTIONS, ExceptionFactories
from adk_agent_sim.environment.call_predicates import CallPredicate, build_predicates
from adk_agent_sim.environment.environment_report import UnusedResponse
from adk_agent_sim.environment.report_fold import name_fault
from adk_agent_sim.environment.rule_finding import suggest_closest
from adk_agent_sim.environment.rule_lint import lint_rules
from adk_agent_sim.environment.rules import Match, Rule, Rules, SeatName
from adk_agent_sim.errors import InvalidFault, InvalidRules, NotFound
from adk_agent_sim.mocks.resource_store import fold_noun
from adk_agent_sim.text.glob_match import GlobSet, is_glob
from adk_agent_sim.timeline.clock import RealSleeper, Sleeper, VirtualSleeper, WallClock
from adk_agent_sim.timeline.framework_calls import MODEL_SEAT

_MAX_CACHED_TOOLS = 10_000
"""The most tool names in the index: a model can invent any number of names."""


_MAX_RECORDED = 1_000
"""How many recorded responses a report looks for: every session has them on its timeline."""

_MAX_TEXT = 200
"""How much of a recorded argument a report shows."""


class CompiledRule:
    """A rule with its predicates and actions."""

    __slots__ = (
        *("actions", "index", "name", "only_changes_result"),
        *("predicate_checks", "predicates", "profiles", "rule"),
    )

    def __init__(self, rule: Rule, *, name: str, index: int, profiles: Sequence[str] = ()) -> None:
        self.rule = rule
        self.name = name
        self.index = index
        self.profiles = profiles
        """The profiles in which it is used; empty if in all."""
        self.predicates: Sequence[CallPredicate] = build_predicates(rule.match, rule_index=index, rule_name=name)
        self.predicate_checks = tuple(predicate.is_met for predicate in self.predicates)
        self.actions: Sequence[Action] = tuple(rule.do)
        self.only_changes_result = _only_changes_result(self.actions)
        """Whether all that it does is to change the tool's result, so that it may change nothing."""

    @property
    def is_random(self) -> bool:
        """Whether it draws random numbers."""
        return self.rule.match.probability < 1 or any(action.is_random for action in self.actions)

    @property
    def asks_model(self) -> bool:
        """Whether a model answers the call."""
        return any(isinstance(action, Mock) and action.mock == "llm" for action in self.actions)

    @property
    def draws_with_session_seed(self) -> bool:
        """Whether it draws random numbers, and has no seed of its own."""
        return self.rule.match.seed is None and self.is_random

    @property
    def needs_history(self) -> bool:
        """Whether it depends on the number of the call, on the time, or on earlier calls."""
        match = self.rule.match
        refers_to_call = any(action.has_references for action in self.actions)
        return bool(match.call or match.after) or self.depends_on_time or self.is_random or refers_to_call

    @property
    def changes_answer(self) -> bool:
        """Whether it does more in the model's seat than to wait."""
        return any(not isinstance(action, Delay | Pass) for action in self.actions)

    @property
    def depends_on_time(self) -> bool:
        """Whether it waits, or the time of a call decides whether it matches."""
        return self.matches_by_time or any(action.takes_time for action in self.actions)

    @property
    def matches_by_time(self) -> bool:
        """Whether the time of a call decides whether it matches."""
        match = self.rule.match
        return match.during is not None or (match.call is not None and match.call.within is not None)

    @property
    def asks_person(self) -> bool:
        """Whether a person responds as the tool."""
        return any(action.asks_person for action in self.actions)

    @property
    def acts_inside_call(self) -> bool:
        """Whether it must act inside the tool call: it raises, asks a person, or changes or delays a real result."""
        return any(action.acts_inside_call or action.asks_person for action in self.actions) or not any(
            action.gives_result for action in self.actions
        )


Candidates: TypeAlias = Sequence[CompiledRule]


class Rulebook:
    """The compiled rules of an environment, shared by all its sessions."""

    def __init__(
        self,
        rules: Rules,
        *,
        label: str = "",
        profile: str | None = None,
        exceptions: ExceptionFactories | None = None,
        sleeper: Sleeper | None = None,
        source: str = "Python",
        skip_checks: bool = False,
    ) -> None:
        """Compile rules.

        Args:
            rules: The rules.
            label: Distinguishes runs whose random draws should differ, such as a scenario and the number of a run.
            profile: The profile with which sessions begin; by default the one that the rules name.
            exceptions: The exceptions that `raise` may name, besides the built-in ones.
            sleeper: How time passes in delays, for all sessions; by default each has a clock as the rules say.
            source: The origin of the rules, for messages.
            skip_checks: Skip the checks, for rules that were checked before or may contain unused rules.

        Raises:
            InvalidRules: The checks found errors, or there is no such profile.
        """
        self.exceptions: ExceptionFactories = {**BUILT_IN_EXCEPTIONS, **(exceptions or {})}
        findings = () if skip_checks else lint_rules(rules, exceptions=self.exceptions)
        errors = [finding for finding in findings if finding.severity == "error"]
        if errors:
            raise InvalidRules(source, list(map(str, errors)))
        self.spec = rules
        self.profile = profile if profile is not None else rules.profile
        self.check_profile(self.profile, source)
        self.label = label
        self._sleeper = sleeper
        self.rules: Sequence[CompiledRule] = _compile_rules(rules)
        self.draws_with_session_seed = any(rule.draws_with_session_seed for rule in self.rules)
        self.waits_in_real_time = (
            sleeper is None and rules.time == "real" and any(rule.depends_on_time for rule in self.rules)
        )
        self.is_random = any(rule.is_random for rule in self.rules)
        model_rules = [rule for rule in self.rules if rule.rule.seat == "model"]
        self.has_model_rules = bool(model_rules)
        self.counts_model_calls = any(rule.needs_history for rule in model_rules)
        mocks = [action for rule in self.rules for action in rule.actions if isinstance(action, Mock)]
        self.has_mocks = bool(mocks)
        self.recorded_responses = list(islice(self._iter_recorded_responses(), _MAX_RECORDED))
        """The recorded responses that `mock: replay` can give."""
        self.declared_nouns = frozenset(fold_noun(each) for mock in mocks if (each := mock.created_resource))
        """The kinds of resources that rules declare a tool to create."""
        self.refuses_real_tools = rules.unanswered == "refuse"
        self._globs = [(GlobSet(rule.rule.match.tool), rule) for rule in self.rules if _has_glob(rule)]
        self._candidates_by_tool: dict[str, Candidates] = dict(self._index_by_tool())
        self._candidates_by_name: dict[str, Candidates] = {}

    def _iter_recorded_responses(self) -> Iterator[UnusedResponse]:
        for rule in self.rules:
            pattern = GlobSet(rule.rule.match.tool)
            sources = [action.replayed for action in rule.actions if isinstance(action, Mock)]
            for call in (call for source in sources if source for log in source.logs for call in log.calls):
                if pattern.matches(call.tool):
                    yield UnusedResponse(call=call.reference, tool=call.tool, args=_shorten_texts(call.args))

    def check_profile(self, profile: str | None, source: str = "Python") -> None:
        """Raise InvalidRules if the rules have no such profile."""
        known = self.spec.profiles
        if profile is not None and profile not in known:
            advice = suggest_closest(profile, known, "The profiles are" if known else "Add it under `profiles`")
            raise InvalidRules(source, [f"There is no profile {profile!r}. {advice}."])

    def create_sleeper(self) -> Sleeper:
        """Create the clock of a session: sessions do not share simulated time."""
        return self._sleeper or (VirtualSleeper() if self.spec.time == "virtual" else RealSleeper())

    def create_clock(self) -> Callable[[], float] | None:
        """Create the clock of a session that runs in real time; None if rules simulate the time."""
        if self.spec.time == "virtual":
            return None
        clock = WallClock()
        start = clock.monotonic()
        return lambda: clock.monotonic() - start

    def find_candidates(self, tool: str, *, by_name_only: bool = False) -> Candidates:
        """Return the rules that match a tool's name, in the order of the file.

        Args:
            tool: The tool's name.
            by_name_only: Leave out rules that match it with a wildcard only. A run does not work without the tools by
                which ADK steers it, so `tool: "*"` does not mean them.
        """
        if not by_name_only:
            return self._find_all_candidates(tool)
        named = self._candidates_by_name.get(tool)
        if named is None:
            named = tuple(rule for rule in self._find_all_candidates(tool) if tool in rule.rule.match.tool)
            if len(self._candidates_by_name) < _MAX_CACHED_TOOLS:
                self._candidates_by_name[tool] = named
        return named

    def _find_all_candidates(self, tool: str) -> Candidates:
        candidates = self._candidates_by_tool.get(tool)
        if candidates is None:
            # Every literal name is in the index, so only rules with wildcards can match this one.
            candidates = tuple(rule for pattern, rule in self._globs if pattern.matches(tool))
            if len(self._candidates_by_tool) < _MAX_CACHED_TOOLS:
                self._candidates_by_tool[tool] = candidates
        return candidates

    def _index_by_tool(self) -> Mapping[str, Candidates]:
        names: dict[str, list[CompiledRule]] = {}
        for rule in self.rules:
            for name in rule.rule.match.tool:
                if not is_glob(name):
                    names.setdefault(name, [])
        for rule in self.rules:
            literal = [name for name in rule.rule.match.tool if not is_glob(name)]
            pattern = GlobSet(rule.rule.match.tool) if _has_glob(rule) else None
            for name in names if pattern else literal:
                if pattern is None or pattern.matches(name):
                    names[name].append(rule)
        # A rule may list a name twice, but is tried once.
        return {name: tuple(dict.fromkeys(rules)) for name, rules in names.items()}


def _compile_rules(rules: Rules) -> tuple[CompiledRule, ...]:
    return tuple(
        CompiledRule(
            rule,
            name=name,
            index=index,
            profiles=[profile for profile, names in rules.profiles.items() if name in names],
        )
        for index, (name, rule) in enumerate(zip(rules.get_rule_names(), rules.rules, strict=True))
    )


def _only_changes_result(actions: Sequence[Action]) -> bool:
    changing = [action for action in actions if action.changes_result]
    return bool(changing) and all(action.changes_result or isinstance(action, Pass) for action in actions)


def _has_glob(rule: CompiledRule) -> bool:
    return any(map(is_glob, rule.rule.match.tool))


def _shorten_texts(value: Any) -> Any:
    """Return a value for a report, which every session has on its timeline, without long texts."""
    if isinstance(value, Mapping):
        return {key: _shorten_texts(inner) for key, inner in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, list):
        return [_shorten_texts(inner) for inner in cast("list[Any]", value)]
    return f"{value[:_MAX_TEXT]}..." if isinstance(value, str) and len(value) > _MAX_TEXT else value


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleState:
    """A rule and its counts while the session runs."""

    name: str
    seat: SeatName
    tools: Sequence[str]
    conditions: Sequence[str]
    """What a call must meet besides the tool's name."""
    actions: Sequence[str]
    effects: Sequence[str]
    """The actions in the format of rules files, as JSON texts."""
    enabled: bool
    profiles: Sequence[str]
    """The profiles in which it is used; empty if in all."""
    tried_count: int
    """How many calls it was matched against."""
    fired_count: int
    """How many calls it answered."""


def build_rule_state(rule: CompiledRule, *, enabled: bool, tried_count: int, fired_count: int) -> RuleState:
    """Return a rule with its counts."""
    return RuleState(
        name=rule.name,
        seat=rule.rule.seat,
        tools=rule.rule.match.tool,
        conditions=[predicate.describe() for predicate in rule.predicates],
        actions=[action.describe() for action in rule.actions],
        effects=[action.model_dump_json(by_alias=True, exclude_unset=True) for action in rule.actions],
        enabled=enabled,
        profiles=rule.profiles,
        tried_count=tried_count,
        fired_count=fired_count,
    )


ToolLister: TypeAlias = Callable[[], Collection[str] | None]
"""Returns the names of the tools that can be called; None if they are not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingFault:
    """A fault that waits for the next call of a tool."""

    fault_id: str
    tool: str
    """The tool; `MODEL_SEAT` if it waits for a call of a model."""
    rule: CompiledRule
    """The fault as a rule, which answers one call."""

    @property
    def actions(self) -> Sequence[AnyAction]:
        """What happens to the call."""
        return self.rule.rule.do


class PendingFaults:
    """The faults that wait for the next calls, in the order in which they are used."""

    def __init__(self, exceptions: ExceptionFactories, list_tools: ToolLister) -> None:
        """Create an empty list.

        Args:
            exceptions: The exceptions that a fault may raise.
            list_tools: Returns the names of the tools that a fault may be for.
        """
        self._exceptions = exceptions
        self._list_tools = list_tools
        self._faults: list[PendingFault] = []
        self._count = 0

    def __bool__(self) -> bool:
        return bool(self._faults)

    def __iter__(self) -> Iterator[PendingFault]:
        return iter(self._faults)

    def has_fault_for(self, tool: str) -> bool:
        """Whether a fault waits for the next call of a tool, or of the model."""
        return bool(self._faults) and any(fault.tool == tool for fault in self._faults)

    def add(self, tool: str, actions: Sequence[AnyAction]) -> None:
        """Add a fault at the end.

        Raises:
            InvalidFault: The actions cannot be carried out, or the tool's name has wildcards.
            NotFound: There is no such tool.
        """
        fault = self._build_fault(str(self._count + 1), tool, actions)
        self._count += 1
        self._faults.append(fault)

    def replace(self, fault_id: str, tool: str, actions: Sequence[AnyAction]) -> bool:
        """Replace a fault at its place in the order; returns whether it was still there. Raises as `add`."""
        new = self._build_fault(fault_id, tool, actions)
        for index, fault in enumerate(self._faults):
            if fault.fault_id == fault_id:
                self._faults[index] = new
                return True
        return False

    def remove(self, fault_id: str) -> bool:
        """Remove a fault; returns whether it was still there."""
        count = len(self._faults)
        self._faults = [fault for fault in self._faults if fault.fault_id != fault_id]
        return len(self._faults) < count

    def take(self, tool: str) -> PendingFault | None:
        """Remove and return the fault for a call of a tool; None if there is none."""
        fault = next((each for each in self._faults if each.tool == tool), None)
        if fault is not None:
            self._faults.remove(fault)
        return fault

    def _build_fault(self, fault_id: str, tool: str, actions: Sequence[AnyAction]) -> PendingFault:
        """Check a fault and build it: one that can never happen must not wait for its call."""
        if is_glob(tool) or tool.split() != [tool]:
            raise InvalidFault(tool, "write the name of one tool, without wildcards")
        tools = self._list_tools()
        if tool != MODEL_SEAT and tools is not None and tool not in tools:
            advice = suggest_closest(tool, tools, "Use one of")
            raise NotFound(f"The agents of this session have no tool {tool!r}. {advice}.")
        try:
            seat = "model" if tool == MODEL_SEAT else "tool"
            rule = Rule(name=name_fault(tool), seat=seat, match=Match(tool=[tool]), do=list(actions))
        except ValidationError as error:
            problem = error.errors(include_url=False)[0]
            path = ".".join(map(str, problem["loc"]))
            raise InvalidFault(tool, f"{path}: {problem['msg']}") from None
        if any(isinstance(action, Mock) and action.mock == "llm" for action in rule.do):
            # A fault may come from a browser: only the rules decide which models are asked and which files are read.
            raise InvalidFault(tool, "`mock: llm` asks a model, and is written in rules")
        _check_unknown_tools(tool, rule.do, tools or ())
        for finding in lint_rules(Rules(rules=[rule]), exceptions=self._exceptions):
            if finding.severity == "error":
                raise InvalidFault(tool, f"{finding.message}. {finding.advice}")
        # -1 is the index of no rule, so switching rules on or off never concerns a fault.
        return PendingFault(fault_id=fault_id, tool=tool, rule=CompiledRule(rule, name=rule.name, index=-1))


def _check_unknown_tools(seat: str, actions: Sequence[AnyAction], tools: Collection[str]) -> None:
    """Raise InvalidFault if a tool that the model is to make up exists."""
    for action in actions:
        if isinstance(action, UnknownToolCall) and action.unknown_tool in tools:
            reason = f"unknown_tool: {action.unknown_tool!r} is a tool of the agents. Write a name that none has"
            raise InvalidFault(seat, reason)
