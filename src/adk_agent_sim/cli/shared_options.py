"""The options that commands of several features share, and the decorators that add several options at once."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from adk_agent_sim.cli.exit_codes import report_wrong_usage
from adk_agent_sim.errors import InvalidCriteria
from adk_agent_sim.persistence.default_path import get_default_database_path, get_run_database_path

if TYPE_CHECKING:
    from adk_agent_sim.adk.runs.session_storage import RunnerServices
    from adk_agent_sim.golden.eval_criteria import EvalCriteria


CommandFunction: TypeAlias = Callable[..., Any]
Decorator: TypeAlias = Callable[[CommandFunction], CommandFunction]


def combine_options(*options: Decorator) -> Decorator:
    """Return a decorator that adds options, which `--help` lists in this order."""
    return lambda command: functools.reduce(lambda decorated, option: option(decorated), reversed(options), command)


def group_options(parameter: str, settings: type, options: Sequence[Decorator]) -> Decorator:
    """Return a decorator that adds options whose values the command gets as one object.

    Args:
        parameter: The parameter of the command for the object.
        settings: Its class, a dataclass whose fields have the names of the options.
        options: The options, as `--help` lists them.
    """

    def decorate(command: CommandFunction) -> CommandFunction:
        @functools.wraps(command)
        def collect(**values: Any) -> Any:
            own = {field.name: values.pop(field.name) for field in fields(settings) if field.name in values}
            return command(**{parameter: settings(**own)}, **values)

        return combine_options(*options)(collect)

    return decorate


def _find_database(context: click.Context, option: click.Parameter, value: str) -> str:
    """Return the database that is meant: a folder of agents stands for the sessions that were kept of it."""
    if not Path(value).is_dir():
        return value
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
    default=lambda: str(get_default_database_path()),
    callback=_find_database,
    metavar="URL|PATH",
    show_default="a file in the user's data directory",
    help="The database of the sessions: a SQLite file, or postgresql://USER@HOST/DATABASE. The folder of an agent, or "
    "of agents, stands for the sessions that `adksim run --web` has kept of it.",
)


_SERVICES = {
    "session": "Where ADK's sessions are: sqlite:///FILE, a database URL, agentengine://ID, or a scheme that "
    "services.py in the agent's folder registers; by default in memory.",
    "artifact": "Where artifacts are: file:///FOLDER, gs://BUCKET or a registered scheme; by default in memory.",
    "memory": "What load_memory searches: sqlite:///FILE, rag://CORPUS, agentengine://ID or a registered scheme; by "
    "default in memory.",
}


@dataclass(frozen=True, kw_only=True)
class ServiceSettings:
    """The services of a command, as URIs; None for one in memory."""

    session_service_uri: str | None
    artifact_service_uri: str | None
    memory_service_uri: str | None

    @property
    def is_given(self) -> bool:
        """Whether any service is named."""
        return any(uri is not None for uri in vars(self).values())

    def create_services(self, agent_dir: Path) -> RunnerServices:
        """Create the services; who calls this closes them.

        Raises:
            click.UsageError: A service cannot be created from its URI.
        """
        from adk_agent_sim.adk.runs.session_storage import ServiceUris

        uris = ServiceUris(
            session=self.session_service_uri, artifact=self.artifact_service_uri, memory=self.memory_service_uri
        )
        with report_wrong_usage():
            return uris.create_services(agent_dir)


service_options = group_options(
    "services",
    ServiceSettings,
    [
        # ADK spells its options with underscores; the other options of these commands have hyphens.
        click.option(f"--{kind}_service_uri", f"--{kind}-service-uri", f"{kind}_service_uri", metavar="URI", help=text)
        for kind, text in _SERVICES.items()
    ],
)
"""The services of a command that runs an agent; it gets them as `services`."""


def _read_words(context: click.Context, option: click.Parameter, words: tuple[str, ...]) -> EvalCriteria | None:
    if not words:
        return None
    from adk_agent_sim.golden.eval_criteria import parse_criteria

    try:
        return parse_criteria(words)
    except InvalidCriteria as error:
        raise click.BadParameter(str(error), context, option) from error


criteria_option = click.option(
    "--criteria",
    multiple=True,
    metavar="CRITERION",
    callback=_read_words,
    help="Write the test_config.json that `adk eval` reads beside the EvalSet: exact, in-order, any-order, "
    "calls=off, rouge=0.8, rouge=off, and for a judging model rubric=TEXT, tool-rubric=TEXT, rubric-score=0.8, "
    "judge=MODEL. Repeatable.",
)
"""What `adk eval` compares with the golden trace that a command writes; EvalCriteria, or None if it is not given."""
