"""Serves an agent, or a folder of agents, in the browser: `adksim run --web`."""

from __future__ import annotations

from pathlib import Path

import click

from adk_agent_sim.cli.play.browser import BrowserSettings, serve_in_browser
from adk_agent_sim.cli.play.storage_options import StorageSettings
from adk_agent_sim.cli.service_options import ServiceSettings

_BUSY_ADVICE = (
    "Use that server (`adksim open` prints a login URL for it), or run `adksim run --web` with --db FILE, which keeps "
    "the sessions in another database, or with --ephemeral."
)


def play_folder(
    agent_dir: Path,
    eval_set: Path | None,
    environment: Path | None,
    profile: str | None,
    services: ServiceSettings,
    storage: StorageSettings,
    browser: BrowserSettings,
) -> None:
    """Serve the agent in a folder, or all agents that it contains, until Ctrl-C.

    Raises:
        click.UsageError: There is one EvalSet for several agents.
        AgentLoadFailed: There is no agent, or the only one does not load.
    """
    from adk_agent_sim.adk.environment.environment_factory import EnvironmentSimulationFactory, add_environment_plugin
    from adk_agent_sim.adk.loading.agent_folder import AgentFolder, holds_agents
    from adk_agent_sim.adk.loading.agent_loader import App, load_app

    if not agent_dir.is_dir():
        load_app(agent_dir)  # says what is wrong with it
    if environment is not None:
        EnvironmentSimulationFactory.create_plugin(environment, profile=profile)  # rules with errors end it here

    def add_rules(app: App) -> App:
        return add_environment_plugin(app, environment, profile)[0]

    if holds_agents(agent_dir):
        if eval_set is not None:
            raise click.UsageError("--eval-set is for one agent: in a folder of agents, each has its own.")
        folder = AgentFolder(agent_dir, prepare=add_rules)
    else:
        path = agent_dir.resolve()
        folder = AgentFolder(path.parent, only=path.name, prepare=add_rules, eval_set=eval_set)
        folder.preload()
    serve_in_browser(
        [],
        browser,
        services=services.create_services(agent_dir),
        folder=folder,
        database=storage.find_database(agent_dir),
        busy_advice=_BUSY_ADVICE,
        reloads=storage.reloads,
    )
