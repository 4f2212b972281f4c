"""The options of `adksim run` about sessions: what they begin with, and where those of `--web` are kept.

What a terminal session began with is remembered per agent folder, in a private file in the user's data directory.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import click

from adk_agent_sim.cli.shared_options import combine_options, group_options
from adk_agent_sim.persistence.default_path import get_data_folder, get_run_database_path
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.private_files import create_private_folder, write_private_file
from adk_agent_sim.timeline.strict_json import InvalidJson, parse_json_object


@dataclass(frozen=True, kw_only=True)
class SessionStart:
    """The state and the user id that a session begins with; None for what was not given."""

    state: Mapping[str, Json] | None = None
    user_id: str | None = None

    def remember(self, agent_dir: Path) -> None:
        """Let the next terminal session of the agent begin in the same way."""
        content = {"agent": str(agent_dir.resolve()), "state": self.state, "user_id": self.user_id}
        path = _get_path(agent_dir)
        create_private_folder(path.parent)
        write_private_file(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def load_last_start(agent_dir: Path) -> SessionStart:
    """Return what the last terminal session of an agent was told to begin with; nothing if there is none to read."""
    try:
        content = parse_json_object(_get_path(agent_dir).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return SessionStart()
    state, user_id = content.get("state"), content.get("user_id")
    return SessionStart(
        state=cast("dict[str, Json]", state) if isinstance(state, dict) else None,
        user_id=user_id if isinstance(user_id, str) else None,
    )


def _read_state(context: click.Context, option: click.Parameter, text: str | None) -> Mapping[str, Json] | None:
    if text is None:
        return None
    try:
        return parse_json_object(Path(text[1:]).read_text(encoding="utf-8") if text.startswith("@") else text)
    except InvalidJson as error:
        raise click.BadParameter(
            f'it is not a JSON object ({error}). Write for example --state \'{{"mood": "calm"}}\'.', context, option
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise click.BadParameter(f"the file cannot be read: {error}", context, option) from error


def _get_path(agent_dir: Path) -> Path:
    digest = hashlib.sha256(str(agent_dir.resolve()).encode()).hexdigest()[:16]
    return get_data_folder() / "session_starts" / f"{digest}.json"


session_start_options = combine_options(
    click.option(
        "--state",
        metavar="JSON",
        callback=_read_state,
        help="The initial session state: a JSON object, or @FILE with one; by default the one of the agent's last "
        "terminal session. --state {} for none.",
    ),
    click.option(
        "--user-id",
        metavar="ID",
        help="The ADK user id; by default the one of the agent's last terminal session, or else `user`.",
    ),
)
"""`--state` and `--user-id`."""


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


storage_options = group_options(
    "storage",
    StorageSettings,
    [
        click.option(
            "--reload",
            "reloads",
            is_flag=True,
            help="With --web: load agents again when their code changes. Sessions keep the code that they began with.",
        ),
        click.option(
            "--db",
            "database",
            metavar="URL|PATH",
            show_default="a file of this folder in the user's data directory",
            help="With --web: the database of the sessions.",
        ),
        click.option(
            "--ephemeral",
            "is_ephemeral",
            is_flag=True,
            help="With --web: do not keep the sessions when the server ends.",
        ),
    ],
)
"""Where the sessions of `--web` are kept, and whether changed code is loaded; the command gets `storage`."""
