"""Checks scenarios before an agent is blamed, and runs agents in their worlds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pydantic import Field, computed_field

from adk_agent_sim.adk.loading.agent_loader import App
from adk_agent_sim.adk.worlds import run_plan
from adk_agent_sim.adk.worlds.run_exports import RunExports, write_exports
from adk_agent_sim.adk.worlds.run_plan import WorldRunPlan
from adk_agent_sim.adk.worlds.run_result import WorldRunResult
from adk_agent_sim.adk.worlds.world_checkpoints import WorldCheckpoints
from adk_agent_sim.adk.worlds.world_run import WorldRun
from adk_agent_sim.scenario.format import lint
from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.format.lint_are import count_scenarios, read_scenarios
from adk_agent_sim.scenario.format.lint_finding import LocatedFinding
from adk_agent_sim.scenario.players import checked_scenario
from adk_agent_sim.scenario.players.checked_scenario import CheckCache, ScenarioCheck
from adk_agent_sim.scenario.verdict.judge import Judge
from adk_agent_sim.scenario.verdict.soft_check import SoftJudge
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.use_cases.record import Record


class CheckedFile(Record):
    """The outcome of one scenario of a file: the result of its check, or why it cannot be read."""

    file: str = Field(description="The file, with the line if it has several scenarios")
    check: ScenarioCheck | None = None
    unreadable: list[LocatedFinding] = Field(default=[], description="Why the scenario cannot be read")

    @property
    def findings(self) -> Sequence[LocatedFinding]:
        """What the linter finds, or why the scenario cannot be read."""
        return self.unreadable if self.check is None else self.check.findings

    @computed_field
    @property
    def status(self) -> str:
        """The result in one word."""
        return "unreadable" if self.check is None else self.check.status.value

    @computed_field
    @property
    def problem(self) -> str:
        """Why the scenario was not judged; empty if it was."""
        return "; ".join(each.message for each in self.findings) if self.check is None else self.check.problem

    @computed_field
    @property
    def has_failed(self) -> bool:
        """Whether a demand does not hold, or the linter finds errors; warnings alone are none."""
        is_refuted = self.check is not None and not self.problem and self.check.status != "ok"
        return is_refuted or any(each.severity == "error" for each in self.findings)


def check_scenario(
    scenario: ScenarioImportedFromJson,
    *,
    seed: int = 0,
    soft: SoftJudge | str | None = None,
    cache: CheckCache | None = None,
    max_wall_seconds: float | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> ScenarioCheck:
    """Lint a scenario, and check that it is solvable, not trivially passed and deterministic. Blocks.

    Args:
        scenario: The scenario.
        seed: The seed of the random player.
        soft: Who answers whether texts mean the same; None does not compare texts.
        cache: Keeps the result if it is what all others get: with the first seed, and without a judge of texts.
        max_wall_seconds: The most real time that it may take.
        progress: Called with the number of finished runs and their total.
    """
    check = checked_scenario.check_scenario(
        scenario, seed=seed, soft=soft, max_wall_seconds=max_wall_seconds, progress=progress
    )
    if cache is not None and seed == 0 and soft is None:
        cache.save(scenario, check)
    return check


def check_scenarios(
    paths: Sequence[Path],
    *,
    seed: int = 0,
    soft: SoftJudge | str | None = None,
    cache: CheckCache | None = None,
    progress: Callable[[int, int], object] = lambda done, total: None,
) -> Iterator[CheckedFile]:
    """Check the scenarios of files and folders; one that cannot be read does not keep the others from being checked.

    Args:
        paths: The files and folders.
        seed: As in `check_scenario`, like `soft` and `cache`.
        soft: Who answers whether texts mean the same.
        cache: Keeps the results.
        progress: Called with the number of finished runs of all scenarios and their total.
    """
    count, runs = count_scenarios(paths), checked_scenario.RUN_COUNT
    for place, each in enumerate(read_scenarios(paths)):
        if each.scenario is None:
            yield CheckedFile(file=each.name, unreadable=list(each.findings))
            continue
        before, total = place * runs, max(count, place + 1) * runs
        check = check_scenario(
            each.scenario,
            seed=seed,
            soft=soft,
            cache=cache,
            progress=lambda done, _, before=before, total=total: progress(before + done, total),
        )
        yield CheckedFile(file=each.name, check=check)


def lint_scenario(scenario: ScenarioImportedFromJson, *, are: bool = False) -> list[LocatedFinding]:
    """Return the problems of a scenario by line; with `are`, also what the ARE package would reject."""
    return list(lint.lint(scenario, checks_are=are))


def prepare_world_run(
    plan: WorldRunPlan,
    scenario: ScenarioImportedFromJson,
    *,
    soft: SoftJudge | str | None = None,
    app: App | None = None,
    timeline: Timeline | None = None,
) -> WorldRun:
    """Return a run of an agent in a scenario's world.

    Args:
        plan: Who runs, and how.
        scenario: The scenario.
        soft: Who answers whether texts mean the same; by default as the plan says.
        app: The agent's app, if it was loaded before.
        timeline: Where the session is recorded, so that a person can play or watch, undo and fork; by default one of
            its own.

    Raises:
        NotJudgeable: The scenario expects nothing, or its oracle fails.
        SimulatorError: Something in the plan cannot be used: its agent, model, player, rules or scenario.
    """
    judge = Judge(scenario, soft=soft if soft is not None else plan.judge)
    checkpoints = None if timeline is None else WorldCheckpoints()
    return run_plan.prepare_run(plan, scenario, judge=judge, app=app, timeline=timeline, checkpoints=checkpoints)


async def run_in_world(
    run: WorldRun, exports: RunExports | None = None, on_step: Callable[[int], object] | None = None
) -> WorldRunResult:
    """Run an agent in a world until it is judged, and write what is asked for.

    Args:
        run: The run.
        exports: The files to write; one that cannot be written is a problem in the result, and no error.
        on_step: Called with the number of model calls so far.
    """
    return await run_plan.run_and_export(run, exports or RunExports(), on_step)


async def export_world_run(run: WorldRun, result: WorldRunResult, exports: RunExports) -> WorldRunResult:
    """Write the files of a run that a person has played, and return its result with what could not be written."""
    return await write_exports(run, result, exports)
