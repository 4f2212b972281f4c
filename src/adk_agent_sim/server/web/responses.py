"""HTTP responses of the web API: values as JSON that every browser can parse, errors as `ErrorBody`, and files.

The bytes of images and files come from an agent, a tool or a file, and are never trusted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import is_dataclass
from functools import cache
from typing import Any, cast
from urllib.parse import quote

from pydantic import BaseModel, Field, TypeAdapter
from starlette.responses import Response

from adk_agent_sim import errors
from adk_agent_sim.server.sessions.row_details import IMAGE_MIME_TYPES, MediaContent
from adk_agent_sim.server.web.error_status import get_error_status
from adk_agent_sim.timeline.read_model.timeline_row import TimelineRow
from adk_agent_sim.timeline.strict_json import dump_json
from adk_agent_sim.use_cases.record import FieldProblem, Record


class ErrorBody(Record):
    """The body of every 4xx and 5xx response."""

    error: str = Field(description="The class of the error, such as `TurnAlreadyDecided`")
    message: str = Field(description="What happened and what to do")
    problems: list[FieldProblem] = Field(default_factory=list[FieldProblem])
    can_override: bool = Field(default=False, description="Whether `force` or `again` in the request overrides it")


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


def build_media_response(file: MediaContent) -> Response:
    """Return the bytes of a file: bitmaps are shown, everything else is downloaded."""
    is_image = file.mime_type in IMAGE_MIME_TYPES
    # Anything but a bitmap, SVG and HTML above all, could run script with the page's rights if the browser rendered
    # it: it is only ever downloaded.
    disposition = "inline" if is_image else "attachment"
    return Response(
        file.data,
        media_type=file.mime_type if is_image else "application/octet-stream",
        headers={
            "Content-Disposition": f"{disposition}; filename*=UTF-8''{_quote_filename(file.name)}",
            "Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
        },
    )


def _quote_filename(name: str) -> str:
    # The end of a long name, which has its extension; quoted, so that it cannot add another header.
    return quote(name.encode("utf-8", "replace").decode()[-200:], safe="")
