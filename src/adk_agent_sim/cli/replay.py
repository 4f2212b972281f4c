"""`adksim replay`: are the tools still as they were when the trace was recorded?"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adk_agent_sim.cli.diff import diff

if TYPE_CHECKING:
    from adk_agent_sim.adk.agents import App
    from adk_agent_sim.adk.replay import CaseReplay, EvalCase


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
    from adk_agent_sim.adk.agents import load_app
    from adk_agent_sim.adk.replay import read_cases
    from adk_agent_sim.cli.terminal import quiet

    quiet()
    replays = asyncio.run(_all(load_app(agent_dir), read_cases(file, eval_id), ignore, show=not as_json))
    if as_json:
        click.echo(json.dumps([_data(one) for one in replays], indent=2, ensure_ascii=False))
    else:
        click.echo(f"\n{sum(one.same for one in replays)} of {len(replays)} cases are as recorded")
    sys.exit(0 if all(one.same for one in replays) else 1)


async def _all(app: App, cases: Sequence[EvalCase], ignore: Sequence[str], *, show: bool) -> list[CaseReplay]:
    from adk_agent_sim.adk.replay import replay as replay_case

    replays: list[CaseReplay] = []
    for case in cases:
        replays.append(await replay_case(app, case, ignore))
        if show:
            click.echo(_text(replays[-1]))
    return replays


def _text(one: CaseReplay) -> str:
    lines = [f"{one.eval_id}: {one.calls} calls, {'as recorded' if one.same else f'{len(one.drifts)} changed'}"]
    for drift in one.drifts:
        arguments = json.dumps(drift.arguments, ensure_ascii=False)
        lines += [
            f"  call {drift.place}: {drift.tool_name} {arguments}",
            diff(drift.recorded, drift.found, names=_NAMES),
        ]
    if one.problem:
        lines.append(click.style(f"  stopped: {one.problem}", fg="red"))
    return "\n".join(lines)


_NAMES = ("recorded", "now")


def _data(one: CaseReplay) -> dict[str, Any]:
    return {
        "eval_id": one.eval_id,
        "same": one.same,
        "calls": one.calls,
        "problem": one.problem or None,
        "drifts": [vars(drift) for drift in one.drifts],
    }
