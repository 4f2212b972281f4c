"""Maps the errors of RPC methods to gRPC statuses, with a trailer from which our own client raises the same error."""

from __future__ import annotations

import functools
import json
from collections.abc import Awaitable, Callable
from typing import Any, NoReturn, TypeAlias, TypeVar

from grpc import StatusCode
from grpc.aio import ServicerContext

from adk_agent_sim.errors import SimulatorError
from adk_agent_sim.link.channel import ERROR_TRAILER
from adk_agent_sim.server.web.error_status import get_error_status
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.text.surrogates import replace_lone_surrogates

_log = get_logger(__name__)

RpcContext: TypeAlias = ServicerContext[Any, Any]
ServiceT = TypeVar("ServiceT")
RequestT = TypeVar("RequestT")
ResponseT = TypeVar("ResponseT")

_MAX_STATUS_CHARS = 2_000
"""The limit of a status message and its trailer: gRPC sends them in HTTP/2 headers, whose size is limited."""


def map_errors_to_status(
    method: Callable[[ServiceT, RequestT], Awaitable[ResponseT]],
) -> Callable[[ServiceT, RequestT, RpcContext], Awaitable[ResponseT]]:
    """Wrap an RPC method so that its errors become gRPC statuses."""

    @functools.wraps(method)
    async def wrapper(self: ServiceT, request: RequestT, context: RpcContext) -> ResponseT:
        try:
            return await method(self, request)
        except Exception as error:  # noqa: BLE001 - process boundary
            await abort_with_status(context, error)

    return wrapper


async def abort_with_status(context: RpcContext, error: Exception) -> NoReturn:
    """Abort a call with the status of an error."""
    if not isinstance(error, SimulatorError):
        _log.error("An RPC failed unexpectedly", exc_info=error)
        await context.abort(StatusCode.INTERNAL, f"The server failed with {type(error).__name__}. See its log.")
    message = replace_lone_surrogates(str(error))
    # The trailer lets our own client raise the same error class with the same attributes.
    about = {name: value for name, value in vars(error).items() if isinstance(value, str | int)}
    trailer = json.dumps({"error": type(error).__name__, "about": about}).encode()
    # Not cut: half of a JSON text would be unreadable, and without it the client still has the status and the message.
    trailer = trailer if len(trailer) < _MAX_STATUS_CHARS else b"{}"
    await context.abort(get_error_status(error).grpc, message[:_MAX_STATUS_CHARS], ((ERROR_TRAILER, trailer),))
