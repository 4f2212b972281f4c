"""HTTP responses of the web API: values as JSON that every browser can parse, errors as `ErrorBody`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import is_dataclass
from functools import cache
from typing import Any, cast

from pydantic import BaseModel, TypeAdapter
from starlette.responses import Response

from adk_agent_sim import errors
from adk_agent_sim.server.web.api_models import ErrorBody
from adk_agent_sim.server.web.error_status import get_error_status
from adk_agent_sim.timeline.read_model.timeline_row import TimelineRow
from adk_agent_sim.timeline.strict_json import dump_json
from adk_agent_sim.use_cases.record import FieldProblem

_OVERRIDABLE_ERRORS = (
    errors.DecisionMismatch,
    errors.InvalidMessage,
    errors.AlreadyExported,
    errors.NotReplayable,
    errors.ReplayDiverged,
)
"""Errors that a person can override with `force` or `again`."""


def json_response(value: BaseModel | Sequence[BaseModel | TimelineRow] | dict[str, Any], status: int = 200) -> Response:
    """Return a value as a JSON response."""
    return Response(to_ascii_json(value), status, media_type="application/json")


def to_ascii_json(value: BaseModel | Sequence[BaseModel | TimelineRow] | dict[str, Any]) -> str:
    """Return a value as JSON text in ASCII: lone surrogates, which UTF-8 cannot encode, stay escaped."""
    return dump_json(_dump_models(value), ensure_ascii=True)


def error_response(error: Exception, problems: Sequence[FieldProblem] = ()) -> Response:
    """Return the response for an error; `problems` replace those that the error itself carries."""
    own_problems = getattr(error, "problems", ())
    listed = problems or [FieldProblem(path=each.path, message=each.message) for each in own_problems]
    # The text of these errors repeats their problems, which the browser shows beside the fields, or says how Python
    # overrides them.
    is_summarized = isinstance(error, errors.DecisionMismatch | errors.InvalidMessage | errors.ReplayDiverged)
    message = f"{error.summary}." if is_summarized else str(error)
    body = ErrorBody(
        error=type(error).__name__,
        message=message,
        problems=list(listed),
        can_override=isinstance(error, _OVERRIDABLE_ERRORS),
    )
    return json_response(body, get_error_status(error).http)


@cache
def _get_adapter(dataclass: type) -> TypeAdapter[Any]:
    return TypeAdapter(dataclass)


def _dump_models(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump()
    if is_dataclass(value) and not isinstance(value, type):
        return _get_adapter(type(value)).dump_python(value)
    return [_dump_models(each) for each in cast("list[Any]", value)] if isinstance(value, list) else value
