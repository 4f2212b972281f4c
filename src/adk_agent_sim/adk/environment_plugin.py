"""The simulated environment in ADK: a plugin that lets rules answer inside the calls of tools.

    before_tool: does a rule name the tool? --> seat in the tool --> ADK asks for consent --> seat: rules answer

Rules act where the tool's own code would run. So ADK asks for consent before, and retry plugins, error callbacks and
agent callbacks see the result as if it were real. No timeline is needed; if there is one, decisions are recorded on it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from typing import Any, cast

from google.adk.agents.invocation_context import InvocationContext
from google.adk.events import Event
from google.adk.plugins import BasePlugin
from google.adk.sessions import Session, State
from google.adk.tools import BaseTool, ToolContext

from adk_agent_sim.adk import tool_seat
from adk_agent_sim.adk.compat import get_declaration
from adk_agent_sim.adk.framework_tools import is_framework_tool
from adk_agent_sim.environment.call_history import CallHistory, CallRecord
from adk_agent_sim.environment.environment import Environment, RuleDecision
from adk_agent_sim.environment.environment_report import CallTally, EnvironmentReport, SessionSeed
from adk_agent_sim.environment.incoming_call import IncomingCall
from adk_agent_sim.environment.rulebook import Rulebook
from adk_agent_sim.environment.session_randomness import SessionRandomness, create_randomness
from adk_agent_sim.errors import SimulatorError
from adk_agent_sim.forms.json_schema import read_parameters_schema
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import EnvironmentDecided
from adk_agent_sim.timeline.framework_calls import CONTROL_TOOLS
from adk_agent_sim.timeline.json_conversion import to_json_value

_MAX_SESSIONS = 10_000
"""How many sessions are kept. The oldest is evicted first, and only its counts are kept."""

_SHARED_STATE_PREFIXES = (State.APP_PREFIX, State.USER_PREFIX, State.TEMP_PREFIX)

_OUTER_CALL: ContextVar[ToolContext | None] = ContextVar("adksim_caller", default=None)
"""The call that the current task belongs to. An agent used as a tool has an ADK session of its own inside it."""

_log = get_logger(__name__)


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
            self.call_history.record_calls(requested, event.author, self._normalize_branch(event.branch))
        if responses := event.get_function_responses():
            answers = [(response.id or "", response.response) for response in responses]
            self.call_history.record_responses(answers, event.author)

    def _normalize_branch(self, branch: str | None) -> str:
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

    def __init__(self, rulebook: Rulebook) -> None:
        self.rulebook = rulebook
        self.on_fault: Callable[[str], None] = lambda tool: None
        """Called with the name of a tool whose next call gets a fault."""
        self.sessionless_tally = CallTally()
        """Counts that belong to no session."""
        self._sessions: dict[tuple[str, str, str], SessionEnvironment] = {}
        self._argument_defaults: dict[str, Mapping[str, Json]] = {}
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

    def enter_call(self, context: ToolContext) -> SessionEnvironment:
        """Mark the current task as part of a call, and return the environment of its session."""
        # The session has to be looked up first: it may itself run inside the call that is still set here.
        session_environment = self.get_session_environment(context.session)
        _OUTER_CALL.set(context)
        return session_environment

    def compute_tally(self) -> CallTally:
        """Return the sum of all counts."""
        total = CallTally()
        total.add(self.sessionless_tally)
        for environment in self._list_environments():
            total.add(environment.tally)
        return total

    def list_seeds(self) -> list[SessionSeed]:
        """Return what the random draws of each session depend on; empty if no rule draws with the session's seed."""
        if not self.rulebook.draws_with_session_seed:
            return []
        return [
            SessionSeed(seed=each.seed, session_key=each.session_key, is_drawn=each.is_drawn)
            for each in (environment.randomness for environment in self._list_environments())
        ]

    def _list_environments(self) -> list[Environment]:
        """Return the environments, each once: an agent used as a tool shares the one of its caller."""
        return list({id(each.environment): each.environment for each in self._sessions.values()}.values())

    def _create_session_environment(self, session: Session) -> SessionEnvironment:
        caller = _OUTER_CALL.get()
        if caller is None or caller.session is session or caller.session.id == session.id:
            randomness = create_randomness(
                self.rulebook.spec.seed, self.rulebook.label, _read_session_beginning(session)
            )
            return SessionEnvironment(Environment(self.rulebook, randomness, on_fault=self.on_fault))
        outer = self.get_session_environment(caller.session)
        call = outer.update_call_history(caller.session).find_call(caller.function_call_id or "", caller.agent_name)
        scope = f"{call.agent}:{call.branch}:{call.tool}#{call.call_number}" if call else "?"
        return SessionEnvironment(outer.environment, f"{outer.scope}/{scope}", call)

    def _evict_oldest_session(self) -> None:
        oldest = self._sessions.pop(next(iter(self._sessions)))
        if not any(each.environment is oldest.environment for each in self._sessions.values()):
            self.sessionless_tally.add(oldest.environment.tally)

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
        if key not in changed and not key.startswith(_SHARED_STATE_PREFIXES)
    }
    return to_json_value({"message": message, "state": state})


class RuleInterceptor:
    """Lets the rules answer one call, and tells them about its caller and history."""

    __slots__ = ("_args", "_decision", "_own_run", "_registry", "_session_environment", "_tool", "context")

    def __init__(
        self,
        registry: EnvironmentRegistry,
        session_environment: SessionEnvironment,
        tool: BaseTool,
        context: ToolContext,
    ) -> None:
        self.context = context
        self._registry = registry
        self._session_environment = session_environment
        self._tool = tool
        self._decision: RuleDecision | None = None

    def decide(self, args: dict[str, Any]) -> RuleDecision:
        """Decide by the arguments that the tool would get, as callbacks have left them."""
        call_id = self.context.function_call_id or self._registry.create_call_id()
        decision = self._decision = self._session_environment.environment.decide(
            IncomingCall(self._tool.name, args, call_id, self)
        )
        return decision

    def execute_decision(self, own_run: tool_seat.RunAsync, args: dict[str, Any]) -> Awaitable[object]:
        """Execute the decision and return the result of the call."""
        self._own_run = own_run
        self._args = args
        assert self._decision is not None  # noqa: S101 - `decide` comes first
        return self._session_environment.environment.answer(self._decision, self._run_tool)

    def _run_tool(self) -> Awaitable[object]:
        return self._own_run(args=self._args, tool_context=self.context)

    def build_decision_event(self) -> EnvironmentDecided:
        """Return the decision, and why earlier rules did not match, as an event for the timeline."""
        decision = self._decision
        assert decision is not None  # noqa: S101 - `decide` comes first
        return EnvironmentDecided(
            call_id=decision.call.call_id,
            tool_name=decision.call.tool,
            rule=decision.rule_name,
            actions=self._session_environment.environment.describe_actions(decision),
            passed_over=[{"rule": each.rule, "why": each.reason} for each in decision.list_skipped_rules()],
        )

    @property
    def agent(self) -> str:
        """The name of the calling agent."""
        return self.context.agent_name

    @property
    def randomness(self) -> SessionRandomness:
        """What the random draws of the session depend on."""
        return self._session_environment.environment.randomness

    @property
    def scope(self) -> str:
        """The outer call inside which this one runs; empty if there is none."""
        return self._session_environment.scope

    def get_call_history(self) -> CallHistory:
        """Return the session's calls so far."""
        return self._session_environment.update_call_history(self.context.session)

    def get_argument_defaults(self) -> Mapping[str, Json]:
        """Return the default values of the tool's arguments."""
        return self._registry.get_argument_defaults(self._tool)

    def get_state(self) -> Mapping[str, Json]:
        """Return the session's state as the tool would see it."""
        return to_json_value(self.context.state.to_dict())


class EnvironmentSimulationPlugin(BasePlugin):
    """Lets rules answer the tool calls of an App, without any change to its agents.

    app = App(name="shop", root_agent=root_agent, plugins=[EnvironmentSimulationFactory.create_plugin(...)])
    """

    def __init__(self, rulebook: Rulebook, name: str = "EnvironmentSimulation") -> None:
        """Apply the rules of `rulebook` to all sessions of an App."""
        super().__init__(name=name)
        self._rulebook = rulebook
        self._registry = EnvironmentRegistry(rulebook)
        self._faulted_tools: set[str] = set()
        """Tools on which a person has put a fault."""
        self._unmatched_call_counts: dict[str, int] = {}
        """How often each tool that no rule names was called. Counting is all that happens to these calls."""
        self._registry.on_fault = self._start_intercepting

    async def before_run_callback(self, *, invocation_context: InvocationContext) -> None:
        """Create the environment of a session before its agent can change the state."""
        self._registry.get_session_environment(invocation_context.session)

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        """Install a seat in a tool that a rule names. The rules answer there, after ADK has asked for consent."""
        count = self._unmatched_call_counts.get(tool.name)
        if count is not None:
            self._unmatched_call_counts[tool.name] = count + 1
            return None
        if self._should_intercept(tool):
            # A plain BaseTool stands for a name that the model made up: there is no code to put a seat in.
            if type(tool) is BaseTool:
                return await answer_by_rules(self._registry, tool, tool_args, tool_context)
            self._install_interceptor(tool, tool_context, self._registry.enter_call(tool_context))
        elif is_framework_tool(tool):
            self._registry.enter_call(tool_context)
            self._registry.sessionless_tally.real[tool.name] += 1
        elif type(tool) is not BaseTool:
            self._unmatched_call_counts[tool.name] = 1
        return None

    def get_environment(self, session: Session) -> Environment:
        """Return a session's environment, through which its rules can be inspected, switched and extended."""
        return self._registry.get_session_environment(session).environment

    def report(self) -> EnvironmentReport:
        """Return what happened to all calls so far."""
        tally = self._registry.compute_tally()
        tally.real.update(self._unmatched_call_counts)
        return EnvironmentReport.from_tally(
            tally,
            [rule.name for rule in self._rulebook.rules],
            seeds=self._registry.list_seeds(),
            uses_real_time=self._rulebook.waits_in_real_time,
        )

    async def close(self) -> None:
        """Log the report."""
        _log.info("The simulated environment:\n%s", self.report())

    def _start_intercepting(self, tool: str) -> None:
        """Intercept the calls of a tool from now on, although no rule names it."""
        self._faulted_tools.add(tool)
        self._registry.sessionless_tally.real[tool] += self._unmatched_call_counts.pop(tool, 0)

    def _should_intercept(self, tool: BaseTool) -> bool:
        is_steering = tool.name in CONTROL_TOOLS
        if self._rulebook.find_candidates(tool.name, by_name_only=is_steering) or tool.name in self._faulted_tools:
            return True
        return self._rulebook.refuses_real_tools and type(tool) is not BaseTool and not is_framework_tool(tool)

    def _install_interceptor(
        self, tool: BaseTool, context: ToolContext, session_environment: SessionEnvironment
    ) -> None:
        other = tool_seat.CALL_INTERCEPTOR.get()
        if other is not None and other.context is context:
            raise SimulatorError(
                f"Two environment plugins intercept the calls of {tool.name}. Put only one into the App."
            )
        tool_seat.install_seat(tool)
        tool_seat.CALL_INTERCEPTOR.set(RuleInterceptor(self._registry, session_environment, tool, context))


async def answer_by_rules(
    registry: EnvironmentRegistry, tool: BaseTool, args: dict[str, Any], context: ToolContext
) -> dict[str, Any] | None:
    """Return the rules' answer where there is no seat: in a callback, or for a name that the model made up.

    Returns:
        The response for the model; None if no rule matches, or if the one that does must act inside the call.
    """
    session_environment = registry.enter_call(context)
    interceptor = RuleInterceptor(registry, session_environment, tool, context)
    environment, decision = session_environment.environment, interceptor.decide(args)
    if (calls := tool_seat.SESSION_CALLS.get()) is not None:
        await calls.record_environment_decision(context, interceptor.build_decision_event())
    if decision.rule is None or decision.rule.acts_inside_call:
        environment.count_real_call(decision)
        return None
    result = await environment.answer(decision, _fail_unexpected_run)
    return cast("dict[str, Any]", result) if isinstance(result, dict) else {"result": result}


async def _fail_unexpected_run() -> object:
    raise AssertionError("A rule that answers by itself must not run the tool.")
