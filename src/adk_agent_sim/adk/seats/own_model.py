"""Asks an agent's own model what it would decide in a turn that waits for a person, or lets it decide the turn."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass, replace
from uuid import uuid4

from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse

from adk_agent_sim.adk.runs.recorded_session import RecordedSession
from adk_agent_sim.adk.seats.model_seat import ModelCallInterceptor, ModelSeat, PendingCall, build_error_response
from adk_agent_sim.errors import OwnModelFailed, TurnAbandoned
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import Player
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.redaction.redactor import Redactor
from adk_agent_sim.timeline.submissions import TurnDecision


async def ask_own_model(recorded_session: RecordedSession, turn_id: str) -> Json:
    """Return the own model's complete answer to a pending turn, an `LlmResponse` as JSON. Nothing is recorded.

    Raises:
        TurnAbandoned: The turn is not pending in this process.
        OwnModelFailed: The model failed or returned no content.
    """
    pending = _get_pending_call(recorded_session, turn_id)
    answer = await _generate_answer(pending.request, pending.seat)
    if answer is None or not (answer.content and answer.content.parts):
        reason = "it returned no content"
        if answer and answer.error_code:
            reason = f"{answer.error_code}: {Redactor().redact_text(answer.error_message or '')}"
        raise OwnModelFailed(pending.request.model or "", reason)
    return to_json_value(answer)


async def decide_with_own_model(recorded_session: RecordedSession, turn_id: str) -> None:
    """Let the agent's own model decide a pending turn; rules for the model's seat act on it as on any call of a model.

    Raises:
        TurnAbandoned: The turn is not pending in this process.
        OwnModelFailed: The model failed or returned no content; the turn is still pending.
        DecisionRefused: Somebody else decided the turn in the meantime.
    """
    pending = _get_pending_call(recorded_session, turn_id)
    interceptor, decision_id = pending.interceptor, str(uuid4())
    if interceptor is not None and interceptor.is_active:
        turn = _InterceptedTurn(recorded_session, turn_id, pending, interceptor)
        response, player = await turn.answer(decision_id)
    else:
        response, player = await ask_own_model(recorded_session, turn_id), Player.REAL
    # Not `recorded_session.decide`, which checks the answers of people: what a model answers goes to ADK as it is.
    await recorded_session.link.decide(
        TurnDecision(recorded_session.session_id, turn_id, response, decision_id=decision_id, player=player)
    )


@dataclass(frozen=True)
class _InterceptedTurn:
    """A pending turn that the agent's own model is to decide, on which rules may act."""

    recorded_session: RecordedSession
    turn_id: str
    pending: PendingCall
    interceptor: ModelCallInterceptor

    async def answer(self, decision_id: str) -> tuple[Json, Player]:
        """Return the answer, an `LlmResponse` as JSON, and who gave it; if a rule raises, that decision will fail."""
        interceptor = self.interceptor
        if not interceptor.decide():
            await self._record_rule(is_answered=False)
            return await ask_own_model(self.recorded_session, self.turn_id), Player.REAL
        try:
            response = await interceptor.answer(self._ask_own_model)
        except OwnModelFailed:
            await self._record_rule(is_answered=False)
            raise
        except Exception as error:  # noqa: BLE001 - whatever a rule raises is what the agent's run gets
            # The timeline gets only a description of the error. The call that waits raises the exception itself.
            self.pending.failures[decision_id] = error
            response = build_error_response(error)
        await self._record_rule(is_answered=True)
        return to_json_value(response), Player.SIMULATED if interceptor.changes_answer else Player.REAL

    async def _ask_own_model(self) -> LlmResponse:
        return LlmResponse.model_validate(await ask_own_model(self.recorded_session, self.turn_id))

    async def _record_rule(self, *, is_answered: bool) -> None:
        decided, pending = self.interceptor.build_decision_event(), self.pending
        if not is_answered or self.turn_id not in self.recorded_session.pending_turns:
            decided = replace(decided, changed_answer=False)  # a person decides the turn
        await self.recorded_session.record_model_rule(self.turn_id, pending.agent_name, pending.agent_path, decided)


def _get_pending_call(recorded_session: RecordedSession, turn_id: str) -> PendingCall:
    pending = recorded_session.pending_turns.get(turn_id)
    if pending is None:
        raise TurnAbandoned(turn_id)
    return pending


async def _generate_answer(request: LlmRequest, seat: ModelSeat) -> LlmResponse | None:
    try:
        async with aclosing(
            seat.get_own_model().generate_content_async(_copy_request(request), stream=False)
        ) as answers:
            async for answer in answers:
                if not answer.partial:
                    return answer
    except Exception as error:  # shown in the browser, so without secrets
        raise OwnModelFailed(
            request.model or "", f"{type(error).__name__}: {Redactor().redact_text(str(error))}"
        ) from error
    return None


def _copy_request(request: LlmRequest) -> LlmRequest:
    """Copy a request, because models may modify the one they get and this one is still pending."""
    contents = [content.model_copy(deep=True) for content in request.contents]
    return request.model_copy(update={"contents": contents, "config": request.config.model_copy()})
