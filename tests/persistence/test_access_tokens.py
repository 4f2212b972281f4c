"""The contract of token stores: in memory, in SQLite and in PostgreSQL."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from stores import AnyStore

from adk_agent_sim.errors import TokenNameTaken
from adk_agent_sim.persistence.access_tokens import (
    SERVER_TOKEN_NAME,
    MemoryTokenStore,
    TokenKind,
    TokenStore,
    create_token,
    hash_token,
    select_with_children,
)
from adk_agent_sim.persistence.database_store import DatabaseStore, open_store


@pytest.fixture
def tokens(store: AnyStore) -> TokenStore:
    return store.tokens if isinstance(store, DatabaseStore) else MemoryTokenStore()


async def test_tokens_are_stored_without_their_secrets(tokens: TokenStore) -> None:
    secret, ann = create_token("ann", TokenKind.NAMED, now=1.0, expires_at=2.5)
    _, tab = create_token("browser-1", TokenKind.BROWSER, now=2.0, parent_id=ann.token_id)
    for token in (ann, tab):
        await tokens.add_token(token)

    assert await tokens.list_tokens() == [ann, tab]
    assert ann.digest == hash_token(secret)
    assert secret not in repr(ann)
    assert select_with_children(await tokens.list_tokens(), ann.token_id) == [ann, tab]


async def test_names_are_unique_but_a_server_replaces_its_own(tokens: TokenStore) -> None:
    _, ann = create_token("ann", TokenKind.NAMED, now=1.0)
    _, old = create_token(SERVER_TOKEN_NAME, TokenKind.SERVER, now=2.0)
    _, new = create_token(SERVER_TOKEN_NAME, TokenKind.SERVER, now=3.0)
    for token in (ann, old, new):
        await tokens.add_token(token)
    with pytest.raises(TokenNameTaken, match="'ann' already"):
        await tokens.add_token(create_token("ann", TokenKind.NAMED, now=4.0)[1])

    assert await tokens.list_tokens() == [ann, new]


async def test_tokens_are_removed_and_extended(tokens: TokenStore) -> None:
    _, ann = create_token("ann", TokenKind.NAMED, now=1.0, expires_at=2.0)
    _, ben = create_token("ben", TokenKind.NAMED, now=2.0)
    for token in (ann, ben):
        await tokens.add_token(token)
    await tokens.remove_tokens([ben.token_id, "unknown"])
    await tokens.remove_tokens([])
    await tokens.extend_token(ann.token_id, 9.0)
    await tokens.extend_token("unknown", 9.0)

    assert await tokens.list_tokens() == [replace(ann, expires_at=9.0)]


async def test_another_process_sees_changes_at_once(tmp_path: Path) -> None:
    async with open_store(tmp_path / "s.db") as one, open_store(tmp_path / "s.db") as other:
        _, ann = create_token("ann", TokenKind.NAMED, now=1.0)
        await one.tokens.add_token(ann)
        assert await other.tokens.list_tokens() == [ann]
        with pytest.raises(TokenNameTaken):
            await other.tokens.add_token(create_token("ann", TokenKind.NAMED, now=2.0)[1])


@pytest.mark.parametrize(("expires_at", "has_expired"), [(None, False), (10.0, True), (10.5, False), (9.0, True)])
def test_a_token_expires_at_its_time(expires_at: float | None, has_expired: bool) -> None:
    _, token = create_token("ann", TokenKind.NAMED, now=1.0, expires_at=expires_at)

    assert token.has_expired(10.0) == has_expired
