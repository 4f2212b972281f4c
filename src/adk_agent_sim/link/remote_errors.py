"""Statuses of a server, raised again as the errors that they were told for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from grpc import StatusCode
from grpc.aio import AioRpcError

from adk_agent_sim import errors
from adk_agent_sim.errors import SimulatorError

ERROR_TRAILER = "adksim-error-bin"
"""Where a server names the class of an error, and what it is about."""

TRANSIENT_CODES = frozenset(
    {StatusCode.UNAVAILABLE, StatusCode.CANCELLED, StatusCode.UNKNOWN, StatusCode.DEADLINE_EXCEEDED}
)
"""What a call ends with when the server, or the way to it, is gone for a while: it is made again."""

_ERROR_CLASSES: Mapping[str, type[SimulatorError]] = {
    name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, SimulatorError)
}


def restore_error(url: str, error: AioRpcError) -> SimulatorError:
    """The error that a server told."""
    message = error.details() or error.code().name
    told = _read_error_trailer(error)
    kind = _ERROR_CLASSES.get(told.get("error", ""))
    if kind is None:
        return SimulatorError(f"The simulator server at {url} answered {error.code().name}: {message}.")
    found = kind.__new__(kind)
    Exception.__init__(found, message)
    vars(found).update(told["about"])
    return found


def _read_error_trailer(error: AioRpcError) -> dict[str, Any]:
    for name, value in error.trailing_metadata() or ():
        if name == ERROR_TRAILER:
            return cast("dict[str, Any]", json.loads(value))
    return {}
