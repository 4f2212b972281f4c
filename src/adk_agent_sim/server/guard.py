"""Access control for every HTTP request and WebSocket, before the application sees it.

    Host is in the list --> Origin is ours --> token (cookie or bearer) --> body is small enough --> the application

A page of another site can make a browser send requests here (cross-site request forgery), and can make its own DNS name
point here (DNS rebinding): the Origin check and the Host list stop them. The token stops other users of the machine.
Every response forbids the browser to run, load or frame anything that is not ours.
"""

from __future__ import annotations

import asyncio
import hmac
import json
from collections.abc import Iterable, Sequence
from urllib.parse import parse_qsl, quote, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BODY_BYTES = 32 * 1024 * 1024
"""The largest accepted request body."""

_CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
    "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

_SECURITY_HEADERS = {
    "Content-Security-Policy": _CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}

_UNAUTHORIZED_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>adk-agent-sim</title></head><body>
<h1>Token required</h1>
<p>The simulator printed an address with a token when it started, such as
<code>http://127.0.0.1:8080/?token=...</code>. Open that address: it is in the terminal or notebook cell in which the
simulator runs.</p>
<p>If you have just opened it, reload this page. If the simulator was restarted, it has a new token.</p>
</body></html>
"""

_UNKNOWN_HOST_MESSAGE = (
    "This server does not accept requests for this Host. Start it with --allow-host NAME:PORT, such as build-box:8080, "
    "or in Python with allow_hosts."
)

_TOO_LARGE_MESSAGE = f"The request is too large: at most {MAX_BODY_BYTES // 1024 // 1024} MB can be sent at once."

_REDIRECT_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>adk-agent-sim</title>
<meta http-equiv="refresh" content="0; url={url}"></head><body><p><a href="{url}">Continue</a></p></body></html>
"""


def list_loopback_hosts(port: int) -> list[str]:
    """Returns the Host headers that a browser on this machine sends for a port."""
    return [f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"]


class Guard:
    """ASGI middleware that rejects a request or passes it on."""

    def __init__(self, app: ASGIApp, *, token: str, hosts: Iterable[str], cookie: str) -> None:
        """Guard an application.

        Args:
            app: The application to pass accepted requests to.
            token: What a request must present, as a cookie or a bearer token.
            hosts: The accepted Host headers, such as `127.0.0.1:8080`.
            cookie: The name of the cookie that keeps the token in the browser.
        """
        self._app = app
        self._token = token
        self._cookie = cookie
        lowered = [host.lower() for host in hosts]
        # Browsers omit the default port from the Host header.
        self._hosts = frozenset([*lowered, *(host.removesuffix(":80") for host in lowered)])
        self._origins = frozenset(f"{scheme}://{host}" for host in self._hosts for scheme in ("http", "https"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Reject a request or pass it on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        send = _add_security_headers(send)
        rejection = self._check_request(scope, Headers(scope=scope))
        if rejection is None:
            await _run_until_shutdown(self._app, scope, _limit_body_size(receive), send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": "refused"})
        else:
            await rejection(scope, receive, send)

    def _check_request(self, scope: Scope, headers: Headers) -> Response | None:
        if len(headers.getlist("host")) != 1 or headers["host"].lower() not in self._hosts:
            return PlainTextResponse(_UNKNOWN_HOST_MESSAGE, 421)
        origins = headers.getlist("origin")
        if origins and (len(origins) > 1 or origins[0].lower() not in self._origins):
            return PlainTextResponse("Requests from another origin are refused.", 403)
        if (exchange := self._exchange_token(scope, headers)) is not None:
            return exchange
        if not self._has_token(headers):
            return _build_token_required_response(scope)
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > MAX_BODY_BYTES:
            return _build_error_response(
                413,
                "TooLarge",
                _TOO_LARGE_MESSAGE,
            )
        return None

    def _exchange_token(self, scope: Scope, headers: Headers) -> Response | None:
        """Returns a redirect that moves the token from the page's address into a cookie; None if there is no token."""
        if scope["type"] != "http" or scope["method"] != "GET" or scope["path"].startswith("/api/"):
            return None
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = [value for name, value in query if name == "token"]
        if not given:
            return None
        if not self._is_token(given[0]):
            return _build_token_required_response(scope)
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        # A path that starts with two slashes would redirect to another host.
        path = "/" + quote(scope["path"].lstrip("/"))
        url = f"{path}?{rest}" if rest else path
        if headers.get("sec-fetch-site", "none") in ("none", "same-origin"):
            answer: Response = RedirectResponse(url, 303)
        else:
            # The link was opened from another site. A browser does not send a SameSite=Strict cookie on a redirect that
            # began there, but it does on a navigation that our own page starts.
            answer = HTMLResponse(_REDIRECT_PAGE.format(url=url.replace("&", "&amp;").replace('"', "%22")))
        answer.set_cookie(self._cookie, self._token, path="/", httponly=True, samesite="strict")
        return answer

    def _has_token(self, headers: Headers) -> bool:
        return any(
            self._is_token(given) for given in (*_read_bearer_tokens(headers), *self._read_token_cookies(headers))
        )

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), self._token.encode())

    def _read_token_cookies(self, headers: Headers) -> Sequence[str]:
        """Returns the values of our cookie.

        Parsed by hand: cookies ignore ports, so those of any other server on this machine arrive too, and a strict
        parser would reject the whole header for one malformed cookie.
        """
        pairs = [pair.strip().partition("=") for header in headers.getlist("cookie") for pair in header.split(";")]
        return [value for name, _, value in pairs if name == self._cookie]


def _read_bearer_tokens(headers: Headers) -> Sequence[str]:
    scheme, _, given = headers.get("authorization", "").partition(" ")
    return [given.strip()] if scheme.lower() == "bearer" else []


def _build_token_required_response(scope: Scope) -> Response:
    if scope["path"].startswith("/api/"):
        return _build_error_response(
            401, "TokenMissing", "The token is missing or wrong. Open the address that the simulator printed."
        )
    return HTMLResponse(_UNAUTHORIZED_PAGE, 401)


def _build_error_response(status: int, error: str, message: str) -> Response:
    body: dict[str, object] = {"error": error, "message": message, "problems": [], "can_override": False}
    return Response(json.dumps(body), status, media_type="application/json")


async def _run_until_shutdown(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Run the application, and answer 503 if it is cancelled.

    uvicorn cancels requests only when it shuts down; unhandled, each would be logged with a traceback.
    """
    started = False

    async def send_and_mark_started(message: Message) -> None:
        nonlocal started
        started = True
        await send(message)

    try:
        await app(scope, receive, send_and_mark_started)
    except asyncio.CancelledError:
        if scope["type"] == "http" and not started:
            await _build_error_response(503, "Ending", "The simulator was stopped.")(scope, receive, send)


def _add_security_headers(send: Send) -> Send:
    """Add the security headers to every response; a response may set stricter ones itself."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _SECURITY_HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return send_with_headers


def _limit_body_size(receive: Receive) -> Receive:
    """Count the bytes of a body as they arrive: a chunked request does not announce its length."""
    length = 0

    async def receive_limited() -> Message:
        nonlocal length
        message = await receive()
        if message["type"] == "http.request":
            length += len(message.get("body", b""))
            if length > MAX_BODY_BYTES:
                raise HTTPException(413, _TOO_LARGE_MESSAGE)
        return message

    return receive_limited
