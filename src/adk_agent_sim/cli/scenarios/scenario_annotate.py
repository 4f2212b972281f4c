"""`adksim scenario annotate`: writes a reviewer's decision about a scenario into its file."""

from __future__ import annotations

from pathlib import Path

import click

from adk_agent_sim.cli.scenarios.scenario_choice import ScenarioChoice, scenario_option
from adk_agent_sim.text.terminal_output import print_json, print_lines


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@scenario_option
@click.option("--decision", type=click.Choice(["valid", "invalid", "needs_review"]), help="The reviewer's decision.")
@click.option("--comment", help="The reason for the decision.")
@click.option("--annotator", help="The reviewer's name.")
@click.option("--json", "as_json", is_flag=True, help="Print the annotation as JSON.")
def annotate(
    file: Path,
    scenario_id: str | None,
    decision: str | None,
    comment: str | None,
    annotator: str | None,
    as_json: bool,
) -> None:
    """Write a reviewer's decision, comment and name into FILE; without options, print the current annotation.

    Everything else in the file stays as it is: the dialect, the order of keys, the indentation.

    \b
    adksim scenario annotate scenario.json
    adksim scenario annotate scenarios.jsonl --scenario lunch --decision invalid
    adksim scenario annotate scenario.json --decision valid --comment "solvable in two turns" --annotator Ada
    """
    from adk_agent_sim.scenario.format.models import to_json_value
    from adk_agent_sim.scenario.format.scenario_files import annotate_file
    from adk_agent_sim.timeline.clock import WallClock

    options = {"validation_decision": decision, "comment": comment, "annotator": annotator}
    changes = {name: value for name, value in options.items() if value is not None}
    if changes:
        scenario = annotate_file(file, changes, now=WallClock().now(), scenario_id=scenario_id)
    else:
        scenario = ScenarioChoice(file, scenario_id).get_single("annotate")
    annotation = to_json_value(scenario.annotation)
    if as_json:
        print_json(annotation)
    else:
        print_lines([f"{name}: {value}" for name, value in annotation.items()] or ["no annotation"])
