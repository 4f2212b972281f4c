"""What every gRPC call passes: it needs a token, its messages must be readable, and its errors become statuses.

    call --> TokenInterceptor (not for health checks; ends streams whose token is revoked) --> MessageParser --> method

An error has a trailer from which our own client raises the same error.

A message that cannot be parsed is refused with INVALID_ARGUMENT, logged in one line. gRPC itself would log a traceback
for it, and answer UNKNOWN, which a client takes for a fault of the server.
"""

from __future__ import annotations

import asyncio
import functools
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Any, NoReturn, TypeAlias, TypeVar, cast

import grpc
from google.protobuf.message import DecodeError
from grpc import StatusCode
from grpc.aio import ServicerContext
from grpc_health.v1 import health

from adk_agent_sim.errors import SimulatorError, TokenRejected
from adk_agent_sim.link.channel import ERROR_TRAILER
from adk_agent_sim.server.access.access_control import AccessControl, Grant, read_bearer_token
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


ItemT = TypeVar("ItemT")

_OPEN_METHODS = f"/{health.SERVICE_NAME}/"


class TokenInterceptor(grpc.aio.ServerInterceptor):
    """Lets a call pass if its metadata has `authorization: Bearer TOKEN`."""

    def __init__(self, access: AccessControl) -> None:
        self._access = access

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        """Return the handler of a method, or one that rejects the call."""
        details = cast("Any", handler_call_details)
        if details.method.startswith(_OPEN_METHODS):
            return await continuation(handler_call_details)
        # Metadata may contain a name several times; two tokens are refused rather than one of them chosen.
        headers = [str(value) for name, value in details.invocation_metadata or () if name == "authorization"]
        grant = await self._access.authenticate(read_bearer_token(headers[0]) or "") if len(headers) == 1 else None
        if grant is None:
            # Rejected before a message is read, whatever the kind of the method.
            return cast("Any", grpc).stream_stream_rpc_method_handler(_build_rejection(is_missing=not headers))
        handler = await continuation(handler_call_details)
        if handler is not None and handler.unary_stream:
            return handler._replace(unary_stream=_end_with_grant(handler.unary_stream, grant))
        if handler is not None and handler.stream_stream:
            return handler._replace(stream_stream=_end_with_grant(handler.stream_stream, grant))
        return handler


def _build_rejection(*, is_missing: bool) -> Callable[[Any, Any], Awaitable[None]]:
    async def reject(_requests: Any, context: Any) -> None:
        await abort_with_status(context, TokenRejected(is_missing=is_missing))

    return reject


async def iter_until(items: AsyncGenerator[ItemT], ended: asyncio.Future[Any]) -> AsyncGenerator[ItemT]:
    """Yield items, which are never None, until there are no more or a future is done."""
    async with aclosing(items):
        while True:
            # A task for each item, so that one wait can end with the item or with the future.
            following = asyncio.ensure_future(anext(items, None))
            try:
                await asyncio.wait({following, ended}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                if not following.done():
                    following.cancel()
                    # `aclosing` could not close a generator in which `anext` is still running.
                    await asyncio.wait({following})
            if ended.done() or (item := following.result()) is None:
                return
            yield item


def _end_with_grant(behavior: Callable[[Any, Any], AsyncGenerator[Any]], grant: Grant) -> Any:
    """Wrap a streaming method so that the stream ends when its token is revoked or expires."""

    async def call(request: Any, context: Any) -> AsyncIterator[Any]:
        ended = asyncio.ensure_future(grant.ended.wait())
        try:
            async with aclosing(iter_until(behavior(request, context), ended)) as responses:
                async for response in responses:
                    yield response
            if ended.done():
                await abort_with_status(context, TokenRejected(is_missing=False))
        finally:
            ended.cancel()

    return call


_Deserializer: TypeAlias = Callable[[bytes], Any]

_UNPARSABLE = object()
"""Takes the place of a message that cannot be parsed."""


class MessageParser(grpc.aio.ServerInterceptor):
    """Wraps every method of the server, so that it is called only with messages that were parsed."""

    def __init__(self) -> None:
        self._handlers: dict[str, Any] = {}

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        """Return the wrapped handler of a method."""
        method: str = cast("Any", handler_call_details).method
        if method not in self._handlers:
            handler = await continuation(handler_call_details)
            if handler is None:  # unknown methods are not cached: there are as many as clients can think of
                return None
            self._handlers[method] = _wrap_handler(handler, method)
        return self._handlers[method]


def _wrap_handler(handler: Any, method: str) -> Any:
    fields: dict[str, Any] = {"request_deserializer": _wrap_deserializer(handler.request_deserializer)}
    if handler.unary_unary:
        fields["unary_unary"] = _wrap_unary(handler.unary_unary, method)
    elif handler.unary_stream:
        fields["unary_stream"] = _wrap_stream(handler.unary_stream, method)
    elif handler.stream_stream:
        fields["stream_stream"] = _wrap_request_stream(handler.stream_stream, method)
    return handler._replace(**fields)


def _wrap_deserializer(deserialize: _Deserializer) -> _Deserializer:
    def parse(data: bytes) -> Any:
        try:
            return deserialize(data)
        # A deserializer cannot refuse a call, so the method is called with a mark and refuses it.
        except DecodeError:
            return _UNPARSABLE

    return parse


def _wrap_unary(behavior: Callable[[Any, RpcContext], Awaitable[Any]], method: str) -> Any:
    async def call(request: Any, context: RpcContext) -> Any:
        if request is _UNPARSABLE:
            await _refuse(context, method)
        return await behavior(request, context)

    return call


def _wrap_stream(behavior: Callable[[Any, RpcContext], AsyncGenerator[Any]], method: str) -> Any:
    async def call(request: Any, context: RpcContext) -> AsyncIterator[Any]:
        if request is _UNPARSABLE:
            await _refuse(context, method)
        async with aclosing(behavior(request, context)) as responses:
            async for response in responses:
                yield response

    return call


def _wrap_request_stream(behavior: Callable[[AsyncIterator[Any], RpcContext], AsyncGenerator[Any]], method: str) -> Any:
    async def call(requests: AsyncIterator[Any], context: RpcContext) -> AsyncIterator[Any]:
        async def iter_parsed() -> AsyncIterator[Any]:
            async for request in requests:
                if request is _UNPARSABLE:
                    await _refuse(context, method)
                yield request

        async with aclosing(behavior(iter_parsed(), context)) as responses:
            async for response in responses:
                yield response

    return call


async def _refuse(context: RpcContext, method: str) -> None:
    """Abort a call, which raises."""
    _log.warning("A client sent a message to %s that cannot be parsed; it was refused.", method)
    await context.abort(
        grpc.StatusCode.INVALID_ARGUMENT,
        f"The message to {method} cannot be parsed. Build it from adksim/v1/simulator_service.proto.",
    )
