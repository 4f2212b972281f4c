"""Parses the messages of gRPC calls; one that cannot be parsed is refused with INVALID_ARGUMENT, logged in one line.

gRPC itself would log a traceback for it, and answer UNKNOWN, which a client takes for a fault of the server.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Any, TypeAlias, cast

import grpc
from google.protobuf.message import DecodeError

from adk_agent_sim.text.escaped_logging import get_logger

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
