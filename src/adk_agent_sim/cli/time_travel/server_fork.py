"""Lets a running server fork a session: its agent is there, or in a process that can restart it."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotDone
from typing import TYPE_CHECKING, Any

from adk_agent_sim.errors import ForkRefused
from adk_agent_sim.text.terminal_output import print_json, print_line

if TYPE_CHECKING:
    from adk_agent_sim.link.server_entry import ServerAnswer, ServerEntry

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
    from adk_agent_sim.cli.time_travel.time_travel_commands import print_wait
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
