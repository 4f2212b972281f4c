"""What an error is to those who ask from outside: the one table of gRPC and HTTP statuses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from grpc import StatusCode

from adk_agent_sim import errors


class Status(NamedTuple):
    """How one error is told."""

    grpc: StatusCode
    """To a gRPC client."""

    http: int
    """To a browser."""


STATUSES: Mapping[type[Exception], Status] = {
    errors.SessionNotFound: Status(StatusCode.NOT_FOUND, 404),
    errors.SessionClosed: Status(StatusCode.FAILED_PRECONDITION, 409),
    errors.SessionExists: Status(StatusCode.ALREADY_EXISTS, 409),
    errors.EventExists: Status(StatusCode.ALREADY_EXISTS, 409),
    errors.BlocksMissing: Status(StatusCode.FAILED_PRECONDITION, 409),
    errors.StoreFailed: Status(StatusCode.UNAVAILABLE, 503),
    errors.FieldInvalid: Status(StatusCode.INVALID_ARGUMENT, 400),
    errors.DecisionRefused: Status(StatusCode.FAILED_PRECONDITION, 409),
    errors.TurnNotFound: Status(StatusCode.NOT_FOUND, 404),
    errors.TurnAlreadyDecided: Status(StatusCode.ALREADY_EXISTS, 409),
    errors.TurnAbandoned: Status(StatusCode.FAILED_PRECONDITION, 410),
    errors.TurnNotNext: Status(StatusCode.FAILED_PRECONDITION, 409),
    errors.EmptyDecision: Status(StatusCode.INVALID_ARGUMENT, 422),
    errors.DecisionDoubtful: Status(StatusCode.INVALID_ARGUMENT, 422),
    errors.MessageDoesNotFit: Status(StatusCode.INVALID_ARGUMENT, 422),
    errors.ValueUnreadable: Status(StatusCode.INVALID_ARGUMENT, 422),
    errors.InvalidTransition: Status(StatusCode.FAILED_PRECONDITION, 409),
    errors.NothingSuch: Status(StatusCode.NOT_FOUND, 404),
    errors.NotHere: Status(StatusCode.FAILED_PRECONDITION, 409),
    errors.OwnModelFailed: Status(StatusCode.UNAVAILABLE, 502),
    errors.AgentNotLoaded: Status(StatusCode.NOT_FOUND, 404),
    errors.ExportRefused: Status(StatusCode.FAILED_PRECONDITION, 409),
    errors.ImportRefused: Status(StatusCode.INVALID_ARGUMENT, 422),
    errors.ScenarioUnreadable: Status(StatusCode.INVALID_ARGUMENT, 422),
    errors.AppNotThere: Status(StatusCode.FAILED_PRECONDITION, 409),
    errors.StateDoesNotFit: Status(StatusCode.FAILED_PRECONDITION, 409),
    errors.ToolNotThere: Status(StatusCode.NOT_FOUND, 404),
    errors.ServerUnreachable: Status(StatusCode.UNAVAILABLE, 503),
    errors.SimulatorError: Status(StatusCode.INTERNAL, 500),
}
"""By class; an error that is not in the table is told as the nearest class above it that is."""


def status_of(error: Exception) -> Status:
    """How to tell an error. One that is not ours is INTERNAL and 500."""
    return next((STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES), _UNEXPECTED)


_UNEXPECTED = STATUSES[errors.SimulatorError]
