"""`adksim scenario convert`: a scenario of the format's description becomes one that ARE reads."""

from __future__ import annotations

import json
from pathlib import Path

import click


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("output", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print what was adapted as JSON.")
def convert(file: Path, output: Path, as_json: bool) -> None:
    """Write the scenario in FILE to OUTPUT as ARE reads it, and list what was adapted."""
    from adk_agent_sim.scenario import load_scenario
    from adk_agent_sim.scenario.format.are import for_are
    from adk_agent_sim.scenario.format.exporter import text_of_trace
    from adk_agent_sim.scenario.format.visible import visible
    from adk_agent_sim.timeline.files import write_text

    scenario = load_scenario(file)
    trace, changed = for_are(scenario.trace)
    write_text(output, text_of_trace(trace, indent=2) + "\n")
    adapted = [*scenario.adapted, *changed]
    if as_json:
        click.echo(json.dumps({"output": str(output), "adapted": adapted}, indent=2))
    else:
        click.echo("\n".join([f"written: {output}", *(visible(f"adapted: {change}") for change in adapted)]))
