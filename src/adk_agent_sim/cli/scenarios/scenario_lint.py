"""`adksim scenario lint`: reports the problems of scenarios, each with its position and advice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from adk_agent_sim.cli.exit_codes import exit_with_result
from adk_agent_sim.text.terminal_output import print_json, print_line, style

if TYPE_CHECKING:
    from adk_agent_sim.errors import InvalidScenario
    from adk_agent_sim.scenario.format.lint_finding import LocatedFinding
    from adk_agent_sim.scenario.format.scenario_files import ScenarioRecord

_FILE_ADVICE = "Name a .json or .jsonl file that can be read, or a folder with such files"
_JSON_ADVICE = 'Write one JSON object with the keys "version" and "metadata"; in a .jsonl file, one per line'
_FIELD_ADVICE = "Write what the format requires; `adksim scenario convert` writes files in it"

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
    run = _LintRun(checks_are=are)
    findings = [each for file in files for each in run.check_path(file)]
    run.progress.close()
    if as_json:
        print_json([asdict(each) for each in findings])
    else:
        _print_findings(findings)
    problem = None if run.scenario_count else "The files contain no scenario, so nothing was checked."
    exit_with_result(has_failed=any(each.severity == "error" for each in findings), problem=problem)


class _LintRun:
    """The check of files, folders and lines, of which none keeps the others from being checked."""

    def __init__(self, *, checks_are: bool) -> None:
        from adk_agent_sim.cli.progress_bar import ProgressBar

        self._checks_are = checks_are
        self.progress = ProgressBar("scenarios")
        self.scenario_count = 0
        """The scenarios that could be read."""

    def check_path(self, path: Path) -> Iterator[LocatedFinding]:
        """Yield the findings of a file or folder."""
        from adk_agent_sim.errors import InvalidScenario
        from adk_agent_sim.scenario.format.scenario_files import find_scenario_files, list_records

        try:
            files = find_scenario_files(path)
        except InvalidScenario as error:
            yield from _report_unreadable(error, path)
            return
        for done, file in enumerate(files):
            try:
                records = list_records(file)
            except InvalidScenario as error:
                yield from _report_unreadable(error, file)
                continue
            for index, record in enumerate(records):
                self.progress(done + index, len(files) - 1 + len(records))
                yield from self._check_record(record)

    def _check_record(self, record: ScenarioRecord) -> Sequence[LocatedFinding]:
        from adk_agent_sim.errors import InvalidScenario, SimulatorError
        from adk_agent_sim.scenario.format.lint import lint as lint_scenario
        from adk_agent_sim.scenario.world.collection_pause import pause_garbage_collection

        try:
            with pause_garbage_collection():
                scenario = record.read()
                self.scenario_count += 1
                return lint_scenario(scenario, checks_are=self._checks_are)
        except InvalidScenario as error:
            return _report_unreadable(error, record.file, record.line or 1)
        except SimulatorError as error:  # an app of an installed distribution that does not load
            message, advice = str(error).rstrip("."), "Check the file again after that"
            return [_build_file_finding(str(record.file), record.line or 1, "not-checked", message, advice)]


def _report_unreadable(error: InvalidScenario, file: Path, line: int = 1) -> Sequence[LocatedFinding]:
    from adk_agent_sim.errors.scenario_errors import ScenarioProblem
    from adk_agent_sim.scenario.format.lint_finding import LocatedFinding

    findings: list[LocatedFinding] = []
    for problem in error.problems:
        if not isinstance(problem, ScenarioProblem):
            findings.append(_build_file_finding(str(file), line, "unreadable", problem.message, _FILE_ADVICE))
            continue
        is_json = bool(problem.field)
        findings.append(
            LocatedFinding(
                file=str(file),
                line=problem.line or line,
                column=problem.column,
                path=problem.field or "the file",
                code="unreadable",
                severity="error",
                message=problem.message,
                advice=_FIELD_ADVICE if is_json else _JSON_ADVICE,
            )
        )
    return findings


def _build_file_finding(file: str, line: int, code: str, message: str, advice: str) -> LocatedFinding:
    from adk_agent_sim.scenario.format.lint_finding import LocatedFinding

    return LocatedFinding(
        file=file, line=line, path="the file", code=code, severity="error", message=message, advice=advice
    )


def _print_findings(findings: Sequence[LocatedFinding]) -> None:
    for each in findings[:_MAX_PRINTED]:
        print_line(style(str(each), fg="red" if each.severity == "error" else "yellow"))
    if len(findings) > _MAX_PRINTED:
        print_line(f"... and {len(findings) - _MAX_PRINTED} more; --json prints all")
    errors = sum(each.severity == "error" for each in findings)
    print_line(f"{errors} errors, {len(findings) - errors} warnings")
