"""`adksim scenario show`: shows scenarios as text, as an SVG graph, or in the browser."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from adk_agent_sim.cli.exit_codes import ExitCode
from adk_agent_sim.cli.play.browser import BrowserSettings, browser_options
from adk_agent_sim.cli.scenarios.scenario_choice import ScenarioChoice, scenario_option
from adk_agent_sim.text.terminal_output import print_document, print_json, print_line, style

if TYPE_CHECKING:
    from adk_agent_sim.scenario import ScenarioImportedFromJson


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@scenario_option
@click.option("--svg", "svg_path", type=click.Path(dir_okay=False, path_type=Path), help="Write the graph as SVG.")
@click.option("--json", "as_json", is_flag=True, help="Print the summaries as JSON, one document per scenario.")
@click.option("--web", is_flag=True, help="Show the scenarios in the browser: graph, events, states, annotations.")
@browser_options
def show(
    files: Sequence[Path],
    scenario_id: str | None,
    svg_path: Path | None,
    as_json: bool,
    web: bool,
    browser: BrowserSettings,
) -> None:
    """Show the scenarios in FILE...: metadata, apps, and events in the order in which they happen.

    A file can contain several scenarios, one per line. Those that cannot be read are reported, and the exit code is 1.

    \b
    adksim scenario show scenario.json --svg graph.svg
    adksim scenario show scenarios.jsonl --scenario lunch
    adksim scenario show scenarios/*.json --web --open
    """
    if web and (svg_path or as_json or scenario_id is not None):
        raise click.UsageError("--web shows all scenarios in the browser: leave out --svg, --json and --scenario.")
    if svg_path is not None and len(files) > 1:
        raise click.UsageError("--svg writes the graph of one scenario: give one FILE.")
    if web:
        from adk_agent_sim.cli.play.browser import serve_in_browser
        from adk_agent_sim.scenario.players.check_cache import CheckCache
        from adk_agent_sim.server.scenarios.scenario_catalog import ScenarioCatalog

        serve_in_browser([], browser, scenarios=ScenarioCatalog(files, check_cache=CheckCache()))
        return
    choices = [ScenarioChoice(file, scenario_id) for file in files]
    if svg_path is not None:
        _show_scenario(choices[0].get_single("--svg"), svg_path, as_json=as_json)
    elif not _show_all(choices, as_json=as_json):
        sys.exit(ExitCode.FAILED)


def _show_all(choices: Sequence[ScenarioChoice], *, as_json: bool) -> bool:
    """Print every scenario; return whether all could be read."""
    from adk_agent_sim.cli.progress_bar import ProgressBar

    total = sum(map(len, choices))
    progress = ProgressBar("scenarios")
    is_readable = True
    for done, scenario in enumerate(each for choice in choices for each in choice.read_each()):
        progress.close()
        if not isinstance(scenario, Exception):
            _show_scenario(scenario, None, as_json=as_json)
        elif total == 1:
            raise scenario
        else:
            is_readable = False
            print_line(style(f"Error: {scenario}", fg="red"), err=True)
        progress(done + 1, total)
    progress.close()
    return is_readable


def _show_scenario(scenario: ScenarioImportedFromJson, svg_path: Path | None, *, as_json: bool) -> None:
    from adk_agent_sim.scenario.format.scenario_summary import render_text, summarize_scenario
    from adk_agent_sim.scenario.format.svg import render_svg
    from adk_agent_sim.scenario.world.collection_pause import pause_garbage_collection
    from adk_agent_sim.timeline.atomic_files import atomic_write_text

    with pause_garbage_collection():
        if svg_path is not None:
            atomic_write_text(svg_path, render_svg(scenario))
        if as_json:
            print_json(summarize_scenario(scenario).model_dump())
        else:
            print_document(render_text(scenario))
