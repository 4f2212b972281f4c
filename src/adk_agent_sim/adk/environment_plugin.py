"""The simulated environment in ADK: a plugin that lets rules answer inside the calls of tools.

    before_tool: does a rule name the tool? --> seat in the tool --> ADK asks for consent --> seat: rules answer

Rules act where the tool's own code would run. So ADK asks for consent before, and retry plugins, error callbacks and
agent callbacks see the result as if it were real. No timeline is needed; if there is one, decisions are recorded on it.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Mapping
from pathlib import Path
from typing import Any, cast

from google.adk.agents import BaseAgent, LlmAgent
from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.invocation_context import InvocationContext
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins import BasePlugin
from google.adk.sessions import Session
from google.adk.tools import BaseTool, ToolContext
from google.genai import types

from adk_agent_sim.adk import model_seat, tool_seat
from adk_agent_sim.adk.environment_registry import EnvironmentRegistry, SessionEnvironment
from adk_agent_sim.adk.framework_tools import is_framework_tool
from adk_agent_sim.adk.model_interceptor import ModelInterceptor
from adk_agent_sim.environment.call_history import CallHistory
from adk_agent_sim.environment.environment import Environment, ExecutionOutcome, RuleDecision
from adk_agent_sim.environment.environment_report import EnvironmentReport
from adk_agent_sim.environment.incoming_call import IncomingCall
from adk_agent_sim.environment.recorded_report import describe_near_miss
from adk_agent_sim.environment.rulebook import Rulebook
from adk_agent_sim.environment.rules import Rules
from adk_agent_sim.environment.rules_file import load_rules
from adk_agent_sim.environment.session_randomness import SessionRandomness
from adk_agent_sim.errors import InvalidRules, SimulatorError
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import EnvironmentDecided
from adk_agent_sim.timeline.framework_calls import CONTROL_TOOLS
from adk_agent_sim.timeline.json_conversion import to_json_value

RULES_VARIABLE = "ADK_SIM_RULES"
"""The environment variable with the path of a rules file."""

PROFILE_VARIABLE = "ADK_SIM_PROFILE"
"""The environment variable that names the profile of rules that have profiles."""

_log = get_logger(__name__)


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
        # A plain BaseTool stands for a name that the model made up.
        decision = self._decision = self._session_environment.environment.decide(
            IncomingCall(self._tool.name, args, call_id, self), has_tool=type(self._tool) is not BaseTool
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

    def complete(self) -> ExecutionOutcome:
        """Count how the call ended, or how far it came if it was cancelled, and return it."""
        assert self._decision is not None  # noqa: S101 - `decide` comes first
        return self._session_environment.environment.complete(self._decision)

    def build_decision_event(self) -> EnvironmentDecided:
        """Return the decision, and why earlier rules did not match, as an event for the timeline."""
        decision, environment = self._decision, self._session_environment.environment
        assert decision is not None  # noqa: S101 - `decide` comes first
        nearest = decision.find_nearest_rule()
        return EnvironmentDecided(
            call_id=decision.call.call_id,
            tool_name=decision.call.tool,
            rule=decision.rule_name,
            actions=environment.describe_actions(decision),
            passed_over=[
                {"rule": each.rule, "why": each.explanation, "reason": each.reason.value}
                for each in decision.list_skipped_rules()
            ],
            unanswered=decision.unanswered,
            environment=self._registry.describe_unrecorded_session(environment),
            near_miss=describe_near_miss(nearest) if nearest else None,
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

        ADK_SIM_RULES=rules.yaml adk web --extra_plugins adk_agent_sim.EnvironmentSimulationPlugin

    In Python, `EnvironmentSimulationFactory.create_plugin` creates one, and raises if the rules are invalid.
    """

    def __init__(self, rules: Rulebook | Rules | str | Path | None = None, name: str = "EnvironmentSimulation") -> None:
        """Apply rules to all sessions of an App.

        It never raises, because ADK would log the error and run the agent with its real tools: with rules that are
        missing or invalid, every run is rejected with the reason.

        Args:
            rules: Rules, or the path of a rules file; by default ADK_SIM_RULES, relative to the current folder.
            name: The plugin's name in the App.
        """
        super().__init__(name=name)
        self._rules_error: SimulatorError | None = None
        try:
            self._rulebook = _load_rulebook(rules)
        except SimulatorError as error:
            self._rules_error = error
            self._rulebook = Rulebook(Rules(rules=[]))
        self._registry = EnvironmentRegistry(self._rulebook)
        self._real_call_counts = self._registry.sessionless_fold.real
        self._faulted_tools: set[str] = set()
        """Tools on which a person has put a fault."""
        self._named_tools: set[str] = set()
        """Tools that were called and that a rule names."""
        self._unnamed_tools: set[str] = set()
        """Tools that were called and that no rule names; their calls are only counted."""
        self._seat_owner = model_seat.SeatOwner()
        self._registry.on_fault = self._start_intercepting

    async def on_user_message_callback(
        self, *, invocation_context: InvocationContext, user_message: types.Content
    ) -> types.Content | None:
        """Reject the run if there are no valid rules."""
        self._check_rules()
        return None

    async def before_run_callback(self, *, invocation_context: InvocationContext) -> None:
        """Create the environment of a session before its agent can change the state."""
        self._check_rules()
        self._registry.get_session_environment(invocation_context.session)

    async def before_agent_callback(
        self, *, agent: BaseAgent, callback_context: CallbackContext
    ) -> types.Content | None:
        """Install a seat in the agent's model, if there are rules for it."""
        if self._rulebook.has_model_rules and isinstance(agent, LlmAgent):
            model_seat.install_seat(agent, self._seat_owner)
        return None

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        """Let the rules for the model's seat act on the call. They do so in the seat, after all callbacks."""
        if self._rulebook.has_model_rules:
            session_environment = self._registry.get_session_environment(callback_context.session)
            interceptor = ModelInterceptor(self._registry, session_environment, callback_context)
            model_seat.MODEL_INTERCEPTOR.set(interceptor)
        return None

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        """Install a seat in a tool that a rule names. The rules answer there, after ADK has asked for consent."""
        tool_seat.REAL_CALL_COUNTS.set(self._real_call_counts)
        name = tool.name
        if name in self._unnamed_tools:
            if not tool_seat.is_seated(tool):
                tool_seat.install_seat(tool)
            if (calls := tool_seat.SESSION_CALLS.get()) is not None:
                await self._record_rules(calls, tool, tool_context)
            return None
        if type(tool) is BaseTool:
            # It stands for a name that the model made up: there is no code to put a seat in.
            return await self._answer_unknown_tool(tool, tool_args, tool_context)
        if name in self._named_tools or self._should_intercept(tool):
            self._install_interceptor(tool, tool_context, self._registry.enter_call(tool_context))
            return None
        if is_framework_tool(tool):
            self._registry.enter_call(tool_context)
        else:
            self._unnamed_tools.add(name)
        tool_seat.install_seat(tool)
        if (calls := tool_seat.SESSION_CALLS.get()) is not None:
            await self._record_rules(calls, tool, tool_context)
        return None

    def get_environment(self, session: Session) -> Environment:
        """Return a session's environment, through which its rules can be inspected, switched and extended."""
        self._check_rules()
        return self._registry.get_session_environment(session).environment

    def report(self) -> EnvironmentReport:
        """Return what happened to all calls so far."""
        return self._registry.build_report()

    async def close(self) -> None:
        """Give the agents their own models back, and log the report."""
        self._seat_owner.release()
        _log.info("The simulated environment:\n%s", self.report())

    def _start_intercepting(self, tool: str) -> None:
        """Intercept the calls of a tool from now on, although no rule names it."""
        self._faulted_tools.add(tool)
        self._unnamed_tools.discard(tool)

    async def _answer_unknown_tool(
        self, tool: BaseTool, args: dict[str, Any], context: ToolContext
    ) -> dict[str, Any] | None:
        if not self._rulebook.rules and tool.name not in self._faulted_tools:
            return None
        return await answer_by_rules(self._registry, tool, args, context)

    async def _record_rules(self, calls: tool_seat.RunningCalls, tool: BaseTool, context: ToolContext) -> None:
        """Record the rules of a session at its first call, if that is a call of a tool that no rule names."""
        environment = self._registry.get_session_environment(context.session).environment
        if described := self._registry.describe_unrecorded_session(environment):
            decided = EnvironmentDecided(
                call_id=context.function_call_id or "",
                tool_name=tool.name,
                rule="",
                actions=[],
                passed_over=[],
                environment=described,
            )
            await calls.record_environment_decision(context, decided)

    def _check_rules(self) -> None:
        if self._rules_error is not None:
            # Without the tracebacks of the runs that were rejected before.
            raise self._rules_error.with_traceback(None)

    def _should_intercept(self, tool: BaseTool) -> bool:
        self._check_rules()
        is_steering = tool.name in CONTROL_TOOLS
        if self._rulebook.find_candidates(tool.name, by_name_only=is_steering):
            self._named_tools.add(tool.name)
            return True
        if tool.name in self._faulted_tools:
            return True
        return self._rulebook.refuses_real_tools and not is_framework_tool(tool)

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


def _load_rulebook(rules: Rulebook | Rules | str | Path | None) -> Rulebook:
    """Return compiled rules; raise InvalidRules if there are none, or if they have errors."""
    if isinstance(rules, Rulebook):
        return rules
    source = os.environ.get(RULES_VARIABLE, "") if rules is None else rules
    if source == "":
        advice = "Set it to the path of a rules file, or remove the plugin to run the agent with its real tools."
        raise InvalidRules(f"the environment variable {RULES_VARIABLE}", [f"It is not set. {advice}"])
    loaded = source if isinstance(source, Rules) else load_rules(source)
    return Rulebook(
        loaded, profile=read_profile_variable(loaded), source="Python" if isinstance(source, Rules) else str(source)
    )


def read_profile_variable(rules: Rules) -> str | None:
    """Return the profile that the environment chooses; None if the rules have no profiles, as most files."""
    return (os.environ.get(PROFILE_VARIABLE) or None) if rules.profiles else None


async def answer_by_rules(
    registry: EnvironmentRegistry, tool: BaseTool, args: dict[str, Any], context: ToolContext
) -> dict[str, Any] | None:
    """Return the rules' answer where there is no seat: in a callback, or for a name that the model made up.

    Returns:
        The response for the model; None if no rule answers.
    """
    session_environment = registry.enter_call(context)
    interceptor = RuleInterceptor(registry, session_environment, tool, context)
    environment, decision = session_environment.environment, interceptor.decide(args)
    if (calls := tool_seat.SESSION_CALLS.get()) is not None:
        await calls.record_environment_decision(context, interceptor.build_decision_event())
    if decision.rule is None:
        return None
    result = await environment.answer(decision, _fail_unexpected_run)
    return cast("dict[str, Any]", result) if isinstance(result, dict) else {"result": result}


async def _fail_unexpected_run() -> object:
    raise AssertionError("A rule that answers by itself must not run the tool.")
