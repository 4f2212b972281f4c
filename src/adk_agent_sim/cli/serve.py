"""`adksim serve`: a server where people answer the model calls of agents in other processes or on other machines."""

from __future__ import annotations

import asyncio
import signal
from contextlib import suppress
from typing import TYPE_CHECKING, Literal

import click

from adk_agent_sim.cli.database import database_option
from adk_agent_sim.text.escaped_logging import configure_logging
from adk_agent_sim.text.terminal_output import print_line, print_lines

if TYPE_CHECKING:
    from adk_agent_sim.server.composition import ServeSettings


@click.command()
@database_option
@click.option("--host", default="127.0.0.1", show_default=True, help="The address the web server listens on.")
@click.option("--port", default=8080, show_default=True, help="The web server's port; 0 picks a free one.")
@click.option("--allow-host", multiple=True, metavar="HOST:PORT", help="Another address of the web server; repeatable.")
@click.option("--no-web", is_flag=True, help="Serve agents and other gRPC clients only, without the browser app.")
@click.option("--grpc-port", default=50051, show_default=True, help="The port agents connect to; 0 picks a free one.")
@click.option(
    "--durability",
    type=click.Choice(["full", "normal"]),
    default="full",
    show_default=True,
    help="What a commit survives: full, a power failure; normal (faster), only a crash of the process.",
)
@click.option("--keep-days", type=float, help="Delete sessions without an event for this many days.")
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
    port: int,
    allow_host: tuple[str, ...],
    no_web: bool,
    grpc_port: int,
    durability: Literal["full", "normal"],
    keep_days: float | None,
    abandon_after: float,
) -> None:
    """Serve sessions: agents with SimulatorPlugin connect, and people answer their model calls in the browser.

    Add the plugin to an agent's App, or start `adk web --extra_plugins adk_agent_sim.SimulatorPlugin`.

    \b
    adksim serve
    adksim serve --db sessions.db --port 8090 --keep-days 30
    """
    from adk_agent_sim.server.composition import ServeSettings

    configure_logging()
    settings = ServeSettings(
        database=database,
        host=host,
        port=port,
        allow_hosts=allow_host,
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
        print_line(f"Agents connect to {served.grpc.address} (ADK_SIM_SERVER_URL)")
        print_lines([f"Sessions are stored in {settings.database}", "Press Ctrl-C to stop."])
        await stop.wait()
        print_line("Stopping.")
