"""`adksim scenario`: the group of commands for scenario files; its longer commands have their own modules."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from adk_agent_sim.cli.exit_codes import ExitCode, NothingToCompare
from adk_agent_sim.cli.play.browser import BrowserSettings, browser_options, serve_in_browser
from adk_agent_sim.cli.progress_bar import ProgressBar
from adk_agent_sim.cli.scenarios.scenario_check import check, lint
from adk_agent_sim.cli.scenarios.scenario_choice import ScenarioChoice, scenario_option
from adk_agent_sim.cli.scenarios.scenario_convert import convert
from adk_agent_sim.cli.scenarios.scenario_judge import judge_command
from adk_agent_sim.cli.scenarios.scenario_run import run
from adk_agent_sim.errors import InvalidLabels
from adk_agent_sim.scenario.verdict.agreement import Agreement, compare_with_labels, read_labels, read_verdicts
from adk_agent_sim.scenario.world.collection_pause import pause_garbage_collection
from adk_agent_sim.text.terminal_output import print_document, print_json, print_line, print_lines, style
from adk_agent_sim.timeline.atomic_files import atomic_write_text
from adk_agent_sim.timeline.clock import WallClock

if TYPE_CHECKING:
    from adk_agent_sim.scenario import ScenarioImportedFromJson


_MAX_PRINTED = 100
"""The most disagreements that are printed; `--json` prints all."""


@click.group()
def scenario() -> None:
    """Check, show, run, judge, annotate and convert ARE and Gaia2 scenarios."""


for _command in (lint, check, run, judge_command, convert):
    scenario.add_command(_command)


@scenario.command()
@click.argument("runs", metavar="RUNS", type=click.Path(path_type=Path))
@click.argument("labels", metavar="LABELS.csv", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the comparison as JSON.")
def agreement(runs: Path, labels: Path, as_json: bool) -> None:
    """Compare the verdicts in RUNS with what people say in LABELS.csv, to see how far the judge can be trusted.

    RUNS is a file of `adksim scenario judge --json`, or a folder of such files. LABELS.csv has the columns `run`,
    the trace or its file name, and `label`: pass or fail. Cohen's kappa is the agreement beyond chance: 1 is perfect,
    0 is what guessing would give. A wide interval means that more labels are needed.

    Exits with 1 if there are disagreements, and with 3 if no run has a label.

    \b
    adksim scenario judge scenario.json traces/ --json > verdicts.json
    adksim scenario agreement verdicts.json labels.csv
    """
    try:
        found = compare_with_labels(read_verdicts(runs), read_labels(labels))
    except InvalidLabels as error:
        raise NothingToCompare(str(error)) from error
    if as_json:
        print_json({**asdict(found), "agreement": found.share})
    else:
        _print_agreement(found)
    sys.exit(ExitCode.FAILED if found.disagreements else ExitCode.OK)


def _print_agreement(found: Agreement) -> None:
    for each in found.disagreements[:_MAX_PRINTED]:
        said = f"people say {_format_label(each.label)}, the judge says {_format_label(each.verdict)}"
        print_line(style(f"{each.run}: {said}", fg="red"))
        if each.reason:
            print_line(f"  {each.reason}")
    if len(found.disagreements) > _MAX_PRINTED:
        print_line(f"... and {len(found.disagreements) - _MAX_PRINTED} more; --json prints all")
    for label, names in (("no label", found.without_label), ("no verdict", found.without_verdict)):
        if names:
            print_line(style(f"{len(names)} with {label}, such as {names[0]}", fg="yellow"))
    agreed = found.both_passed + found.both_failed
    print_line(f"{agreed} of {found.compared} runs agree ({found.share:.1%})")
    if found.kappa is None or found.interval is None:
        print_line("Cohen's kappa is undefined: both always say the same. Label runs of the other kind, too.")
    else:
        low, high = found.interval
        print_line(f"Cohen's kappa {found.kappa:.2f}, 95 % interval {low:.2f} to {high:.2f}")


def _format_label(passed: bool) -> str:
    return "pass" if passed else "fail"


@scenario.command()
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


@scenario.command()
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
        from adk_agent_sim.scenario.players.checked_scenario import CheckCache
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
    from adk_agent_sim.scenario.format.scenario_summary import render_svg, render_text, summarize_scenario

    with pause_garbage_collection():
        if svg_path is not None:
            atomic_write_text(svg_path, render_svg(scenario))
        if as_json:
            print_json(summarize_scenario(scenario).model_dump())
        else:
            print_document(render_text(scenario))
