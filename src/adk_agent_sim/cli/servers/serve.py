"""`adksim serve`: a server where people answer the model calls of agents in other processes or on other machines."""

from __future__ import annotations

import asyncio
import signal
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from adk_agent_sim.cli.play.browser import exposure_options
from adk_agent_sim.cli.shared_options import database_option
from adk_agent_sim.text.escaped_logging import configure_logging
from adk_agent_sim.text.terminal_output import print_line, print_lines, style

if TYPE_CHECKING:
    from adk_agent_sim.server.composition import ServeSettings

_UNAUTHENTICATED_WARNING = (
    "WARNING: agents need no token (--allow-unauthenticated). Every user and program of this machine can read all "
    "sessions and answer for the model."
)


@click.command()
@database_option
@exposure_options
@click.option("--port", default=8080, show_default=True, help="The web server's port; 0 picks a free one.")
@click.option("--allow-host", multiple=True, metavar="HOST:PORT", help="Another address of the web server. Repeatable.")
@click.option(
    "--allow-unauthenticated",
    is_flag=True,
    help="Let agents connect without a token, for clients of the first protocol. Every user of this machine can then "
    "read all sessions and answer for the model. Only with a loopback --host.",
)
@click.option("--no-web", is_flag=True, help="Serve agents and other gRPC clients only, without the browser app.")
@click.option("--grpc-port", default=50051, show_default=True, help="The port agents connect to; 0 picks a free one.")
@click.option(
    "--durability",
    type=click.Choice(["full", "normal"]),
    default="full",
    show_default=True,
    help="What a commit survives: full, a power failure; normal (faster), only a crash of the process.",
)
@click.option("--keep-days", type=float, help="Delete sessions that had no event for this many days.")
@click.option(
    "--abandon-after",
    type=float,
    default=60.0,
    show_default=True,
    help="Seconds after which a turn leaves the queue if its agent has disconnected.",
)
def serve(
    database: str,
    host: str,
    tls_cert: Path | None,
    tls_key: Path | None,
    behind_tls_proxy: bool,
    port: int,
    allow_host: tuple[str, ...],
    allow_unauthenticated: bool,
    no_web: bool,
    grpc_port: int,
    durability: Literal["full", "normal"],
    keep_days: float | None,
    abandon_after: float,
) -> None:
    """Serve sessions: agents with SimulatorPlugin connect, and people answer their model calls in the browser.

    Add the plugin to an agent's App, or start `adk web --extra_plugins adk_agent_sim.SimulatorPlugin`. Agents need a
    token: those of the same user on this machine find it by themselves, others take ADK_SIM_TOKEN from
    `adksim token new NAME`. Browsers need a session: open the printed address, or one that `adksim open` prints.

    \b
    adksim serve
    adksim serve --db sessions.db --port 8090 --keep-days 30
    adksim serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem --allow-host build-box:8080
    """
    from adk_agent_sim.server.access.exposure import build_exposure
    from adk_agent_sim.server.composition import ServeSettings

    configure_logging()
    settings = ServeSettings(
        database=database,
        exposure=build_exposure(
            host,
            allow_host,
            tls_cert,
            tls_key,
            behind_tls_proxy=behind_tls_proxy,
            allow_unauthenticated=allow_unauthenticated,
        ),
        port=port,
        web=not no_web,
        grpc_port=grpc_port,
        durability=durability,
        keep_days=keep_days,
        abandon_after=abandon_after,
    )
    with suppress(KeyboardInterrupt):
        asyncio.run(_run_server(settings))


async def _run_server(settings: ServeSettings) -> None:
    from adk_agent_sim.server.composition import exclude_modules_from_collections, run_services

    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # Windows has no signal handlers for loops; Ctrl-C raises KeyboardInterrupt
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with run_services(settings) as served:
        exclude_modules_from_collections()
        served.lock.call_when_lost(stop.set)  # the block then ends with the error
        if served.web is not None:
            if settings.port not in (0, served.web.port):
                print_line(f"Port {settings.port} is in use; using {served.web.port}.")
            print_line(f"Open {served.web.url}")
            print_line("This login URL works once, for 10 minutes; `adksim open` prints another.")
        if settings.exposure.allow_unauthenticated:
            print_line(style(_UNAUTHENTICATED_WARNING, fg="red", bold=True), err=True)
        print_line(f"Agents connect to {served.grpc.address} (ADK_SIM_SERVER_URL)")
        if not settings.exposure.is_local:
            print_line("Agents on other machines need a token: `adksim token new NAME` prints one (ADK_SIM_TOKEN).")
        print_lines([f"Sessions are stored in {settings.database}", "Press Ctrl-C to stop."])
        await stop.wait()
        print_line("Stopping.")
