"""`adksim open`: prints a login URL for the browser app of a running server."""

from __future__ import annotations

import webbrowser

import click

from adk_agent_sim.errors import SimulatorError
from adk_agent_sim.text.terminal_output import print_json, print_line


@click.command("open")
@click.option("--port", type=click.IntRange(1, 65535), help="The web port of the server, if several are running.")
@click.option("--open/--no-browser", "open_browser", help="Open the login URL in a browser.")
@click.option("--json", "as_json", is_flag=True, help="Print the login URL as JSON.")
def open_(port: int | None, open_browser: bool, as_json: bool) -> None:
    """Print a login URL for the browser app of a running server: of `serve`, `run --web`, `demo` or a notebook.

    A login URL works once, for 10 minutes; the session that it opens stays in the browser. The server is found through
    the entry that it has left in your data directory, so run this as the user who started it.

    \b
    adksim open
    adksim open --open
    adksim open --port 8090 --json
    """
    url = _request_login_url(port)
    if as_json:
        print_json({"url": url}, indent=None)
    else:
        print_line(url)
    if open_browser:
        webbrowser.open(url)


def _request_login_url(port: int | None) -> str:
    """Ask the server for a login URL; those that do not answer were killed and have left their entry behind."""
    from adk_agent_sim.link.server_entry import list_entries, request_login_url

    entries = [entry for entry in list_entries() if entry.web_port and port in (None, entry.web_port)]
    answers = [(entry, url) for entry in entries if (url := request_login_url(entry))]
    if not answers:
        place = f" on port {port}" if port else ""
        raise SimulatorError(
            f"No server of yours with a browser app runs{place}. Start one with `adksim serve`, or run this as the "
            "user who started it."
        )
    if len(answers) > 1:
        ports = ", ".join(str(entry.web_port) for entry, _ in answers)
        raise SimulatorError(f"Several servers are running. Choose one with --port: {ports}.")
    return answers[0][1]
