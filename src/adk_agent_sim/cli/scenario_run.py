"""`adksim scenario run`: runs a scenario's events and expected agent actions in virtual time."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adk_agent_sim.cli.exit_codes import ExitCode, NothingToCompare
from adk_agent_sim.text.terminal_output import print_json, print_line, style

if TYPE_CHECKING:
    from adk_agent_sim.scenario.world.oracle_result import EventFailure, OracleResult
    from adk_agent_sim.scenario.world.world import World

_MAX_PRINTED = 200
"""The most events that are printed; `--json` prints all."""


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--oracle", is_flag=True, help="Let the expected actions play the agent; required for now.")
@click.option(
    "--fs-content",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder of the apps' files.",
)
@click.option("--seed", type=int, help="The seed of ids and random numbers; by default the scenario's.")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="Write the trace in ARE's format.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def run(
    file: Path, oracle: bool, fs_content: Path | None, seed: int | None, output: Path | None, as_json: bool
) -> None:
    """Run the scenario in FILE with the actions it expects, and list what failed or never happened.

    Exits with 1 if an event failed or never happened, and with 3 if the scenario has no events.

    \b
    adksim scenario run --oracle scenario.json
    adksim scenario run --oracle scenario.json --output trace.json --json
    """
    from adk_agent_sim.cli.progress_bar import ProgressBar
    from adk_agent_sim.scenario import World, load_scenario
    from adk_agent_sim.scenario.format.are_conversion import convert_to_are
    from adk_agent_sim.scenario.format.exporter import serialize_trace
    from adk_agent_sim.timeline.atomic_files import atomic_write_text

    if not oracle:
        raise click.UsageError(
            "Add --oracle to let the expected actions play the agent, or use `adksim scenario play`."
        )
    world = World(load_scenario(file), fs_content=fs_content, seed=seed)
    progress = ProgressBar("events")
    try:
        result = world.run_oracle(progress)
    finally:
        progress.close()
    if output is not None:
        trace, _ = convert_to_are(world.export_trace())
        atomic_write_text(output, serialize_trace(trace, indent=2) + "\n")
    if as_json:
        print_json(_result_to_json(world, result))
    else:
        _print_result(world, result)
    if not result.ok:
        sys.exit(ExitCode.FAILED)
    if not result.completed:
        raise NothingToCompare(f"{file} has no events, so nothing was run. Add events to the scenario.")
    sys.exit(ExitCode.OK)


def _result_to_json(world: World, result: OracleResult) -> dict[str, Any]:
    from adk_agent_sim.scenario.format.models import to_json_value

    return {
        "scenario_id": result.scenario_id,
        "ok": result.ok,
        "seconds": result.seconds,
        "failed": [asdict(each) for each in result.failed],
        "missing": [asdict(each) for each in result.missing],
        "completed_events": [to_json_value(each) for each in world.export_completed_events()],
    }


def _print_result(world: World, result: OracleResult) -> None:
    start = world.scenario.start_time or 0
    for each in result.completed[:_MAX_PRINTED]:
        time = f"+{each.time - start:g} s"
        line = f"{time:>10}  {each.kind:<5}  {each.app}__{each.function}  ({each.event_id})"
        print_line(line if each.error is None else style(f"{line}  failed", fg="red"))
    if len(result.completed) > _MAX_PRINTED:
        print_line(f"... and {len(result.completed) - _MAX_PRINTED} more; --json prints all")
    for label, failures in (("failed", result.failed), ("never happened", result.missing)):
        for failure in failures[:_MAX_PRINTED]:
            print_line(style(_format_failure(label, failure), fg="red"))
    print_line(
        f"{len(result.completed)} events in {result.seconds:g} s of simulated time, "
        f"{len(result.failed)} failed, {len(result.missing)} never happened"
    )


def _format_failure(label: str, failure: EventFailure) -> str:
    return f"{label}: {failure.event_id} ({failure.call}): {failure.why}"
