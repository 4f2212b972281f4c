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
    from adk_agent_sim.scenario.format.lint_finding import LocatedFinding

_MAX_PRINTED = 100
"""How many findings of a file are printed; `--json` prints all."""


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--are", is_flag=True, help="Tell also what the ARE package would refuse.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def lint(files: tuple[Path, ...], are: bool, as_json: bool) -> None:
    """Check the scenarios in FILES: JSON, JSON Lines, or directories of both.

    Exit code 1 if there are errors; warnings alone are no error.
    """
    found = [each for file in files for each in _lint_path(file, are=are)]
    if as_json:
        click.echo(json.dumps([asdict(each) for each in found], indent=2))
    else:
        _print_findings(found)
    sys.exit(1 if any(each.severity == "error" for each in found) else 0)


def _lint_path(path: Path, *, are: bool) -> Iterator[LocatedFinding]:
    from adk_agent_sim.errors import InvalidScenario
    from adk_agent_sim.scenario import load_scenarios
    from adk_agent_sim.scenario.format.lint import lint as findings
    from adk_agent_sim.scenario.format.lint_finding import LocatedFinding
    from adk_agent_sim.scenario.format.scenario_files import find_scenario_files

    try:
        for file in find_scenario_files(path):
            for scenario in load_scenarios(file):
                yield from findings(scenario, are=are)
    except InvalidScenario as error:
        yield LocatedFinding(
            file=error.source,
            line=1,
            path="the file",
            code="unreadable",
            severity="error",
            message="; ".join(str(each) for each in error.problems),
            advice="Mend the file",
        )


def _print_findings(findings: Sequence[LocatedFinding]) -> None:
    for each in findings[:_MAX_PRINTED]:
        click.echo(click.style(str(each), fg="red" if each.severity == "error" else "yellow"))
    if len(findings) > _MAX_PRINTED:
        click.echo(f"... and {len(findings) - _MAX_PRINTED} more; --json prints all")
    errors = sum(each.severity == "error" for each in findings)
    click.echo(f"{errors} errors, {len(findings) - errors} warnings")
