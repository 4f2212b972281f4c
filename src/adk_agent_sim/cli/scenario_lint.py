"""`adksim scenario lint`: reports the problems of scenarios, each with its position and advice."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from adk_agent_sim.cli.exit_codes import ExitCode, NothingToCompare
from adk_agent_sim.text.terminal_output import print_json, print_line, style

if TYPE_CHECKING:
    from adk_agent_sim.scenario.format.lint_finding import LocatedFinding

_MAX_PRINTED = 100
"""The most findings that are printed; `--json` prints all."""


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--are", is_flag=True, help="Also report what the ARE package would reject.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def lint(files: tuple[Path, ...], are: bool, as_json: bool) -> None:
    """Check the scenarios in FILES: JSON, JSON Lines, or directories of both.

    Exits with 1 if there are errors (warnings alone do not fail), and with 3 if the files contain no scenario.

    \b
    adksim scenario lint scenario.json
    adksim scenario lint --are scenarios/
    """
    counter = _ScenarioCounter()
    findings = [each for file in files for each in _lint_path(file, counter, are=are)]
    if as_json:
        print_json([asdict(each) for each in findings])
    else:
        _print_findings(findings)
    if any(each.severity == "error" for each in findings):
        sys.exit(ExitCode.FAILED)
    if not counter.scenarios:
        raise NothingToCompare("The files contain no scenario, so nothing was checked.")
    sys.exit(ExitCode.OK)


@dataclass
class _ScenarioCounter:
    scenarios: int = 0


def _lint_path(path: Path, counter: _ScenarioCounter, *, are: bool) -> Iterator[LocatedFinding]:
    from adk_agent_sim.errors import InvalidScenario
    from adk_agent_sim.scenario import load_scenarios
    from adk_agent_sim.scenario.format.lint import lint as lint_scenario
    from adk_agent_sim.scenario.format.lint_finding import LocatedFinding
    from adk_agent_sim.scenario.format.scenario_files import find_scenario_files

    try:
        for file in find_scenario_files(path):
            for scenario in load_scenarios(file):
                counter.scenarios += 1
                yield from lint_scenario(scenario, are=are)
    except InvalidScenario as error:
        yield LocatedFinding(
            file=error.source,
            line=1,
            path="the file",
            code="unreadable",
            severity="error",
            message="; ".join(str(each) for each in error.problems),
            advice="Fix the file",
        )


def _print_findings(findings: Sequence[LocatedFinding]) -> None:
    for each in findings[:_MAX_PRINTED]:
        print_line(style(str(each), fg="red" if each.severity == "error" else "yellow"))
    if len(findings) > _MAX_PRINTED:
        print_line(f"... and {len(findings) - _MAX_PRINTED} more; --json prints all")
    errors = sum(each.severity == "error" for each in findings)
    print_line(f"{errors} errors, {len(findings) - errors} warnings")
