"""Lets rules for the model's seat (`seat: model`) act on one model call.

    before_model: the interceptor is set --> seat: a rule acts --> its answer
                                                  |
                                                  none --> the player: the agent's own model, a function, a trace

A person's turns are never changed: whoever plays decides what the model says.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from google.adk.agents.callback_context import CallbackContext
from google.adk.models.llm_response import LlmResponse
from google.genai import errors

from adk_agent_sim.adk.environment_registry import EnvironmentRegistry, SessionEnvironment
from adk_agent_sim.adk.model_seat import AskPlayer
from adk_agent_sim.environment.actions.model_faults import remove_call_ids
from adk_agent_sim.environment.call_history import CallHistory
from adk_agent_sim.environment.environment import NOT_RUN, ExecutionOutcome, RuleDecision
from adk_agent_sim.environment.incoming_call import IncomingCall
from adk_agent_sim.environment.session_randomness import SessionRandomness
from adk_agent_sim.errors import ModelRequestFailed
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import EnvironmentDecided
from adk_agent_sim.timeline.framework_calls import MODEL_SEAT
from adk_agent_sim.timeline.json_conversion import to_json_value

_STATUS_NAMES = {400: "INVALID_ARGUMENT", 403: "PERMISSION_DENIED", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}


class ModelInterceptor:
    """Lets rules act on one model call, and tells them about its agent and history."""

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

    def get_state(self) -> Mapping[str, Json]:
        """Return the session's state as the agent sees it."""
        return to_json_value(self._context.state.to_dict())

    def decide(self) -> bool:
        """Decide whether a rule acts on the call; it gets the next number among the model calls of its agent."""
        self._call_id = self._registry.create_call_id()
        branch = self._session_environment.normalize_branch(self._context.branch)
        self.get_call_history().record_calls([(self._call_id, MODEL_SEAT, {})], self.agent, branch)
        call = IncomingCall(MODEL_SEAT, {}, self._call_id, self)
        self._decision = self._session_environment.environment.decide(call)
        return self._decision.rule is not None

    async def answer(self, ask_player: AskPlayer) -> LlmResponse:
        """Return the answer of the rule that acts on the call, which may ask the player."""
        environment, decision = self._session_environment.environment, self._get_decision()

        async def run_model() -> object:
            return to_json_value(await ask_player())

        try:
            answer = cast("dict[str, Any]", await environment.answer(decision, run_model))
        except ModelRequestFailed as failure:
            raise _build_api_error(failure) from failure
        finally:
            self._outcome = environment.complete(decision)
        response = LlmResponse.model_validate(remove_call_ids(answer) if self.changes_answer else answer)
        self.record_response(response)
        return response

    def record_response(self, response: LlmResponse) -> None:
        """Remember an answer, if a rule may repeat it."""
        if not self._registry.rulebook.repeats_answers:
            return
        self.get_call_history().record_responses([(self._call_id, to_json_value(response))], self.agent)

    def build_decision_event(self) -> EnvironmentDecided:
        """Return the decision, and what came of it, as an event for the timeline."""
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
