"""Plays agents in the browser: what `adksim demo` and `adksim run --web` share."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from adk_agent_sim.adk.agent_loader import App
    from adk_agent_sim.golden.session import SimulatedAgentConfig
    from adk_agent_sim.server.scenario_catalog import ScenarioCatalog

Command = TypeVar("Command", bound=Callable[..., Any])


def browser_options(command: Command) -> Command:
    """The options of a command that serves a browser."""
    for option in (
        click.option("--open/--no-browser", "open_browser", help="Open the address in your browser."),
        click.option("--allow-host", multiple=True, help="A further name of this server, as build-box:8080."),
        click.option(
            "--port",
            type=click.IntRange(0, 65535),
            default=8080,
            show_default=True,
            help="The port; if it is taken, the next free one.",
        ),
        click.option(
            "--host", default="127.0.0.1", show_default=True, help="Where to listen; others let other machines in."
        ),
    ):
        command = option(command)
    return command


def build_agent_config(app: App, eval_set: Path, folder: Path) -> SimulatedAgentConfig:
    """An app as the browser plays it."""
    from adk_agent_sim.golden.session import SimulatedAgentConfig

    if app.root_agent is None:
        raise click.ClickException(f"The app {app.name!r} has no root_agent.")
    return SimulatedAgentConfig(
        name=app.root_agent.name, agent=app.root_agent, eval_set_path=eval_set, app=app, folder=folder
    )


def serve_in_browser(
    configs: Sequence[SimulatedAgentConfig],
    host: str,
    port: int,
    allow_hosts: Sequence[str],
    *,
    open_browser: bool,
    scenarios: ScenarioCatalog | None = None,
) -> None:
    """Serve until Ctrl-C."""
    from adk_agent_sim.cli.terminal import silence_adk_logging
    from adk_agent_sim.server.simulator import AgentSimulator

    silence_adk_logging()
    simulator = AgentSimulator(configs, scenarios=scenarios)
    simulator.run(host, port, allow_hosts=allow_hosts, open_browser=open_browser)
    if simulator.unfinished_tasks:  # Python would try to end them once more, and tell of it
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)
