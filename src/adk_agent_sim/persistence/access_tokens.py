"""Access tokens: who may use a server, as rows with a name, a hash and an expiry. The tokens themselves are not
stored. The rows are in memory, or in a database, where the store's readers read them and its writer writes them.

A row is one of three kinds: the token that a server makes for its own user at each start, one that was created by name
for an agent or a person, or the session of a browser, whose cookie holds the secret.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import sha256
from secrets import token_hex, token_urlsafe
from typing import Any, Protocol, TypeVar

from sqlalchemy import Connection, bindparam, delete, select, update

from adk_agent_sim.errors import TokenNameTaken
from adk_agent_sim.persistence import tables
from adk_agent_sim.persistence.row_codec import to_milliseconds
from adk_agent_sim.persistence.transaction import WriteRequest

SERVER_TOKEN_NAME = "this server"  # noqa: S105 - the name of a row
"""The name of the token that a server makes at each start."""

_PREFIX = "adksim_"
"""Lets people and secret scanners recognize a token."""


class TokenKind(StrEnum):
    """What a token is for."""

    SERVER = "server"
    """For the user who runs the server; replaced at each start."""
    NAMED = "named"
    """For an agent or a person; created by `adksim token new`."""
    BROWSER = "browser"
    """The session of a browser."""


@dataclass(frozen=True, kw_only=True)
class AccessToken:
    """What is stored of a token."""

    token_id: str
    name: str
    """Unique in its store."""
    kind: TokenKind
    digest: str
    """The SHA-256 hash of the token. It needs no salt: a token has 256 random bits."""
    created_at: float
    """Seconds since 1970."""
    expires_at: float | None = None
    """Seconds since 1970; None if it does not expire."""
    parent_id: str = ""
    """The named token with which the session of a browser was opened: it is revoked together with it."""

    def has_expired(self, now: float) -> bool:
        """Return whether it is not valid any more."""
        return self.expires_at is not None and now >= self.expires_at


class TokenStore(Protocol):
    """Where the rows are stored."""

    async def list_tokens(self) -> Sequence[AccessToken]:
        """Return all rows, oldest first."""
        ...

    async def add_token(self, token: AccessToken) -> None:
        """Add a row; raise TokenNameTaken if there is one of this name. The token of a server is replaced."""
        ...

    async def remove_tokens(self, token_ids: Collection[str]) -> None:
        """Remove rows; those that do not exist are ignored."""
        ...

    async def extend_token(self, token_id: str, expires_at: float) -> None:
        """Set when a token expires."""
        ...


class MemoryTokenStore:
    """The rows of a server that has no database."""

    def __init__(self) -> None:
        self._tokens: dict[str, AccessToken] = {}

    async def list_tokens(self) -> Sequence[AccessToken]:
        """Return all rows, oldest first."""
        return list(self._tokens.values())

    async def add_token(self, token: AccessToken) -> None:
        """Add a row; raise TokenNameTaken if there is one of this name. The token of a server is replaced."""
        same_name = [each.token_id for each in self._tokens.values() if each.name == token.name]
        if same_name and token.kind is not TokenKind.SERVER:
            raise TokenNameTaken(token.name)
        await self.remove_tokens(same_name)
        self._tokens[token.token_id] = token

    async def remove_tokens(self, token_ids: Collection[str]) -> None:
        """Remove rows; those that do not exist are ignored."""
        for token_id in token_ids:
            self._tokens.pop(token_id, None)

    async def extend_token(self, token_id: str, expires_at: float) -> None:
        """Set when a token expires."""
        if token := self._tokens.get(token_id):
            self._tokens[token_id] = replace(token, expires_at=expires_at)


def create_token(
    name: str, kind: TokenKind, *, now: float, expires_at: float | None = None, parent_id: str = ""
) -> tuple[str, AccessToken]:
    """Create a token; returns the secret, which is not stored, and the row to store."""
    secret = _PREFIX + token_urlsafe(32)
    row = AccessToken(
        token_id=token_hex(8),
        name=name,
        kind=kind,
        digest=hash_token(secret),
        created_at=now,
        expires_at=expires_at,
        parent_id=parent_id,
    )
    return secret, row


def hash_token(secret: str) -> str:
    """Return the hash by which a token is stored and looked up, which does not reveal by its timing how close it is."""
    # A secret comes from a header or a file and may be any text; one with lone surrogates must be wrong, not an error.
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def is_token_format(text: str) -> bool:
    """Return whether a text can be a token at all."""
    return text.startswith(_PREFIX)


def select_with_children(tokens: Sequence[AccessToken], token_id: str) -> list[AccessToken]:
    """Return a token and the browser sessions that were opened with it."""
    return [token for token in tokens if token_id in (token.token_id, token.parent_id)]


T = TypeVar("T")

_tokens = tables.access_tokens.c

_SELECT_TOKENS = select(tables.access_tokens).order_by(_tokens.created_at, _tokens.id)
_SELECT_NAME = select(_tokens.id, _tokens.kind).where(_tokens.name == bindparam("token_name"))
_DELETE_TOKENS = delete(tables.access_tokens).where(_tokens.id.in_(bindparam("token_ids", expanding=True)))
_EXTEND_TOKEN = (
    update(tables.access_tokens)
    .where(_tokens.id == bindparam("token_id"))
    .values(expires_at=bindparam("new_expires_at"))
)


class _QueryRunner(Protocol):
    """Runs a query in a thread of the readers."""

    def __call__(self, query: Callable[[Connection], T], /) -> Awaitable[T]:
        """Return the result of the query."""
        ...


class DatabaseTokenStore:
    """The table `access_tokens`. Several processes can use it: a command changes it while a server runs."""

    def __init__(self, run_query: _QueryRunner, write: Callable[[WriteRequest], Awaitable[None]]) -> None:
        self._run_query = run_query
        self._write = write

    async def list_tokens(self) -> Sequence[AccessToken]:
        """Return all rows, oldest first."""
        return await self._run_query(_read_tokens)

    async def add_token(self, token: AccessToken) -> None:
        """Add a row; raise TokenNameTaken if there is one of this name. The token of a server is replaced."""

        def insert_token(connection: Connection) -> None:
            # In the transaction of the insert: on SQLite, no other process can add the name in between.
            same_name = connection.execute(_SELECT_NAME, {"token_name": token.name}).all()
            if same_name and token.kind is not TokenKind.SERVER:
                raise TokenNameTaken(token.name)
            if same_name:
                connection.execute(_DELETE_TOKENS, {"token_ids": [row.id for row in same_name]})
            connection.execute(tables.access_tokens.insert(), _to_row(token))

        await self._write_tokens(insert_token)

    async def remove_tokens(self, token_ids: Collection[str]) -> None:
        """Remove rows; those that do not exist are ignored."""
        if not token_ids:
            return

        def delete_tokens(connection: Connection) -> None:
            connection.execute(_DELETE_TOKENS, {"token_ids": list(token_ids)})

        await self._write_tokens(delete_tokens)

    async def extend_token(self, token_id: str, expires_at: float) -> None:
        """Set when a token expires."""

        def set_expiry(connection: Connection) -> None:
            connection.execute(_EXTEND_TOKEN, {"token_id": token_id, "new_expires_at": to_milliseconds(expires_at)})

        await self._write_tokens(set_expiry)

    async def _write_tokens(self, change: Callable[[Connection], None]) -> None:
        await self._write(WriteRequest(session_id="", change_tokens=change))


def _read_tokens(connection: Connection) -> list[AccessToken]:
    return [
        AccessToken(
            token_id=row.id,
            name=row.name,
            kind=TokenKind(row.kind),
            digest=row.digest,
            created_at=row.created_at / 1_000,
            expires_at=None if row.expires_at is None else row.expires_at / 1_000,
            parent_id=row.parent_id,
        )
        for row in connection.execute(_SELECT_TOKENS)
    ]


def _to_row(token: AccessToken) -> dict[str, Any]:
    return {
        "id": token.token_id,
        "name": token.name,
        "kind": token.kind.value,
        "digest": token.digest,
        "created_at": to_milliseconds(token.created_at),
        "expires_at": None if token.expires_at is None else to_milliseconds(token.expires_at),
        "parent_id": token.parent_id,
    }
