"""What every gRPC call passes: it needs a token, and its messages must be readable.

    call --> TokenInterceptor (not for health checks; ends streams whose token is revoked) --> MessageParser --> method

A message that cannot be parsed is refused with INVALID_ARGUMENT, logged in one line. gRPC itself would log a traceback
for it, and answer UNKNOWN, which a client takes for a fault of the server.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Any, NoReturn, TypeAlias, cast

import grpc
from google.protobuf.message import DecodeError
from grpc_health.v1 import health

from adk_agent_sim.errors import TokenRejected
from adk_agent_sim.link.remote_errors import ERROR_TRAILER
from adk_agent_sim.server.access.access_control import AccessControl, Grant
from adk_agent_sim.text.escaped_logging import get_logger

_OPEN_METHODS = f"/{health.SERVICE_NAME}/"

_TRAILER = ((ERROR_TRAILER, json.dumps({"error": TokenRejected.__name__, "about": {}}).encode()),)


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
        secrets = [_read_bearer(value) for name, value in details.invocation_metadata or () if name == "authorization"]
        grant = await self._access.authenticate(secrets[0]) if len(secrets) == 1 else None
        if grant is None:
            # Rejected before a message is read, whatever the kind of the method.
            return cast("Any", grpc).stream_stream_rpc_method_handler(_build_rejection(is_missing=not secrets))
        handler = await continuation(handler_call_details)
        if handler is not None and handler.unary_stream:
            return handler._replace(unary_stream=_end_with_grant(handler.unary_stream, grant))
        if handler is not None and handler.stream_stream:
            return handler._replace(stream_stream=_end_with_grant(handler.stream_stream, grant))
        return handler


def _read_bearer(value: object) -> str:
    scheme, _, secret = str(value).partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else ""


def _build_rejection(*, is_missing: bool) -> Callable[[Any, Any], Awaitable[None]]:
    async def reject(_requests: Any, context: Any) -> None:
        await _abort(context, is_missing=is_missing)

    return reject


def _end_with_grant(behavior: Callable[[Any, Any], AsyncGenerator[Any]], grant: Grant) -> Any:
    """Wrap a streaming method so that the stream ends when its token is revoked or expires."""

    async def call(request: Any, context: Any) -> AsyncIterator[Any]:
        ended = asyncio.ensure_future(grant.ended.wait())
        try:
            async with aclosing(behavior(request, context)) as responses:
                while True:
                    following = asyncio.ensure_future(anext(responses, None))
                    try:
                        await asyncio.wait({following, ended}, return_when=asyncio.FIRST_COMPLETED)
                    finally:
                        if not following.done():
                            following.cancel()
                            # `aclosing` could not close a generator in which `anext` is still running.
                            await asyncio.wait({following})
                    if ended.done():
                        await _abort(context, is_missing=False)
                    response = following.result()
                    if response is None:  # the default of `anext`: a message is never None
                        return
                    yield response
        finally:
            ended.cancel()

    return call


async def _abort(context: Any, *, is_missing: bool) -> NoReturn:
    await context.abort(grpc.StatusCode.UNAUTHENTICATED, str(TokenRejected(is_missing=is_missing)), _TRAILER)
    raise AssertionError("abort raises")


_log = get_logger(__name__)

_Context: TypeAlias = grpc.aio.ServicerContext[Any, Any]
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


def _wrap_unary(behavior: Callable[[Any, _Context], Awaitable[Any]], method: str) -> Any:
    async def call(request: Any, context: _Context) -> Any:
        if request is _UNPARSABLE:
            await _refuse(context, method)
        return await behavior(request, context)

    return call


def _wrap_stream(behavior: Callable[[Any, _Context], AsyncGenerator[Any]], method: str) -> Any:
    async def call(request: Any, context: _Context) -> AsyncIterator[Any]:
        if request is _UNPARSABLE:
            await _refuse(context, method)
        async with aclosing(behavior(request, context)) as responses:
            async for response in responses:
                yield response

    return call


def _wrap_request_stream(behavior: Callable[[AsyncIterator[Any], _Context], AsyncGenerator[Any]], method: str) -> Any:
    async def call(requests: AsyncIterator[Any], context: _Context) -> AsyncIterator[Any]:
        async def iter_parsed() -> AsyncIterator[Any]:
            async for request in requests:
                if request is _UNPARSABLE:
                    await _refuse(context, method)
                yield request

        async with aclosing(behavior(iter_parsed(), context)) as responses:
            async for response in responses:
                yield response

    return call


async def _refuse(context: _Context, method: str) -> None:
    """Abort a call, which raises."""
    _log.warning("A client sent a message to %s that cannot be parsed; it was refused.", method)
    await context.abort(
        grpc.StatusCode.INVALID_ARGUMENT,
        f"The message to {method} cannot be parsed. Build it from adksim/v1/simulator_service.proto.",
    )
