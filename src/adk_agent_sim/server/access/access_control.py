"""Who may use a running server: checks tokens, exchanges one-time codes for browser sessions, and notices revocations.

    token --> hash --> rows in memory --(unknown: read the store once more)--> Grant, or None
    code  --> used once, within 10 minutes --> a browser session, stored as a row of its own

The rows are read again every second, because `adksim token` changes them from another process.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from secrets import token_hex, token_urlsafe
from typing import Any

from adk_agent_sim.errors import StoreFailed
from adk_agent_sim.persistence.access_tokens import (
    SERVER_TOKEN_NAME,
    AccessToken,
    TokenKind,
    TokenStore,
    create_token,
    hash_token,
    is_token_format,
)
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.timeline.clock import Clock, RealSleeper, WallClock

CODE_LIFETIME_SECONDS = 600.0
"""How long a one-time code can be used."""

SESSION_LIFETIME_SECONDS = 30 * 24 * 3600.0
"""How long the session of a browser lasts after it was last used."""

_SESSION_RENEWAL_SECONDS = 24 * 3600.0
"""A session is extended at most this often, so that not every request writes."""

_REFRESH_SECONDS = 1.0
"""How often the rows are read again."""

_MAX_CODES = 100
"""How many unused codes are kept; the oldest ones are dropped."""

_log = get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class Grant:
    """A token that was accepted."""

    token: AccessToken
    ended: asyncio.Event
    """Set when the token is revoked or expires, for connections that outlive a request."""


@dataclass(frozen=True, kw_only=True)
class _LoginCode:
    expires_at: float
    parent_id: str


@asynccontextmanager
async def open_access_control(store: TokenStore, clock: Clock | None = None) -> AsyncGenerator[AccessControl]:
    """Control the access to a server: creates its own token, and notices changes of the store until the block ends."""
    access = AccessControl(store, clock or WallClock())
    await access.replace_server_token()
    try:
        async with run_in_background(access.refresh_forever(), "adksim-access"):
            yield access
    finally:
        await access.remove_server_token()


@asynccontextmanager
async def run_in_background(work: Coroutine[Any, Any, None], name: str) -> AsyncGenerator[None]:
    """Run a coroutine that never ends by itself until the block ends."""
    task = asyncio.create_task(work, name=name)
    try:
        yield
    finally:
        task.cancel()
        # Not `await task`, which would raise the task's CancelledError here.
        await asyncio.wait({task})


def read_bearer_token(header: str) -> str | None:
    """Return the token of an `Authorization` header; None if it has another scheme."""
    scheme, _, secret = header.partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else None


class AccessControl:
    """Checks tokens and codes; created by `open_access_control`. Use it from one event loop."""

    def __init__(self, store: TokenStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._tokens: dict[str, AccessToken] = {}
        """By their hashes."""
        self._end_events: dict[str, asyncio.Event] = {}
        """By token id."""
        self._codes: dict[str, _LoginCode] = {}
        """By their hashes, oldest first."""
        self._refresh_lock = asyncio.Lock()
        self._refresh_count = 0
        self._server_token_id = ""
        self.server_token = ""
        """The token for the user who runs the server."""

    def now(self) -> float:
        """Return the time by which tokens expire, in seconds since 1970."""
        return self._clock.now()

    async def replace_server_token(self) -> None:
        """Create the token of this start of the server; the one of the last start is not valid any more."""
        now = self._clock.now()
        expired = [token.token_id for token in await self._store.list_tokens() if token.has_expired(now)]
        await self._store.remove_tokens(expired)
        self.server_token, row = create_token(SERVER_TOKEN_NAME, TokenKind.SERVER, now=now)
        await self._store.add_token(row)
        self._server_token_id = row.token_id
        await self.refresh()

    async def remove_server_token(self) -> None:
        """Revoke the token of this start; one of a server that was killed is replaced at the next start."""
        with suppress(StoreFailed):  # the database is gone, and so is the server
            await self._store.remove_tokens([self._server_token_id])

    async def authenticate(self, secret: str) -> Grant | None:
        """Return what a token grants; None if it is wrong, expired or revoked."""
        if not is_token_format(secret):
            return None
        digest = hash_token(secret)
        if digest not in self._tokens:
            await self._refresh_after_miss()  # it may have been created since the last refresh
        token = self._tokens.get(digest)
        if token is None or token.has_expired(self._clock.now()):
            return None
        return Grant(token=token, ended=self._end_events.setdefault(token.token_id, asyncio.Event()))

    def create_code(self, parent: AccessToken | None = None) -> str:
        """Create a code that opens one browser session; `parent` is the token that asked for it."""
        code = token_urlsafe(16)
        # The server's own token is replaced at each start, and the sessions of browsers must outlive that.
        parent_id = parent.token_id if parent and parent.kind is TokenKind.NAMED else ""
        self._codes[hash_token(code)] = _LoginCode(
            expires_at=self._clock.now() + CODE_LIFETIME_SECONDS, parent_id=parent_id
        )
        while len(self._codes) > _MAX_CODES:
            del self._codes[next(iter(self._codes))]
        return code

    async def open_browser_session(self, code: str) -> tuple[str, AccessToken] | None:
        """Exchange a code for a cookie and its token; None if the code is wrong, expired or used."""
        now = self._clock.now()
        # Removed before the first await, so that two requests with one code cannot both get a session.
        known = self._codes.pop(hash_token(code), None)
        if known is None or now >= known.expires_at:
            return None
        if known.parent_id and self._find_token(known.parent_id) is None:
            return None  # the token that asked for the code was revoked meanwhile
        secret, token = create_token(
            f"browser-{token_hex(4)}",
            TokenKind.BROWSER,
            now=now,
            expires_at=self._limit_session(now, known.parent_id),
            parent_id=known.parent_id,
        )
        await self._store.add_token(token)
        self._tokens[token.digest] = token
        return secret, token

    async def extend_browser_session(self, token: AccessToken) -> AccessToken | None:
        """Extend a session that is used; returns it if its expiry has changed, None if it was extended lately."""
        expires_at = self._limit_session(self._clock.now(), token.parent_id)
        if token.kind is not TokenKind.BROWSER or expires_at - (token.expires_at or 0) < _SESSION_RENEWAL_SECONDS:
            return None
        extended = replace(token, expires_at=expires_at)
        self._tokens[token.digest] = extended
        try:
            await self._store.extend_token(token.token_id, expires_at)
        except StoreFailed as error:  # the session is valid all the same
            _log.warning("A browser session was not extended: %s", error)
        return extended

    def _limit_session(self, now: float, parent_id: str) -> float:
        """Return when a session expires: not after the token that it was opened with."""
        parent = self._find_token(parent_id) if parent_id else None
        expires_at = now + SESSION_LIFETIME_SECONDS
        return expires_at if parent is None or parent.expires_at is None else min(expires_at, parent.expires_at)

    def _find_token(self, token_id: str) -> AccessToken | None:
        return next((token for token in self._tokens.values() if token.token_id == token_id), None)

    async def refresh(self) -> None:
        """Read the rows again, and end what was granted to tokens that are not valid any more."""
        async with self._refresh_lock:
            await self._read_store()

    async def _refresh_after_miss(self) -> None:
        """Read the rows again, unless another request has begun to do so after this one arrived."""
        count = self._refresh_count
        async with self._refresh_lock:
            # Requests with wrong tokens that arrive together share one read, however many they are.
            if self._refresh_count == count:
                await self._read_store()

    async def _read_store(self) -> None:
        # Counted before the read: a request that arrives during it may have a token that this read has missed.
        self._refresh_count += 1
        try:
            tokens = await self._store.list_tokens()
        except StoreFailed as error:
            # The tokens known so far stay valid: their requests fail with a better message if they need the store.
            _log.debug("The access tokens were not read: %s", error)
            tokens = list(self._tokens.values())
        now = self._clock.now()
        self._tokens = {token.digest: token for token in tokens if not token.has_expired(now)}
        valid_ids = {token.token_id for token in self._tokens.values()}
        for token_id in self._end_events.keys() - valid_ids:
            self._end_events.pop(token_id).set()

    async def refresh_forever(self) -> None:
        """Refresh every second."""
        while True:
            await RealSleeper().sleep(_REFRESH_SECONDS)
            await self.refresh()
