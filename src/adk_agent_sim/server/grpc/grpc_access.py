"""Requires a token on every gRPC call except health checks, and ends streams whose token is revoked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Any, NoReturn, cast

import grpc
from grpc_health.v1 import health

from adk_agent_sim.errors import TokenRejected
from adk_agent_sim.link.channel import ERROR_TRAILER
from adk_agent_sim.server.access.access_control import AccessControl, Grant

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
