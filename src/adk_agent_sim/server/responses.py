"""Answers of the API: values as JSON that every browser reads, errors as refusals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from pydantic import BaseModel
from starlette.responses import Response

from adk_agent_sim import errors
from adk_agent_sim.server.api_models import ErrorBody, FieldProblem
from adk_agent_sim.server.error_status import get_error_status
from adk_agent_sim.timeline.strict_json import dump_json

_OVERRIDABLE_ERRORS = (errors.DecisionMismatch, errors.InvalidMessage, errors.AlreadyExported, errors.NotReplayable)
"""What a person can do all the same."""


def json_response(value: BaseModel | Sequence[BaseModel] | dict[str, Any], status: int = 200) -> Response:
    """An answer."""
    return Response(to_ascii_json(value), status, media_type="application/json")


def to_ascii_json(value: BaseModel | Sequence[BaseModel] | dict[str, Any]) -> str:
    """A value as JSON in ASCII: half surrogate pairs stay escaped, and numbers that JSON lacks become their names."""
    return dump_json(_dump_models(value), ensure_ascii=True)


def error_response(error: Exception, problems: Sequence[FieldProblem] = ()) -> Response:
    """Why something was not done."""
    found = problems or [FieldProblem(path=one.path, message=one.message) for one in getattr(error, "problems", ())]
    said = isinstance(error, errors.DecisionMismatch | errors.InvalidMessage)
    message = f"{error.summary}." if said else str(error)
    refusal = ErrorBody(
        error=type(error).__name__,
        message=message,
        problems=list(found),
        can_override=isinstance(error, _OVERRIDABLE_ERRORS),
    )
    return json_response(refusal, get_error_status(error).http)


def _dump_models(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump()
    return [_dump_models(one) for one in cast("list[Any]", value)] if isinstance(value, list) else value
