"""The options that name ADK's services by URI, spelled as in `adk web`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adk_agent_sim.errors import ServiceFailed

if TYPE_CHECKING:
    from adk_agent_sim.adk.runs.session_storage import RunnerServices

_OPTIONS = {
    "session": "Where ADK's sessions are: sqlite:///FILE, a database URL, agentengine://ID, or a scheme that "
    "services.py in the agent's folder registers; by default in memory.",
    "artifact": "Where artifacts are: file:///FOLDER, gs://BUCKET or a registered scheme; by default in memory.",
    "memory": "What load_memory searches: sqlite:///FILE, rag://CORPUS, agentengine://ID or a registered scheme; by "
    "default in memory.",
}


@dataclass(frozen=True, kw_only=True)
class ServiceSettings:
    """The services of a command, as URIs; None for one in memory."""

    session: str | None
    artifact: str | None
    memory: str | None

    @property
    def is_given(self) -> bool:
        """Whether any service is named."""
        return any(uri is not None for uri in (self.session, self.artifact, self.memory))

    def create_services(self, agent_dir: Path) -> RunnerServices:
        """Create the services; who calls this closes them.

        Raises:
            click.UsageError: A service cannot be created from its URI.
        """
        from adk_agent_sim.adk.runs.session_storage import ServiceUris

        uris = ServiceUris(session=self.session, artifact=self.artifact, memory=self.memory)
        try:
            return uris.create_services(agent_dir)
        except ServiceFailed as error:
            raise click.UsageError(str(error)) from error


def service_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a command that runs an agent; the command gets them as `services`."""

    @functools.wraps(command)
    def run_command(**values: Any) -> Any:
        uris = {kind: values.pop(f"{kind}_service_uri") for kind in _OPTIONS}
        return command(services=ServiceSettings(**uris), **values)

    for kind, text in reversed(_OPTIONS.items()):
        # ADK spells its options with underscores; the other options of this command have hyphens.
        names = [f"--{kind}_service_uri", f"--{kind}-service-uri"]
        run_command = click.option(*names, f"{kind}_service_uri", metavar="URI", help=text)(run_command)
    return run_command
