"""Asks an agent's own model what it would decide in a turn that waits for a person."""

from __future__ import annotations

from contextlib import aclosing

from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse

from adk_agent_sim.adk.model_seat import ModelSeat
from adk_agent_sim.adk.recorded_session import RecordedSession
from adk_agent_sim.errors import OwnModelFailed, TurnAbandoned
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.redaction.redactor import Redactor


async def ask_own_model(recorded_session: RecordedSession, turn_id: str) -> Json:
    """Return the own model's complete answer to a pending turn, an `LlmResponse` as JSON. Nothing is recorded.

    Raises:
        TurnAbandoned: The turn is not pending in this process.
        OwnModelFailed: The model failed or returned no content.
    """
    pending = recorded_session.pending_turns.get(turn_id)
    if pending is None:
        raise TurnAbandoned(turn_id)
    answer = await _generate_answer(pending.request, pending.seat)
    if answer is None or not (answer.content and answer.content.parts):
        reason = "it returned no content"
        if answer and answer.error_code:
            reason = f"{answer.error_code}: {_redact_message(answer.error_message or '')}"
        raise OwnModelFailed(pending.request.model or "", reason)
    return to_json_value(answer)


async def _generate_answer(request: LlmRequest, seat: ModelSeat) -> LlmResponse | None:
    try:
        async with aclosing(
            seat.get_own_model().generate_content_async(_copy_request(request), stream=False)
        ) as answers:
            async for answer in answers:
                if not answer.partial:
                    return answer
    except Exception as error:
        raise OwnModelFailed(request.model or "", f"{type(error).__name__}: {_redact_message(str(error))}") from error
    return None


def _redact_message(message: str) -> str:
    """Remove secrets from an error message; it is shown in the browser."""
    return Redactor().redact_text(message)


def _copy_request(request: LlmRequest) -> LlmRequest:
    """Copy a request, because models may modify the one they get and this one is still pending."""
    contents = [content.model_copy(deep=True) for content in request.contents]
    return request.model_copy(update={"contents": contents, "config": request.config.model_copy()})
