"""The `--db` option."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click


def _get_default_database() -> str:
    from adk_agent_sim.persistence.default_path import get_default_database_path

    return str(get_default_database_path())


def _find_database(context: click.Context, option: click.Parameter, value: str) -> str:
    """Return the database that is meant: a folder of agents stands for the sessions that were kept of it."""
    if not Path(value).is_dir():
        return value
    from adk_agent_sim.persistence.default_path import get_run_database_path

    path = get_run_database_path(Path(value))
    if not path.exists():
        raise click.BadParameter(
            f"{value} has no kept sessions yet. `adksim run {value} --web` keeps them.",
            context,
            option,
        )
    return str(path)


database_option: Any = click.option(
    "--db",
    "database",
    default=_get_default_database,
    callback=_find_database,
    metavar="URL|PATH",
    show_default="a file in the user's data directory",
    help="The database of the sessions: a SQLite file, or postgresql://USER@HOST/DATABASE. The folder of an agent, or "
    "of agents, stands for the sessions that `adksim run --web` has kept of it.",
)
