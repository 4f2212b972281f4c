"""The access tokens in a database: read by the store's readers, and written by its writer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Any, Protocol, TypeVar

from sqlalchemy import Connection, bindparam, delete, select, update

from adk_agent_sim.errors import TokenNameTaken
from adk_agent_sim.persistence import tables
from adk_agent_sim.persistence.access_tokens import AccessToken, TokenKind
from adk_agent_sim.persistence.row_codec import to_milliseconds
from adk_agent_sim.persistence.transaction import WriteRequest

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
