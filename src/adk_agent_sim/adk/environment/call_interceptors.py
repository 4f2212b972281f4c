"""Let the rules of an environment act on one call: of a tool, inside the call, or of a model (`seat: model`).

    before_model: the interceptor is set --> seat: a rule acts --> its answer
                                                  |
                                                  none --> the player: the agent's own model, a function, a trace

A person's turns are never changed: whoever plays decides what the model says. If a person leaves a turn to the agent's
own model, that is a call of a model.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, cast

from google.adk.agents.context import Context
from google.adk.models.llm_response import LlmResponse
from google.adk.tools import BaseTool
from google.genai import errors

from adk_agent_sim.adk.compat import get_invocation_context
from adk_agent_sim.adk.environment.environment_registry import EnvironmentRegistry, SessionEnvironment
from adk_agent_sim.adk.seats import tool_seat
from adk_agent_sim.adk.seats.model_seat import AskPlayer
from adk_agent_sim.environment.actions.model_faults import remove_call_ids
from adk_agent_sim.environment.environment import Environment
from adk_agent_sim.environment.incoming_call import CallHistory, IncomingCall, SessionRandomness, are_branches_related
from adk_agent_sim.environment.json_values import MISSING
from adk_agent_sim.environment.recorded_report import describe_near_miss
from adk_agent_sim.environment.rule_decision import NOT_RUN, ExecutionOutcome, RuleDecision
from adk_agent_sim.errors import HumanUnavailable, ModelRequestFailed
from adk_agent_sim.mocks.mocked_call import ToolSpec
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import EnvironmentDecided, Player
from adk_agent_sim.timeline.framework_calls import MODEL_SEAT
from adk_agent_sim.timeline.json_conversion import to_json_value

_STATUS_NAMES = {400: "INVALID_ARGUMENT", 403: "PERMISSION_DENIED", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}


class _CallInterceptor:
    """What rules are told about a call: its agent, its session and the calls before it."""

    __slots__ = ("_decision", "_registry", "_session_environment", "context")

    def __init__(
        self, registry: EnvironmentRegistry, session_environment: SessionEnvironment, context: Context
    ) -> None:
        self.context = context
        self._registry = registry
        self._session_environment = session_environment
        self._decision: RuleDecision | None = None

    @property
    def agent(self) -> str:
        """The name of the calling agent, or of the one whose model is called."""
        return self.context.agent_name

    @property
    def scope(self) -> str:
        """The outer call inside which this one is made; empty if there is none."""
        return self._session_environment.scope

    @property
    def randomness(self) -> SessionRandomness:
        """What the random draws of the session depend on."""
        return self._environment.randomness

    def get_call_history(self) -> CallHistory:
        """Return the calls of the session so far."""
        return self._session_environment.update_call_history(self.context.session)

    def get_state(self) -> Mapping[str, Json]:
        """Return the session's state as the call sees it."""
        return to_json_value(self.context.state.to_dict())

    @property
    def _environment(self) -> Environment:
        return self._session_environment.environment

    def _get_decision(self) -> RuleDecision:
        assert self._decision is not None  # noqa: S101 - `decide` comes first
        return self._decision

    def _describe_decision(self, decision: RuleDecision, tool_name: str, **details: Any) -> EnvironmentDecided:
        return EnvironmentDecided(
            tool_name=tool_name,
            rule=decision.rule_name,
            actions=self._environment.describe_actions(decision),
            passed_over=[
                {"rule": each.rule, "why": each.explanation, "reason": each.reason.value}
                for each in decision.list_skipped_rules()
            ],
            environment=self._registry.describe_unrecorded_session(self._environment),
            **details,
        )


class RuleInterceptor(_CallInterceptor):
    """Lets the rules answer one call of a tool."""

    __slots__ = ("_args", "_own_run", "_tool")

    def __init__(
        self, registry: EnvironmentRegistry, session_environment: SessionEnvironment, tool: BaseTool, context: Context
    ) -> None:
        super().__init__(registry, session_environment, context)
        self._tool = tool

    def decide(self, args: dict[str, Any]) -> RuleDecision:
        """Decide by the arguments that the tool would get, as callbacks have left them."""
        call_id = self.context.function_call_id or self._registry.create_call_id()
        # A plain BaseTool stands for a name that the model made up.
        decision = self._decision = self._environment.decide(
            IncomingCall(self._tool.name, args, call_id, self), has_tool=type(self._tool) is not BaseTool
        )
        return decision

    def execute_decision(self, own_run: tool_seat.RunAsync, args: dict[str, Any]) -> Awaitable[object]:
        """Execute the decision and return the result of the call."""
        self._own_run = own_run
        self._args = args
        calls = tool_seat.SESSION_CALLS.get()

        def ask_person(args: Mapping[str, Json]) -> Awaitable[Json]:
            if calls is None:
                raise HumanUnavailable(self._tool.name)
            return calls.ask_person(self.context, self.get_tool_spec(), args)

        return self._environment.answer(self._get_decision(), self._run_tool, ask_person)

    def _run_tool(self) -> Awaitable[object]:
        return self._own_run(args=self._args, tool_context=self.context)

    def complete(self) -> ExecutionOutcome:
        """Count how the call ended, or how far it came if it was cancelled, and return it."""
        return self._environment.complete(self._get_decision())

    def build_decision_event(self) -> EnvironmentDecided:
        """Return the decision, and why earlier rules did not match, as an event for the timeline."""
        decision = self._get_decision()
        nearest = decision.find_nearest_rule()
        return self._describe_decision(
            decision,
            decision.call.tool,
            call_id=decision.call.call_id,
            unanswered=decision.unanswered,
            near_miss=describe_near_miss(nearest) if nearest else None,
        )

    @property
    def player(self) -> Player:
        """Who responds as the tool: a person, or the rule itself."""
        rule = self._decision.rule if self._decision is not None else None
        return Player.HUMAN if rule is not None and rule.asks_person else Player.SIMULATED

    def get_argument_defaults(self) -> Mapping[str, Json]:
        """Return the default values of the tool's arguments."""
        return self._registry.get_argument_defaults(self._tool)

    def get_tool_spec(self) -> ToolSpec:
        """Return what mocks need to know about the tool."""
        return self._registry.mocked_tools.get_spec(self._tool)

    def list_tool_specs(self) -> Sequence[ToolSpec]:
        """Return what mocks know about all tools of the app."""
        return self._registry.mocked_tools.list_specs(get_invocation_context(self.context).agent)


class _ModelCall(IncomingCall):
    """A call of a model; what the model answered before is in the events of the session."""

    def __init__(self, call_id: str, caller: ModelInterceptor) -> None:
        super().__init__(MODEL_SEAT, {}, call_id, caller)
        self._interceptor = caller

    def find_last_success(self) -> Json:
        """Return the last answer of the agent's model; MISSING if there is none."""
        return self._interceptor.find_last_answer()


class ModelInterceptor(_CallInterceptor):
    """Lets rules act on one model call."""

    __slots__ = ("_call_id", "_outcome")

    def __init__(
        self, registry: EnvironmentRegistry, session_environment: SessionEnvironment, context: Context
    ) -> None:
        super().__init__(registry, session_environment, context)
        self._call_id = ""
        self._outcome: ExecutionOutcome = NOT_RUN

    @property
    def is_active(self) -> bool:
        """Whether there are rules or a fault for the model's seat."""
        return self._environment.acts_on_models

    @property
    def changes_answer(self) -> bool:
        """Whether the rule does more than to wait."""
        rule = self._get_decision().rule
        return rule is not None and rule.changes_answer

    def get_argument_defaults(self) -> dict[str, Json]:
        """Return nothing: a model call has no arguments."""
        return {}

    def get_tool_spec(self) -> ToolSpec:
        """Return a name only: mocks do not act in the model's seat."""
        return ToolSpec(name=MODEL_SEAT)

    def list_tool_specs(self) -> list[ToolSpec]:
        """Return nothing: mocks do not act in the model's seat."""
        return []

    def decide(self) -> bool:
        """Decide whether a rule acts on the call; it gets the next number among the model calls of its agent."""
        self._call_id, self._outcome = self._registry.create_call_id(), NOT_RUN
        environment = self._environment
        # The history is read from the session's events, which contain the calls of tools but not those of models.
        if self._registry.rulebook.counts_model_calls or environment.has_model_fault:
            branch = self._session_environment.normalize_branch(self.context.branch)
            self.get_call_history().record_calls([(self._call_id, MODEL_SEAT, {})], self.agent, branch)
        self._decision = environment.decide(_ModelCall(self._call_id, self))
        return self._decision.rule is not None

    async def answer(self, ask_player: AskPlayer) -> LlmResponse:
        """Return the answer of the rule that acts on the call, which may ask the player."""
        environment, decision = self._environment, self._get_decision()

        async def run_model() -> object:
            return to_json_value(await ask_player())

        try:
            answer = cast("dict[str, Any]", await environment.answer(decision, run_model))
        except ModelRequestFailed as failure:
            raise _build_api_error(failure) from None  # what the run reports is the error of the API
        finally:
            self._outcome = environment.complete(decision)
            # The call has ended: the time that it took has passed for the calls that follow.
            self.get_call_history().record_responses([(self._call_id, None)], self.agent)
        # A rule may repeat an earlier answer, and ADK needs new ids for the calls in it.
        return LlmResponse.model_validate(remove_call_ids(answer) if self.changes_answer else answer)

    def find_last_answer(self) -> Json:
        """Return what the agent's model answered last, whoever played it; MISSING if it has answered nothing yet."""
        branch = self.context.branch or ""
        for event in reversed(self.context.session.events):
            content = event.content
            if (
                event.author == self.agent
                and content is not None
                and content.parts
                and content.role != "user"  # the results of its calls
                and not (event.partial or event.error_code)
                and are_branches_related(event.branch or "", branch)
            ):
                return to_json_value(LlmResponse(content=content, finish_reason=event.finish_reason))
        return MISSING

    def build_decision_event(self) -> EnvironmentDecided:
        """Return the decision and its outcome as an event for the timeline."""
        return self._describe_decision(
            self._get_decision(),
            MODEL_SEAT,
            call_id="",
            changed_answer=self.changes_answer and not self._outcome.left_unchanged,
            left_unchanged=self._outcome.left_unchanged,
        )


def _build_api_error(failure: ModelRequestFailed) -> errors.APIError:
    """Return the error that google.genai raises for a response with this status."""
    error_class = errors.ClientError if failure.code < 500 else errors.ServerError
    status = _STATUS_NAMES.get(failure.code, "UNKNOWN")
    return error_class(failure.code, {"error": {"code": failure.code, "message": failure.message, "status": status}})
