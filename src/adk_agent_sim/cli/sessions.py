"""`adksim sessions`: lists the sessions of a database, newest first."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from adk_agent_sim.cli.database import database_option
from adk_agent_sim.text.escaping import escape_line
from adk_agent_sim.text.terminal_output import print_json, print_line
from adk_agent_sim.timeline.read_model.session_status import SessionStatus
from adk_agent_sim.timeline.session_queries import SessionFilter

if TYPE_CHECKING:
    from adk_agent_sim.timeline.read_model.session_summary import SessionSummary

_STATUS_LABELS = {"waiting": "waiting for you"}


@click.command()
@database_option
@click.option("--search", default="", help="Only sessions with this text in their name or in an agent's name.")
@click.option("--agent", default="", help="Only sessions of this app or agent.")
@click.option(
    "--status",
    "statuses",
    multiple=True,
    type=click.Choice([status.value for status in SessionStatus]),
    help="Only sessions with this status; can be repeated.",
)
@click.option("--limit", type=click.IntRange(min=1), default=100, show_default=True, help="The number of sessions.")
@click.option("--all", "show_all", is_flag=True, help="All of them, however many.")
@click.option("--json", "as_json", is_flag=True, help="Print the sessions as JSON.")
def sessions(
    database: str, search: str, agent: str, statuses: Sequence[str], limit: int, *, show_all: bool, as_json: bool
) -> None:
    """List the sessions in a database, newest first: status, agent, age, last event, size.

    \b
    adksim sessions
    adksim sessions --status waiting --agent shop
    adksim sessions --search refund --db sessions.db --json
    """
    wanted = SessionFilter(text=search, agent=agent, statuses=[SessionStatus(status) for status in statuses])
    summaries, sizes, now = asyncio.run(_read_summaries(database, wanted, None if show_all else limit + 1))
    shown = summaries if show_all else summaries[:limit]
    if as_json:
        print_json([_summary_to_json(each, sizes) for each in shown])
    elif not shown and wanted == SessionFilter(statuses=[]):
        print_line(f"There are no sessions in {database}. Start `adksim serve` and connect an agent to record some.")
    elif not shown:
        print_line(f"No session in {database} is like that. `adksim sessions` lists all.")
    else:
        for each in shown:
            print_line(_format_summary(each, sizes[each.session.session_id], now))
    if len(shown) < len(summaries):
        print_line(f"There are more than these {limit}: use --all, --limit, --search or --status.", err=True)


async def _read_summaries(
    database: str, wanted: SessionFilter, limit: int | None
) -> tuple[Sequence[SessionSummary], Mapping[str, int], float]:
    from adk_agent_sim.persistence.database_store import open_store
    from adk_agent_sim.timeline.timeline import Timeline

    async with open_store(database) as store:
        timeline = Timeline(store)
        summaries = await timeline.list_summaries(wanted, limit)
        ids = None if limit is None else [each.session.session_id for each in summaries]
        return summaries, await timeline.get_session_sizes(ids), timeline.clock.now()


def _format_summary(summary: SessionSummary, size: int, now: float) -> str:
    status = _STATUS_LABELS.get(summary.status, summary.status.value)
    parts = [
        summary.session.session_id,
        f"{status:<15}",
        f"{escape_line(summary.agent_name) or '-':<20}",
        f"created {_format_age(now - summary.session.created_at):<8}",
        f"last event {_format_age(now - summary.last_event_at):<8}",
        f"{_format_size(size):>8}",
        summary.name,
    ]
    return "  ".join(parts).rstrip()


def _summary_to_json(summary: SessionSummary, sizes: Mapping[str, int]) -> dict[str, Any]:
    return {
        "session_id": summary.session.session_id,
        "name": summary.name,
        "description": summary.session.description,
        "status": summary.status.value,
        "agent": summary.agent_name,
        "waiting": len(summary.pending),
        "created_at": _format_time(summary.session.created_at),
        "last_event_at": _format_time(summary.last_event_at),
        "events": summary.last_seq,
        "bytes": sizes[summary.session.session_id],
    }


def _format_time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()


def _format_age(seconds: float) -> str:
    for unit, length in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds >= length:
            return f"{int(seconds // length)}{unit} ago"
    return f"{max(int(seconds), 0)}s ago"


def _format_size(size: int) -> str:
    for unit, length in (("MB", 1_000_000), ("kB", 1_000)):
        if size >= length:
            return f"{size / length:.1f} {unit}"
    return f"{size} B"
