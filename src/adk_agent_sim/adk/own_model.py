"""Asks an agent's own model what it would decide in a turn that waits for a person."""

from __future__ import annotations

import re
from contextlib import aclosing

from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse

from adk_agent_sim.adk.model_seat import ModelSeat
from adk_agent_sim.adk.recorded_session import RecordedSession
from adk_agent_sim.errors import OwnModelFailed, TurnAbandoned
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.redaction import MASK, Redactor

_KEY_PARAMETER = re.compile(r"""(\bkey=)(?!\[redacted\])[^\s&"'<>)\]]+""", re.IGNORECASE)
"""As Google's addresses name it."""


async def ask_own_model(recorded_session: RecordedSession, turn_id: str) -> Json:
    """The own model's whole answer, an `LlmResponse` as JSON; nothing is recorded."""
    waiting = recorded_session.pending_turns.get(turn_id)
    if waiting is None:
        raise TurnAbandoned(turn_id)
    request, seat = waiting
    answer = await _generate_answer(request, seat)
    if answer is None or not (answer.content and answer.content.parts):
        why = "it said nothing"
        if answer and answer.error_code:
            why = f"{answer.error_code}: {_redact_message(answer.error_message or '')}"
        raise OwnModelFailed(request.model or "", why)
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
    """What a model's client says without the key it was called with, which is often part of the address."""
    return _KEY_PARAMETER.sub(rf"\1{MASK}", Redactor().redact_text(message))


def _copy_request(request: LlmRequest) -> LlmRequest:
    """Models may change the request they are given, and this one is still to be answered."""
    contents = [content.model_copy(deep=True) for content in request.contents]
    return request.model_copy(update={"contents": contents, "config": request.config.model_copy()})
