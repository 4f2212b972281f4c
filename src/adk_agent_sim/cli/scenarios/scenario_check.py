"""`adksim scenario lint` and `check`: what is wrong in scenarios, and whether they can be solved and are repeatable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from adk_agent_sim.cli.exit_codes import exit_with_result
from adk_agent_sim.cli.progress_bar import ProgressBar
from adk_agent_sim.cli.scenarios.run_value_checks import judge_option, make_soft_judge, record_option
from adk_agent_sim.text.terminal_output import print_json, print_line, style

if TYPE_CHECKING:
    from adk_agent_sim.scenario.format.lint_finding import LocatedFinding
    from adk_agent_sim.scenario.players.checked_scenario import CheckedProperty
    from adk_agent_sim.scenario.verdict.soft_check import SoftJudge
    from adk_agent_sim.use_cases.worlds import CheckedFile


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
    from adk_agent_sim.scenario.format.lint_are import count_scenarios, read_scenarios
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


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of the random player.")
@judge_option
@record_option
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def check(files: tuple[Path, ...], seed: int, judge_name: str, record: Path, as_json: bool) -> None:
    """Check the scenarios in FILE...: JSON, JSON Lines, or folders of both, before you blame an agent.

    Reports what `adksim scenario lint` finds. Then three players that need no model play each scenario: the oracle does
    what is expected, one does nothing, and one makes valid calls at random. A scenario is sound if it is

    \b
    solvable              the oracle passes the judge
    not trivially passed  doing nothing fails, and so does calling at random
    deterministic         the same players do the same when they play again

    Exits with 0 if all three hold for all scenarios, with 1 if one does not hold or the linter finds an error (as in a
    file that cannot be read; warnings alone do not fail), and with 3 if none fails but one cannot be judged.

    \b
    adksim scenario check scenario.json
    adksim scenario check scenarios/ --json
    """
    soft = make_soft_judge(judge_name, record)
    results: list[CheckedFile] = []
    for each in _check_files(files, seed, soft):
        results.append(each)
        if not as_json:
            _print_result(each)
    if as_json:
        print_json([each.model_dump(mode="json") for each in results])
    elif len(results) > 1:
        _print_summary(results)
    nothing = None if results else "The files contain no scenario, so nothing was checked."
    problem = next((each.problem for each in results if each.problem), nothing)
    exit_with_result(has_failed=any(each.has_failed for each in results), problem=problem)


def _check_files(paths: Sequence[Path], seed: int, soft: SoftJudge | str | None) -> Iterator[CheckedFile]:
    from adk_agent_sim.scenario.players.checked_scenario import CheckCache
    from adk_agent_sim.use_cases.worlds import check_scenarios

    progress = ProgressBar("runs")
    try:
        # The results are kept for the badges in the browser.
        for each in check_scenarios(paths, seed=seed, soft=soft, cache=CheckCache(), progress=progress):
            progress.close()  # before the result is printed in its place
            yield each
    finally:
        progress.close()


def _print_result(checked: CheckedFile) -> None:
    result = checked.check
    label, colour = ("FAILED", "red") if checked.has_failed else ("OK", "green")
    if checked.problem and not checked.has_failed:
        label, colour = "NOT JUDGED", "yellow"
    print_line(style(f"{label}  {checked.file}", fg=colour))
    if result is not None and result.problem:
        print_line(f"  not judged: {result.problem}")
    elif result is not None:
        _print_property("solvable", result.solvable)
        _print_property("not trivially passed", result.not_trivial)
        _print_property("deterministic", result.deterministic)
        for note in result.notes:
            print_line(f"  note: {note}")
    for finding in checked.findings:
        print_finding(finding, "  ")


def _print_property(label: str, checked: CheckedProperty) -> None:
    answer, colour = {True: ("yes", None), False: ("no", "red"), None: ("?", "yellow")}[checked.holds]
    print_line(style(f"  {answer:<4}{label}: ", fg=colour), checked.reason)
    if checked.next_step:
        print_line(f"      next: {checked.next_step}")


def _print_summary(results: Sequence[CheckedFile]) -> None:
    failed = sum(each.has_failed for each in results)
    unknown = sum(bool(each.problem) and not each.has_failed for each in results)
    print_line(f"{len(results) - failed - unknown} ok, {failed} failed, {unknown} not judged")
