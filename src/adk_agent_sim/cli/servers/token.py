"""`adksim token`: lists, creates and revokes the access tokens in a database, whether a server is running or not."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

import click

from adk_agent_sim.cli.shared_options import database_option
from adk_agent_sim.errors import NotFound
from adk_agent_sim.persistence.access_tokens import (
    AccessToken,
    TokenKind,
    TokenStore,
    create_token,
    select_with_children,
)
from adk_agent_sim.text.terminal_output import format_table, print_json, print_line, print_lines
from adk_agent_sim.timeline.clock import WallClock

T = TypeVar("T")

_UNIT_SECONDS = {"m": 60.0, "h": 3_600.0, "d": 86_400.0, "w": 604_800.0}
_MAX_NAME_CHARS = 100


@click.group()
def token() -> None:
    """List, create and revoke the tokens with which agents, people and browsers use a server.

    They are stored as hashes in the server's database. A running server notices changes within a second or two, and
    closes the streams and tabs of a revoked token.

    \b
    adksim token new ci-agent --expires 30d
    adksim token list
    adksim token revoke ci-agent
    """


@token.command("list")
@database_option
@click.option("--json", "as_json", is_flag=True, help="Print the tokens as JSON.")
def list_(database: str, as_json: bool) -> None:
    """List the tokens: name, kind, created, expires.

    A token of the kind `server` is made by each start of a server for its own user, `named` by `adksim token new`, and
    `browser` is the session of a browser.

    \b
    adksim token list
    adksim token list --db sessions.db --json
    """
    tokens = _run_with_tokens(database, lambda store: store.list_tokens())
    if as_json:
        print_json([_token_to_json(each) for each in tokens])
        return
    if not tokens:
        print_line(f"There are no tokens in {database}. `adksim serve` makes one at its start.")
    print_lines(format_table(list(map(_list_cells, tokens))))


@token.command("new")
@click.argument("name")
@database_option
@click.option("--expires", metavar="DURATION", help="When it expires, such as 12h, 30d or 8w; by default never.")
@click.option("--json", "as_json", is_flag=True, help="Print the token as JSON.")
def new(name: str, database: str, expires: str | None, as_json: bool) -> None:
    """Create a token named NAME and print it. It is not shown again: only its hash is stored.

    Give it to an agent or a person: ADK_SIM_TOKEN for the plugin, `Authorization: Bearer TOKEN` for the web API.

    \b
    adksim token new ci-agent --expires 30d
    ADK_SIM_TOKEN=$(adksim token new laptop) adk web --extra_plugins adk_agent_sim.SimulatorPlugin
    """
    if not name.strip() or len(name) > _MAX_NAME_CHARS or not name.isprintable():
        raise click.BadParameter(f"Use 1 to {_MAX_NAME_CHARS} printable characters.", param_hint="NAME")
    now = WallClock().now()
    expires_at = None if expires is None else now + _parse_duration(expires)
    secret, row = create_token(name, TokenKind.NAMED, now=now, expires_at=expires_at)
    _run_with_tokens(database, lambda store: store.add_token(row))
    if as_json:
        print_json({**_token_to_json(row), "token": secret})
    else:
        print_line(secret)


@token.command()
@click.argument("name")
@database_option
@click.option("--json", "as_json", is_flag=True, help="Print the revoked tokens as JSON.")
def revoke(name: str, database: str, as_json: bool) -> None:
    """Revoke the token named NAME, and the browser sessions that were opened with it.

    \b
    adksim token revoke ci-agent
    adksim token revoke browser-1f2e3d4c
    """

    async def revoke_by_name(store: TokenStore) -> Sequence[AccessToken]:
        tokens = await store.list_tokens()
        found = next((each for each in tokens if each.name == name), None)
        if found is None:
            raise NotFound(f"There is no token named {name!r}. `adksim token list` shows the names.")
        revoked = select_with_children(tokens, found.token_id)
        await store.remove_tokens([each.token_id for each in revoked])
        return revoked

    revoked = _run_with_tokens(database, revoke_by_name)
    if as_json:
        print_json({"revoked": [each.name for each in revoked]}, indent=None)
    else:
        print_line(f"Revoked {', '.join(each.name for each in revoked)}. A running server notices within 2 seconds.")


def _run_with_tokens(database: str, work: Callable[[TokenStore], Awaitable[T]]) -> T:
    from adk_agent_sim.persistence.database_store import open_store

    async def run() -> T:
        async with open_store(database) as store:
            return await work(store.tokens)

    return asyncio.run(run())


def _parse_duration(text: str) -> float:
    match = re.fullmatch(r"([1-9]\d{0,5})([mhdw])", text)
    if match is None:
        raise click.BadParameter(
            f"{text!r} is not a duration: use a number and m, h, d or w, such as 12h or 30d.", param_hint="--expires"
        )
    return int(match[1]) * _UNIT_SECONDS[match[2]]


def _list_cells(each: AccessToken) -> Sequence[str]:
    expires = "never expires" if each.expires_at is None else f"expires {_format_time(each.expires_at)}"
    return each.name, each.kind.value, f"created {_format_time(each.created_at)}", expires


def _token_to_json(each: AccessToken) -> dict[str, Any]:
    return {
        "name": each.name,
        "kind": each.kind.value,
        "created_at": _format_time(each.created_at),
        "expires_at": None if each.expires_at is None else _format_time(each.expires_at),
    }


def _format_time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
