"""Lets the rules of an environment answer one call of a tool, inside the call."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import Any

from google.adk.tools import BaseTool, ToolContext

from adk_agent_sim.adk.compat import get_invocation_context
from adk_agent_sim.adk.environment.environment_registry import EnvironmentRegistry, SessionEnvironment
from adk_agent_sim.adk.seats import tool_seat
from adk_agent_sim.environment.incoming_call import CallHistory, IncomingCall, SessionRandomness
from adk_agent_sim.environment.recorded_report import describe_near_miss
from adk_agent_sim.environment.rule_decision import ExecutionOutcome, RuleDecision
from adk_agent_sim.errors import HumanUnavailable
from adk_agent_sim.mocks.mocked_call import ToolSpec
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import EnvironmentDecided, Player
from adk_agent_sim.timeline.json_conversion import to_json_value


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
        calls = tool_seat.SESSION_CALLS.get()

        def ask_person(args: Mapping[str, Json]) -> Awaitable[Json]:
            if calls is None:
                raise HumanUnavailable(self._tool.name)
            return calls.ask_person(self.context, self.get_tool_spec(), args)

        return self._session_environment.environment.answer(self._decision, self._run_tool, ask_person)

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
    def player(self) -> Player:
        """Who responds as the tool: a person, or the rule itself."""
        rule = self._decision.rule if self._decision is not None else None
        return Player.HUMAN if rule is not None and rule.asks_person else Player.SIMULATED

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

    def get_tool_spec(self) -> ToolSpec:
        """Return what mocks need to know about the tool."""
        return self._registry.mocked_tools.get_spec(self._tool)

    def list_tool_specs(self) -> Sequence[ToolSpec]:
        """Return what mocks know about all tools of the app."""
        return self._registry.mocked_tools.list_specs(get_invocation_context(self.context).agent)

    def get_state(self) -> Mapping[str, Json]:
        """Return the session's state as the tool would see it."""
        return to_json_value(self.context.state.to_dict())
