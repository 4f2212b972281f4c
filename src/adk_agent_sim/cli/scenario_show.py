"""`adksim scenario show`: a scenario in words and as a graph."""

from __future__ import annotations

import json
from pathlib import Path

import click


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--svg", "svg_path", type=click.Path(dir_okay=False, path_type=Path), help="Write the graph as SVG.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
def show(file: Path, svg_path: Path | None, as_json: bool) -> None:
    """Show the scenario in FILE: what it is, its apps, and its events in the order in which they happen."""
    from adk_agent_sim.scenario import load_scenario
    from adk_agent_sim.scenario.format.show import as_text, summary
    from adk_agent_sim.scenario.format.svg import as_svg
    from adk_agent_sim.timeline.files import write_text

    scenario = load_scenario(file)
    if svg_path is not None:
        write_text(svg_path, as_svg(scenario))
    if as_json:
        click.echo(json.dumps(summary(scenario), indent=2))
    else:
        click.echo(as_text(scenario))
