"""The option that says where sessions are kept, and how a person names one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from adk_agent_sim.errors import SessionNotFound, SimulatorError

if TYPE_CHECKING:
    from adk_agent_sim.timeline.events import Session
    from adk_agent_sim.timeline.timeline import Timeline


def _get_default_database() -> str:
    from adk_agent_sim.persistence.default_path import get_default_database_path

    return str(get_default_database_path())


database_option: Any = click.option(
    "--db",
    "database",
    default=_get_default_database,
    metavar="URL|PATH",
    show_default="in the user's data directory",
    help="Where sessions are kept: a file, or postgresql://USER@HOST/DATABASE.",
)


async def find_session(timeline: Timeline, name: str) -> Session:
    """The session of an id, of the beginning of one, or the `last` one."""
    sessions = [summary.session for summary in await timeline.list_summaries()]
    last = sessions[:1] if name == "last" else []
    found = last or [session for session in sessions if session.session_id.startswith(name)]
    if not found:
        raise SessionNotFound(name)
    if len(found) > 1:
        raise SimulatorError(f"{len(found)} sessions begin with {name!r}: give more of the id.")
    return found[0]
