"""`adksim scenario run --agent`: runs an agent in the worlds of scenarios, and prints the verdicts."""

from __future__ import annotations

import asyncio
import webbrowser
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from adk_agent_sim.adk.worlds.run_exports import RunExports, build_trace
from adk_agent_sim.adk.worlds.run_plan import DEFAULT_AGENT, WorldRunPlan, check_world_agents, load_agent
from adk_agent_sim.adk.worlds.run_result import WorldRunResult
from adk_agent_sim.adk.worlds.world_run import WorldRun
from adk_agent_sim.cli.exit_codes import NothingToCompare, check_writable, exit_with_result, report_wrong_option
from adk_agent_sim.cli.play.browser import BrowserSettings
from adk_agent_sim.cli.progress_bar import ProgressBar
from adk_agent_sim.cli.scenarios.run_value_checks import check_agent, check_model, check_player, check_rules
from adk_agent_sim.cli.scenarios.scenario_choice import ScenarioChoice, write_traces
from adk_agent_sim.cli.scenarios.scenario_judge import print_verdict
from adk_agent_sim.cli.scenarios.scenario_run_options import AgentSettings
from adk_agent_sim.cli.scenarios.scenario_terminal import play_run
from adk_agent_sim.errors import InvalidScenario, NotJudgeable
from adk_agent_sim.golden.eval_set_files import read_eval_cases
from adk_agent_sim.scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.format.models import ExportedTrace
from adk_agent_sim.scenario.verdict.soft_check import SoftJudge
from adk_agent_sim.text.terminal_output import print_json, print_line, send_other_output_to_stderr, style
from adk_agent_sim.timeline.store import MemoryStore
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.use_cases.worlds import export_world_run, prepare_world_run, run_in_world

if TYPE_CHECKING:
    from adk_agent_sim.server.scenarios.world_workbench import WorldWorkbench


def run_agent(
    choice: ScenarioChoice,
    settings: AgentSettings,
    *,
    seed: int | None,
    fs_content: Path | None,
    soft: SoftJudge | str | None,
    as_json: bool,
    browser: BrowserSettings | None = None,
) -> NoReturn:
    """Run an agent in the chosen scenarios, print the verdicts, and exit with what they mean.

    Args:
        choice: The scenarios.
        settings: The agent, its player, the limits and the files.
        seed: The seed of ids and random numbers.
        fs_content: The folder of the apps' files.
        soft: Who answers the judge's soft checks.
        as_json: Whether the results are printed as JSON.
        browser: Where the run is served in the browser; None if it is not.
    """
    runs = _AgentRuns(choice, settings, seed=seed, fs_content=fs_content, soft=soft, as_json=as_json, browser=browser)
    runs.check_person()
    with send_other_output_to_stderr() if as_json else nullcontext():
        runs.run_all()
    runs.finish()


class _AgentRuns:
    """The runs of one agent in several scenarios, one after the other."""

    def __init__(
        self,
        choice: ScenarioChoice,
        settings: AgentSettings,
        *,
        seed: int | None,
        fs_content: Path | None,
        soft: SoftJudge | str | None,
        as_json: bool,
        browser: BrowserSettings | None,
    ) -> None:
        self._choice = choice
        self._soft = soft
        self._as_json = as_json
        self._is_one = len(choice) == 1
        self._trace_file = settings.trace
        exports = settings.build_exports()
        if not self._is_one:
            _check_exports(choice, settings)
            # Of several runs, only an EvalSet can hold all; their traces are collected and written by `finish`.
            exports = RunExports(eval_set=exports.eval_set)
        _check_values(settings)
        self._plan: WorldRunPlan = WorldRunPlan(
            agent=settings.agent or DEFAULT_AGENT,
            player=settings.player or "real",
            model=settings.build_model_name(),
            rules=str(settings.rules) if settings.rules else None,
            profile=settings.profile,
            options=settings.build_options(seed, fs_content),
            exports=exports,
        )
        with send_other_output_to_stderr() if as_json else nullcontext(), report_wrong_option("--agent"):
            self._app = load_agent(self._plan.agent)
        with report_wrong_option("--world-agent"):
            check_world_agents(self._app.root_agent, self._plan.options.agents)
        self._results: list[WorldRunResult] = []
        self._problems: list[str] = []
        self._traces: list[ExportedTrace] = []
        self._page = RunInBrowser(browser, is_human=self._is_human, as_json=as_json) if browser is not None else None

    @property
    def _is_human(self) -> bool:
        return self._plan.player == "human"

    def check_person(self) -> None:
        """Raise UsageError if a person cannot play or watch, in the terminal or where the run is served."""
        if not self._is_one and (self._page is not None or self._is_human):
            raise click.UsageError("A person plays or watches one run: choose a scenario with --scenario ID.")
        if self._is_human and self._as_json and self._page is None:
            raise click.UsageError("--json prints nothing but the result: add --web to play in the browser.")

    def run_all(self) -> None:
        """Run every scenario. One that cannot be read or judged does not stop the others."""
        progress = ProgressBar("model calls at most" if self._is_one else "scenarios")
        # One event loop for all runs: clients of models must not outlive the loop that they were made in.
        with asyncio.Runner() as runner:
            try:
                self._run_scenarios(runner, progress)
            finally:
                if self._page is not None:
                    runner.run(self._page.close(waits=bool(self._results)))

    def _run_scenarios(self, runner: asyncio.Runner, progress: ProgressBar) -> None:
        for done, scenario in enumerate(self._choice.read_each()):
            try:
                result = self._run_scenario(scenario, runner, progress, done)
            except (InvalidScenario, NotJudgeable) as error:
                progress.close()
                self._problems.append(str(error))
                if not self._is_one:
                    print_line(style(f"NOT JUDGED  {error}", fg="yellow"), err=self._as_json)
                continue
            finally:
                progress.close()
            self._results.append(result)
            if not self._as_json:
                _print_result(result)

    def _run_scenario(
        self,
        scenario: ScenarioImportedFromJson | InvalidScenario,
        runner: asyncio.Runner,
        progress: ProgressBar,
        done: int,
    ) -> WorldRunResult:
        if isinstance(scenario, Exception):
            raise scenario
        prepare = partial(prepare_world_run, self._plan, scenario, soft=self._soft, app=self._app)
        if self._page is not None:
            return runner.run(self._page.play(lambda timeline: prepare(timeline=timeline), self._plan.exports))
        if self._is_human:
            store = MemoryStore()
            return runner.run(play_run(prepare(timeline=Timeline(store)), store, self._plan.exports))
        run = prepare()

        def report(step: int) -> None:
            progress(*((step, self._plan.options.max_steps) if self._is_one else (done, len(self._choice))))

        result = runner.run(run_in_world(run, self._plan.exports, report))
        if not self._is_one and self._trace_file is not None:
            self._traces.append(build_trace(run, result))
        return result

    def finish(self) -> NoReturn:
        """Print what is left, write the traces of several scenarios, and exit."""
        if not self._is_one and self._trace_file is not None:
            write_traces(self._trace_file, self._traces)
        if self._as_json:
            values = [each.model_dump(mode="json") for each in self._results]
            print_json(values[0] if self._is_one and values else values)
        elif len(self._results) > 1:
            passed = sum(each.passed is True for each in self._results)
            failed = sum(each.passed is False for each in self._results)
            print_line(f"{passed} passed, {failed} failed, {len(self._choice) - passed - failed} not judged")
        unwritten = [problem for each in self._results for problem in each.export_problems]
        for problem in unwritten:
            print_line(style(f"Error: {problem}", fg="red"), err=True)
        problems = [*self._problems, *(each.reason for each in self._results if each.passed is None)]
        nothing = None if self._results else "There are no scenarios, so nothing was run."
        has_failed = bool(unwritten) or any(each.passed is False for each in self._results)
        exit_with_result(has_failed=has_failed, problem=problems[0] if problems else nothing)


def _check_values(settings: AgentSettings) -> None:
    """Raise UsageError if a value cannot be used, before the agent's code is loaded."""
    model = settings.build_model_name()
    if settings.agent is not None:
        check_agent(settings.agent)
    if settings.player is not None:
        check_player(settings.player)
    if model is not None:
        check_model(model)
        if settings.player not in (None, "real"):
            raise click.UsageError(
                f"--model and --player {settings.player} exclude each other: that player asks no model."
            )
    if settings.rules is not None:
        check_rules(str(settings.rules), settings.profile)
    elif settings.profile is not None:
        raise click.UsageError("--profile needs --rules FILE: it is a profile of these rules.")
    for name in ("trace", "eval_set", "markdown", "report", "timeline"):
        path: Path | None = getattr(settings, name)
        if path is not None:
            check_writable(f"--{name.replace('_', '-')}", path)
    if settings.eval_set is not None and settings.eval_set.exists():
        with report_wrong_option("--eval-set"):
            read_eval_cases(settings.eval_set)


def _check_exports(choice: ScenarioChoice, settings: AgentSettings) -> None:
    for name in ("markdown", "report", "timeline"):
        if getattr(settings, name) is not None:
            raise click.UsageError(f"--{name} needs one scenario: choose it with --scenario ID.")
    if settings.trace is not None:
        choice.check_output(settings.trace)


def _print_result(result: WorldRunResult) -> None:
    if result.verdict is not None:
        print_verdict(result.verdict, passed=result.passed)
    if result.limit or result.metadata.has_exception:
        print_line(style(result.reason if result.metadata.has_exception else result.limit, fg="red"))
    tokens = result.prompt_tokens + result.output_tokens
    print_line(
        f"Model calls: {result.step_count}, calls of the world's tools: {result.call_count}, "
        f"messages to the user: {result.message_count}, simulated time: {result.simulated_seconds:g} s"
        + (f", tokens: {tokens}" if tokens else "")
    )


class RunInBrowser:
    """One run whose session is served: `play` until the verdict, then `close`."""

    def __init__(self, browser: BrowserSettings, *, is_human: bool, as_json: bool) -> None:
        """Prepare; nothing is served before `play`.

        Args:
            browser: Where the page is served.
            is_human: Whether a person plays.
            as_json: Whether standard output is for the result only.
        """
        self._browser = browser
        self._is_human = is_human
        self._as_json = as_json
        self._workbench: WorldWorkbench | None = None

    async def play(self, create_run: Callable[[Timeline], WorldRun], exports: RunExports) -> WorldRunResult:
        """Serve the session of a run until it is judged, and write its exports.

        Raises:
            NothingToCompare: The command was stopped before.
            SimulatorError: The address cannot be used, or the run cannot be prepared.
        """
        from adk_agent_sim.server.access.exposure import build_exposure
        from adk_agent_sim.server.scenarios.world_workbench import WorldWorkbench

        browser = self._browser
        exposure = build_exposure(
            browser.host,
            browser.allow_host,
            browser.tls_cert,
            browser.tls_key,
            behind_tls_proxy=browser.behind_tls_proxy,
        )
        self._workbench = await WorldWorkbench.start(exposure, browser.port)
        self._workbench.stop_on_signals()
        run = create_run(self._workbench.timeline)
        result = await self._workbench.play(run, self._print_address)
        if result is None:
            raise NothingToCompare("The run was stopped before it was over, so it was not judged.")
        return await export_world_run(run, result, exports)

    async def close(self, *, waits: bool) -> None:
        """Stop serving; with `waits`, not before Ctrl-C."""
        if self._workbench is None:
            return
        if waits:
            self._print("The page stays open. Press Ctrl-C to stop.")
            await self._workbench.server.wait_until_stopped()
        await self._workbench.server.stop()

    def _print_address(self, address: str) -> None:
        assert self._workbench is not None  # noqa: S101 - it serves
        port = self._workbench.server.port
        if self._browser.port not in (0, port):
            self._print(f"Port {self._browser.port} is in use; using {port}.")
        self._print(f"Open {address}")
        what = "You play the agent there; the verdict is printed here" if self._is_human else "Watch the agent there"
        self._print(f"{what}. The login URL works once, for 10 minutes; `adksim open` prints another.")
        if self._browser.open_browser:
            # Opening a browser may block, and the loop has to serve the page meanwhile.
            asyncio.get_running_loop().run_in_executor(None, webbrowser.open, address)

    def _print(self, text: str) -> None:
        print_line(text, err=self._as_json)
