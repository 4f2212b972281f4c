"""`adksim run`: plays the model of your own agent, in the terminal, in the browser or from a script."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

import click

from adk_agent_sim.cli.browser import BrowserSettings, browser_options, build_agent_config, serve_in_browser
from adk_agent_sim.cli.exit_codes import ExitCode, NothingToCompare
from adk_agent_sim.cli.json_diff import format_diff
from adk_agent_sim.text.escaping import escape_line
from adk_agent_sim.text.terminal_output import print_document, print_json, print_lines, send_other_output_to_stderr

if TYPE_CHECKING:
    from adk_agent_sim.adk.agent_loader import App
    from adk_agent_sim.adk.script import Mismatch, Script
    from adk_agent_sim.environment.environment_report import EnvironmentReport

_GetReport: TypeAlias = "Callable[[], EnvironmentReport | None]"


@click.command()
@click.argument("agent_dir", type=click.Path(path_type=Path))
@click.option(
    "--eval-set",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The EvalSet to append the session to; by default APP.evalset.json in the working folder. "
    "With --script there is no default.",
)
@click.option(
    "--script",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Play this YAML file instead of asking you; exits with 1 if a result is not as it expects.",
)
@click.option(
    "--environment",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Answer tool calls by the rules of this file, and report at the end what they did.",
)
@click.option(
    "--profile",
    help="With --environment: the profile of the rules; by default ADK_SIM_PROFILE, or else the file's own.",
)
@click.option("--json", "as_json", is_flag=True, help="With --script: print the result as JSON.")
@click.option("--web", is_flag=True, help="Play in the browser instead of this terminal.")
@browser_options
def run(
    agent_dir: Path,
    eval_set: Path | None,
    script: Path | None,
    environment: Path | None,
    profile: str | None,
    as_json: bool,
    web: bool,
    browser: BrowserSettings,
) -> None:
    """Play the model of the agent in AGENT_DIR, the same folder that `adk run` takes.

    You see what the model would see, call the real tools, and answer; the session is appended to an EvalSet.

    \b
    adksim run my_agents/math_agent
    adksim run my_agents/math_agent --web --open
    adksim run my_agents/math_agent --script math.yaml --environment rules.yaml

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
    from adk_agent_sim.adk.agent_loader import load_app
    from adk_agent_sim.adk.environment_factory import add_environment_plugin
    from adk_agent_sim.timeline.file_names import to_file_stem

    if web and script:
        raise click.UsageError("--web and --script exclude each other.")
    if as_json and script is None:
        raise click.UsageError("--json needs --script: only a script has a result to print.")
    if profile is not None and environment is None:
        raise click.UsageError("--profile needs --environment: profiles belong to rules.")
    with send_other_output_to_stderr() if as_json else nullcontext():
        app, get_report = add_environment_plugin(load_app(agent_dir), environment, profile)
    if script is not None:
        _run_script(app, script, eval_set, get_report, as_json=as_json)
    path = eval_set or Path(f"{to_file_stem(app.name)}.evalset.json")
    if web:
        serve_in_browser([build_agent_config(app, path, agent_dir)], browser)
    else:
        _run_terminal(app, agent_dir, path, get_report)


def _run_terminal(app: App, agent_dir: Path, eval_set: Path, get_report: _GetReport) -> None:
    from adk_agent_sim.cli.prompts import KeyboardPrompts
    from adk_agent_sim.cli.terminal import find_adk_command, play_in_terminal

    if asyncio.run(play_in_terminal(app, KeyboardPrompts(), eval_set)):
        print_lines(
            [
                "",
                "Evaluate the agent's own model against it:",
                f"  {find_adk_command()} eval {agent_dir} {eval_set}",
            ]
        )
    if report := get_report():
        print_document(f"\n{report}")


def _run_script(
    app: App, script_path: Path, eval_set: Path | None, get_report: _GetReport, *, as_json: bool
) -> NoReturn:
    """Play a script, print its result and exit with its code."""
    from adk_agent_sim.adk.script import play_script, read_script

    script = read_script(script_path)
    with send_other_output_to_stderr() if as_json else nullcontext():
        mismatches = asyncio.run(play_script(app, script, eval_set))
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
        or any(step.agent for step in script.steps)
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
