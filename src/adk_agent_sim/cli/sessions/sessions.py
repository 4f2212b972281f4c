"""`adksim sessions`: lists the sessions of a database, newest first."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
from rich.filesize import decimal as format_size

from adk_agent_sim.cli.shared_options import database_option
from adk_agent_sim.persistence.default_path import is_run_database
from adk_agent_sim.text.terminal_output import format_table, print_json, print_line, print_lines
from adk_agent_sim.timeline.read_model.session_summary import SessionStatus

if TYPE_CHECKING:
    from adk_agent_sim.timeline.session_queries import SessionFilter
    from adk_agent_sim.use_cases.session_record import ListColumn, SessionPage, SessionRecord

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
    from adk_agent_sim.timeline.session_queries import SessionFilter

    wanted = SessionFilter(text=search, agent=agent, statuses=[SessionStatus(status) for status in statuses])
    page, now = asyncio.run(_list_sessions(database, wanted, None if show_all else limit))
    if as_json:
        print_json([each.model_dump(mode="json") for each in page.sessions])
    elif not page.sessions and wanted == SessionFilter(statuses=[]):
        print_line(f"There are no sessions in {database}. {_advise_recording(database)}")
    elif not page.sessions:
        print_line(f"No session in {database} matches. `adksim sessions` lists all.")
    else:
        columns = [column for _, column in page.sessions[0].list_columns()]
        right = [place for place, column in enumerate(columns) if column.format == "size"]
        print_lines(format_table([_list_cells(each, now) for each in page.sessions], right=right))
    if page.next_cursor:
        print_line(f"There are more than these {limit}: use --all, --limit, --search or --status.", err=True)


async def _list_sessions(database: str, wanted: SessionFilter, limit: int | None) -> tuple[SessionPage, float]:
    from adk_agent_sim.persistence.database_store import open_store
    from adk_agent_sim.timeline.timeline import Timeline
    from adk_agent_sim.use_cases.session_host import SessionHost
    from adk_agent_sim.use_cases.sessions import list_sessions

    async with open_store(database) as store:
        timeline, host = Timeline(store), await SessionHost.of_database(database)
        return await list_sessions(timeline, wanted, limit, host=host, with_sizes=True), timeline.clock.now()


def _advise_recording(database: str) -> str:
    if is_run_database(database):
        return "`adksim run AGENT_DIR --web` keeps those in which you play."
    return (
        "Start `adksim serve` and connect an agent to record some. Those of `adksim run AGENT_DIR --web` are listed "
        "with --db AGENT_DIR."
    )


def _list_cells(session: SessionRecord, now: float) -> Sequence[str]:
    return [_format_cell(getattr(session, name), column, now) for name, column in session.list_columns()]


def _format_cell(value: Any, column: ListColumn, now: float) -> str:
    match column.format:
        case "status":
            text = _STATUS_LABELS.get(value, value)
        case "age":
            text = _format_age(now - value)
        case "size":
            text = format_size(value or 0)
        case "text":
            text = str(value) or column.placeholder
    return f"{column.title} {text}".lstrip()


def _format_age(seconds: float) -> str:
    for unit, length in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds >= length:
            return f"{int(seconds // length)}{unit} ago"
    return f"{max(int(seconds), 0)}s ago"
