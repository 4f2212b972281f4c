"""Who may talk to the server: asked before anything else, on every request and every WebSocket.

    Host is one of ours --> Origin is one of ours --> token (cookie or bearer) --> small enough --> the application

A page of another site can make a browser send requests here, and its DNS name can be made to point here; the Host list
and the Origin check stop both. The token stops other users of the machine. Every answer forbids the browser to run,
load or frame anything that is not ours.
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
"""How long the body of a request may be."""

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
<h1>This page needs its token</h1>
<p>The simulator printed an address with a token when it started, as
<code>http://127.0.0.1:8080/?token=...</code>. Open that address; it is in the terminal, or the notebook cell, where the
simulator runs.</p>
<p>If you have just opened it, reload this page. If the simulator was started again, it has a new token.</p>
</body></html>
"""

_UNKNOWN_HOST_MESSAGE = (
    "This server does not answer to that Host. Start it with --allow-host NAME:PORT, as build-box:8080, or in Python "
    "with allow_hosts."
)

_REDIRECT_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>adk-agent-sim</title>
<meta http-equiv="refresh" content="0; url={url}"></head><body><p><a href="{url}">Go on</a></p></body></html>
"""


def list_loopback_hosts(port: int) -> list[str]:
    """What this machine calls itself in a Host header."""
    return [f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"]


class Guard:
    """An ASGI application around another one."""

    def __init__(self, app: ASGIApp, *, token: str, hosts: Iterable[str], cookie: str) -> None:
        """Let in whoever has `token`, under one of `hosts` (as `127.0.0.1:8080`), and remember it in `cookie`."""
        self._app = app
        self._token = token
        self._cookie = cookie
        named = [host.lower() for host in hosts]
        self._hosts = frozenset([*named, *(host.removesuffix(":80") for host in named)])  # browsers leave 80 out
        self._origins = frozenset(f"{scheme}://{host}" for host in self._hosts for scheme in ("http", "https"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or let through."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        send = _add_security_headers(send)
        refused = self._check_request(scope, Headers(scope=scope))
        if refused is None:
            await _run_until_shutdown(self._app, scope, _limit_body_size(receive), send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": "refused"})
        else:
            await refused(scope, receive, send)

    def _check_request(self, scope: Scope, headers: Headers) -> Response | None:
        if len(headers.getlist("host")) != 1 or headers["host"].lower() not in self._hosts:
            return PlainTextResponse(_UNKNOWN_HOST_MESSAGE, 421)
        origins = headers.getlist("origin")
        if origins and (len(origins) > 1 or origins[0].lower() not in self._origins):
            return PlainTextResponse("Requests of another origin are refused.", 403)
        if (entry := self._exchange_token(scope, headers)) is not None:
            return entry
        if not self._has_token(headers):
            return _build_token_required_response(scope)
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > MAX_BODY_BYTES:
            return _build_error_response(
                413, "TooLarge", f"At most {MAX_BODY_BYTES // 1024 // 1024} MB can be sent at once."
            )
        return None

    def _exchange_token(self, scope: Scope, headers: Headers) -> Response | None:
        """The token in the address of a page becomes a cookie, and leaves the address."""
        if scope["type"] != "http" or scope["method"] != "GET" or scope["path"].startswith("/api/"):
            return None
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = [value for name, value in query if name == "token"]
        if not given:
            return None
        if not self._is_token(given[0]):
            return _build_token_required_response(scope)
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        path = "/" + quote(scope["path"].lstrip("/"))  # two slashes would name another host
        url = f"{path}?{rest}" if rest else path
        if headers.get("sec-fetch-site", "none") in ("none", "same-origin"):
            answer: Response = RedirectResponse(url, 303)
        else:  # a strict cookie is not sent on a redirect that began on another site, but on a step of our own page
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
        """Read by hand: other servers of this machine set cookies too, which a strict parser would stumble over."""
        pairs = [pair.strip().partition("=") for header in headers.getlist("cookie") for pair in header.split(";")]
        return [value for name, _, value in pairs if name == self._cookie]


def _read_bearer_tokens(headers: Headers) -> Sequence[str]:
    scheme, _, given = headers.get("authorization", "").partition(" ")
    return [given.strip()] if scheme.lower() == "bearer" else []


def _build_token_required_response(scope: Scope) -> Response:
    if scope["path"].startswith("/api/"):
        return _build_error_response(
            401, "TokenMissing", "The token is missing or wrong: open the address that was printed."
        )
    return HTMLResponse(_UNAUTHORIZED_PAGE, 401)


def _build_error_response(status: int, error: str, message: str) -> Response:
    body: dict[str, object] = {"error": error, "message": message, "problems": [], "can_override": False}
    return Response(json.dumps(body), status, media_type="application/json")


async def _run_until_shutdown(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Requests are cancelled only when the server ends, which is no error to be logged with a traceback."""
    started = False

    async def send_and_mark_started(message: Message) -> None:
        nonlocal started
        started = True
        await send(message)

    try:
        await app(scope, receive, send_and_mark_started)
    except asyncio.CancelledError:
        if scope["type"] == "http" and not started:
            await _build_error_response(503, "Ending", "The simulator was ended.")(scope, receive, send)


def _add_security_headers(send: Send) -> Send:
    """Add what every answer must carry; an answer may be stricter by itself."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _SECURITY_HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return send_with_headers


def _limit_body_size(receive: Receive) -> Receive:
    """Count what a body really holds: its length may be unstated."""
    length = 0

    async def receive_limited() -> Message:
        nonlocal length
        message = await receive()
        if message["type"] == "http.request":
            length += len(message.get("body", b""))
            if length > MAX_BODY_BYTES:
                raise HTTPException(413, f"At most {MAX_BODY_BYTES // 1024 // 1024} MB can be sent at once.")
        return message

    return receive_limited
