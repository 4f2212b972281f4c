"""The past of a session whose agent runs in another process: that restarts it, or it is refused with the reason."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from api_client import NO_TLS, ApiClient
from fork_server import ForkedProcess
from polling import pause
from processes import ServerProcess, invoke_adksim, start_python

from adk_agent_sim.link.server_entry import find_entry

pytestmark = pytest.mark.process

AGENT = Path(__file__).with_name("restarting_agent.py")
TESTS = str(Path(__file__).parent.parent)


class RemoteClient(ApiClient):
    """Uses the API of a server in another process."""

    def __init__(self, server: ServerProcess, client: httpx.AsyncClient) -> None:
        self.process = server
        self.client = client

    async def wait_for_session(self) -> str:
        while not (sessions := await self.list_sessions()):
            await pause()
        return sessions[0]["session_id"]

    async def wait_for_past(self, session_id: str, **expected: Any) -> Any:
        """Wait until the past of a session is described so."""
        while True:
            session = await self.get(f"/sessions/{session_id}")
            if expected.items() <= session["time_travel"].items():
                return session
            await pause()


@pytest.fixture
async def browser(tmp_path: Path) -> AsyncIterator[RemoteClient]:
    server = ServerProcess(tmp_path / "simulator.db", web=True)
    await server.start()
    entry = find_entry(server.port)
    assert entry is not None
    headers = {"Authorization": f"Bearer {entry.token}"}
    async with httpx.AsyncClient(verify=NO_TLS, base_url=entry.web_address, headers=headers, timeout=300) as client:
        yield RemoteClient(server, client)
    await server.stop()


@asynccontextmanager
async def start_agent(browser: RemoteClient, *options: str) -> AsyncGenerator[ForkedProcess]:
    path = os.pathsep.join([TESTS, *filter(None, [os.environ.get("PYTHONPATH")])])
    agent = await start_python(AGENT, *options, ADK_SIM_SERVER_URL=browser.process.url, PYTHONPATH=path)
    try:
        yield agent
    finally:
        agent.kill()
        await agent.wait()


async def read_until(agent: ForkedProcess, last: str) -> list[str]:
    """Return the next lines that an agent prints, up to this one."""
    lines: list[str] = []
    async for line in agent.stdout:
        lines.append(line.decode().strip())
        if lines[-1] == last:
            return lines
    raise AssertionError(f"the process ended: {lines}")


async def play_first_run(browser: RemoteClient, agent: ForkedProcess) -> str:
    """Play a call and an answer, and a call of the second run; the session's id."""
    session_id = await browser.wait_for_session()
    await browser.call_tools(session_id, ("add", {"a": 1, "b": 1}))
    await browser.respond(session_id, "two")
    assert await read_until(agent, "said two") == ["add 1 1", "said two"]
    await browser.call_tools(session_id, ("add", {"a": 2, "b": 2}))
    assert await read_until(agent, "add 2 2") == ["add 2 2"]
    await browser.wait_for_turn(session_id)
    return session_id


def list_counting(rows: list[dict[str, Any]], session: Any) -> list[tuple[str, str]]:
    undone = session["time_travel"]["undone"]
    return [
        (row["kind"], row["summary"])
        for row in rows
        if row["kind"] in ("user", "call", "answer") and not any(first <= row["seq"] <= last for first, last in undone)
    ]


FIRST_RUN = [("user", "1+1?"), ("call", "a=1 b=1"), ("answer", "two"), ("user", "2+2?"), ("call", "a=2 b=2")]


async def test_a_fork_continues_in_the_agents_process_and_no_tool_runs_twice(browser: RemoteClient) -> None:
    async with start_agent(browser) as agent:
        session_id = await play_first_run(browser, agent)
        await browser.wait_for_past(session_id, fork_problem="", rewind_problem="")
        forked = await browser.time_travel(session_id, "fork", turn=4)
        fork_id = forked["session_id"]
        request = await browser.get(f"/sessions/{fork_id}/turns/{await browser.wait_for_turn(fork_id)}/request")
        await browser.call_tools(fork_id, ("add", {"a": 4, "b": 4}))
        assert await read_until(agent, "add 4 4") == ["add 4 4"]
        await browser.respond(fork_id, "eight")
        session = await browser.wait_for_status(fork_id, "done")
        await browser.respond(session_id, "four")
        assert await read_until(agent, "over") == ["said four", "over"]
        original = await browser.wait_for_status(session_id, "done")

        arguments = ["fork", session_id, "--turn", "4", "--db", browser.process.database]
        printed = await asyncio.to_thread(invoke_adksim, *arguments, "--json")
        second = json.loads(printed.stdout)
        await browser.wait_for_turn(second["session_id"])
        shown = await asyncio.to_thread(invoke_adksim, *arguments)
        wrong = await asyncio.to_thread(invoke_adksim, *arguments[:3], "9", *arguments[4:])

        # The fork is a session of the process too, and is undone there.
        await browser.time_travel(fork_id, "undo")
        await browser.respond(fork_id, "8")
        undone = await browser.wait_for_status(fork_id, "done")

    assert (second["source_session_id"], second["turn"]) == (session_id, 4)
    assert second["url"].endswith(f"/sessions/{second['session_id']}")
    assert "Play it at http" in shown.stdout
    assert "There is no turn 9: the session has 4 turns." in wrong.stderr
    assert fork_id != session_id
    assert forked["time_travel"]["forked_from"]["session_id"] == session_id
    assert "The last sum was 4" in str(request)
    assert list_counting(await browser.get_rows(session_id), original) == [*FIRST_RUN, ("answer", "four")]
    rows = await browser.get_rows(fork_id)
    assert list_counting(rows, session) == [*FIRST_RUN, ("call", "a=4 b=4"), ("answer", "eight"), ("answer", "8")]
    assert list_counting(rows, undone) == [*FIRST_RUN, ("call", "a=4 b=4"), ("answer", "8")]


async def test_decisions_are_taken_back_and_made_again_in_the_agents_process(browser: RemoteClient) -> None:
    async with start_agent(browser) as agent:
        session_id = await play_first_run(browser, agent)
        before = await browser.wait_for_past(session_id, can_undo=True, can_redo=False)
        undone = await browser.time_travel(session_id, "undo")
        await browser.wait_for_turn(session_id)
        rows_after_undo = list_counting(await browser.get_rows(session_id), undone)
        await browser.time_travel(session_id, "redo")
        redone = await browser.wait_for_request(session_id, "model")
        rows_after_redo = list_counting(await browser.get_rows(session_id), redone)
        await browser.time_travel(session_id, "go_back", turn=3)
        await browser.respond(session_id, "four")
        session = await browser.wait_for_status(session_id, "done")
        # The run whose decision was taken back fails when the one that took its place has ended.
        assert await read_until(agent, "over") == ["undone", "over"]
        refusal = await browser.post_refused(
            f"/sessions/{session_id}/time-travel", {"action": "go_back", "row": 0}, 409
        )

    assert (before["time_travel"]["player_problem"] == "", undone["session_id"]) == (False, session_id)
    assert rows_after_undo == FIRST_RUN[:-1]
    assert rows_after_redo == FIRST_RUN
    assert list_counting(await browser.get_rows(session_id), session) == [*FIRST_RUN[:-1], ("answer", "four")]
    assert "only that can send a message" in refusal["message"]


async def test_what_a_process_cannot_restart_is_refused_and_nothing_changes(browser: RemoteClient) -> None:
    async with start_agent(browser, "plain") as agent:
        plain_id = await play_first_run(browser, agent)
        plain_rows = await browser.get_rows(plain_id)
        plain = await browser.get(f"/sessions/{plain_id}")
        refusal = await browser.post_refused(f"/sessions/{plain_id}/time-travel", {"action": "undo"}, 409)
        assert (await browser.get_rows(plain_id), len(await browser.list_sessions())) == (plain_rows, 1)
    async with start_agent(browser):
        while len(sessions := await browser.list_sessions()) < 2:
            await pause()
        session_id = next(each["session_id"] for each in sessions if each["session_id"] != plain_id)
        await browser.call_tools(session_id, ("add", {"a": 1, "b": 1}))
        await browser.wait_for_turn(session_id)
        await browser.wait_for_past(session_id, can_undo=True)
    gone = await browser.wait_for_past(session_id, can_undo=False)
    rows = await browser.get_rows(session_id)
    gone_refusal = await browser.post_refused(f"/sessions/{session_id}/time-travel", {"action": "fork", "turn": 2}, 409)

    assert "cannot restart it. Pass `restart=`" in refusal["message"]
    assert plain["time_travel"]["fork_problem"] == plain["time_travel"]["rewind_problem"] == refusal["message"]
    assert "could restart it and has ended" in gone_refusal["message"]
    assert gone["time_travel"]["fork_problem"] == gone_refusal["message"]
    assert (await browser.get_rows(session_id), len(await browser.list_sessions())) == (rows, 2)
