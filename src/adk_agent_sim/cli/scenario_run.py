"""`adksim scenario run`: a scenario's own events, the agent's part too, in no time."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from adk_agent_sim.scenario.world.result import Fault, OracleResult
    from adk_agent_sim.scenario.world.world import World

_SHOWN = 200
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
    from adk_agent_sim.cli.progress import Progress
    from adk_agent_sim.scenario import World, load_scenario
    from adk_agent_sim.scenario.format.are import for_are
    from adk_agent_sim.scenario.format.exporter import text_of_trace
    from adk_agent_sim.timeline.files import write_text

    if not oracle:
        raise click.UsageError(
            "Say --oracle to let the expected actions play the agent, or use `adksim scenario play`."
        )
    world = World(load_scenario(file), fs_content=fs_content, seed=seed)
    progress = Progress("events")
    try:
        result = world.run_oracle(progress)
    finally:
        progress.close()
    if output is not None:
        trace, _ = for_are(world.exported())
        write_text(output, text_of_trace(trace, indent=2) + "\n")
    if as_json:
        click.echo(json.dumps(_data(world, result), indent=2))
    else:
        _printed(world, result)
    sys.exit(0 if result.ok else 1)


def _data(world: World, result: OracleResult) -> dict[str, Any]:
    from adk_agent_sim.scenario.format.models import plain

    return {
        "scenario_id": result.scenario_id,
        "ok": result.ok,
        "seconds": result.seconds,
        "failed": [asdict(each) for each in result.failed],
        "missing": [asdict(each) for each in result.missing],
        "completed_events": [plain(each) for each in world.completed_events()],
    }


def _printed(world: World, result: OracleResult) -> None:
    from adk_agent_sim.scenario.format.visible import visible

    start = world.scenario.start_time or 0
    for each in result.completed[:_SHOWN]:
        time = f"+{each.time - start:g} s"
        line = f"{time:>10}  {each.kind:<5}  {each.app}__{each.function}  ({each.event_id})"
        click.echo(visible(line) if each.error is None else click.style(f"{visible(line)}  failed", fg="red"))
    if len(result.completed) > _SHOWN:
        click.echo(f"... and {len(result.completed) - _SHOWN} more; --json prints all")
    for what, faults in (("failed", result.failed), ("never happened", result.missing)):
        for fault in faults[:_SHOWN]:
            click.echo(click.style(visible(_said(what, fault)), fg="red"))
    click.echo(
        f"{len(result.completed)} events in {result.seconds:g} s of the world's time, "
        f"{len(result.failed)} failed, {len(result.missing)} never happened"
    )


def _said(what: str, fault: Fault) -> str:
    return f"{what}: {fault.event_id} ({fault.call}): {fault.why}"
