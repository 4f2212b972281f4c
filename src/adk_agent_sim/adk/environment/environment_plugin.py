"""The simulated environment in ADK: a plugin that lets rules answer inside the calls of tools.

    before_tool: does a rule name the tool? --> seat in the tool --> ADK asks for consent --> seat: rules answer

Rules act where the tool's own code would run. So ADK asks for consent before, and retry plugins, error callbacks and
agent callbacks see the result as if it were real. No timeline is needed; if there is one, decisions are recorded on it.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from google.adk.agents import BaseAgent, LlmAgent
from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.invocation_context import InvocationContext
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins import BasePlugin
from google.adk.sessions import Session
from google.adk.tools import BaseTool, ToolContext
from google.genai import types

from adk_agent_sim.adk.environment.environment_registry import EnvironmentRegistry, SessionEnvironment
from adk_agent_sim.adk.environment.llm_mock_setup import LlmMockSetup, check_llm_mocks
from adk_agent_sim.adk.environment.model_interceptor import ModelInterceptor
from adk_agent_sim.adk.environment.real_tool_guard import is_framework_tool
from adk_agent_sim.adk.environment.rule_interceptor import RuleInterceptor
from adk_agent_sim.adk.seats import model_seat, tool_seat
from adk_agent_sim.environment.environment import Environment
from adk_agent_sim.environment.environment_report import EnvironmentReport
from adk_agent_sim.environment.incoming_call import CallWatcher
from adk_agent_sim.environment.recorded_sources import read_recorded_sources
from adk_agent_sim.environment.report_fold import UnansweredCall
from adk_agent_sim.environment.rulebook import Rulebook
from adk_agent_sim.environment.rules import Rules
from adk_agent_sim.environment.rules_file import load_rules
from adk_agent_sim.errors import InvalidRules, SimulatorError
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.timeline.clock import SimulatedClock
from adk_agent_sim.timeline.content_parts import wrap_result
from adk_agent_sim.timeline.events import EnvironmentDecided
from adk_agent_sim.timeline.framework_calls import CONTROL_TOOLS, MODEL_SEAT

RULES_VARIABLE = "ADK_SIM_RULES"
"""The environment variable with the path of a rules file."""

PROFILE_VARIABLE = "ADK_SIM_PROFILE"
"""The environment variable that names the profile of rules that have profiles."""

_log = get_logger(__name__)


class EnvironmentSimulationPlugin(BasePlugin):
    """Lets rules answer the tool calls of an App, without any change to its agents.

        ADK_SIM_RULES=rules.yaml adk web --extra_plugins adk_agent_sim.EnvironmentSimulationPlugin

    In Python, `EnvironmentSimulationFactory.create_plugin` creates one, and raises if the rules are invalid.
    """

    def __init__(
        self,
        rules: Rulebook | Rules | str | Path | None = None,
        name: str = "EnvironmentSimulation",
        *,
        llm_setup: LlmMockSetup | None = None,
    ) -> None:
        """Apply rules to all sessions of an App.

        It never raises, because ADK would log the error and run the agent with its real tools: with rules that are
        missing or invalid, every run is rejected with the reason.

        Args:
            rules: Rules, or the path of a rules file; by default ADK_SIM_RULES, relative to the current directory.
            name: The plugin's name in the App.
            llm_setup: The model for `mock: llm`, where the rules name none.
        """
        super().__init__(name=name)
        self._rules_error: SimulatorError | None = None
        try:
            self._rulebook = _load_rulebook(rules)
            check_llm_mocks(self._rulebook, llm_setup)
        except SimulatorError as error:
            self._rules_error = error
            self._rulebook = Rulebook(Rules(rules=[]))
        self._registry = EnvironmentRegistry(self._rulebook, llm_setup)
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
        if self._acts_on_models and isinstance(agent, LlmAgent):
            model_seat.install_seat(agent, self._seat_owner)
        return None

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        """Let the rules and faults for the model's seat act on the call. They do so in the seat, after all callbacks.

        In a session on a timeline, a person may put a fault on the call while it waits.
        """
        if self._rulebook.has_mocks or self._faulted_tools:
            self._registry.mocked_tools.add_tools(llm_request.tools_dict.values())
        if self._acts_on_models or model_seat.MODEL_PLAYER.get() is not None:
            session_environment = self._registry.get_session_environment(callback_context.session)
            interceptor = ModelInterceptor(self._registry, session_environment, callback_context)
            model_seat.MODEL_INTERCEPTOR.set(interceptor)
        return None

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        """Install a seat in a tool that a rule names. The rules answer there, after ADK has asked for consent."""
        # Calls are counted in the seat and not here: a callback may answer, or the user refuse, before the tool runs.
        tool_seat.REAL_CALL_COUNTS.set(self._real_call_counts)
        name = tool.name
        # Decided once for each name, because most tools have no rule, and their calls should cost next to nothing.
        if name in self._unnamed_tools:
            if not tool_seat.is_seated(tool):
                tool_seat.install_seat(tool)
            if (calls := tool_seat.SESSION_CALLS.get()) is not None:
                await record_rules(self._registry, calls, tool, tool_context)
            return None
        if type(tool) is BaseTool:
            # It stands for a name that the model made up: there is no code to put a seat in.
            return await self._answer_unknown_tool(tool, tool_args, tool_context)
        if name in self._named_tools or self._should_intercept(tool):
            self._install_interceptor(tool, tool_context, self._registry.enter_call(tool_context))
            return None
        if is_framework_tool(tool):
            # An agent may run inside of this call, in a session that shares the environment of its caller.
            self._registry.enter_call(tool_context)
        else:
            self._unnamed_tools.add(name)
        tool_seat.install_seat(tool)
        if (calls := tool_seat.SESSION_CALLS.get()) is not None:
            await record_rules(self._registry, calls, tool, tool_context)
        return None

    def watch_calls(self, watcher: CallWatcher) -> None:
        """Show all calls of sessions that begin from now on, with their results, to a watcher."""
        self._registry.watcher = watcher

    def set_session_clock(self, key: tuple[str, str, str], clock: SimulatedClock | None) -> None:
        """Give a session a clock of its own before it begins, or take it away when it has ended.

        Args:
            key: App name, user id and session id of the ADK session.
            clock: What delays and conditions on the time use, such as the clock of a scenario's world.
        """
        if clock is None:
            self._registry.session_clocks.pop(key, None)
        else:
            self._registry.session_clocks[key] = clock

    def get_environment(self, session: Session) -> Environment:
        """Return a session's environment, through which its rules can be inspected, switched and extended."""
        self._check_rules()
        return self._registry.get_session_environment(session).environment

    def continue_session(self, key: tuple[str, str, str], session: Session) -> None:
        """Let an ADK session have the environment of another one, whose place it takes.

        Args:
            key: App name, user id and session id of the other one.
            session: The session.
        """
        self._registry.share_environment(key, session)

    def build_profile_event(self, session: Session) -> EnvironmentDecided | None:
        """Return an event for the timeline if a profile or a tool was switched since the last one, else None."""
        environment = self.get_environment(session)
        if not environment.has_unrecorded_switch and not environment.tool_choices.has_unrecorded:
            return None
        described = self._registry.describe_unrecorded_session(environment)
        return EnvironmentDecided(call_id="", tool_name="", rule="", actions=[], passed_over=[], environment=described)

    def report(self) -> EnvironmentReport:
        """Return what happened to all calls so far."""
        return self._registry.build_report()

    async def close(self) -> None:
        """Give the agents their own models back, and log the report."""
        self._seat_owner.release()
        _log.info("The simulated environment:\n%s", self.report())

    @property
    def _acts_on_models(self) -> bool:
        return self._rulebook.has_model_rules or MODEL_SEAT in self._faulted_tools

    def _start_intercepting(self, tool: str) -> None:
        """Intercept the calls of a tool, or of the models, from now on, although no rule names it."""
        self._faulted_tools.add(tool)
        self._unnamed_tools.discard(tool)

    async def _answer_unknown_tool(
        self, tool: BaseTool, args: dict[str, Any], context: ToolContext
    ) -> dict[str, Any] | None:
        if not self._rulebook.rules and tool.name not in self._faulted_tools:
            return None
        return await answer_by_rules(self._registry, tool, args, context)

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
        other = tool_seat.TOOL_INTERCEPTOR.get()
        if other is not None and other.context is context:
            raise SimulatorError(
                f"Two environment plugins intercept the calls of {tool.name}. Put only one into the App."
            )
        tool_seat.install_seat(tool)
        tool_seat.TOOL_INTERCEPTOR.set(RuleInterceptor(self._registry, session_environment, tool, context))


def _load_rulebook(rules: Rulebook | Rules | str | Path | None) -> Rulebook:
    """Return compiled rules; raise InvalidRules if there are none, or if they have errors."""
    if isinstance(rules, Rulebook):
        return rules
    source = os.environ.get(RULES_VARIABLE, "") if rules is None else rules
    if source == "":
        advice = "Set it to the path of a rules file, or remove the plugin to run the agent with its real tools."
        raise InvalidRules(f"the environment variable {RULES_VARIABLE}", [f"It is not set. {advice}"])
    loaded = source if isinstance(source, Rules) else load_rules(source)
    if isinstance(source, Rules):
        read_recorded_sources(loaded, Path())
    return Rulebook(
        loaded, profile=read_profile_variable(loaded), source="Python" if isinstance(source, Rules) else str(source)
    )


def read_profile_variable(rules: Rules) -> str | None:
    """Return the profile that the environment chooses; None if the rules have no profiles, as most files."""
    return (os.environ.get(PROFILE_VARIABLE) or None) if rules.profiles else None


async def record_rules(
    registry: EnvironmentRegistry, calls: tool_seat.RunningCalls, tool: BaseTool, context: ToolContext
) -> None:
    """Record the rules and the profile of a session if a call of a tool that no rule names is the first to do so."""
    environment = registry.get_session_environment(context.session).environment
    if described := registry.describe_unrecorded_session(environment):
        decided = EnvironmentDecided(
            call_id=context.function_call_id or "",
            tool_name=tool.name,
            rule="",
            actions=[],
            passed_over=[],
            environment=described,
        )
        await calls.record_environment_decision(context, decided)


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
    calls = tool_seat.SESSION_CALLS.get()
    decided = interceptor.build_decision_event() if calls is not None else None
    asks_model = decision.rule is not None and decision.rule.asks_model
    if calls is not None and decided is not None and not asks_model:
        await calls.record_environment_decision(context, decided)
    if decision.rule is None:
        if decision.unanswered == UnansweredCall.LIVE:
            environment.tally.fold.real[tool.name] += 1
        return None
    try:
        return wrap_result(await environment.answer(decision, _fail_unexpected_run, has_tool=False))
    finally:
        if calls is not None and decided is not None and asks_model:
            # No event about the end of the call follows that could say what the model was asked.
            decided = replace(decided, actions=environment.describe_actions(decision))
            await calls.record_environment_decision(context, decided)


async def _fail_unexpected_run() -> object:
    raise AssertionError("A rule that answers by itself must not run the tool.")
