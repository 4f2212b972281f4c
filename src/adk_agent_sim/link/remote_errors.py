"""Converts gRPC statuses back into the package's errors, using the error class that the server names in a trailer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grpc import StatusCode
from grpc.aio import AioRpcError

from adk_agent_sim import errors
from adk_agent_sim.errors import SimulatorError
from adk_agent_sim.timeline.strict_json import InvalidJson, parse_json_object

# gRPC takes bytes only in metadata whose name ends in -bin; values of other names must be ASCII.
ERROR_TRAILER = "adksim-error-bin"
"""The trailer in which the server sends an error's class name and attributes, as JSON."""

TRANSIENT_CODES = frozenset(
    {StatusCode.UNAVAILABLE, StatusCode.CANCELLED, StatusCode.UNKNOWN, StatusCode.DEADLINE_EXCEEDED}
)
"""Statuses of a call that failed because the server or the network was down; such a call is retried."""

_ERROR_CLASSES: Mapping[str, type[SimulatorError]] = {
    name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, SimulatorError)
}


def restore_error(url: str, error: AioRpcError) -> SimulatorError:
    """Return the error that the server raised, or a plain SimulatorError if the status does not name one."""
    message = error.details() or error.code().name
    trailer = _read_error_trailer(error)
    kind = _ERROR_CLASSES.get(trailer.get("error", ""))
    if kind is None:
        return SimulatorError(f"The simulator server at {url} answered {error.code().name}: {message}.")
    # The constructors build the message from their arguments, which are not sent: the message and the
    # attributes are, so they are set directly.
    restored = kind.__new__(kind)
    Exception.__init__(restored, message)
    vars(restored).update(trailer["about"])
    return restored


def has_error_trailer(error: AioRpcError) -> bool:
    """Return whether the status comes from a simulator server, rather than from the network."""
    return bool(_read_error_trailer(error))


def _read_error_trailer(error: AioRpcError) -> dict[str, Any]:
    for name, value in error.trailing_metadata() or ():
        if name == ERROR_TRAILER:
            try:
                return parse_json_object(value)
            except InvalidJson:
                return {}
    return {}
