"""`adksim scenario run`: a scenario's own events, the agent's part too, in no time."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from adk_agent_sim.scenario.world.oracle_result import EventFailure, OracleResult
    from adk_agent_sim.scenario.world.world import World

_MAX_PRINTED = 200
"""How many events are printed; `--json` prints all."""


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--oracle", is_flag=True, help="Do what the scenario expects of the agent.")
@click.option("--fs-content", type=click.Path(file_okay=False, path_type=Path), help="The contents of its files.")
@click.option("--seed", type=int, help="What ids and chance are derived from; the scenario's own if left out.")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="Write the trace, as ARE reads it.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def run(
    file: Path, oracle: bool, fs_content: Path | None, seed: int | None, output: Path | None, as_json: bool
) -> None:
    """Run the scenario in FILE as it is expected to go, and list what failed or never happened.

    Exit code 1 if something did.
    """
    from adk_agent_sim.cli.progress_bar import ProgressBar
    from adk_agent_sim.scenario import World, load_scenario
    from adk_agent_sim.scenario.format.are_conversion import convert_to_are
    from adk_agent_sim.scenario.format.exporter import serialize_trace
    from adk_agent_sim.timeline.atomic_files import atomic_write_text

    if not oracle:
        raise click.UsageError(
            "Say --oracle to let the expected actions play the agent, or use `adksim scenario play`."
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
        click.echo(json.dumps(_result_to_json(world, result), indent=2))
    else:
        _print_result(world, result)
    sys.exit(0 if result.ok else 1)


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
    from adk_agent_sim.scenario.format.printable import escape_unprintable

    start = world.scenario.start_time or 0
    for each in result.completed[:_MAX_PRINTED]:
        time = f"+{each.time - start:g} s"
        line = f"{time:>10}  {each.kind:<5}  {each.app}__{each.function}  ({each.event_id})"
        click.echo(
            escape_unprintable(line)
            if each.error is None
            else click.style(f"{escape_unprintable(line)}  failed", fg="red")
        )
    if len(result.completed) > _MAX_PRINTED:
        click.echo(f"... and {len(result.completed) - _MAX_PRINTED} more; --json prints all")
    for what, faults in (("failed", result.failed), ("never happened", result.missing)):
        for fault in faults[:_MAX_PRINTED]:
            click.echo(click.style(escape_unprintable(_format_fault(what, fault)), fg="red"))
    click.echo(
        f"{len(result.completed)} events in {result.seconds:g} s of the world's time, "
        f"{len(result.failed)} failed, {len(result.missing)} never happened"
    )


def _format_fault(label: str, fault: EventFailure) -> str:
    return f"{label}: {fault.event_id} ({fault.call}): {fault.why}"
