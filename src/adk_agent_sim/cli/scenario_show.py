"""`adksim scenario show`: shows scenarios as text, as an SVG graph, or in the browser."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from adk_agent_sim.cli.browser import BrowserSettings, browser_options
from adk_agent_sim.text.terminal_output import print_document, print_json


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--svg", "svg_path", type=click.Path(dir_okay=False, path_type=Path), help="Write the graph as SVG.")
@click.option("--json", "as_json", is_flag=True, help="Print the summaries as JSON, one document per file.")
@click.option("--web", is_flag=True, help="Show the scenarios in the browser: graph, timeline, states, annotations.")
@browser_options
def show(
    files: Sequence[Path],
    svg_path: Path | None,
    as_json: bool,
    web: bool,
    browser: BrowserSettings,
) -> None:
    """Show the scenarios in FILE...: metadata, apps, and events in the order in which they happen.

    \b
    adksim scenario show scenario.json --svg graph.svg
    adksim scenario show scenarios/*.json --web --open
    """
    if web and (svg_path or as_json):
        raise click.UsageError("--web shows scenarios in the browser: leave out --svg and --json.")
    if svg_path is not None and len(files) > 1:
        raise click.UsageError("--svg writes the graph of one scenario: give one FILE.")
    if web:
        from adk_agent_sim.cli.browser import serve_in_browser
        from adk_agent_sim.server.scenario_catalog import ScenarioCatalog

        serve_in_browser([], browser, scenarios=ScenarioCatalog(files))
        return
    for file in files:
        _print_scenario(file, svg_path, as_json=as_json)


def _print_scenario(file: Path, svg_path: Path | None, *, as_json: bool) -> None:
    from adk_agent_sim.scenario import load_scenario
    from adk_agent_sim.scenario.format.scenario_summary import render_text, summarize_scenario
    from adk_agent_sim.scenario.format.svg import render_svg
    from adk_agent_sim.timeline.atomic_files import atomic_write_text

    scenario = load_scenario(file)
    if svg_path is not None:
        atomic_write_text(svg_path, render_svg(scenario))
    if as_json:
        print_json(summarize_scenario(scenario))
    else:
        print_document(render_text(scenario))
