"""The options of `adksim run --web` that say where its sessions are kept, and whether changed code is loaded."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from adk_agent_sim.persistence.default_path import get_run_database_path
from adk_agent_sim.timeline.private_files import create_private_folder


@dataclass(frozen=True, kw_only=True)
class StorageSettings:
    """Where the sessions of a server are kept."""

    database: str | None = None
    """A file path or a database URL; None for the default."""

    is_ephemeral: bool = False
    """Whether the sessions are lost when the server ends."""

    reloads: bool = False
    """Whether agents are loaded again when their code has changed."""

    def check(self, *, web: bool) -> None:
        """Raise click.UsageError if the options contradict each other, or need `--web`."""
        if self.database is not None and self.is_ephemeral:
            raise click.UsageError("--db and --ephemeral exclude each other: either keeps the sessions, or not.")
        given = {"--db": self.database is not None, "--ephemeral": self.is_ephemeral, "--reload": self.reloads}
        for name in (name for name, is_given in given.items() if is_given and not web):
            raise click.UsageError(f"{name} needs --web: it concerns the sessions in the browser.")

    def find_database(self, agent_dir: Path) -> str | Path | None:
        """Return the database of a folder's sessions; None for none. Creates the folder of the default one."""
        if self.is_ephemeral or self.database is not None:
            return self.database
        path = get_run_database_path(agent_dir)
        create_private_folder(path.parent)
        return path


def storage_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options; the command gets them as `storage`."""

    @functools.wraps(command)
    def run_command(*, database: str | None, ephemeral: bool, reloads: bool, **values: Any) -> Any:
        storage = StorageSettings(database=database, is_ephemeral=ephemeral, reloads=reloads)
        return command(storage=storage, **values)

    for option in (
        click.option("--ephemeral", is_flag=True, help="With --web: do not keep the sessions when the server ends."),
        click.option(
            "--db",
            "database",
            metavar="URL|PATH",
            show_default="a file of this folder in the user's data directory",
            help="With --web: the database of the sessions.",
        ),
        click.option(
            "--reload",
            "reloads",
            is_flag=True,
            help="With --web: load agents again when their code changes. Sessions keep the code that they began with.",
        ),
    ):
        run_command = option(run_command)
    return run_command
