"""`adksim scenario lint`: reports the problems of scenarios, each with its position and advice."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from adk_agent_sim.cli.exit_codes import exit_with_result
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
    """Check the scenarios in FILES: JSON, JSON Lines, or folders of both.

    A file or line that cannot be read is reported as an error, and the others are checked nevertheless. Exits with 1 if
    there are errors (warnings alone do not fail), and with 3 if the files contain no scenario.

    \b
    adksim scenario lint scenario.json
    adksim scenario lint --are scenarios/
    """
    findings, scenario_count = _lint_files(files, checks_are=are)
    if as_json:
        print_json([each.model_dump() for each in findings])
    else:
        _print_findings(findings)
    problem = None if scenario_count else "The files contain no scenario, so nothing was checked."
    exit_with_result(has_failed=any(each.severity == "error" for each in findings), problem=problem)


def _lint_files(files: Sequence[Path], *, checks_are: bool) -> tuple[list[LocatedFinding], int]:
    """Return the findings, and how many scenarios could be read."""
    from adk_agent_sim.cli.progress_bar import ProgressBar
    from adk_agent_sim.scenario.format.lint_files import count_scenarios, read_scenarios
    from adk_agent_sim.use_cases.worlds import lint_scenario

    progress, total = ProgressBar("scenarios"), count_scenarios(files)
    findings: list[LocatedFinding] = []
    scenario_count = 0
    for done, each in enumerate(read_scenarios(files)):
        progress(done, max(total, done + 1))
        findings += each.findings
        if each.scenario is not None:
            scenario_count += 1
            findings += lint_scenario(each.scenario, are=checks_are)
    progress.close()
    return findings, scenario_count


def _print_findings(findings: Sequence[LocatedFinding]) -> None:
    for each in findings[:_MAX_PRINTED]:
        print_finding(each)
    if len(findings) > _MAX_PRINTED:
        print_line(f"... and {len(findings) - _MAX_PRINTED} more; --json prints all")
    errors = sum(each.severity == "error" for each in findings)
    print_line(f"{errors} errors, {len(findings) - errors} warnings")


def print_finding(finding: LocatedFinding, indent: str = "") -> None:
    """Print one finding, which `adksim scenario check` prints too."""
    print_line(style(f"{indent}{finding}", fg="red" if finding.severity == "error" else "yellow"))
