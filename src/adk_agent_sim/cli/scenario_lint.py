"""`adksim scenario lint`: what is wrong with scenarios, and what to do."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from adk_agent_sim.scenario.format.finding import Located

_SHOWN = 100
"""How many findings of a file are printed; `--json` prints all."""


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--are", is_flag=True, help="Tell also what the ARE package would refuse.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def lint(files: tuple[Path, ...], are: bool, as_json: bool) -> None:
    """Check the scenarios in FILES: JSON, JSON Lines, or directories of both.

    Exit code 1 if there are errors; warnings alone are no error.
    """
    found = [each for file in files for each in _findings(file, are=are)]
    if as_json:
        click.echo(json.dumps([asdict(each) for each in found], indent=2))
    else:
        _printed(found)
    sys.exit(1 if any(each.severity == "error" for each in found) else 0)


def _findings(path: Path, *, are: bool) -> Iterator[Located]:
    from adk_agent_sim.errors import ScenarioUnreadable
    from adk_agent_sim.scenario import load_scenarios
    from adk_agent_sim.scenario.format.finding import Located
    from adk_agent_sim.scenario.format.lint import lint as findings
    from adk_agent_sim.scenario.format.loading import scenario_files

    try:
        for file in scenario_files(path):
            for scenario in load_scenarios(file):
                yield from findings(scenario, are=are)
    except ScenarioUnreadable as error:
        yield Located(
            file=error.source,
            line=1,
            path="the file",
            code="unreadable",
            severity="error",
            message="; ".join(str(each) for each in error.problems),
            advice="Mend the file",
        )


def _printed(found: Sequence[Located]) -> None:
    for each in found[:_SHOWN]:
        click.echo(click.style(str(each), fg="red" if each.severity == "error" else "yellow"))
    if len(found) > _SHOWN:
        click.echo(f"... and {len(found) - _SHOWN} more; --json prints all")
    errors = sum(each.severity == "error" for each in found)
    click.echo(f"{errors} errors, {len(found) - errors} warnings")
