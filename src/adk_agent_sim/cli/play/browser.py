"""Serves the browser app: the options and the setup shared by `demo`, `run --web` and `scenario show|play --web`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from adk_agent_sim.cli.exit_codes import ExitCode
from adk_agent_sim.cli.shared_options import combine_options, group_options

if TYPE_CHECKING:
    from adk_agent_sim.adk.loading.agent_folder import AgentFolder
    from adk_agent_sim.adk.loading.agent_loader import App
    from adk_agent_sim.adk.runs.session_storage import RunnerServices
    from adk_agent_sim.golden.session import SimulatedAgentConfig
    from adk_agent_sim.server.benches.bench_catalog import BenchCatalog
    from adk_agent_sim.server.evals.eval_catalog import EvalCatalog
    from adk_agent_sim.server.scenarios.scenario_catalog import ScenarioCatalog


@dataclass(frozen=True, kw_only=True)
class BrowserSettings:
    """How a command serves the browser app."""

    host: str
    tls_cert: Path | None
    tls_key: Path | None
    behind_tls_proxy: bool
    port: int
    allow_host: tuple[str, ...]
    open_browser: bool


exposure_options = combine_options(
    click.option(
        "--host",
        default="127.0.0.1",
        show_default=True,
        help="The address to listen on. Any other lets other machines connect, and needs --tls-cert and --tls-key, "
        "or --behind-tls-proxy.",
    ),
    click.option(
        "--tls-cert",
        type=click.Path(dir_okay=False, path_type=Path),
        help="The certificate of the server, as a PEM file; then it speaks https.",
    ),
    click.option(
        "--tls-key",
        type=click.Path(dir_okay=False, path_type=Path),
        help="The private key of --tls-cert, as a PEM file that others cannot read.",
    ),
    click.option(
        "--behind-tls-proxy",
        is_flag=True,
        help="With another --host: a proxy encrypts, so listen without TLS. Name it with --allow-host.",
    ),
)
"""Where a server listens, and how connections to it are encrypted."""

browser_options = group_options(
    "browser",
    BrowserSettings,
    [
        exposure_options,
        click.option(
            "--port",
            type=click.IntRange(0, 65535),
            default=8080,
            show_default=True,
            help="The web server's port; if it is in use, the next free one is taken.",
        ),
        click.option(
            "--allow-host",
            multiple=True,
            metavar="HOST:PORT",
            help="Another address of this server, such as build-box:8080. Repeatable.",
        ),
        click.option("--open/--no-browser", "open_browser", help="Open the address in a browser."),
    ],
)
"""The options of a command that serves the browser app; it gets them as `browser`."""


def build_agent_config(app: App, eval_set: Path, folder: Path) -> SimulatedAgentConfig:
    """Return the configuration under which the browser app plays an app.

    Raises:
        click.ClickException: The app has no root agent.
    """
    from adk_agent_sim.golden.session import SimulatedAgentConfig

    if app.root_agent is None:
        raise click.ClickException(f"The app {app.name!r} has no root_agent to play. Set App(root_agent=...).")
    return SimulatedAgentConfig(
        name=app.root_agent.name, agent=app.root_agent, eval_set_path=eval_set, app=app, folder=folder
    )


def serve_in_browser(
    configs: Sequence[SimulatedAgentConfig],
    browser: BrowserSettings,
    *,
    scenarios: ScenarioCatalog | None = None,
    evals: EvalCatalog | None = None,
    benches: BenchCatalog | None = None,
    services: RunnerServices | None = None,
    folder: AgentFolder | None = None,
    database: str | Path | None = None,
    busy_advice: str = "",
    reloads: bool = False,
) -> None:
    """Serve the browser app until Ctrl-C.

    Args:
        configs: The agents to play.
        browser: How it is served.
        scenarios: Scenarios to view and play.
        services: Services of the user's, which are closed at the end.
        folder: A folder of agents to play.
        database: Where sessions are kept; None if they are lost at the end.
        busy_advice: What to do if another server uses the database.
        reloads: Whether agents of the folder are loaded again when their code has changed.
    """
    from adk_agent_sim.server.simulator import AgentSimulator

    simulator = AgentSimulator(
        configs,
        folder=folder,
        reload=reloads,
        database=database,
        scenarios=scenarios,
        evals=evals,
        benches=benches,
        session_service=services.session if services else None,
        artifact_service=services.artifact if services else None,
        memory_service=services.memory if services else None,
    )
    simulator.closes_services = True
    simulator.busy_advice = busy_advice or simulator.busy_advice
    simulator.run(
        browser.host,
        browser.port,
        allow_hosts=browser.allow_host,
        tls_cert=browser.tls_cert,
        tls_key=browser.tls_key,
        behind_tls_proxy=browser.behind_tls_proxy,
        open_browser=browser.open_browser,
    )
    if simulator.unfinished_tasks:
        # A tool that ignores cancellation is still running. A normal exit would wait for it and log a traceback.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(ExitCode.OK)
