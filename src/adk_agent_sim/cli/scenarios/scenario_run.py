"""`adksim scenario run`: runs an agent in a scenario's world, or the actions that the scenario expects of one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from adk_agent_sim.cli.exit_codes import ExitCode, NothingToCompare, list_given_options
from adk_agent_sim.cli.play.browser import BrowserSettings, browser_options
from adk_agent_sim.cli.progress_bar import ProgressBar
from adk_agent_sim.cli.scenarios.run_value_checks import check_judge, judge_option, make_soft_judge, record_option
from adk_agent_sim.cli.scenarios.scenario_choice import ScenarioChoice, scenario_option, write_traces
from adk_agent_sim.cli.scenarios.scenario_run_options import AgentSettings, agent_options
from adk_agent_sim.errors import InvalidScenario, SimulatorError
from adk_agent_sim.scenario.world.collection_pause import pause_garbage_collection
from adk_agent_sim.text.terminal_output import print_json, print_line, style

if TYPE_CHECKING:
    from adk_agent_sim.scenario import ScenarioImportedFromJson
    from adk_agent_sim.scenario.format.models import ExportedTrace
    from adk_agent_sim.scenario.world.event_log import OracleResult
    from adk_agent_sim.scenario.world.world import World

_AGENT_PARAMETERS = frozenset({*AgentSettings.__dataclass_fields__, "judge_name", "record"} - {"trace"})
"""What says nothing about a run of the expected actions."""

_MAX_PRINTED = 200
"""The most events that are printed; `--json` prints all."""


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--oracle", is_flag=True, help="Execute the expected actions as events, without an agent.")
@agent_options
@click.option(
    "--fs-content",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder of the apps' files.",
)
@click.option("--seed", type=int, help="The seed of ids and random numbers; by default the scenario's.")
@scenario_option
@judge_option
@record_option
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON, one document per scenario.")
@click.option("--web", is_flag=True, help="Play or watch in the browser; the page stays open until Ctrl-C.")
@browser_options
def run(
    file: Path,
    oracle: bool,
    settings: AgentSettings,
    fs_content: Path | None,
    seed: int | None,
    scenario_id: str | None,
    judge_name: str,
    record: Path,
    as_json: bool,
    web: bool,
    browser: BrowserSettings,
) -> None:
    """Run an agent in the world of the scenarios in FILE, and judge what it does.

    The world's apps are tools of the agent, beside its own; USER events are the user's messages; notifications reach
    the agent between its model calls. The agent's final text is its message to the user, unless it sends one with
    AgentUserInterface__send_message_to_user. Time is
    simulated: it stops while the model thinks, and then goes on by --thinking.

    \b
    adksim scenario run lunch.json --agent my_agents/assistant
    adksim scenario run lunch.json --agent default --model gpt-4o --model-provider openai --report run.html
    adksim scenario run lunch.json --agent my_agents/assistant --player oracle --trace trace.json
    adksim scenario run lunch.json --agent my_agents/assistant --player human

    With --player human, you decide as the agent's model, in this terminal or with --web in the browser: you let the
    world's time pass, undo, and are judged. /help lists the commands. With --web, you can watch any player.

    Exits with 0 if the agent passed, with 1 if it failed, and with 3 if the scenario cannot be judged; a limit that is
    reached ends the run, and what was done until then is judged. `adksim scenario check` says whether a scenario is
    sound before you blame an agent.

    With --oracle, no agent runs: the expected actions are executed as events, and what failed or never happened is
    listed. Exits with 1 if an event failed or never happened, or a scenario cannot be read, and with 3 if a scenario
    has no events. Several scenarios are run one after the other, and their traces are written to a .jsonl file.

    \b
    adksim scenario run --oracle scenario.json
    adksim scenario run --oracle scenarios.jsonl --scenario lunch --trace trace.json --json
    """
    _check_who_runs(settings, oracle=oracle)
    if not oracle and judge_name != "scripted":
        check_judge(judge_name)
    choice = ScenarioChoice(file, scenario_id)
    if not oracle:
        from adk_agent_sim.cli.scenarios.scenario_run_agent import run_agent

        soft = make_soft_judge(judge_name, record)
        served = browser if web else None
        # This ends the process, so what follows is for --oracle only.
        run_agent(choice, settings, seed=seed, fs_content=fs_content, soft=soft, as_json=as_json, browser=served)
    if web:
        raise click.UsageError("--web shows a run of an agent. `adksim scenario show --web` shows what is expected.")
    _run_oracles(choice, settings.trace, fs_content=fs_content, seed=seed, as_json=as_json)


def _check_who_runs(settings: AgentSettings, *, oracle: bool) -> None:
    if oracle == settings.names_agent:
        raise click.UsageError(
            "Give either --agent, with --player or --model if another model should play it, or --oracle."
            if oracle
            else "Add --oracle to execute what is expected, or --agent AGENT_DIR to run an agent (`default` is the "
            "built-in assistant); `--player human` lets you play it."
        )
    # What names an agent was refused above.
    if oracle and (given := list_given_options(click.get_current_context(), _AGENT_PARAMETERS)):
        raise click.UsageError(f"{given[0]} has no effect with --oracle, which runs no agent.")


def _run_oracles(
    choice: ScenarioChoice, trace: Path | None, *, fs_content: Path | None, seed: int | None, as_json: bool
) -> NoReturn:
    """Execute the expected actions of the chosen scenarios, and exit."""
    if trace is not None:
        choice.check_output(trace)
    runs = _OracleRuns(choice, fs_content=fs_content, seed=seed, as_json=as_json, keeps_traces=trace is not None)
    runs.run_all()
    if trace is not None:
        write_traces(trace, runs.traces)
    if runs.has_failed:
        sys.exit(ExitCode.FAILED)
    if runs.without_events or not len(choice):
        names = ", ".join(runs.without_events[:10])
        where = f"{names} in {choice.path} has" if len(choice) > 1 else f"{choice.path} has"
        raise NothingToCompare(f"{where} no events, so nothing was run. Add events to the scenario.")
    sys.exit(ExitCode.OK)


class _OracleRuns:
    """The oracle runs of the chosen scenarios, one after the other."""

    def __init__(
        self, choice: ScenarioChoice, *, fs_content: Path | None, seed: int | None, as_json: bool, keeps_traces: bool
    ) -> None:
        self._choice = choice
        self._fs_content = fs_content
        self._seed = seed
        self._as_json = as_json
        self._keeps_traces = keeps_traces
        self.has_failed = False
        self.without_events: list[str] = []
        self.traces: list[ExportedTrace] = []

    def run_all(self) -> None:
        """Run every scenario and print its result. One that cannot be read or run does not stop the others."""
        total = len(self._choice)
        progress = ProgressBar("scenarios" if total > 1 else "events")
        for done, scenario in enumerate(self._choice.read_each()):
            # Of several scenarios, the finished ones are counted, also while a long one runs.
            report = progress if total == 1 else partial(_report_finished, progress, done, total)
            try:
                self._run_scenario(scenario, report, progress.close)
            except SimulatorError as error:
                if total == 1:
                    raise
                self.has_failed = True
                print_line(style(f"Error: {error}", fg="red"), err=True)
            finally:
                progress.close()

    def _run_scenario(
        self,
        scenario: ScenarioImportedFromJson | InvalidScenario,
        report: Callable[[int, int], None],
        close_progress: Callable[[], None],
    ) -> None:
        from adk_agent_sim.scenario import World
        from adk_agent_sim.scenario.format.exporter import convert_to_are

        if isinstance(scenario, Exception):
            raise scenario
        with pause_garbage_collection():
            world = World(scenario, fs_content=self._fs_content, seed=self._seed)
        result = world.run_oracle(report)
        close_progress()
        if self._keeps_traces:
            self.traces.append(convert_to_are(world.export_trace())[0])
        if self._as_json:
            print_json(_result_to_json(world, result))
        else:
            if len(self._choice) > 1:
                print_line(style(result.scenario_id, bold=True))
            _print_result(world, result)
        self.has_failed |= not result.is_ok
        if not result.completed:
            self.without_events.append(result.scenario_id)


def _report_finished(progress: ProgressBar, done: int, total: int, *_: int) -> None:
    progress(done, total)


def _result_to_json(world: World, result: OracleResult) -> dict[str, Any]:
    from adk_agent_sim.scenario.format.models import to_json_value

    return {
        "scenario_id": result.scenario_id,
        "ok": result.is_ok,
        "seconds": result.seconds,
        "failed": [asdict(each) for each in result.failed],
        "missing": [asdict(each) for each in result.missing],
        "completed_events": [to_json_value(each) for each in world.export_completed_events()],
    }


def _print_result(world: World, result: OracleResult) -> None:
    start = world.scenario.start_time or 0
    for each in result.completed[:_MAX_PRINTED]:
        time = f"+{each.time - start:g} s"
        line = f"{time:>10}  {each.kind:<5}  {each.app}__{each.function}  ({each.event_id})"
        print_line(line if each.error is None else style(f"{line}  failed", fg="red"))
    if len(result.completed) > _MAX_PRINTED:
        print_line(f"... and {len(result.completed) - _MAX_PRINTED} more; --json prints all")
    for label, failures in (("failed", result.failed), ("never happened", result.missing)):
        for failure in failures[:_MAX_PRINTED]:
            print_line(style(f"{label}: {failure.event_id} ({failure.call}): {failure.why}", fg="red"))
    print_line(
        f"{len(result.completed)} events in {result.seconds:g} s of simulated time, "
        f"{len(result.failed)} failed, {len(result.missing)} never happened"
    )
