"""`adksim scenario play`: opens a scenario's world in the terminal or the browser, to call tools and advance time."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import click

from adk_agent_sim.cli.play.browser import BrowserSettings, browser_options


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--fs-content",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder of the apps' files.",
)
@click.option("--seed", type=int, help="The seed of ids and random numbers; by default the scenario's.")
@click.option(
    "--notifications",
    type=click.Choice(["LOW", "MEDIUM", "HIGH"]),
    default="MEDIUM",
    show_default=True,
    help="How much the agent is notified of.",
)
@click.option("--web", is_flag=True, help="Play in the browser.")
@browser_options
def play(
    file: Path,
    fs_content: Path | None,
    seed: int | None,
    notifications: str,
    web: bool,
    browser: BrowserSettings,
) -> None:
    """Play in the world of FILE: call any tool, step or jump in time, and see what changes.

    Type /help for a list of commands. Commands can also be piped in.

    \b
    adksim scenario play scenario.json
    echo "/tools email" | adksim scenario play scenario.json
    adksim scenario play scenario.json --web --open
    """
    if web:
        from adk_agent_sim.cli.play.browser import serve_in_browser
        from adk_agent_sim.scenario.players.check_cache import CheckCache
        from adk_agent_sim.server.scenarios.scenario_catalog import ScenarioCatalog

        scenarios = ScenarioCatalog(
            [file],
            fs_content=fs_content,
            seed=seed,
            notifications=notifications,
            opens_playground=True,
            check_cache=CheckCache(),
        )
        serve_in_browser([], browser, scenarios=scenarios)
        return
    from adk_agent_sim.cli.play.prompts import KeyboardPrompts, ScriptedPrompts
    from adk_agent_sim.cli.scenarios.playground_shell import PlaygroundShell
    from adk_agent_sim.scenario import World, load_scenario

    scenario = load_scenario(file)
    prompts = KeyboardPrompts() if sys.stdin.isatty() else ScriptedPrompts(line.rstrip("\n") for line in sys.stdin)
    make = partial(World, scenario, fs_content=fs_content, seed=seed, notifications=notifications)
    PlaygroundShell(make, prompts).play()
