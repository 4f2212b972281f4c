"""`adksim fork`: continues a copy of a stored session from any of its turns."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotDone
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adk_agent_sim.cli.shared_options import ServiceSettings, database_option, service_options
from adk_agent_sim.errors import ForkRefused, ReplayDiverged
from adk_agent_sim.golden.export_formats import build_eval_set_name
from adk_agent_sim.text.terminal_output import print_json, print_line, print_lines, send_other_output_to_stderr

if TYPE_CHECKING:
    from adk_agent_sim.adk.loading.agent_loader import App
    from adk_agent_sim.adk.runs.session_storage import RunnerServices
    from adk_agent_sim.adk.steps.steps import Step
    from adk_agent_sim.link.server_entry import ServerAnswer, ServerEntry
    from adk_agent_sim.simulation.simulation import Simulation
    from adk_agent_sim.timeline.store import MemoryStore
    from adk_agent_sim.use_cases.time_travel import TimeTravelPlan


@dataclass(frozen=True, kw_only=True)
class _ForkOptions:
    turn: int | None
    """The turn to decide again; None to continue where the session is."""

    message: str | None
    response: str | None
    model: str
    force: bool
    services: RunnerServices


@click.command()
@click.argument("session")
@click.option("--turn", type=click.IntRange(min=1), help="The turn to decide again.")
@click.option(
    "--agent",
    "agent_dir",
    type=click.Path(path_type=Path),
    help="The agent's folder, the same that `adksim run` takes. Without --turn, the copy continues where SESSION is. "
    "Without --agent, a running server forks the session.",
)
@click.option("--response", help="Decide the turn with this final response, instead of asking you.")
@click.option("--message", help="Send this user message instead of the one that led to the turn.")
@click.option(
    "--model",
    default="human",
    show_default=True,
    metavar="PLAYER",
    help="Who plays the model from the turn on: human, real, or replay:FILE.",
)
@click.option("--force", is_flag=True, help="Continue even if the replay differs from the recording.")
@click.option(
    "--eval-set",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The EvalSet to append the new session to; by default APP.evalset.json in the current directory.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the new session to this file as JSON Lines; a session from a database is always stored there too.",
)
@database_option
@service_options
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON, and do not ask you anything.")
def fork(
    session: str,
    turn: int | None,
    agent_dir: Path | None,
    response: str | None,
    message: str | None,
    model: str,
    force: bool,
    eval_set: Path | None,
    out: Path | None,
    database: str,
    services: ServiceSettings,
    as_json: bool,
) -> None:
    """Continue a copy of SESSION: an id, its beginning, `last`, or a .jsonl file; from one of its turns or where it is.

    Nothing of the past happens twice: earlier runs are copied, and the run of the turn is replayed with its recorded
    decisions and tool results. Only its callbacks run again; they are listed first. The session itself stays as it is.

    \b
    adksim fork last                                                 list the turns
    adksim fork last --agent my_agents/math_agent                    continue where it is, such as at a question
    adksim fork last --turn 3 --agent my_agents/math_agent           decide turn 3 again, in this terminal
    adksim fork last --turn 3 --agent my_agents/math_agent --response "It is 5." --json
    adksim fork last --turn 3 --agent my_agents/math_agent --model real
    adksim fork played.jsonl --turn 1 --agent my_agents/math_agent --message "What is 2+3?"
    adksim fork last --turn 3                                        on the running server that has the session
    """
    if turn is None and (response or message or (out and agent_dir is None)):
        raise click.UsageError("--response, --message and --out need --turn: they concern the new session.")
    if turn is not None and agent_dir is None and (response or message or out or model != "human" or _is_file(session)):
        raise click.UsageError("--turn needs --agent: the run of the turn is replayed with the agent's own code.")
    if agent_dir is None and services.is_given:
        raise click.UsageError("The services need --agent: the new session of ADK is where the agent runs.")
    if response is not None and model != "human":
        raise click.UsageError("--response and --model exclude each other: either decides the turn.")
    store, session_id = asyncio.run(_read_session(session, database))
    if agent_dir is None:
        if turn is None:
            _list_turns(store, session_id, as_json=as_json)
        else:
            fork_on_server(session_id, turn, force=force, as_json=as_json)
        return
    from adk_agent_sim.adk.loading.agent_loader import load_app

    with send_other_output_to_stderr() if as_json else nullcontext():
        app = load_app(agent_dir)
        created = services.create_services(agent_dir)
    options = _ForkOptions(turn=turn, message=message, response=response, model=model, force=force, services=created)
    path = eval_set or Path(build_eval_set_name(app.name))
    saved_in = "" if _is_file(session) else database
    asyncio.run(_close_after(_fork(app, store, session_id, options, path, out, saved_in, as_json=as_json), created))


async def _close_after(work: Coroutine[Any, Any, None], services: RunnerServices) -> None:
    """Close the services when the work has ended, also if it fails: a database would keep the process alive."""
    try:
        await work
    finally:
        await services.close()


async def _read_session(name: str, database: str) -> tuple[MemoryStore, str]:
    """Return a copy of the session in memory, so that the database is not in use while a person plays."""
    from adk_agent_sim.persistence.database_store import open_store
    from adk_agent_sim.timeline.jsonl import load_session
    from adk_agent_sim.timeline.session_copy import transfer_session
    from adk_agent_sim.timeline.store import MemoryStore
    from adk_agent_sim.timeline.timeline import Timeline
    from adk_agent_sim.use_cases.sessions import find_session

    store = MemoryStore()
    if _is_file(name):
        return store, (await load_session(name, store)).session_id
    async with open_store(database) as stored:
        session = await find_session(Timeline(stored), name)
        await transfer_session(stored, session, store)
        return store, session.session_id


def _is_file(name: str) -> bool:
    return name.endswith(".jsonl")


def _list_turns(store: MemoryStore, session_id: str, *, as_json: bool) -> None:
    from adk_agent_sim.cli.play.terminal_commands import describe_turns, print_turns

    events = store.get_log(session_id)
    if as_json:
        print_json({"session_id": session_id, "turns": describe_turns(events)})
        return
    print_turns(events)
    where_it_is = "Continue where it is, such as at a question to the user, with --agent FOLDER."
    if describe_turns(events):
        print_line(f"Continue from one of them with --turn N --agent FOLDER. {where_it_is}")
    else:
        print_line(f"No model was asked in this session, so it has no turns. {where_it_is}")


async def _fork(
    app: App,
    store: MemoryStore,
    session_id: str,
    options: _ForkOptions,
    eval_set: Path,
    out: Path | None,
    database: str,
    *,
    as_json: bool,
) -> None:
    from adk_agent_sim.adk.runs.replay_watch import watch_replays
    from adk_agent_sim.cli.play.terminal_commands import print_plan, print_wait
    from adk_agent_sim.simulation.simulation import Simulation
    from adk_agent_sim.simulation.time_travel import open_stored_session
    from adk_agent_sim.use_cases.time_travel import TimeTravelPoint, plan_time_travel

    plan = await plan_time_travel(
        open_stored_session(app, store, session_id), "fork", TimeTravelPoint(turn=options.turn)
    )
    if not as_json:
        print_plan(plan)
    watching = nullcontext() if as_json else watch_replays(on_wait=print_wait)
    with send_other_output_to_stderr() if as_json else nullcontext(), watching:
        try:
            forked = await Simulation.fork_stored(
                app,
                store,
                session_id,
                options.turn,
                response=options.response,
                message=options.message,
                model=options.model,
                services=options.services,
                force=options.force,
            )
        except ReplayDiverged as error:
            advice = "Add --force to continue anyway; the new session says so."
            raise ForkRefused(f"{error.summary}. {advice}") from error
        try:
            step = await forked.next()
            is_interactive = not as_json and options.response is None and options.model == "human"
            if is_interactive:
                await _play(forked, eval_set, step)
        finally:
            await forked.close()
        await _save(forked, store, out, database)
    if as_json:
        print_json(_to_json(forked, session_id, options.turn, plan, step))
    else:
        print_lines([f"The new session is {forked.session_id}: {step}."] if not is_interactive else [])


async def _play(forked: Simulation, eval_set: Path, step: Step) -> None:
    from adk_agent_sim.cli.play.prompts import KeyboardPrompts
    from adk_agent_sim.cli.play.terminal import play_simulation

    await play_simulation(forked, KeyboardPrompts(), eval_set, step)


async def _save(forked: Simulation, store: MemoryStore, out: Path | None, database: str) -> None:
    """Store the new session where the old one is, and in a file."""
    from adk_agent_sim.persistence.database_store import open_store
    from adk_agent_sim.timeline.session_copy import transfer_session

    if out is not None:
        await forked.export_jsonl(out)
    if database:
        async with open_store(database) as stored:
            await transfer_session(store, await forked.timeline.get_session(forked.session_id), stored)


def _to_json(forked: Simulation, session_id: str, turn: int | None, plan: TimeTravelPlan, step: Step) -> dict[str, Any]:
    from adk_agent_sim.adk.steps.steps import Done
    from adk_agent_sim.timeline.events import Forked

    differences = [event.payload.difference for event in forked.log() if isinstance(event.payload, Forked)]
    return {
        "session_id": forked.session_id,
        "source_session_id": session_id,
        "turn": turn,
        "agent": plan.agent_name,
        "copied_runs": plan.copied_runs,
        "replayed_turns": plan.replayed_turns,
        "replayed_calls": plan.replayed_calls,
        "callbacks": list(plan.callbacks),
        "difference": differences[-1] or None,
        "waits_for": None if isinstance(step, Done) else str(step),
        "final_response": step.text if isinstance(step, Done) else None,
    }


_NO_SERVER = (
    "--turn needs --agent: the run of the turn is replayed with the agent's own code. Without it, a server of yours "
    "has to be running that has the session."
)
_PROGRESS_SECONDS = 1.0


def fork_on_server(session_id: str, turn: int, *, force: bool, as_json: bool) -> None:
    """Fork a session on the server that has it, and print where the new one is played.

    Raises:
        ForkRefused: The server refuses it, or there is none.
    """
    from adk_agent_sim.link.server_entry import find_server

    entry = find_server(session_id)
    if entry is None:
        raise ForkRefused(_NO_SERVER)
    plan = _read_answer(_time_travel(entry, session_id, turn, force=force, path="/time-travel/plan"))
    for callback in plan["callbacks"] if not as_json else ():
        print_line(f"  runs again: {callback}")
    with ThreadPoolExecutor(1) as threads:
        request = threads.submit(_time_travel, entry, session_id, turn, force=force, path="/time-travel")
        forked = _read_answer(_wait_for_answer(entry, session_id, request, is_quiet=as_json))
    url = f"{entry.web_url}/sessions/{forked['session_id']}"
    if as_json:
        print_json({"session_id": forked["session_id"], "source_session_id": session_id, "turn": turn, "url": url})
    else:
        print_line(f"The new session is {forked['session_id']}. Play it at {url}")


def _time_travel(entry: ServerEntry, session_id: str, turn: int, *, force: bool, path: str) -> ServerAnswer | None:
    from adk_agent_sim.link.server_entry import request_json

    body = {"action": "fork", "turn": turn, "force": force}
    # Without a limit: a replay takes as long as the callbacks of the agent.
    return request_json(entry, "POST", f"/api/sessions/{session_id}{path}", body, timeout=None)


def _wait_for_answer(
    entry: ServerEntry, session_id: str, request: Future[ServerAnswer | None], *, is_quiet: bool
) -> ServerAnswer | None:
    """Wait for the fork, and print meanwhile what it waits for."""
    from adk_agent_sim.cli.play.terminal_commands import print_wait
    from adk_agent_sim.link.server_entry import request_json

    reported = ""
    while True:
        try:
            return request.result(_PROGRESS_SECONDS)
        except NotDone:
            progress = request_json(entry, "GET", f"/api/sessions/{session_id}/time-travel")
            waits_for = str(progress.body.get("waits_for", "")) if progress is not None else ""
            if waits_for != reported and not is_quiet:
                print_wait(waits_for)
            reported = waits_for


def _read_answer(answer: ServerAnswer | None) -> Mapping[str, Any]:
    if answer is None:
        raise ForkRefused("The server has stopped. Start it again with `adksim serve`, and try again.")
    if answer.is_ok:
        return answer.body
    advice = " Add --force to continue anyway; the new session says so." if answer.body.get("can_override") else ""
    raise ForkRefused(f"{answer.body.get('message', 'The server has failed.')}{advice}")
