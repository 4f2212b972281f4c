"""Access control for every HTTP request and WebSocket, before the application sees it.

    Host is in the list --> Origin and site are ours --> body is small enough --> session or token --> the application

A page of another site can make a browser send requests here (cross-site request forgery), and can make its own DNS name
point here (DNS rebinding): the checks of Origin and site and the Host list stop them. The session (a cookie) or the
token (a header) stops other users of the machine. A one-time code in the address of a page opens a session.
Every response forbids the browser to run, load or frame anything that is not ours.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from urllib.parse import parse_qsl, quote, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from adk_agent_sim.errors import TokenRejected
from adk_agent_sim.link.server_entry import is_loopback
from adk_agent_sim.persistence.access_tokens import AccessToken, TokenKind, hash_token
from adk_agent_sim.server.access.access_control import AccessControl, Grant, read_bearer_token
from adk_agent_sim.server.web.responses import ErrorBody, json_response
from adk_agent_sim.text.page_templates import load_template

_OWN_SITES = ("none", "same-origin")
"""The Sec-Fetch-Site of requests that a person or one of our pages has made."""

_POLICY_VIOLATION = 1008
"""The WebSocket close code for a session that has ended."""

_MAX_COOKIES = 3
"""How many cookies of our name are tried; a browser sends one."""

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
<html lang="en"><head><meta charset="utf-8"><title>adksim</title></head><body>
<h1>This browser has no session</h1>
<p>Run <code>adksim open</code> on the machine of the simulator, and open the login URL that it prints. In Python, open
<code>server.url</code>.</p>
<p>Each login URL works once, for 10 minutes. The session that it opens stays in this browser until it
has not been used for 30 days, or is revoked with <code>adksim token revoke</code>. If you have just opened one, reload
this page.</p>
</body></html>
"""

_LOGIN_MESSAGE = (
    "This browser no longer has a session, or the token is wrong. Run `adksim open` on the machine of the simulator, "
    "and open the login URL that it prints."
)

_UNKNOWN_HOST_MESSAGE = (
    "This server does not accept requests for this Host. Start it with --allow-host NAME:PORT, such as build-box:8080, "
    "or in Python with allow_hosts."
)

_TOO_LARGE_MESSAGE = f"The request is too large: at most {MAX_BODY_BYTES // 1024 // 1024} MB can be sent at once."


class Guard:
    """ASGI middleware that rejects a request or passes it on."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        access: AccessControl,
        hosts: Iterable[str],
        cookie: str,
        is_encrypted: bool = False,
        is_proxied: bool = False,
    ) -> None:
        """Guard an application.

        Args:
            app: The application to pass accepted requests to; the scope has the `Grant` of the request.
            access: Checks tokens and codes.
            hosts: The accepted Host headers, such as `127.0.0.1:8080`.
            cookie: The name of the cookie that keeps the session in the browser.
            is_encrypted: Whether the server uses TLS, so that browsers may send the cookie only there.
            is_proxied: Whether a proxy uses TLS on the way to other machines.
        """
        self._app = app
        self._access = access
        self._cookie = cookie
        self._is_encrypted = is_encrypted
        self._is_proxied = is_proxied
        self._hosts = frozenset(host.lower() for host in hosts)
        # Both schemes: behind a proxy, browsers say https although this server speaks http.
        self._origins = frozenset(f"{scheme}://{host}" for host in self._hosts for scheme in ("http", "https"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Reject a request or pass it on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        send = _add_security_headers(send)
        headers = Headers(scope=scope)
        checked = self._check_source(scope, headers) or await self._exchange_code(scope, headers)
        checked = checked or await self._authenticate(scope, headers)
        if isinstance(checked, Grant):
            scope["adksim.grant"] = checked
            send = await self._extend_session(checked, headers, send)
            if scope["type"] == "websocket":
                receive = _end_with_grant(receive, send, checked)
            await _run_until_shutdown(self._app, scope, _limit_body_size(receive), send)
        elif scope["type"] == "websocket":
            # Before a socket is accepted, ASGI has no other answer: the client gets status 403.
            await send({"type": "websocket.close", "code": 1008, "reason": "refused"})
        else:
            await checked(scope, receive, send)

    def _check_source(self, scope: Scope, headers: Headers) -> Response | None:
        """Check where a request comes from and is sent to; returns the rejection."""
        # Of two Host headers, a proxy on the way and this server could take different ones.
        if len(headers.getlist("host")) != 1 or headers["host"].lower() not in self._hosts:
            return PlainTextResponse(_UNKNOWN_HOST_MESSAGE, 421)
        origins = headers.getlist("origin")
        if origins and (len(origins) > 1 or origins[0].lower() not in self._origins):
            return PlainTextResponse("Requests from another origin are refused.", 403)
        # A second line of defence: browsers send no Origin with images, scripts and other simple requests of a page.
        if headers.get("sec-fetch-site", "none") not in _OWN_SITES and not _is_page_visit(scope, headers):
            return PlainTextResponse("Requests from another site are refused.", 403)
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > MAX_BODY_BYTES:
            return json_response(ErrorBody(error="TooLarge", message=_TOO_LARGE_MESSAGE), 413)
        return None

    async def _exchange_code(self, scope: Scope, headers: Headers) -> Response | None:
        """Return a redirect that exchanges the code in a page's address for a cookie; None if there is no code."""
        if scope["type"] != "http" or scope["method"] != "GET" or scope["path"].startswith("/api/"):
            return None
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = [value for name, value in query if name == "code"]
        if not given:
            return None
        if "prefetch" in headers.get("sec-purpose", ""):
            # A browser that guesses what will be opened must not use up the code.
            return PlainTextResponse("", 503)
        # The redirect takes the code out of the address, which people copy and browsers remember.
        url = _build_page_url(scope, [(name, value) for name, value in query if name != "code"])
        session = await self._access.open_browser_session(given[0])
        if session is None:
            # A tab that reloads the printed address has a session already.
            return _redirect(url, headers) if await self._find_grant(headers) else _build_login_required(scope)
        answer = _redirect(url, headers)
        answer.headers.append("set-cookie", self._build_cookie(*session, headers))
        return answer

    async def _authenticate(self, scope: Scope, headers: Headers) -> Grant | Response:
        grant = await self._find_grant(headers)
        if grant is None and headers.get("sec-fetch-site", "none") not in _OWN_SITES:
            # A link on another site: the browser has not sent the cookie, which it does when our own page goes on.
            query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
            return _redirect(_build_page_url(scope, query), headers)
        return grant or _build_login_required(scope)

    async def _find_grant(self, headers: Headers) -> Grant | None:
        # A wrong token is not made good by a cookie: the client is told that its token is wrong.
        if (secret := read_bearer_token(headers.get("authorization", ""))) is not None:
            grant = await self._access.authenticate(secret)
            # A cookie that was copied from a browser is no token.
            return grant if grant and grant.token.kind is not TokenKind.BROWSER else None
        for secret in self._read_session_cookies(headers):
            if (grant := await self._access.authenticate(secret)) and grant.token.kind is TokenKind.BROWSER:
                return grant
        return None

    async def _extend_session(self, grant: Grant, headers: Headers, send: Send) -> Send:
        """Extend the session of a browser; returns a `send` that renews its cookie if needed."""
        extended = await self._access.extend_browser_session(grant.token)
        if extended is None:
            return send
        secrets = [each for each in self._read_session_cookies(headers) if hash_token(each) == extended.digest]
        cookie = self._build_cookie(secrets[0], extended, headers)

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).append("set-cookie", cookie)
            await send(message)

        return send_with_cookie

    def _build_cookie(self, secret: str, token: AccessToken, headers: Headers) -> str:
        seconds = round((token.expires_at or 0) - self._access.now())
        # With a proxy, requests of this machine come directly, and those for other names through it.
        name = headers["host"].rpartition(":")[0].strip("[]") or headers["host"]
        is_secure = self._is_encrypted or (self._is_proxied and not is_loopback(name))
        secure = "; Secure" if is_secure else ""
        # Strict, because Lax cookies are sent with links of other sites; HttpOnly keeps scripts from reading it.
        return f"{self._cookie}={secret}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}"

    def _read_session_cookies(self, headers: Headers) -> Sequence[str]:
        """Return the values of our cookie.

        Parsed by hand: cookies ignore ports, so those of any other server on this machine arrive too, and a strict
        parser would reject the whole header for one malformed cookie.
        """
        pairs = [pair.strip().partition("=") for header in headers.getlist("cookie") for pair in header.split(";")]
        return [value for name, _, value in pairs if name == self._cookie][:_MAX_COOKIES]


def _is_page_visit(scope: Scope, headers: Headers) -> bool:
    """Whether a person follows a link to one of our pages, which other sites may have."""
    return (
        scope["type"] == "http"
        and scope["method"] == "GET"
        and not scope["path"].startswith("/api/")
        and headers.get("sec-fetch-mode", "") == "navigate"
        and headers.get("sec-fetch-dest", "") == "document"
    )


def _build_page_url(scope: Scope, query: Sequence[tuple[str, str]]) -> str:
    """Return the address of a page on this server."""
    # A path that starts with two slashes would redirect to another host.
    path = "/" + quote(scope["path"].lstrip("/"))
    return f"{path}?{urlencode(query)}" if query else path


def _redirect(url: str, headers: Headers) -> Response:
    if headers.get("sec-fetch-site", "none") in _OWN_SITES:
        return RedirectResponse(url, 303)
    # The link was opened from another site. A browser does not send a SameSite=Strict cookie on a redirect that began
    # there, but it does on a navigation that our own page starts.
    return HTMLResponse(load_template("server", "redirect.html.j2").render(url=url))


def _build_login_required(scope: Scope) -> Response:
    if scope["path"].startswith("/api/"):
        return json_response(ErrorBody(error=TokenRejected.__name__, message=_LOGIN_MESSAGE), 401)
    return HTMLResponse(_UNAUTHORIZED_PAGE, 401)


def _end_with_grant(receive: Receive, send: Send, grant: Grant) -> Receive:
    """Close a WebSocket when its session is revoked or expires."""

    async def receive_until_ended() -> Message:
        receiving = asyncio.ensure_future(receive())
        ending = asyncio.ensure_future(grant.ended.wait())
        try:
            await asyncio.wait({receiving, ending}, return_when=asyncio.FIRST_COMPLETED)
            # A message that has arrived is delivered first; the next call ends the socket.
            if receiving.done():
                return receiving.result()
            await send({"type": "websocket.close", "code": _POLICY_VIOLATION, "reason": "the session has ended"})
            # The application sees an ordinary disconnection, and cleans up as after one.
            return {"type": "websocket.disconnect", "code": _POLICY_VIOLATION}
        finally:
            receiving.cancel()
            ending.cancel()

    return receive_until_ended


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
            body = ErrorBody(error="Ending", message="The simulator was stopped.")
            await json_response(body, 503)(scope, receive, send)


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
