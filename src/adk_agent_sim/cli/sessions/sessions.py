"""`adksim sessions`: lists the sessions of a database, newest first."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence, Set
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click
from rich.filesize import decimal as format_size

from adk_agent_sim.cli.sessions.database import database_option
from adk_agent_sim.text.terminal_output import print_json, print_line, print_lines
from adk_agent_sim.text.terminal_tables import format_table
from adk_agent_sim.timeline.read_model.interruption import Interruption, find_interruption
from adk_agent_sim.timeline.read_model.pending_requests import PendingRequest, RequestKind
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
    help="Only sessions with this status. Repeatable.",
)
@click.option("--limit", type=click.IntRange(min=1), default=100, show_default=True, help="Maximum number of sessions.")
@click.option("--all", "show_all", is_flag=True, help="List all sessions.")
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
    # One more than is shown, to know whether there are others.
    summaries, sizes, now = asyncio.run(_read_summaries(database, wanted, None if show_all else limit + 1))
    interrupted = asyncio.run(_find_interrupted(database, summaries))
    shown = summaries if show_all else summaries[:limit]
    if as_json:
        print_json([_summary_to_json(each, sizes, interrupted) for each in shown])
    elif not shown and wanted == SessionFilter(statuses=[]):
        print_line(f"There are no sessions in {database}. {_advise_recording(database)}")
    elif not shown:
        print_line(f"No session in {database} matches. `adksim sessions` lists all.")
    else:
        rows = [_list_cells(each, sizes[each.session.session_id], now, interrupted) for each in shown]
        print_lines(format_table(rows, right=(5,)))
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


async def _find_interrupted(database: str, summaries: Sequence[SessionSummary]) -> Set[str]:
    """Return the sessions whose run ended with its process.

    A server that stops says so in its sessions; one that is killed leaves them waiting or running. An agent in another
    process comes back when the server does, so its session is not interrupted. Such an agent names itself as the client
    of its requests, or, in the first protocol, reports no app.
    """
    from adk_agent_sim.persistence.database_lock import is_used_by_server
    from adk_agent_sim.persistence.default_path import is_run_database

    is_local = is_run_database(database)
    closed = {
        summary.session.session_id
        for summary in summaries
        if summary.is_closed and find_interruption(summary) is Interruption.IN_RUN
    }
    left = {
        summary.session.session_id
        for summary in summaries
        if summary.status in (SessionStatus.WAITING, SessionStatus.RUNNING)
        and (is_local or (summary.app_name and any(map(_is_asked_by_server, summary.pending.values()))))
    }
    return closed | left if left and not await is_used_by_server(database) else closed


def _is_asked_by_server(request: PendingRequest) -> bool:
    """Whether the agent that waits for a turn or a tool runs in the server, not in a process that connects to it."""
    return request.kind in (RequestKind.MODEL, RequestKind.TOOL) and not request.client_id


def _advise_recording(database: str) -> str:
    from adk_agent_sim.persistence.default_path import is_run_database

    if is_run_database(database):
        return "`adksim run AGENT_DIR --web` keeps those in which you play."
    return (
        "Start `adksim serve` and connect an agent to record some. Those of `adksim run AGENT_DIR --web` are listed "
        "with --db AGENT_DIR."
    )


def _list_cells(summary: SessionSummary, size: int, now: float, interrupted: Set[str]) -> Sequence[str]:
    is_interrupted = summary.session.session_id in interrupted
    return (
        summary.session.session_id,
        "interrupted" if is_interrupted else _STATUS_LABELS.get(summary.status, summary.status.value),
        summary.agent_name or "-",
        f"created {_format_age(now - summary.session.created_at)}",
        f"last event {_format_age(now - summary.last_event_at)}",
        format_size(size),
        summary.name,
    )


def _summary_to_json(summary: SessionSummary, sizes: Mapping[str, int], interrupted: Set[str]) -> dict[str, Any]:
    return {
        "session_id": summary.session.session_id,
        "name": summary.name,
        "description": summary.session.description,
        "status": summary.status.value,
        "interrupted": summary.session.session_id in interrupted,
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
