"""`adksim replay`: checks whether an agent still does what was recorded when it makes the recorded decisions."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from adk_agent_sim.cli.evals.evals_format import format_replay_difference
from adk_agent_sim.cli.exit_codes import ExitCode, NothingToCompare
from adk_agent_sim.text.terminal_output import (
    print_document,
    print_json,
    print_line,
    print_message,
    send_other_output_to_stderr,
)

if TYPE_CHECKING:
    from adk_agent_sim.adk.loading.agent_loader import App
    from adk_agent_sim.golden.recording import Recording
    from adk_agent_sim.use_cases.cases import ReplayRecord


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--agent", "agent_dir", type=click.Path(path_type=Path), required=True, help="The agent's folder.")
@click.option("--case", "name", help="Replay only the case with this eval id, or the session with this id.")
@click.option(
    "--ignore",
    "ignored_paths",
    multiple=True,
    metavar="PATH",
    help="A value that may differ, such as result.time, *.id or search:items.*.score. Repeatable.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def replay(file: Path, agent_dir: Path, name: str | None, ignored_paths: tuple[str, ...], as_json: bool) -> None:
    """Call the real tools again, as in the recording FILE, and show what has changed.

    FILE is an EvalSet, a fixture of `adk test`, an ADK session, a timeline (adksim export --format jsonl) or a model
    cassette. No model is called: each agent makes its recorded decisions. A timeline and a cassette have those of all
    agents. An EvalSet lacks those of agents used as tools, so their recorded results are used.

    Exits with 1 if something has changed or a case cannot be replayed, and with 3 if nothing could be compared.

    \b
    adksim replay golden.evalset.json --agent my_agents/math_agent
    adksim replay session.jsonl --agent my_agents/shop_agent --ignore "*.order_id"
    """
    from adk_agent_sim.adk.loading.agent_loader import load_app
    from adk_agent_sim.golden.recording_files import read_recordings

    recordings = read_recordings(file, name)
    with send_other_output_to_stderr():
        replays = asyncio.run(_replay_all(load_app(agent_dir), recordings, ignored_paths, show=not as_json))
    same_count = sum(each.is_unchanged and each.has_compared for each in replays)
    if as_json:
        print_json([each.model_dump(mode="json") for each in replays])
    elif replays:
        print_document(f"\n{same_count} of {len(replays)} cases are as recorded")
    if not all(each.is_unchanged for each in replays):
        sys.exit(ExitCode.FAILED)
    if same_count < max(len(replays), 1):
        raise NothingToCompare(_explain_nothing_compared(file, replays))
    sys.exit(ExitCode.OK)


async def _replay_all(
    app: App, recordings: Sequence[Recording], ignored_paths: Sequence[str], *, show: bool
) -> list[ReplayRecord]:
    from adk_agent_sim.use_cases.cases import replay_recording

    replays: list[ReplayRecord] = []
    for recording in recordings:
        replays.append(await replay_recording(app, recording, ignored_paths))
        if show:
            _print_replay(replays[-1])
    return replays


def _explain_nothing_compared(file: Path, replays: Sequence[ReplayRecord]) -> str:
    if not replays:
        return f"{file} has no cases, so nothing was compared."
    without = [each for each in replays if not each.has_compared]
    made_calls = any(each.call_count for each in without)
    reason = "no recorded responses of tools" if made_calls else "no tool calls"
    names = ", ".join(each.name for each in without)
    return (
        f"Nothing was compared in {len(without)} of {len(replays)} cases of {file}, which have {reason}: {names}. "
        "Record a session in which the agent calls a tool, or select other cases with --case."
    )


def _print_replay(replay: ReplayRecord) -> None:
    print_line(f"{replay.name}: {_format_counts(replay)}, {_format_outcome(replay)}")
    for difference in replay.differences:
        agent = f" ({difference.agent_name})" if difference.agent_name else ""
        print_line(f"  message {difference.message_number}, {difference.what}{agent}")
        print_document(format_replay_difference(difference))
    for note in replay.notes:
        print_line(f"  note: {note}")
    if replay.problem:
        print_message(f"stopped: {replay.problem}", fg="red")


def _format_counts(replay: ReplayRecord) -> str:
    texts = f" and {replay.compared_text_count} texts" if replay.compared_text_count else ""
    return f"{replay.call_count} calls, {replay.compared_call_count} responses{texts} compared"


def _format_outcome(replay: ReplayRecord) -> str:
    if replay.differences:
        return f"{len(replay.differences)} changed"
    if replay.problem:
        return "stopped"
    return "as recorded" if replay.has_compared else "nothing to compare"
