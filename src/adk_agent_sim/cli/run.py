"""`adksim run`: play your own agent, by hand or from a script."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from adk_agent_sim.cli.browser import browser_options, build_agent_config, serve_in_browser
from adk_agent_sim.cli.json_diff import format_diff

if TYPE_CHECKING:
    from adk_agent_sim.adk.script import Mismatch
    from adk_agent_sim.environment.environment_report import EnvironmentReport


@click.command()
@click.argument("agent_dir", type=click.Path(path_type=Path))
@click.option(
    "--eval-set",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where to append the session; by default AGENT.evalset.json here. With --script: only if given.",
)
@click.option(
    "--script",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Play this YAML file instead of asking you; exit code 1 if something is not as it expects.",
)
@click.option(
    "--environment",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Let the rules of this file answer tool calls, and report at the end what they did.",
)
@click.option("--json", "as_json", is_flag=True, help="With --script: print the result as JSON.")
@click.option("--web", is_flag=True, help="Play in the browser instead of this terminal.")
@browser_options
def run(
    agent_dir: Path,
    eval_set: Path | None,
    script: Path | None,
    environment: Path | None,
    as_json: bool,
    web: bool,
    host: str,
    port: int,
    allow_host: tuple[str, ...],
    open_browser: bool,
) -> None:
    """Play the model of the agent in AGENT_DIR, a folder as `adk run` takes it.

    You read what the model would read, call the real tools, and answer; the session is appended to an EvalSet.

    A script does the same without a person, for CI:

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
    from adk_agent_sim.adk.script import play_script, read_script
    from adk_agent_sim.cli.prompts import KeyboardPrompts
    from adk_agent_sim.cli.terminal import find_adk_command, play_in_terminal, silence_adk_logging

    if web and script:
        raise click.UsageError("--web and --script exclude each other.")
    app, report = add_environment_plugin(load_app(agent_dir), environment)
    path = eval_set or Path(f"{app.name}.evalset.json")
    if web:
        serve_in_browser([build_agent_config(app, path, agent_dir)], host, port, allow_host, open_browser=open_browser)
        return
    if script is None:
        if asyncio.run(play_in_terminal(app, KeyboardPrompts(), path)):
            click.echo(f"\nEvaluate the agent's own model against it:\n  {find_adk_command()} eval {agent_dir} {path}")
        if found := report():
            click.echo(f"\n{found}")
        return
    silence_adk_logging()
    mismatches = asyncio.run(play_script(app, read_script(script), eval_set))
    if as_json:
        click.echo(_format_json_result(script, mismatches, eval_set, report()))
    else:
        click.echo("\n\n".join(filter(None, [_format_text_result(script, mismatches, eval_set), str(report() or "")])))
    sys.exit(1 if mismatches else 0)


def _format_json_result(
    script: Path, mismatches: Sequence[Mismatch], eval_set: Path | None, report: EnvironmentReport | None
) -> str:
    return json.dumps(
        {
            "script": str(script),
            "passed": not mismatches,
            "mismatches": [vars(mismatch) for mismatch in mismatches],
            "exported": str(eval_set) if eval_set and not mismatches else None,
            **({"environment": report.to_json()} if report else {}),
        },
        indent=2,
        ensure_ascii=False,
    )


def _format_text_result(script: Path, mismatches: Sequence[Mismatch], eval_set: Path | None) -> str:
    if not mismatches:
        return f"{script}: passed" + (f", exported to {eval_set}" if eval_set else "")
    shown = "\n\n".join(
        f"{mismatch.where}\n{format_diff(mismatch.expected, mismatch.found)}" for mismatch in mismatches
    )
    return f"{script}: {len(mismatches)} not as expected\n\n{shown}"
