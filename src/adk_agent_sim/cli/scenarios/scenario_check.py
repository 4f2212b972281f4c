"""`adksim scenario check`: lints scenarios, and checks that they can be solved, are not trivial, and are repeatable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adk_agent_sim.cli.exit_codes import exit_with_result
from adk_agent_sim.cli.scenarios.run_value_checks import judge_option, make_soft_judge, record_option
from adk_agent_sim.cli.scenarios.scenario_lint import print_finding
from adk_agent_sim.text.terminal_output import print_json, print_line, style

if TYPE_CHECKING:
    from adk_agent_sim.cli.progress_bar import ProgressBar
    from adk_agent_sim.scenario import ScenarioImportedFromJson
    from adk_agent_sim.scenario.format.lint_finding import LocatedFinding
    from adk_agent_sim.scenario.players.checked_scenario import CheckedProperty, ScenarioCheck
    from adk_agent_sim.scenario.verdict.soft_check import SoftJudge


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
        print_json([_result_to_json(each) for each in results])
    elif len(results) > 1:
        _print_summary(results)
    nothing = None if results else "The files contain no scenario, so nothing was checked."
    problem = next((each.problem for each in results if each.problem), nothing)
    exit_with_result(has_failed=any(each.has_failed for each in results), problem=problem)


@dataclass(frozen=True, kw_only=True)
class CheckedFile:
    """The outcome of one scenario: the result of its check, or the reason why it cannot be read."""

    name: str
    """The file, with the line if it has several scenarios."""

    result: ScenarioCheck | None

    findings: Sequence[LocatedFinding]
    """What the linter finds, or why the scenario cannot be read."""

    @property
    def problem(self) -> str:
        """Why the scenario was not judged; empty if it was."""
        return "; ".join(each.message for each in self.findings) if self.result is None else self.result.problem

    @property
    def has_failed(self) -> bool:
        """Whether a demand does not hold, or the linter finds errors."""
        is_refuted = self.result is not None and not self.problem and self.result.status != "ok"
        return is_refuted or any(each.severity == "error" for each in self.findings)


def _check_files(paths: Sequence[Path], seed: int, soft: SoftJudge | str | None) -> Iterator[CheckedFile]:
    """Yield a result for every scenario; one that cannot be read does not stop the others."""
    from adk_agent_sim.cli.progress_bar import ProgressBar
    from adk_agent_sim.scenario.format.lint_files import count_scenarios, read_scenarios

    progress, total = ProgressBar("runs"), count_scenarios(paths)
    try:
        for done, each in enumerate(read_scenarios(paths)):
            checked = CheckedFile(name=each.name, result=None, findings=each.findings)
            if each.scenario is not None:
                result = _check_scenario(each.scenario, seed, soft, RunCounter(progress, done, total))
                checked = CheckedFile(name=each.name, result=result, findings=result.findings)
            progress.close()  # before the result is printed in its place
            yield checked
    finally:
        progress.close()


@dataclass(frozen=True)
class RunCounter:
    """Shows the runs of one scenario as part of the runs of all."""

    progress: ProgressBar
    done_scenarios: int
    scenario_count: int

    def __call__(self, done: int, total: int) -> None:
        """Show how many runs are done, of this scenario and of those before it."""
        self.progress(self.done_scenarios * total + done, max(self.scenario_count, self.done_scenarios + 1) * total)


def _check_scenario(
    scenario: ScenarioImportedFromJson, seed: int, soft: SoftJudge | str | None, counter: RunCounter
) -> ScenarioCheck:
    from adk_agent_sim.scenario.players.check_cache import CheckCache
    from adk_agent_sim.scenario.players.checked_scenario import check_scenario

    result = check_scenario(scenario, seed=seed, soft=soft, progress=counter)
    if seed == 0 and soft is None:
        CheckCache().save(scenario, result)  # for the badges in the browser, which checks in the same way
    return result


def _result_to_json(checked: CheckedFile) -> dict[str, Any]:
    if checked.result is None:
        findings = [asdict(each) for each in checked.findings]
        return {"file": checked.name, "status": "unreadable", "problem": checked.problem, "findings": findings}
    return {"file": checked.name, **checked.result.to_json()}


def _print_result(checked: CheckedFile) -> None:
    result = checked.result
    label, colour = ("FAILED", "red") if checked.has_failed else ("OK", "green")
    if checked.problem and not checked.has_failed:
        label, colour = "NOT JUDGED", "yellow"
    print_line(style(f"{label}  {checked.name}", fg=colour))
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
