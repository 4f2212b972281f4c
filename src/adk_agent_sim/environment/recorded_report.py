"""Builds the environment report of a recorded session from its timeline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias, cast

from adk_agent_sim.environment.environment_report import EnvironmentReport, UnusedResponse
from adk_agent_sim.environment.incoming_call import SessionRandomness
from adk_agent_sim.environment.report_fold import (
    DecisionFacts,
    Difference,
    NearestRule,
    ReportFold,
    RuleScope,
    SkipReason,
    is_fault,
)
from adk_agent_sim.errors import RealToolRefused
from adk_agent_sim.timeline.events import EnvironmentDecided, Event, Player, ToolFailed, ToolFinished, ToolStarted
from adk_agent_sim.timeline.tool_request_events import ToolAsked

_CallKey: TypeAlias = tuple[str, object, str]
"""Agent, agent path and call id: models of different agents may use the same ids."""


def build_recorded_report(events: Iterable[Event]) -> EnvironmentReport:
    """Return the report of a session: the same that the environment gives while it runs.

    In logs of older releases, rules that were never considered for a call are unknown, and so are seeds.
    """
    reader = _TimelineReader()
    for event in events:
        reader.read_event(event)
    return reader.build_report()


class _TimelineReader:
    """Reads the events of one session into a fold."""

    def __init__(self) -> None:
        self._fold = ReportFold()
        self._has_rules = False
        self._seen_rules: dict[str, list[str]] = {}
        """The rules that decisions name, each with the tools that it was considered for."""
        self._open_calls: dict[_CallKey, tuple[EnvironmentDecided, DecisionFacts]] = {}

        self._asked_calls: dict[_CallKey, str] = {}
        """The tools of calls for which a person is asked."""

    def read_event(self, event: Event) -> None:
        match event.payload:
            case EnvironmentDecided() as decided:
                facts = self._read_decision(decided)
                self._open_calls[_get_call_key(event, decided.call_id)] = decided, facts
            case ToolStarted(tool_name=tool) if event.player in (Player.REAL, None):
                self._fold.real[tool] += 1
            case ToolAsked(tool_name=tool) as asked:
                self._asked_calls[_get_call_key(event, asked.call_id)] = tool
            case ToolFinished() | ToolFailed() as ended:
                if asked_tool := self._asked_calls.pop(_get_call_key(event, ended.call_id), None):
                    self._fold.add_response_of_person(asked_tool)
                if known := self._open_calls.pop(_get_call_key(event, ended.call_id), None):
                    self._read_end(*known, ended)
            case _:
                pass

    def build_report(self) -> EnvironmentReport:
        if not self._has_rules:
            seen = {name: RuleScope(tools) for name, tools in self._seen_rules.items()}
            self._fold.add_rules(seen, uses_real_time=False)
        return self._fold.build_report()

    def _read_decision(self, decided: EnvironmentDecided) -> DecisionFacts:
        if decided.environment is not None:
            self._read_environment(decided.environment)
        passed_over = cast("list[dict[str, Any]]", decided.passed_over)
        skipped = [(each["rule"], each.get("reason") or _infer_reason(each["why"])) for each in passed_over]
        for rule in (*(rule for rule, _ in skipped), decided.rule):
            if rule and not is_fault(rule, decided.tool_name):
                tools = self._seen_rules.setdefault(rule, [])
                if decided.tool_name not in tools:
                    tools.append(decided.tool_name)
        facts = DecisionFacts(
            tool=decided.tool_name,
            rule=decided.rule,
            skipped=skipped,
            unanswered=decided.unanswered,
            nearest=_parse_near_miss(decided.near_miss),
        )
        self._fold.add_decision(facts)
        if decided.left_unchanged:
            self._fold.add_execution(decided.tool_name, decided.rule, ran_tool=False, left_unchanged=True)
        return facts

    def _read_environment(self, environment: Mapping[str, Any]) -> None:
        self._fold.add_active_profiles(environment.get("active_profiles") or ())
        self._fold.add_used_responses(environment.get("used_responses") or ())
        if environment.get("rules") is None:
            return  # only the profile was switched
        rules = {rule["name"]: RuleScope(rule["tools"], rule.get("profiles") or ()) for rule in environment["rules"]}
        self._fold.add_rules(rules, uses_real_time=bool(environment.get("uses_real_time")))
        recorded = cast("list[dict[str, Any]]", environment.get("recorded_responses") or [])
        self._fold.add_recorded_responses(UnusedResponse(**each) for each in recorded)
        self._has_rules = True
        if draws := environment.get("draws"):
            seed = SessionRandomness(
                seed=draws["seed"], session_key=draws["session"], is_drawn=bool(draws.get("is_drawn"))
            )
            # A session that is continued in another process has its environment on the timeline again.
            if not self._fold.has_seed(seed):
                self._fold.add_seed(seed)

    def _read_end(self, decided: EnvironmentDecided, facts: DecisionFacts, ended: ToolFinished | ToolFailed) -> None:
        if decided.rule:
            self._fold.add_execution(
                decided.tool_name, decided.rule, ran_tool=ended.ran_tool, left_unchanged=ended.left_unchanged
            )
        elif (
            not decided.unanswered
            and decided.passed_over
            and isinstance(ended, ToolFailed)
            and ended.error_type == RealToolRefused.__name__
        ):
            self._fold.correct_refusal(facts)


def describe_environment(
    rules: Mapping[str, RuleScope],
    seed: SessionRandomness | None,
    recorded: Iterable[UnusedResponse] = (),
    *,
    uses_real_time: bool,
) -> dict[str, Any]:
    """Return what the first decision of a session records about its rules, which `build_recorded_report` reads."""
    draws = {"seed": seed.seed, "session": seed.session_key, "is_drawn": seed.is_drawn} if seed is not None else None
    described = [
        {"name": name, "tools": list(scope.tools)} | ({"profiles": list(scope.profiles)} if scope.profiles else {})
        for name, scope in rules.items()
    ]
    environment: dict[str, Any] = {"rules": described, "draws": draws, "uses_real_time": uses_real_time}
    if responses := [{"call": each.call, "tool": each.tool, "args": each.args} for each in recorded]:
        environment["recorded_responses"] = responses
    return environment


def describe_used_responses(calls: Sequence[str]) -> dict[str, Any]:
    """Return what a decision records about the recorded responses that were used since the last one."""
    return {"used_responses": list(calls)}


def describe_profile(profile: str | None, active_profiles: Iterable[str]) -> dict[str, Any]:
    """Return what a decision records about the profile: the active one, and all that were active in the session."""
    return {"profile": profile, "active_profiles": list(active_profiles)}


def describe_near_miss(nearest: NearestRule) -> dict[str, Any]:
    """Return a near miss as a decision records it: by path, so that redaction recognizes the paths of secrets."""
    return {
        "rule": nearest.rule,
        "differences": {each.path: {"expected": each.expected, "found": each.found} for each in nearest.differences},
    }


def _parse_near_miss(value: Any) -> NearestRule | None:
    if value is None:
        return None
    differences = cast("dict[str, dict[str, str]]", value["differences"])
    return NearestRule(
        value["rule"],
        tuple(Difference(path, each["expected"], each["found"]) for path, each in differences.items()),
    )


_REASONS_BY_BEGINNING = {
    "probability:": SkipReason.PROBABILITY,
    "it is call ": SkipReason.CALL_NUMBER,
    "it is switched off": SkipReason.SWITCHED_OFF,
    "the agent is ": SkipReason.AGENT,
}


def _infer_reason(why: str) -> str:
    """Return the reason of a text that an older release wrote."""
    for beginning, reason in _REASONS_BY_BEGINNING.items():
        if why.startswith(beginning):
            return reason.value
    is_earlier = why.endswith(" before") and " has not " in why
    return (SkipReason.EARLIER_CALLS if is_earlier else SkipReason.ARGUMENTS).value


def _get_call_key(event: Event, call_id: str) -> _CallKey:
    return event.agent_name, event.agent_path, call_id
