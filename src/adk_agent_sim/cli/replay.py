"""`adksim replay`: are the tools still as they were when the trace was recorded?"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adk_agent_sim.cli.json_diff import format_diff

if TYPE_CHECKING:
    from adk_agent_sim.adk.agent_loader import App
    from adk_agent_sim.adk.tool_replay import CaseReplay, EvalCase


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--agent", "agent_dir", type=click.Path(path_type=Path), required=True, help="The agent's folder.")
@click.option("--case", "eval_id", help="Replay only the case of this id.")
@click.option(
    "--ignore",
    multiple=True,
    metavar="PATH",
    help="A value that may differ, as result.time, *.id or search:items.*.score; can be given again.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def replay(file: Path, agent_dir: Path, eval_id: str | None, ignore: tuple[str, ...], as_json: bool) -> None:
    """Run the recorded calls of the EvalSet FILE again on the real tools, in order, and show what has changed.

    The agent's model is not asked: the trace plays it. Exit code 1 if anything has changed.
    """
    from adk_agent_sim.adk.agent_loader import load_app
    from adk_agent_sim.adk.tool_replay import read_eval_cases
    from adk_agent_sim.cli.terminal import silence_adk_logging

    silence_adk_logging()
    replays = asyncio.run(_replay_cases(load_app(agent_dir), read_eval_cases(file, eval_id), ignore, show=not as_json))
    if as_json:
        click.echo(json.dumps([_replay_to_json(one) for one in replays], indent=2, ensure_ascii=False))
    else:
        click.echo(f"\n{sum(one.is_unchanged for one in replays)} of {len(replays)} cases are as recorded")
    sys.exit(0 if all(one.is_unchanged for one in replays) else 1)


async def _replay_cases(app: App, cases: Sequence[EvalCase], ignore: Sequence[str], *, show: bool) -> list[CaseReplay]:
    from adk_agent_sim.adk.tool_replay import replay_eval_case as replay_case

    replays: list[CaseReplay] = []
    for case in cases:
        replays.append(await replay_case(app, case, ignore))
        if show:
            click.echo(_format_replay(replays[-1]))
    return replays


def _format_replay(case_replay: CaseReplay) -> str:
    result = "as recorded" if case_replay.is_unchanged else f"{len(case_replay.drifts)} changed"
    lines = [f"{case_replay.eval_id}: {case_replay.calls} calls, {result}"]
    for drift in case_replay.drifts:
        arguments = json.dumps(drift.arguments, ensure_ascii=False)
        lines += [
            f"  call {drift.place}: {drift.tool_name} {arguments}",
            format_diff(drift.recorded, drift.found, labels=_DIFF_LABELS),
        ]
    if case_replay.problem:
        lines.append(click.style(f"  stopped: {case_replay.problem}", fg="red"))
    return "\n".join(lines)


_DIFF_LABELS = ("recorded", "now")


def _replay_to_json(case_replay: CaseReplay) -> dict[str, Any]:
    return {
        "eval_id": case_replay.eval_id,
        "same": case_replay.is_unchanged,
        "calls": case_replay.calls,
        "problem": case_replay.problem or None,
        "drifts": [vars(drift) for drift in case_replay.drifts],
    }
