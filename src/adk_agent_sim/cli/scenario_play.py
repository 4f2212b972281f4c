"""`adksim scenario play`: a scenario's world in the terminal or the browser, to try its tools and let its time pass."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import click

from adk_agent_sim.cli.browser import browser_options


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--fs-content", type=click.Path(file_okay=False, path_type=Path), help="The contents of its files.")
@click.option("--seed", type=int, help="What ids and chance are derived from; the scenario's own if left out.")
@click.option(
    "--notifications",
    type=click.Choice(["LOW", "MEDIUM", "HIGH"]),
    default="MEDIUM",
    show_default=True,
    help="How much the agent is told.",
)
@click.option("--web", is_flag=True, help="Play in the browser.")
@browser_options
def play(
    file: Path,
    fs_content: Path | None,
    seed: int | None,
    notifications: str,
    web: bool,
    host: str,
    port: int,
    allow_host: tuple[str, ...],
    open_browser: bool,
) -> None:
    """Play in the world of FILE: call any tool, step or jump in time, and see what changes.

    Type /help for what can be typed. Lines can also come from a pipe.
    """
    if web:
        from adk_agent_sim.cli.browser import serve_in_browser
        from adk_agent_sim.server.scenario_catalog import ScenarioCatalog

        scenarios = ScenarioCatalog([file], fs_content=fs_content, seed=seed, notifications=notifications)
        serve_in_browser([], host, port, allow_host, open_browser=open_browser, scenarios=scenarios)
        return
    from adk_agent_sim.cli.playground_shell import PlaygroundShell
    from adk_agent_sim.cli.prompts import KeyboardPrompts, ScriptedPrompts
    from adk_agent_sim.scenario import World, load_scenario

    scenario = load_scenario(file)
    prompts = KeyboardPrompts() if sys.stdin.isatty() else ScriptedPrompts(line.rstrip("\n") for line in sys.stdin)
    make = partial(World, scenario, fs_content=fs_content, seed=seed, notifications=notifications)
    PlaygroundShell(make, prompts).play()
