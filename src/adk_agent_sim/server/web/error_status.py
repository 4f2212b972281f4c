"""The one table that maps our errors to gRPC and HTTP statuses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from grpc import StatusCode

from adk_agent_sim import errors


class ErrorStatus(NamedTuple):
    """The statuses of one error class."""

    grpc: StatusCode
    http: int


ERROR_STATUSES: Mapping[type[Exception], ErrorStatus] = {
    errors.SessionNotFound: ErrorStatus(StatusCode.NOT_FOUND, 404),
    errors.SessionClosed: ErrorStatus(StatusCode.FAILED_PRECONDITION, 409),
    errors.SessionExists: ErrorStatus(StatusCode.ALREADY_EXISTS, 409),
    errors.EventExists: ErrorStatus(StatusCode.ALREADY_EXISTS, 409),
    errors.SeqOutOfRange: ErrorStatus(StatusCode.OUT_OF_RANGE, 409),
    errors.BlocksMissing: ErrorStatus(StatusCode.FAILED_PRECONDITION, 409),
    # UNAVAILABLE makes our clients try again: a locked or full database may recover.
    errors.StoreFailed: ErrorStatus(StatusCode.UNAVAILABLE, 503),
    errors.TokenRejected: ErrorStatus(StatusCode.UNAUTHENTICATED, 401),
    errors.TokenNameTaken: ErrorStatus(StatusCode.ALREADY_EXISTS, 409),
    errors.InvalidField: ErrorStatus(StatusCode.INVALID_ARGUMENT, 400),
    errors.DecisionRefused: ErrorStatus(StatusCode.FAILED_PRECONDITION, 409),
    errors.TurnNotFound: ErrorStatus(StatusCode.NOT_FOUND, 404),
    errors.TurnAlreadyDecided: ErrorStatus(StatusCode.ALREADY_EXISTS, 409),
    errors.TurnAbandoned: ErrorStatus(StatusCode.FAILED_PRECONDITION, 410),
    errors.ToolRequestNotFound: ErrorStatus(StatusCode.NOT_FOUND, 404),
    errors.ToolAlreadyAnswered: ErrorStatus(StatusCode.ALREADY_EXISTS, 409),
    errors.ToolRequestAbandoned: ErrorStatus(StatusCode.FAILED_PRECONDITION, 410),
    errors.TurnNotNext: ErrorStatus(StatusCode.FAILED_PRECONDITION, 409),
    errors.InvalidCredential: ErrorStatus(StatusCode.INVALID_ARGUMENT, 422),
    errors.EmptyDecision: ErrorStatus(StatusCode.INVALID_ARGUMENT, 422),
    errors.DecisionMismatch: ErrorStatus(StatusCode.INVALID_ARGUMENT, 422),
    errors.InvalidMessage: ErrorStatus(StatusCode.INVALID_ARGUMENT, 422),
    errors.MalformedValue: ErrorStatus(StatusCode.INVALID_ARGUMENT, 422),
    errors.InvalidFault: ErrorStatus(StatusCode.INVALID_ARGUMENT, 422),
    errors.InvalidTransition: ErrorStatus(StatusCode.FAILED_PRECONDITION, 409),
    errors.NotFound: ErrorStatus(StatusCode.NOT_FOUND, 404),
    errors.AgentNotLocal: ErrorStatus(StatusCode.FAILED_PRECONDITION, 409),
    errors.ForkRefused: ErrorStatus(StatusCode.FAILED_PRECONDITION, 409),
    errors.ServiceFailed: ErrorStatus(StatusCode.UNAVAILABLE, 503),
    errors.OwnModelFailed: ErrorStatus(StatusCode.UNAVAILABLE, 502),
    errors.AgentLoadFailed: ErrorStatus(StatusCode.NOT_FOUND, 404),
    errors.InvalidExportOption: ErrorStatus(StatusCode.INVALID_ARGUMENT, 422),
    errors.ExportRefused: ErrorStatus(StatusCode.FAILED_PRECONDITION, 409),
    errors.ImportRefused: ErrorStatus(StatusCode.INVALID_ARGUMENT, 422),
    errors.EditRefused: ErrorStatus(StatusCode.FAILED_PRECONDITION, 409),
    errors.InvalidScenario: ErrorStatus(StatusCode.INVALID_ARGUMENT, 422),
    errors.NotJudgeable: ErrorStatus(StatusCode.FAILED_PRECONDITION, 409),
    errors.UnknownApp: ErrorStatus(StatusCode.FAILED_PRECONDITION, 409),
    errors.InvalidAppState: ErrorStatus(StatusCode.FAILED_PRECONDITION, 409),
    errors.UnknownTool: ErrorStatus(StatusCode.NOT_FOUND, 404),
    errors.ServerUnreachable: ErrorStatus(StatusCode.UNAVAILABLE, 503),
    errors.SimulatorError: ErrorStatus(StatusCode.INTERNAL, 500),
}
"""By error class. A class that is not in the table has the statuses of its nearest base class that is."""


def get_error_status(error: Exception) -> ErrorStatus:
    """Return the statuses of an error; INTERNAL and 500 for one that is not ours."""
    return next((ERROR_STATUSES[kind] for kind in type(error).__mro__ if kind in ERROR_STATUSES), _UNEXPECTED_STATUS)


_UNEXPECTED_STATUS = ERROR_STATUSES[errors.SimulatorError]
