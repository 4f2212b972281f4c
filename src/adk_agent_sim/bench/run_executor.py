"""Executes one run of a plan after the other in this process, and writes its files; each run starts from scratch."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

from adk_agent_sim.adk.evals.eval_case_run import EvalCaseFiles, EvalCaseResult, EvalCaseRun
from adk_agent_sim.adk.evals.model_judge import ModelJudge
from adk_agent_sim.adk.loading.agent_loader import AgentReloader, App
from adk_agent_sim.adk.worlds.run_exports import RunExports
from adk_agent_sim.adk.worlds.run_plan import DEFAULT_AGENT, add_rules, load_agent, prepare_run, run_and_export
from adk_agent_sim.adk.worlds.run_result import WorldRunResult
from adk_agent_sim.adk.worlds.world_clock import WorldClock
from adk_agent_sim.bench.bench_plan import PlannedRun, RunFiles
from adk_agent_sim.bench.bench_result import BenchResult, Outcome
from adk_agent_sim.bench.bench_task import BenchTask
from adk_agent_sim.bench.failure_reasons import ReasonMask
from adk_agent_sim.bench.rate_limits import is_rate_limit
from adk_agent_sim.bench.run_journal import JournaledStore, get_journal_path
from adk_agent_sim.bench.run_queue import RunReport, build_failure
from adk_agent_sim.errors import InvalidScenario, JudgeFailed, NotJudgeable
from adk_agent_sim.golden.case_criteria import CaseCriteria
from adk_agent_sim.golden.eval_set_files import read_eval_cases
from adk_agent_sim.golden.export_formats import EXPORT_FORMATS
from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.verdict.judge import Judge
from adk_agent_sim.scenario.verdict.soft_check import REPLAY_PREFIX, RecordedAnswers
from adk_agent_sim.scenario.world.collection_pause import pause_garbage_collection
from adk_agent_sim.text.surrogates import replace_lone_surrogates
from adk_agent_sim.timeline.clock import Clock, WallClock
from adk_agent_sim.timeline.timeline import Timeline

FILE_ENDINGS = {
    "report": ".html",
    "trace": ".trace.json",
    "eval_set": EXPORT_FORMATS["evalset"].extension,
    "markdown": EXPORT_FORMATS["markdown"].extension,
    "timeline": EXPORT_FORMATS["jsonl"].extension,
}
"""What the name of each file of a run ends with."""


class RunExecutor:
    """Executes runs. The last scenario and its judge are kept, because the next run is often in the same one."""

    def __init__(self, folder: Path, files: RunFiles, clock: Clock | None = None) -> None:
        self._folder = folder
        self._files = files
        self._agents = AgentReloader()
        self._scenario: tuple[BenchTask, ScenarioImportedFromJson] | None = None
        self._judge: tuple[BenchTask, str | None, Judge] | None = None
        self._models: dict[str, ModelJudge] = {}
        self._clock = clock or WallClock()

    def execute(self, run: PlannedRun) -> RunReport:
        """Execute a run; whatever happens in it is reported, without the secrets that a reason may contain."""
        report = self._execute(run)
        if not report.result.reason:
            return report
        # Here, where the environment still has what the agent's `.env` says.
        return replace(report, result=ReasonMask().mask(report.result))

    def close(self) -> None:
        """End the threads in which judges are asked."""
        while self._models:
            self._models.popitem()[1].close()

    def _execute(self, run: PlannedRun) -> RunReport:
        started_at = self._clock.monotonic()
        try:
            return self._run_eval_case(run) if run.task.kind == "eval_case" else self._run_in_world(run)
        except (InvalidScenario, NotJudgeable) as error:
            seconds = self._clock.monotonic() - started_at
            return RunReport(result=build_failure(run, "not_judged", str(error), wall_seconds=seconds))
        except Exception as error:  # noqa: BLE001 - the boundary of a run: it is recorded, and the next one starts
            reason = replace_lone_surrogates(f"{type(error).__name__}: {error}")
            seconds = self._clock.monotonic() - started_at
            failure = build_failure(run, "error", reason, wall_seconds=seconds)
            return RunReport(result=failure, is_rate_limited=is_rate_limit(error))

    def _run_in_world(self, run: PlannedRun) -> RunReport:
        scenario = self._read_scenario(run.task)
        judge = self._prepare_judge(run, scenario)
        world_run = prepare_run(run.plan, scenario, judge=judge, app=self._load_agent(run.plan.agent))
        exports = self._choose_exports(run)
        with self._open_store(run) as store:
            world_run.store, world_run.timeline = store, Timeline(store, WorldClock(world_run.world))
            # A loop for each run, so that tasks that an agent leaves behind end with it.
            result = asyncio.run(run_and_export(world_run, exports))
        built = build_result(run, result, report=exports.report is not None)
        failure = world_run.failure
        if failure is None and isinstance(world_run.judge_failure, JudgeFailed):
            # Unlike a scenario that nobody can judge, this is worth another attempt.
            failure, built = world_run.judge_failure, built.model_copy(update={"outcome": "error"})
        return RunReport(result=built, is_rate_limited=is_rate_limit(failure))

    def _run_eval_case(self, run: PlannedRun) -> RunReport:
        plan, criteria = run.plan, run.task.criteria or CaseCriteria()
        case = read_eval_cases(Path(run.task.file))[run.task.offset]
        stem = str(self._folder / run.stem)
        files = EvalCaseFiles(
            markdown=Path(stem + FILE_ENDINGS["markdown"]) if self._files.markdown else None,
            report=Path(stem + FILE_ENDINGS["report"]) if self._files.report else None,
            timeline=Path(stem + FILE_ENDINGS["timeline"]) if self._files.timeline else None,
        )
        app = add_rules(self._load_agent(plan.agent), plan, run.task.task_id)

        async def execute(store: JournaledStore) -> EvalCaseResult:
            case_run = EvalCaseRun(
                app,
                case,
                criteria,
                player=plan.player,
                model=plan.model,
                max_steps=plan.options.max_steps,
                files=files,
                store=store,
            )
            return await case_run.run()

        with self._open_store(run) as store:
            result = asyncio.run(execute(store))
        return RunReport(
            result=_build_case_result(run, result, report=files.report is not None),
            is_rate_limited=is_rate_limit(result.failure),
        )

    @contextmanager
    def _open_store(self, run: PlannedRun) -> Generator[JournaledStore]:
        store = JournaledStore(get_journal_path(self._folder, run.key))
        try:
            yield store
        finally:
            store.close_journal()

    def _load_agent(self, agent: str) -> App:
        return load_agent(agent) if agent == DEFAULT_AGENT else self._agents.load(Path(agent))

    def _read_scenario(self, task: BenchTask) -> ScenarioImportedFromJson:
        if self._scenario is None or self._scenario[0] != task:
            self._scenario = self._judge = None  # so that two large ones are never in memory together
            with pause_garbage_collection():
                self._scenario = task, task.read_scenario()
        return self._scenario[1]

    def _prepare_judge(self, run: PlannedRun, scenario: ScenarioImportedFromJson) -> Judge:
        name = run.plan.judge
        if name is not None and not name.startswith(REPLAY_PREFIX):
            if name not in self._models:
                self._models[name] = ModelJudge(name)
            # Its answers go to a file of the run, so this judge cannot be kept for the next one.
            return Judge(scenario, soft=RecordedAnswers(self._models[name], self._folder / f"{run.stem}.judge.jsonl"))
        if self._judge is None or self._judge[:2] != (run.task, name):
            self._judge = run.task, name, Judge(scenario, soft=name)
        return self._judge[2]

    def _choose_exports(self, run: PlannedRun) -> RunExports:
        stem = str(self._folder / run.stem)
        wanted = [name for name, is_wanted in asdict(self._files).items() if is_wanted]
        return RunExports(**{name: stem + FILE_ENDINGS[name] for name in wanted})


def build_result(run: PlannedRun, result: WorldRunResult, *, report: bool) -> BenchResult:
    """Return a run in a world as a line of the results."""
    problems = " ".join(result.export_problems)
    return BenchResult(
        **run.key.model_dump(),
        outcome=_choose_outcome(result),
        passed=result.passed is True,
        reason=replace_lone_surrogates(f"{result.reason} {problems}".strip()),
        tags=run.task.tags,
        input_tokens=result.prompt_tokens,
        output_tokens=result.output_tokens,
        model_calls=result.step_count,
        tool_calls=result.call_count + result.rule_answer_count,
        simulated_seconds=result.simulated_seconds,
        wall_seconds=round(result.wall_seconds, 3),
        report=run.stem + FILE_ENDINGS["report"] if report else "",
        world_seed=run.plan.options.seed or 0,
    )


def _build_case_result(run: PlannedRun, result: EvalCaseResult, *, report: bool) -> BenchResult:
    """Return a run of an eval case as a line of the results."""
    outcome: Outcome = "not_judged" if result.outcome == "not judged" else result.outcome
    return BenchResult(
        **run.key.model_dump(),
        outcome=outcome,
        passed=outcome == "passed",
        reason=replace_lone_surrogates(result.reason),
        tags=run.task.tags,
        input_tokens=result.input_tokens,
        output_tokens=result.output_tokens,
        model_calls=result.model_calls,
        tool_calls=result.tool_calls,
        wall_seconds=round(result.wall_seconds, 3),
        report=run.stem + FILE_ENDINGS["report"] if report else "",
        world_seed=run.plan.options.seed or 0,
    )


def _choose_outcome(result: WorldRunResult) -> Outcome:
    if result.metadata.has_exception:
        return "error"
    if result.passed is None:
        return "not_judged"
    return "passed" if result.passed else "failed"
