"""`adksim sessions`: what is in a database, newest first."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from adk_agent_sim.cli.database import database_option

if TYPE_CHECKING:
    from adk_agent_sim.timeline.progress import SessionSummary

_STATUSES = {"waiting": "waiting for you"}


@click.command()
@database_option
@click.option("--json", "as_json", is_flag=True, help="Print the sessions as JSON.")
def sessions(database: str, as_json: bool) -> None:
    """List the sessions of a database: status, agent, age, last event, size."""
    found, sizes, now = asyncio.run(_read(database))
    if as_json:
        click.echo(json.dumps([_data(one, sizes) for one in found], indent=2, ensure_ascii=False))
        return
    if not found:
        click.echo(f"There are no sessions in {database}. `adksim serve` makes some.")
    for one in found:
        click.echo(_line(one, sizes[one.session.session_id], now))


async def _read(database: str) -> tuple[Sequence[SessionSummary], dict[str, int], float]:
    from adk_agent_sim.persistence.store import open_store
    from adk_agent_sim.timeline.timeline import Timeline

    async with open_store(database) as store:
        timeline = Timeline(store)
        found = await timeline.summaries()
        sizes = dict.fromkeys((one.session.session_id for one in found), 0) | dict(await timeline.sizes())
        return found, sizes, timeline.clock.now()


def _line(one: SessionSummary, size: int, now: float) -> str:
    status = _STATUSES.get(one.standing.status, one.standing.status.value)
    parts = [
        one.session.session_id,
        f"{status:<15}",
        f"{one.standing.agent_name or '-':<20}",
        f"made {_ago(now - one.session.created_at):<8}",
        f"last event {_ago(now - one.last_event_at):<8}",
        f"{_bytes(size):>8}",
        one.session.description,
    ]
    return "  ".join(parts).rstrip()


def _data(one: SessionSummary, sizes: dict[str, int]) -> dict[str, Any]:
    return {
        "session_id": one.session.session_id,
        "description": one.session.description,
        "status": one.standing.status.value,
        "agent": one.standing.agent_name,
        "waiting": one.standing.waiting,
        "created_at": _time(one.session.created_at),
        "last_event_at": _time(one.last_event_at),
        "events": one.last_seq,
        "bytes": sizes[one.session.session_id],
    }


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()


def _ago(seconds: float) -> str:
    for unit, length in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds >= length:
            return f"{int(seconds // length)}{unit} ago"
    return f"{max(int(seconds), 0)}s ago"


def _bytes(size: int) -> str:
    for unit, length in (("MB", 1_000_000), ("kB", 1_000)):
        if size >= length:
            return f"{size / length:.1f} {unit}"
    return f"{size} B"
