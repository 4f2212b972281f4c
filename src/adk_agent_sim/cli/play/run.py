"""`adksim run`: plays the model of your own agent, in the terminal, in the browser or from a script."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

import click

from adk_agent_sim.cli.evals.evals_format import format_diff
from adk_agent_sim.cli.exit_codes import ExitCode, NothingToCompare
from adk_agent_sim.cli.play.browser import BrowserSettings, browser_options, serve_in_browser
from adk_agent_sim.cli.play.run_options import (
    SessionStart,
    StorageSettings,
    load_last_start,
    session_start_options,
    storage_options,
)
from adk_agent_sim.cli.shared_options import ServiceSettings, criteria_option, service_options
from adk_agent_sim.golden.eval_agent_folder import describe_unloadable_folder
from adk_agent_sim.golden.export_formats import build_eval_set_name
from adk_agent_sim.text.escaping import escape_line
from adk_agent_sim.text.terminal_output import print_document, print_json, print_lines, send_other_output_to_stderr
from adk_agent_sim.timeline.canonical_json import Json

if TYPE_CHECKING:
    from adk_agent_sim.adk.loading.agent_loader import App
    from adk_agent_sim.adk.runs.session_storage import RunnerServices
    from adk_agent_sim.adk.steps.script import Script
    from adk_agent_sim.environment.environment_report import EnvironmentReport
    from adk_agent_sim.golden.eval_criteria import EvalCriteria
    from adk_agent_sim.simulation.run_settings import RunSettings
    from adk_agent_sim.simulation.script_play import Mismatch


_GetReport: TypeAlias = "Callable[[], EnvironmentReport | None]"


@click.command()
@click.argument("agent_dir", type=click.Path(path_type=Path))
@click.option(
    "--eval-set",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The EvalSet to append the session to; by default APP.evalset.json in the current directory. "
    "With --script there is no default.",
)
@click.option(
    "--script",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Play this YAML file instead of asking you; exits with 1 if a result is not as it expects.",
)
@click.option(
    "--rules",
    "environment",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Answer tool calls by the rules of this file, and report at the end what they did.",
)
@click.option(
    "--profile",
    help="With --rules: the profile of the rules; by default ADK_SIM_PROFILE, or else the file's own.",
)
@click.option("--json", "as_json", is_flag=True, help="With --script: print the result as JSON.")
@click.option("--web", is_flag=True, help="Play in the browser instead of this terminal.")
@storage_options
@session_start_options
@criteria_option
@service_options
@browser_options
def run(
    agent_dir: Path,
    eval_set: Path | None,
    script: Path | None,
    environment: Path | None,
    profile: str | None,
    as_json: bool,
    web: bool,
    state: Mapping[str, Json] | None,
    user_id: str | None,
    criteria: EvalCriteria | None,
    services: ServiceSettings,
    storage: StorageSettings,
    browser: BrowserSettings,
) -> None:
    """Play the model of the agent in AGENT_DIR, the same folder that `adk run` takes.

    You see what the model would see, call the real tools, and answer; the session is appended to an EvalSet. With
    --web, AGENT_DIR can be a folder of agents, as `adk web` takes it, and sessions are kept, to be read and forked.

    \b
    adksim run my_agents/math_agent
    adksim run my_agents/math_agent --web --open
    adksim run my_agents --web --reload
    adksim run my_agents/math_agent --script math.yaml --rules rules.yaml
    adksim run my_agents/math_agent --state '{"mood": "calm"}' --user-id ada
    adksim run my_agents/math_agent --session_service_uri sqlite:///sessions.db

    A script replaces the person, for CI. It exits with 1 if a result is not as expected, and with 3 if it expects
    nothing and records nothing (no --eval-set):

    \b
        steps:
          - user: What is 2+2?
          - call: add
            args: {a: 2, b: 2}
            expect: {result: 4}
          - respond: The answer is 4
    """
    from adk_agent_sim.adk.environment.environment_factory import add_environment_plugin
    from adk_agent_sim.adk.loading.agent_loader import load_app

    start = SessionStart(state=state, user_id=user_id)
    _check_script_options(script, start, web=web, as_json=as_json)
    _check_criteria_option(criteria, script, eval_set, web=web)
    if profile is not None and environment is None:
        raise click.UsageError("--profile needs --rules: profiles belong to rules.")
    storage.check(web=web)
    if web:
        play_folder(agent_dir, eval_set, environment, profile, services, storage, browser)
        return
    with send_other_output_to_stderr() if as_json else nullcontext():
        app, get_report = add_environment_plugin(load_app(agent_dir), environment, profile)
        created = services.create_services(agent_dir)
    if script is not None:
        settings = _build_settings(start, created, criteria)
        _run_script(app, agent_dir, script, eval_set, get_report, settings, as_json=as_json)
    settings = _build_settings(_complete_start(start, agent_dir), created, criteria)
    _run_terminal(app, agent_dir, eval_set, get_report, settings)


def _check_script_options(script: Path | None, start: SessionStart, *, web: bool, as_json: bool) -> None:
    if web and script:
        raise click.UsageError("--web and --script exclude each other.")
    if as_json and script is None:
        raise click.UsageError("--json needs --script: only a script has a result to print.")
    if web and (start.state is not None or start.user_id is not None):
        raise click.UsageError(
            "--state and --user-id are for the terminal and --script; in the browser, set them there."
        )


def _check_criteria_option(
    criteria: EvalCriteria | None, script: Path | None, eval_set: Path | None, *, web: bool
) -> None:
    if criteria is None:
        return
    if web:
        raise click.UsageError(
            "--criteria is for the terminal and --script; in the browser, the export dialog has them."
        )
    if script is not None and eval_set is None:
        raise click.UsageError("--criteria needs --eval-set here: a script without it writes no EvalSet.")


def _complete_start(start: SessionStart, agent_dir: Path) -> SessionStart:
    """Return how a terminal session begins: as it was told, and otherwise as the last one of the agent; remember it."""
    last = load_last_start(agent_dir)
    complete = SessionStart(
        state=last.state if start.state is None else start.state,
        user_id=last.user_id if start.user_id is None else start.user_id,
    )
    if start != SessionStart():
        complete.remember(agent_dir)
    elif complete.state or complete.user_id:
        began = f"user {complete.user_id or 'user'}, state {json.dumps(complete.state or {})}"
        print_lines([f"As in the last session: {began}. Others: --user-id ID, --state JSON."])
    return complete


def _build_settings(start: SessionStart, services: RunnerServices, criteria: EvalCriteria | None) -> RunSettings:
    from adk_agent_sim.adk.runs.agent_run import DEFAULT_USER_ID
    from adk_agent_sim.simulation.run_settings import RunSettings

    return RunSettings(
        services=services, state=start.state or {}, user_id=start.user_id or DEFAULT_USER_ID, criteria=criteria
    )


def _run_terminal(
    app: App, agent_dir: Path, eval_set: Path | None, get_report: _GetReport, settings: RunSettings
) -> None:
    from adk_agent_sim.cli.play.prompts import KeyboardPrompts
    from adk_agent_sim.cli.play.terminal import find_adk_command, play_in_terminal
    from adk_agent_sim.golden.eval_criteria import build_eval_command, check_config, get_config_path

    path = eval_set or Path(build_eval_set_name(app.name))
    config_path = get_config_path(path) if settings.criteria else None
    if settings.criteria is not None:
        check_config(path, settings.criteria)  # before anything is played
    if asyncio.run(play_in_terminal(app, KeyboardPrompts(), path, settings)):
        print_lines(
            [
                "",
                "Evaluate the agent's own model against it:",
                f"  {build_eval_command(find_adk_command(), str(agent_dir), path, config_path)}",
                *(f"  {note}" for note in describe_unloadable_folder(agent_dir)),
            ]
        )
    if report := get_report():
        print_document(f"\n{report}")


def _run_script(
    app: App,
    agent_dir: Path,
    script_path: Path,
    eval_set: Path | None,
    get_report: _GetReport,
    settings: RunSettings,
    *,
    as_json: bool,
) -> NoReturn:
    """Play a script, print its result and exit with its code."""
    from adk_agent_sim.adk.steps.script import read_script
    from adk_agent_sim.golden.eval_criteria import check_config
    from adk_agent_sim.simulation.script_play import play_script

    if eval_set is not None and settings.criteria is not None:
        check_config(eval_set, settings.criteria)  # before anything is played
    script = read_script(script_path)
    with send_other_output_to_stderr() if as_json else nullcontext():
        mismatches = asyncio.run(play_script(app, script, eval_set, settings))
    # A script that records a session to an EvalSet has done its job even if it expects nothing.
    is_comparison = eval_set is not None or _has_expectations(script)
    report = get_report()
    if as_json:
        has_passed = is_comparison and not mismatches
        print_json(_convert_result_to_json(script_path, mismatches, eval_set, report, has_passed=has_passed))
    else:
        result = _format_text_result(script_path, mismatches, eval_set) if is_comparison or mismatches else ""
        print_document("\n\n".join(filter(None, [result, str(report or "")])))
    if mismatches:
        sys.exit(ExitCode.FAILED)
    if eval_set is not None:
        print_lines(describe_unloadable_folder(agent_dir), err=True)
    if not is_comparison:
        raise NothingToCompare(
            f"{script_path} was played to its end but expects nothing, so nothing was compared. "
            "Add expect, expect_error, agent or expect_state to it, or record the session with --eval-set."
        )
    sys.exit(ExitCode.OK)


def _has_expectations(script: Script) -> bool:
    """Whether the script compares any result, agent or state with what it expects."""
    calls = [call for step in script.steps for call in (step, *step.calls)]
    return (
        bool(script.expect_state)
        or any(step.agent or (step.tool and "args" in step.model_fields_set) for step in script.steps)
        # `expect: null` is an expectation, so its value cannot tell whether it was given.
        or any("expect" in call.model_fields_set or call.expect_error is not None for call in calls)
    )


def _convert_result_to_json(
    script: Path,
    mismatches: Sequence[Mismatch],
    eval_set: Path | None,
    report: EnvironmentReport | None,
    *,
    has_passed: bool,
) -> dict[str, Any]:
    return {
        "script": str(script),
        "passed": has_passed,
        "mismatches": [vars(mismatch) for mismatch in mismatches],
        "exported": str(eval_set) if eval_set and not mismatches else None,
        **({"environment": report.to_json()} if report else {}),
    }


def _format_text_result(script: Path, mismatches: Sequence[Mismatch], eval_set: Path | None) -> str:
    if not mismatches:
        return escape_line(f"{script}: passed" + (f", exported to {eval_set}" if eval_set else ""))
    diffs = "\n\n".join(
        f"{escape_line(mismatch.where)}\n{format_diff(mismatch.expected, mismatch.found)}" for mismatch in mismatches
    )
    return f"{escape_line(str(script))}: {len(mismatches)} not as expected\n\n{diffs}"


_BUSY_ADVICE = (
    "Use that server (`adksim open` prints a login URL for it), or run `adksim run --web` with --db FILE, which keeps "
    "the sessions in another database, or with --ephemeral."
)


def play_folder(
    agent_dir: Path,
    eval_set: Path | None,
    environment: Path | None,
    profile: str | None,
    services: ServiceSettings,
    storage: StorageSettings,
    browser: BrowserSettings,
) -> None:
    """Serve the agent in a folder, or all agents that it contains, until Ctrl-C.

    Raises:
        click.UsageError: There is one EvalSet for several agents.
        AgentLoadFailed: There is no agent, or the only one does not load.
    """
    from adk_agent_sim.adk.environment.environment_factory import EnvironmentSimulationFactory, add_environment_plugin
    from adk_agent_sim.adk.loading.agent_folder import AgentFolder, holds_agents
    from adk_agent_sim.adk.loading.agent_loader import load_app

    if not agent_dir.is_dir():
        load_app(agent_dir)  # says what is wrong with it
    if environment is not None:
        EnvironmentSimulationFactory.create_plugin(environment, profile=profile)  # rules with errors end it here

    def add_rules(app: App) -> App:
        return add_environment_plugin(app, environment, profile)[0]

    if holds_agents(agent_dir):
        if eval_set is not None:
            raise click.UsageError("--eval-set is for one agent: in a folder of agents, each has its own.")
        folder = AgentFolder(agent_dir, prepare=add_rules)
    else:
        path = agent_dir.resolve()
        folder = AgentFolder(path.parent, only=path.name, prepare=add_rules, eval_set=eval_set)
        folder.preload()
    serve_in_browser(
        [],
        browser,
        services=services.create_services(agent_dir),
        folder=folder,
        database=storage.find_database(agent_dir),
        busy_advice=_BUSY_ADVICE,
        reloads=storage.reloads,
    )
