"""The simulated environment in ADK: a plugin that lets rules answer inside the calls of tools.

    before_tool: does a rule name the tool? --> a seat in the tool --> ADK asks for consent --> the seat: rules answer

Whatever the rules do happens where the tool's own code would run, so consent is asked before, and retry plugins, error
and agent callbacks see it as real. Nothing here needs a timeline; where there is one, it is told what was decided.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from typing import Any, cast

from google.adk.events import Event
from google.adk.plugins import BasePlugin
from google.adk.sessions import Session
from google.adk.tools import BaseTool, ToolContext

from adk_agent_sim.adk import tool_seat
from adk_agent_sim.adk.framework_tools import is_framework_tool
from adk_agent_sim.environment.call_history import CallHistory
from adk_agent_sim.environment.environment import Environment, RuleDecision
from adk_agent_sim.environment.environment_report import CallTally, EnvironmentReport
from adk_agent_sim.environment.incoming_call import IncomingCall
from adk_agent_sim.environment.rulebook import Rulebook
from adk_agent_sim.errors import SimulatorError
from adk_agent_sim.forms.json_schema import read_parameters_schema
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import EnvironmentDecided
from adk_agent_sim.timeline.json_conversion import to_json_value

_MAX_SESSIONS = 10_000
"""How many sessions are remembered; the oldest is forgotten first, and only its counts are kept."""

_OUTER_CALL: ContextVar[ToolContext | None] = ContextVar("adksim_caller", default=None)
"""The call that the current task works for: an agent that is used as a tool has a session of its own within it."""

_log = logging.getLogger(__name__)


class SessionEnvironment:
    """One ADK session in its environment: what its models asked so far is read from its events."""

    __slots__ = ("_last_event", "call_history", "environment", "scope")

    def __init__(self, environment: Environment, scope: str = "") -> None:
        self.environment = environment
        self.scope = scope
        self.call_history = CallHistory()
        self._last_event = ""

    def update_call_history(self, session: Session) -> CallHistory:
        """The calls so far; events that were read before are not read again."""
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
            asked = [(call.id or "", call.name or "", cast("Mapping[str, Json]", call.args or {})) for call in calls]
            self.call_history.record_calls(asked, event.author, self._normalize_branch(event.branch))
        if responses := event.get_function_responses():
            answers = [(response.id or "", response.response) for response in responses]
            self.call_history.record_responses(answers, event.author)

    def _normalize_branch(self, branch: str | None) -> str:
        """The branch, where an agent runs as a tool, with the number of the call in place of its random id."""
        return ".".join(map(self._normalize_branch_step, branch.split("."))) if branch else ""

    def _normalize_branch_step(self, step: str) -> str:
        name, _, run = step.rpartition("@")
        asked = self.call_history.find_call(run) if name else None
        return f"{name}@{asked.tool}#{asked.call_number}" if asked else step


class EnvironmentRegistry:
    """The environments of all sessions that a plugin or a callback serves."""

    def __init__(self, rulebook: Rulebook) -> None:
        self.rulebook = rulebook
        self.on_fault: Callable[[str], None] = lambda tool: None
        """Told the tool whose next call gets a fault."""
        self.sessionless_tally = CallTally()
        """What is counted without a session."""
        self._sessions: dict[tuple[str, str, str], SessionEnvironment] = {}
        self._argument_defaults: dict[str, Mapping[str, Json]] = {}
        self._generated_id_count = 0

    def get_session_environment(self, session: Session) -> SessionEnvironment:
        """A session's surroundings; those of an agent that is used as a tool belong to the calling session."""
        key = (session.app_name, session.user_id, session.id)
        found = self._sessions.get(key)
        if found is None:
            if len(self._sessions) >= _MAX_SESSIONS:
                self._evict_oldest_session()
            found = self._sessions[key] = self._create_session_environment(session)
        return found

    def enter_call(self, context: ToolContext) -> SessionEnvironment:
        """Remember that the current task works for a call; first its session, which may be within another call."""
        around = self.get_session_environment(context.session)
        _OUTER_CALL.set(context)
        return around

    def compute_tally(self) -> CallTally:
        """Everything that was counted."""
        total = CallTally()
        total.add(self.sessionless_tally)
        for environment in {id(each.environment): each.environment for each in self._sessions.values()}.values():
            total.add(environment.tally)
        return total

    def _create_session_environment(self, session: Session) -> SessionEnvironment:
        caller = _OUTER_CALL.get()
        if caller is None or caller.session is session or caller.session.id == session.id:
            return SessionEnvironment(Environment(self.rulebook, on_fault=self.on_fault))
        outer = self.get_session_environment(caller.session)
        asked = outer.update_call_history(caller.session).find_call(caller.function_call_id or "", caller.agent_name)
        within = f"{asked.agent}:{asked.branch}:{asked.tool}#{asked.call_number}" if asked else "?"
        return SessionEnvironment(outer.environment, f"{outer.scope}/{within}")

    def _evict_oldest_session(self) -> None:
        oldest = self._sessions.pop(next(iter(self._sessions)))
        if not any(each.environment is oldest.environment for each in self._sessions.values()):
            self.sessionless_tally.add(oldest.environment.tally)

    def create_call_id(self) -> str:
        """An id for a call that has none."""
        self._generated_id_count += 1
        return f"unnamed call {self._generated_id_count}"

    def get_argument_defaults(self, tool: BaseTool) -> Mapping[str, Json]:
        """What arguments of a tool are if they are left out."""
        if tool.name not in self._argument_defaults:
            declaration = tool._get_declaration()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - no public way
            properties = read_parameters_schema(to_json_value(declaration) if declaration else {}).get("properties", {})
            self._argument_defaults[tool.name] = {
                name: schema["default"] for name, schema in properties.items() if "default" in schema
            }
        return self._argument_defaults[tool.name]


class RuleInterceptor:
    """Lets the rules answer one call; knows where the call comes from."""

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
        """Decide by the arguments that the tool would get, after all callbacks."""
        call_id = self.context.function_call_id or self._registry.create_call_id()
        decision = self._decision = self._session_environment.environment.decide(
            IncomingCall(self._tool.name, args, call_id, self)
        )
        return decision

    def execute_decision(self, own_run: tool_seat.RunAsync, args: dict[str, Any]) -> Awaitable[object]:
        """Do what was decided."""
        self._own_run = own_run
        self._args = args
        assert self._decision is not None  # noqa: S101 - `decide` comes first
        return self._session_environment.environment.answer(self._decision, self._run_tool)

    def _run_tool(self) -> Awaitable[object]:
        return self._own_run(args=self._args, tool_context=self.context)

    def build_decision_event(self) -> EnvironmentDecided:
        """What was decided, and why earlier rules do not answer."""
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
        """Who calls."""
        return self.context.agent_name

    @property
    def scope(self) -> str:
        """The call that this one runs within."""
        return self._session_environment.scope

    def get_call_history(self) -> CallHistory:
        """The session's calls so far."""
        return self._session_environment.update_call_history(self.context.session)

    def get_argument_defaults(self) -> Mapping[str, Json]:
        """What the tool's arguments are if they are left out."""
        return self._registry.get_argument_defaults(self._tool)


class EnvironmentSimulationPlugin(BasePlugin):
    """Lets rules answer the tool calls of an App, without any change to its agents.

    app = App(name="shop", root_agent=root_agent, plugins=[EnvironmentSimulationFactory.create_plugin(...)])
    """

    def __init__(self, rulebook: Rulebook, name: str = "EnvironmentSimulation") -> None:
        """Serve all sessions of an App by the rules of `book`."""
        super().__init__(name=name)
        self._rulebook = rulebook
        self._registry = EnvironmentRegistry(rulebook)
        self._faulted_tools: set[str] = set()
        """Tools that a person has put a fault on."""
        self._unmatched_call_counts: dict[str, int] = {}
        """How often tools were called that no rule names; they are left alone, and this is all that they cost."""
        self._registry.on_fault = self._start_intercepting

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        """Sit down in a tool that a rule names; the answer is given there, after consent."""
        unlisted = self._unmatched_call_counts.get(tool.name)
        if unlisted is not None:
            self._unmatched_call_counts[tool.name] = unlisted + 1
            return None
        if self._should_intercept(tool):
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
        """A session's environment: its rules as they stand, to be watched, switched and added to."""
        return self._registry.get_session_environment(session).environment

    def report(self) -> EnvironmentReport:
        """What became of all calls so far."""
        tally = self._registry.compute_tally()
        tally.real.update(self._unmatched_call_counts)
        return EnvironmentReport.from_tally(tally, [rule.name for rule in self._rulebook.rules])

    async def close(self) -> None:
        """Log the report."""
        _log.info("The simulated environment:\n%s", self.report())

    def _start_intercepting(self, tool: str) -> None:
        """Look at the calls of a tool from now on, although no rule names it."""
        self._faulted_tools.add(tool)
        self._registry.sessionless_tally.real[tool] += self._unmatched_call_counts.pop(tool, 0)

    def _should_intercept(self, tool: BaseTool) -> bool:
        if self._rulebook.find_candidates(tool.name) or tool.name in self._faulted_tools:
            return True
        return self._rulebook.refuses_real_tools and type(tool) is not BaseTool and not is_framework_tool(tool)

    def _install_interceptor(
        self, tool: BaseTool, context: ToolContext, session_environment: SessionEnvironment
    ) -> None:
        other = tool_seat.CALL_INTERCEPTOR.get()
        if other is not None and other.context is context:
            raise SimulatorError(
                f"Two simulated environments answer the calls of {tool.name}: put one plugin into the App."
            )
        tool_seat.install_seat(tool)
        tool_seat.CALL_INTERCEPTOR.set(RuleInterceptor(self._registry, session_environment, tool, context))


async def answer_by_rules(
    registry: EnvironmentRegistry, tool: BaseTool, args: dict[str, Any], context: ToolContext
) -> dict[str, Any] | None:
    """What the rules answer where no code runs: in a callback, or for a name that the model made up.

    None if no rule answers, or only one that must act inside the call.
    """
    around = registry.enter_call(context)
    intervention = RuleInterceptor(registry, around, tool, context)
    environment, decision = around.environment, intervention.decide(args)
    if (calls := tool_seat.SESSION_CALLS.get()) is not None:
        await calls.record_environment_decision(context, intervention.build_decision_event())
    if decision.rule is None or decision.rule.acts_inside_call:
        environment.count_real_call(decision)
        return None
    result = await environment.answer(decision, _fail_unexpected_run)
    return cast("dict[str, Any]", result) if isinstance(result, dict) else {"result": result}


async def _fail_unexpected_run() -> object:
    raise AssertionError("a rule that answers by itself runs no tool")
