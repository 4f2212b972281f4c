"""Agent, server and person in three places, with real processes and sockets between them."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import fork_server
import httpx
import pytest
from adk_eval_command import run_adk_eval
from polling import MAX_WAIT_SECONDS, pause
from processes import ServerProcess, invoke_adksim, read_lines, start_new_python, start_python
from scripted_model import call_response, text_response

from adk_agent_sim.link.remote_link import RemoteLink
from adk_agent_sim.timeline.events import Event, Player, RunEnded, TurnAsked, TurnDecided, TurnWithdrawn
from adk_agent_sim.timeline.model_request import ModelRequest
from adk_agent_sim.timeline.submissions import TurnDecision

pytestmark = pytest.mark.process

AGENT = Path(__file__).with_name("agent_process.py")
FIRST = Path(__file__).with_name("first_protocol.py")
TESTS = str(Path(__file__).parent.parent)

Decide = Callable[[Event, ModelRequest], dict[str, Any]]


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[ServerProcess]:
    server = ServerProcess(tmp_path / "simulator.db")
    await server.start()
    yield server
    await server.stop()


@pytest.fixture
async def open_server(tmp_path: Path) -> AsyncIterator[ServerProcess]:
    """A server for clients that know of no tokens."""
    server = ServerProcess(tmp_path / "simulator.db", "--allow-unauthenticated")
    await server.start()
    yield server
    await server.stop()


def agent_environment(server: ServerProcess) -> dict[str, str]:
    return {
        "ADK_SIM_SERVER_URL": server.url,
        "PYTHONPATH": os.pathsep.join([TESTS, *filter(None, [os.environ.get("PYTHONPATH")])]),
    }


async def newest_session(link: RemoteLink) -> str:
    async with asyncio.timeout(MAX_WAIT_SECONDS):
        while not (sessions := await link.list_sessions()):
            await pause()
    return sessions[0].session_id


async def play_newest_session(link: RemoteLink, decide: Decide, runs: int) -> list[Event]:
    """Play the newest session until so many runs of it have ended, and return its log."""
    session_id = await newest_session(link)
    log: list[Event] = []
    async with asyncio.timeout(MAX_WAIT_SECONDS):
        async for event in link.follow(session_id):
            log.append(event)
            if isinstance(event.payload, TurnAsked) and event.player is None:
                response = decide(event, await link.read_request(event))
                await link.decide(TurnDecision(session_id, event.turn_id, response, decision_id=event.turn_id))
            if isinstance(event.payload, RunEnded):
                runs -= 1
                if not runs:
                    break
    return log


async def play_agent(
    server: ServerProcess, kind: str, decide: Decide, *arguments: str, runs: int = 1
) -> tuple[str, list[Event]]:
    """Play an agent as a person, and return its answer and the log of its session."""
    agent = await start_python(AGENT, kind, *arguments, **agent_environment(server))
    async with RemoteLink(server.url) as link:
        log = await play_newest_session(link, decide, runs)
    answer = await read_lines(agent)
    assert await agent.wait() == 0
    return answer[-1], log


def in_order(*script: dict[str, Any]) -> Decide:
    left = iter(script)
    return lambda asked, request: next(left)


async def test_a_session_with_tools_and_errors_is_played_exported_and_passes_adk_eval(
    server: ServerProcess, tmp_path: Path
) -> None:
    script = [
        call_response(("add", {"a": 2, "b": 2})),
        call_response(("multiply", {"a": 3, "b": 3})),
        text_response("2+2 is 4, and 3*3 is 9."),
        call_response(("divide", {"dividend": 1, "divisor": 0})),
        text_response("One cannot divide by zero."),
    ]
    answer, log = await play_agent(server, "math", in_order(*script), runs=2)
    assert answer == "One cannot divide by zero."

    eval_set = tmp_path / "golden.evalset.json"
    arguments = ["export", log[0].session_id, "--db", server.database, "--out", eval_set, "--json"]
    exported = await asyncio.to_thread(invoke_adksim, *arguments)
    assert json.loads(exported.stdout)["path"] == str(eval_set)
    run = await asyncio.to_thread(run_adk_eval, tmp_path / "agents", "math_agent", eval_set, script)
    assert run.passed, run.output


async def test_transfer_and_output_schema_are_played_and_pass_adk_eval(server: ServerProcess, tmp_path: Path) -> None:
    address = {"name": "Ada", "street": "Main Street 1", "city": "Berlin", "postcode": "10115"}
    refund = {"order_id": "ORD-0001", "granted": True, "amount": 19.0, "reason": "Not shipped yet."}
    script = [
        call_response(("place_order", {"order": {"lines": [{"sku": "SKU-201", "quantity": 2}], "address": address}})),
        text_response("Ordered."),
        call_response(("transfer_to_agent", {"agent_name": "refund_agent"})),
        call_response(("get_order", {"order_id": "ORD-0001"})),
        call_response(("set_model_response", refund)),
    ]
    left = iter(script)

    def decide(asked: Event, request: ModelRequest) -> dict[str, Any]:
        """A final answer by whichever way the request offers."""
        response = next(left)
        parts = response["content"]["parts"]
        name = parts[0].get("function_call", {}).get("name")
        if name == "set_model_response" and name not in request.declarations:
            return text_response(json.dumps(refund))
        return response

    _, log = await play_agent(server, "shop", decide, runs=2)
    assert {event.agent_name for event in log if isinstance(event.payload, TurnDecided)} == {
        "shop_agent",
        "refund_agent",
    }
    decided = [event.payload.response for event in log if isinstance(event.payload, TurnDecided)]
    eval_set = tmp_path / "golden.evalset.json"
    await asyncio.to_thread(invoke_adksim, "export", "last", "--db", server.database, "--out", eval_set)
    run = await asyncio.to_thread(run_adk_eval, tmp_path / "agents", "shop_agent", eval_set, decided)
    assert run.passed, run.output


async def test_parallel_agents_are_answered_first_come_first_served(server: ServerProcess) -> None:
    _, log = await play_agent(server, "parallel", lambda asked, request: text_response(f"from {asked.agent_name}"))

    asked = [event.turn_id for event in log if isinstance(event.payload, TurnAsked)]
    assert asked == [event.turn_id for event in log if isinstance(event.payload, TurnDecided)]
    assert {event.agent_name for event in log if isinstance(event.payload, TurnAsked)} == {"a0", "a1", "a2"}


async def test_a_person_plays_one_agent_and_its_own_model_another_in_one_run(server: ServerProcess) -> None:
    answer, log = await play_agent(server, "hybrid", in_order(text_response("from a person")))

    assert answer == "from a person"
    decided = [(event.agent_name, event.player) for event in log if isinstance(event.payload, TurnDecided)]
    assert decided == [("real", Player.REAL), ("human", Player.HUMAN)]


async def test_a_script_that_ends_at_once_has_told_everything(server: ServerProcess) -> None:
    answer, log = await play_agent(server, "sums", in_order(text_response("done")), "leave")

    assert answer == "done"
    assert isinstance(log[-1].payload, RunEnded)


async def test_turns_of_a_killed_agent_leave_the_queue(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "simulator.db", "--abandon-after", "0.2")
    await server.start()
    agent = await start_python(AGENT, "sums", **agent_environment(server))
    async with RemoteLink(server.url) as link:
        session_id = await newest_session(link)
        log: list[Event] = []
        async for event in link.follow(session_id):
            log.append(event)
            if isinstance(event.payload, TurnAsked):
                agent.kill()
                await agent.wait()
            if isinstance(event.payload, TurnWithdrawn):
                break
        assert log[-1].payload == TurnWithdrawn(abandoned=True)
    await server.stop()

    (listed,) = json.loads((await asyncio.to_thread(_sessions, server.database)).stdout)
    assert (listed["status"], listed["pending"]) == ("abandoned", [])


def _sessions(database: Path) -> Any:
    return invoke_adksim("sessions", "--db", database, "--json")


@pytest.mark.req("003/proto-6", "003/proto-7")
async def test_an_agent_that_knows_only_the_first_protocol_works_also_across_a_restart(
    open_server: ServerProcess,
) -> None:
    turns = 6
    agent = await start_new_python(FIRST, "agent", open_server.url, str(turns))
    assert agent.stdout
    session_id = (await agent.stdout.readline()).decode().strip()
    async with RemoteLink(open_server.url) as link, asyncio.timeout(MAX_WAIT_SECONDS):
        answers = 0
        async for event in link.follow(session_id):
            if not isinstance(event.payload, TurnAsked):
                continue
            if answers in (1, 4):
                await open_server.kill()
                await open_server.start()
            (content,) = (await link.read_request(event)).contents
            answers += 1
            await link.decide(
                TurnDecision(session_id, event.turn_id, text_response(f"to {content['parts'][0]['text']}"))
            )
            if answers == turns:
                break
    assert await read_lines(agent) == [f"to question {number}" for number in range(turns)]
    assert await agent.wait() == 0


async def test_a_person_who_knows_only_the_first_protocol_plays_an_agent(open_server: ServerProcess) -> None:
    person = await start_new_python(FIRST, "person", open_server.url)
    agent = await start_python(AGENT, "sums", **agent_environment(open_server))
    async with asyncio.timeout(MAX_WAIT_SECONDS):
        answer = await read_lines(agent)
    person.kill()
    await person.wait()

    assert answer == ["the tool said 4"]


_API_AGENT = """\
from google.adk.agents import LlmAgent
root_agent = LlmAgent(name="assistant", model="no-such-model")
"""


async def test_adks_own_server_takes_the_plugin_by_its_name(server: ServerProcess, tmp_path: Path) -> None:
    folder = tmp_path / "agents" / "assistant"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("from . import agent\n")
    (folder / "agent.py").write_text(_API_AGENT)
    port = free_port()
    api = await fork_server.start(
        [
            *("-m", "google.adk.cli", "api_server", "--port", str(port)),
            *("--extra_plugins", "adk_agent_sim.SimulatorPlugin", str(folder.parent)),
        ],
        environment=os.environ | agent_environment(server),
    )
    try:
        async with (
            asyncio.timeout(MAX_WAIT_SECONDS),
            httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=MAX_WAIT_SECONDS) as client,
            RemoteLink(server.url) as link,
        ):
            await _listens(client)
            session = (await client.post("/apps/assistant/users/u/sessions", json={})).json()
            message = {"role": "user", "parts": [{"text": "hi"}]}
            body = {"appName": "assistant", "userId": "u", "sessionId": session["id"], "newMessage": message}
            asking = asyncio.create_task(client.post("/run", json=body))
            await play_newest_session(link, in_order(text_response("from a person")), runs=1)
            events = (await asking).json()
    finally:
        api.kill()
        await api.wait()

    assert events[-1]["content"]["parts"] == [{"text": "from a person"}]


async def _listens(client: httpx.AsyncClient) -> None:
    while True:
        try:
            await client.get("/list-apps")
        except httpx.TransportError:
            await pause()
        else:
            return


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]
