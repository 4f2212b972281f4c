"""The simulated environments of ADK's sessions: found by session, created when needed, and summed up for the report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any, cast

from google.adk.events import Event
from google.adk.sessions import Session, State
from google.adk.tools import BaseTool, ToolContext

from adk_agent_sim.adk.compat import get_declaration
from adk_agent_sim.adk.environment.llm_mock_setup import LlmMocks, LlmMockSetup
from adk_agent_sim.adk.environment.tool_spec_reader import MockedTools
from adk_agent_sim.adk.runs.shared_state import SHARED_STATE_PREFIXES
from adk_agent_sim.environment.environment import Environment
from adk_agent_sim.environment.environment_report import EnvironmentReport
from adk_agent_sim.environment.incoming_call import (
    CallHistory,
    CallRecord,
    CallWatcher,
    SessionRandomness,
    create_randomness,
)
from adk_agent_sim.environment.recorded_report import describe_environment, describe_profile, describe_used_responses
from adk_agent_sim.environment.report_fold import ReportFold, RuleScope
from adk_agent_sim.environment.rulebook import Rulebook
from adk_agent_sim.forms.json_schema import read_parameters_schema
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.clock import SimulatedClock
from adk_agent_sim.timeline.json_conversion import to_json_value

_MAX_SESSIONS = 10_000
"""How many sessions are kept. The oldest is evicted first, and only its counts are kept."""

_NOT_OWN_PREFIXES = (*SHARED_STATE_PREFIXES, State.TEMP_PREFIX)

_OUTER_CALL: ContextVar[ToolContext | None] = ContextVar("adksim_caller", default=None)
"""The call that the current task belongs to. An agent used as a tool has an ADK session of its own inside it."""


class SessionEnvironment:
    """The environment of one ADK session, with the calls so far, which are read from the session's events."""

    __slots__ = ("_last_event", "call_history", "environment", "scope")

    def __init__(self, environment: Environment, scope: str = "", outer_call: CallRecord | None = None) -> None:
        self.environment = environment
        self.scope = scope
        self.call_history = CallHistory(outer_call, environment.read_clock)
        self._last_event = ""

    def update_call_history(self, session: Session) -> CallHistory:
        """Return the calls so far. Only events that are new since the last time are read."""
        events = session.events
        start = len(events)
        # From the end: few events are new, and a long session has thousands.
        while start > 0 and events[start - 1].id != self._last_event:
            start -= 1
        for event in events[start:]:
            self._read_event(event)
            self._last_event = event.id
        return self.call_history

    def _read_event(self, event: Event) -> None:
        if calls := event.get_function_calls():
            requested = [
                (call.id or "", call.name or "", cast("Mapping[str, Json]", call.args or {})) for call in calls
            ]
            self.call_history.record_calls(requested, event.author, self.normalize_branch(event.branch))
        if responses := event.get_function_responses():
            answers = [(response.id or "", response.response) for response in responses]
            self.call_history.record_responses(answers, event.author)

    def normalize_branch(self, branch: str | None) -> str:
        """Return the branch with call numbers in place of the random call ids of agents that are used as tools.

        Random decisions are keyed by the branch, and must be the same in every run.
        """
        return ".".join(map(self._normalize_branch_step, branch.split("."))) if branch else ""

    def _normalize_branch_step(self, step: str) -> str:
        name, _, run = step.rpartition("@")
        call = self.call_history.find_call(run) if name else None
        return f"{name}@{call.tool}#{call.call_number}" if call else step


class EnvironmentRegistry:
    """The environments of all sessions of a plugin or a callback."""

    def __init__(self, rulebook: Rulebook, llm_setup: LlmMockSetup | None = None) -> None:
        self.rulebook = rulebook
        self._llm_mocks = LlmMocks(rulebook, llm_setup)
        self.on_fault: Callable[[str], None] = lambda tool: None
        """Called with the name of a tool whose next call gets a fault."""
        self.watcher: CallWatcher | None = None
        """Sees every call that is answered."""
        self.sessionless_fold = ReportFold()
        """Counts that belong to no session that is kept."""
        self._sessions: dict[tuple[str, str, str], SessionEnvironment] = {}
        self.session_clocks: dict[tuple[str, str, str], SimulatedClock] = {}
        """The clocks of the sessions that have one of their own, by app, user and session id."""
        self._argument_defaults: dict[str, Mapping[str, Json]] = {}
        self.mocked_tools = MockedTools()
        """What mocks know about the tools."""
        self._generated_id_count = 0

    def get_session_environment(self, session: Session) -> SessionEnvironment:
        """Return the environment of a session. An agent that is used as a tool shares the one of its caller."""
        key = (session.app_name, session.user_id, session.id)
        session_environment = self._sessions.get(key)
        if session_environment is None:
            if len(self._sessions) >= _MAX_SESSIONS:
                self._evict_oldest_session()
            session_environment = self._sessions[key] = self._create_session_environment(session)
        return session_environment

    def share_environment(self, key: tuple[str, str, str], session: Session) -> None:
        """Let a session have the environment that the session with `key` has, if it has one."""
        if key in self._sessions:
            self._sessions[session.app_name, session.user_id, session.id] = self._sessions[key]

    def enter_call(self, context: ToolContext) -> SessionEnvironment:
        """Mark the current task as part of a call, and return the environment of its session."""
        # The session has to be looked up first: it may itself run inside the call that is still set here.
        session_environment = self.get_session_environment(context.session)
        _OUTER_CALL.set(context)
        return session_environment

    def build_report(self) -> EnvironmentReport:
        """Return what happened to all calls so far."""
        total = ReportFold()
        total.add_rules(self._list_rule_scopes(), uses_real_time=self.rulebook.waits_in_real_time)
        total.add_recorded_responses(self.rulebook.recorded_responses)
        if self.rulebook.profile is not None:
            total.add_active_profiles([self.rulebook.profile])
        total.merge(self.sessionless_fold)
        for environment in self._list_environments():
            total.merge(self._fold_session(environment))
        return total.build_report()

    def describe_unrecorded_session(self, environment: Environment) -> dict[str, Any] | None:
        """Return what the timeline records about a session's rules and switches and does not have; None if nothing.

        Sessions without rules have only their switches to record.
        """
        used = environment.replays.take_new_uses() if self.rulebook.recorded_responses else []
        lacks_rules = bool(self.rulebook.rules) and not environment.is_recorded
        lacks_profile = lacks_rules or environment.has_unrecorded_switch
        if not lacks_profile and not used and not environment.tool_choices.has_unrecorded:
            return None
        described: dict[str, Any] = {}
        if lacks_rules:
            described = describe_environment(
                self._list_rule_scopes(),
                self._get_seed(environment),
                self.rulebook.recorded_responses,
                uses_real_time=self.rulebook.waits_in_real_time,
            )
        if used:
            described |= describe_used_responses(used)
        if self.rulebook.spec.profiles and lacks_profile:
            described |= describe_profile(environment.profile, environment.active_profiles)
        if chosen := environment.tool_choices.take_unrecorded():
            described["tool_players"] = dict(chosen)
        environment.is_recorded |= lacks_rules
        environment.has_unrecorded_switch = False
        return described

    def _list_rule_scopes(self) -> dict[str, RuleScope]:
        return {rule.name: RuleScope(rule.rule.match.tool, rule.profiles) for rule in self.rulebook.rules}

    def _fold_session(self, environment: Environment) -> ReportFold:
        fold = environment.tally.build_fold()
        fold.add_active_profiles(environment.active_profiles)
        if self.rulebook.recorded_responses:
            fold.add_used_responses(environment.replays.list_uses())
        if seed := self._get_seed(environment):
            fold.add_seed(seed)
        return fold

    def _get_seed(self, environment: Environment) -> SessionRandomness | None:
        """Return what the random draws of a session depend on; None if no rule draws with the session's seed."""
        return environment.randomness if self.rulebook.draws_with_session_seed else None

    def _list_environments(self) -> list[Environment]:
        """Return the environments, each once: an agent used as a tool shares the one of its caller."""
        return list({id(each.environment): each.environment for each in self._sessions.values()}.values())

    def _create_session_environment(self, session: Session) -> SessionEnvironment:
        caller = _OUTER_CALL.get()
        # ADK may give another object of the same session, so the ids are compared too.
        if caller is None or caller.session is session or caller.session.id == session.id:
            book = self.rulebook
            # A label takes the place of the beginning in the key of random draws, so it need not be read then.
            beginning = _read_session_beginning(session) if book.is_random and not book.label else None
            randomness = create_randomness(book.spec.seed, book.label, beginning)
            clock = self.session_clocks.get((session.app_name, session.user_id, session.id))
            return SessionEnvironment(self._create_environment(randomness, clock))
        outer = self.get_session_environment(caller.session)
        call = outer.update_call_history(caller.session).find_call(caller.function_call_id or "", caller.agent_name)
        scope = f"{call.agent}:{call.branch}:{call.tool}#{call.call_number}" if call else "?"
        return SessionEnvironment(outer.environment, f"{outer.scope}/{scope}", call)

    def _create_environment(self, randomness: SessionRandomness, clock: SimulatedClock | None) -> Environment:
        return Environment(
            self.rulebook,
            randomness,
            on_fault=self.on_fault,
            find_llm_mock=self._llm_mocks.find,
            default_model=self._llm_mocks.default_model,
            watcher=self.watcher,
            clock=clock,
        )

    def _evict_oldest_session(self) -> None:
        oldest = self._sessions.pop(next(iter(self._sessions)))
        # A session of an agent used as a tool may still have the environment, whose counts must not be added twice.
        if not any(each.environment is oldest.environment for each in self._sessions.values()):
            self.sessionless_fold.merge(self._fold_session(oldest.environment))

    def create_call_id(self) -> str:
        """Return an id for a call that has none."""
        self._generated_id_count += 1
        return f"unnamed call {self._generated_id_count}"

    def get_argument_defaults(self, tool: BaseTool) -> Mapping[str, Json]:
        """Return the default values of a tool's arguments."""
        if tool.name not in self._argument_defaults:
            declaration = get_declaration(tool)
            properties = read_parameters_schema(to_json_value(declaration) if declaration else {}).get("properties", {})
            self._argument_defaults[tool.name] = {
                name: schema["default"] for name, schema in properties.items() if "default" in schema
            }
        return self._argument_defaults[tool.name]


def _read_session_beginning(session: Session) -> Json:
    """Return the first user message and the initial state of a session.

    State that an event has changed is left out: a session may be seen for the first time in the middle. So is state
    that sessions share (`app:`, `user:`), which depends on the other sessions and their order.
    """
    message = next((event.content for event in session.events if event.author == "user" and event.content), None)
    later = (event.actions.state_delta for event in session.events if event.author != "user")
    changed = {key for delta in later for key in delta}
    state = {
        key: value
        for key, value in session.state.items()
        if key not in changed and not key.startswith(_NOT_OWN_PREFIXES)
    }
    return to_json_value({"message": message, "state": state})
