"""Answers of the API: values as JSON that every browser reads, errors as refusals."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any, cast

from pydantic import BaseModel
from starlette.responses import Response

from adk_agent_sim import errors
from adk_agent_sim.server.shapes import ProblemShape, Refusal
from adk_agent_sim.server.statuses import status_of

_INSIST = (errors.DecisionDoubtful, errors.MessageDoesNotFit, errors.ExportedBefore, errors.NotReplayable)
"""What a person can do all the same."""


def told(value: BaseModel | Sequence[BaseModel] | dict[str, Any], status: int = 200) -> Response:
    """An answer."""
    return Response(json_of(value), status, media_type="application/json")


def json_of(value: BaseModel | Sequence[BaseModel] | dict[str, Any]) -> str:
    """A value as JSON in ASCII: half surrogate pairs stay escaped, and numbers that JSON lacks become their names."""
    plain = _plain(value)
    try:
        return json.dumps(plain, allow_nan=False)
    except ValueError:
        return json.dumps(_finite(plain))


def refused(error: Exception, problems: Sequence[ProblemShape] = ()) -> Response:
    """Why something was not done."""
    found = problems or [ProblemShape(path=one.path, message=one.message) for one in getattr(error, "problems", ())]
    said = isinstance(error, errors.DecisionDoubtful | errors.MessageDoesNotFit)
    message = f"{error.what}." if said else str(error)
    refusal = Refusal(
        error=type(error).__name__, message=message, problems=list(found), can_insist=isinstance(error, _INSIST)
    )
    return told(refusal, status_of(error).http)


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump()
    return [_plain(one) for one in cast("list[Any]", value)] if isinstance(value, list) else value


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in cast("dict[str, Any]", value).items()}
    return [_finite(inner) for inner in cast("list[Any]", value)] if isinstance(value, list) else value
