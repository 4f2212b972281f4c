"""`adksim replay`: checks whether the tools still return what a golden trace recorded."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adk_agent_sim.cli.exit_codes import ExitCode, NothingToCompare
from adk_agent_sim.cli.json_diff import format_diff
from adk_agent_sim.text.terminal_output import print_document, print_json, print_line, print_message

if TYPE_CHECKING:
    from adk_agent_sim.adk.agent_loader import App
    from adk_agent_sim.adk.tool_replay import CaseReplay, EvalCase

_DIFF_LABELS = ("recorded", "now")


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--agent", "agent_dir", type=click.Path(path_type=Path), required=True, help="The agent's folder.")
@click.option("--case", "eval_id", help="Replay only the case with this id.")
@click.option(
    "--ignore",
    multiple=True,
    metavar="PATH",
    help="A value that may differ, such as result.time, *.id or search:items.*.score; repeatable.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def replay(file: Path, agent_dir: Path, eval_id: str | None, ignore: tuple[str, ...], as_json: bool) -> None:
    """Call the real tools again, in the order of the EvalSet FILE, and show which results have changed.

    The agent's model is not called: the recorded calls take its place. Exits with 1 if a result has changed or a case
    cannot be replayed, and with 3 if no case has a tool call.

    \b
    adksim replay golden.evalset.json --agent my_agents/math_agent
    adksim replay golden.evalset.json --agent my_agents/shop_agent --ignore "*.order_id"
    """
    from adk_agent_sim.adk.agent_loader import load_app
    from adk_agent_sim.adk.tool_replay import read_eval_cases
    from adk_agent_sim.cli.terminal import silence_adk_logging

    silence_adk_logging()
    replays = asyncio.run(_replay_cases(load_app(agent_dir), read_eval_cases(file, eval_id), ignore, show=not as_json))
    unchanged_count = sum(each.is_unchanged for each in replays)
    if as_json:
        print_json([_replay_to_json(each) for each in replays])
    elif replays:
        print_document(f"\n{unchanged_count} of {len(replays)} cases are as recorded")
    if unchanged_count < len(replays):
        sys.exit(ExitCode.FAILED)
    if not any(each.calls for each in replays):
        what = "has no cases" if not replays else "has no tool call in the replayed cases"
        raise NothingToCompare(
            f"{file} {what}, so nothing was compared. Record a session in which the agent calls a tool."
        )
    sys.exit(ExitCode.OK)


async def _replay_cases(app: App, cases: Sequence[EvalCase], ignore: Sequence[str], *, show: bool) -> list[CaseReplay]:
    from adk_agent_sim.adk.tool_replay import replay_eval_case as replay_case

    replays: list[CaseReplay] = []
    for case in cases:
        replays.append(await replay_case(app, case, ignore))
        if show:
            _print_replay(replays[-1])
    return replays


def _print_replay(case_replay: CaseReplay) -> None:
    print_line(f"{case_replay.eval_id}: {case_replay.calls} calls, {_format_outcome(case_replay)}")
    for drift in case_replay.drifts:
        print_line(f"  call {drift.place}: {drift.tool_name} {json.dumps(drift.arguments, ensure_ascii=False)}")
        print_document(format_diff(drift.recorded, drift.found, labels=_DIFF_LABELS))
    if case_replay.problem:
        print_message(f"stopped: {case_replay.problem}", fg="red")


def _format_outcome(case_replay: CaseReplay) -> str:
    if not case_replay.is_unchanged:
        return f"{len(case_replay.drifts)} changed"
    return "as recorded" if case_replay.calls else "nothing to compare"


def _replay_to_json(case_replay: CaseReplay) -> dict[str, Any]:
    return {
        "eval_id": case_replay.eval_id,
        "same": case_replay.is_unchanged,
        "calls": case_replay.calls,
        "problem": case_replay.problem or None,
        "drifts": [vars(drift) for drift in case_replay.drifts],
    }
