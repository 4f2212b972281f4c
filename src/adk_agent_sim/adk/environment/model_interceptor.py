"""Lets rules for the model's seat (`seat: model`) act on one model call.

    before_model: the interceptor is set --> seat: a rule acts --> its answer
                                                  |
                                                  none --> the player: the agent's own model, a function, a trace

A person's turns are never changed: whoever plays decides what the model says. If a person leaves a turn to the agent's
own model, that is a call of a model.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from google.adk.agents.callback_context import CallbackContext
from google.adk.models.llm_response import LlmResponse
from google.genai import errors

from adk_agent_sim.adk.environment.environment_registry import EnvironmentRegistry, SessionEnvironment
from adk_agent_sim.adk.seats.model_seat import AskPlayer
from adk_agent_sim.environment.actions.model_faults import remove_call_ids
from adk_agent_sim.environment.incoming_call import CallHistory, IncomingCall, SessionRandomness, are_branches_related
from adk_agent_sim.environment.json_values import MISSING
from adk_agent_sim.environment.rule_decision import NOT_RUN, ExecutionOutcome, RuleDecision
from adk_agent_sim.errors import ModelRequestFailed
from adk_agent_sim.mocks.mocked_call import ToolSpec
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import EnvironmentDecided
from adk_agent_sim.timeline.framework_calls import MODEL_SEAT
from adk_agent_sim.timeline.json_conversion import to_json_value

_STATUS_NAMES = {400: "INVALID_ARGUMENT", 403: "PERMISSION_DENIED", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}


class _ModelCall(IncomingCall):
    """A call of a model; what the model answered before is in the events of the session."""

    def __init__(self, call_id: str, caller: ModelInterceptor) -> None:
        super().__init__(MODEL_SEAT, {}, call_id, caller)
        self._interceptor = caller

    def find_last_success(self) -> Json:
        """Return the last answer of the agent's model; MISSING if there is none."""
        return self._interceptor.find_last_answer()


class ModelInterceptor:
    """Lets rules act on one model call, and tells them about its agent and history."""

    __slots__ = ("_call_id", "_context", "_decision", "_outcome", "_registry", "_session_environment")

    def __init__(
        self, registry: EnvironmentRegistry, session_environment: SessionEnvironment, context: CallbackContext
    ) -> None:
        self._registry = registry
        self._session_environment = session_environment
        self._context = context
        self._call_id = ""
        self._decision: RuleDecision | None = None
        self._outcome: ExecutionOutcome = NOT_RUN

    @property
    def agent(self) -> str:
        """The name of the agent whose model is called."""
        return self._context.agent_name

    @property
    def scope(self) -> str:
        """The outer call inside which the agent runs; empty if there is none."""
        return self._session_environment.scope

    @property
    def randomness(self) -> SessionRandomness:
        """What the random draws of the session depend on."""
        return self._session_environment.environment.randomness

    @property
    def is_active(self) -> bool:
        """Whether there are rules or a fault for the model's seat."""
        return self._session_environment.environment.acts_on_models

    @property
    def changes_answer(self) -> bool:
        """Whether the rule does more than to wait."""
        rule = self._get_decision().rule
        return rule is not None and rule.changes_answer

    def get_call_history(self) -> CallHistory:
        """Return the calls of tools and models so far."""
        return self._session_environment.update_call_history(self._context.session)

    def get_argument_defaults(self) -> dict[str, Json]:
        """Return nothing: a model call has no arguments."""
        return {}

    def get_tool_spec(self) -> ToolSpec:
        """Return a name only: mocks do not act in the model's seat."""
        return ToolSpec(name=MODEL_SEAT)

    def list_tool_specs(self) -> list[ToolSpec]:
        """Return nothing: mocks do not act in the model's seat."""
        return []

    def get_state(self) -> Mapping[str, Json]:
        """Return the session's state as the agent sees it."""
        return to_json_value(self._context.state.to_dict())

    def decide(self) -> bool:
        """Decide whether a rule acts on the call; it gets the next number among the model calls of its agent."""
        self._call_id, self._outcome = self._registry.create_call_id(), NOT_RUN
        environment = self._session_environment.environment
        # The history is read from the session's events, which contain the calls of tools but not those of models.
        if self._registry.rulebook.counts_model_calls or environment.has_model_fault:
            branch = self._session_environment.normalize_branch(self._context.branch)
            self.get_call_history().record_calls([(self._call_id, MODEL_SEAT, {})], self.agent, branch)
        self._decision = environment.decide(_ModelCall(self._call_id, self))
        return self._decision.rule is not None

    async def answer(self, ask_player: AskPlayer) -> LlmResponse:
        """Return the answer of the rule that acts on the call, which may ask the player."""
        environment, decision = self._session_environment.environment, self._get_decision()

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
        branch = self._context.branch or ""
        for event in reversed(self._context.session.events):
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
        decision, environment = self._get_decision(), self._session_environment.environment
        return EnvironmentDecided(
            call_id="",
            tool_name=MODEL_SEAT,
            rule=decision.rule_name,
            actions=environment.describe_actions(decision),
            passed_over=[
                {"rule": each.rule, "why": each.explanation, "reason": each.reason.value}
                for each in decision.list_skipped_rules()
            ],
            environment=self._registry.describe_unrecorded_session(environment),
            changed_answer=self.changes_answer and not self._outcome.left_unchanged,
            left_unchanged=self._outcome.left_unchanged,
        )

    def _get_decision(self) -> RuleDecision:
        assert self._decision is not None  # noqa: S101 - `decide` comes first
        return self._decision


def _build_api_error(failure: ModelRequestFailed) -> errors.APIError:
    """Return the error that google.genai raises for a response with this status."""
    error_class = errors.ClientError if failure.code < 500 else errors.ServerError
    status = _STATUS_NAMES.get(failure.code, "UNKNOWN")
    return error_class(failure.code, {"error": {"code": failure.code, "message": failure.message, "status": status}})
