"""`AgentSimulator`: how it starts, stops and stores sessions."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import socket
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from api_client import NO_TLS, bearer_headers, build_config, serve_agents
from fork_server import OpenProcess
from google.adk.agents import LlmAgent
from google.adk.apps import App
from polling import MAX_WAIT_SECONDS
from processes import open_adksim
from unvisited_server import listen_without_clients

from adk_agent_sim import AgentSimulator, SimulatorPlugin
from adk_agent_sim.server.web.web_server import RunningServer, open_listening_socket

_STUBBORN = """
import asyncio
from google.adk.agents import LlmAgent

async def stubborn() -> None:
    while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            pass

root_agent = LlmAgent(name="mine", model="gemini-2.5-flash", tools=[stubborn])
"""

_WITH_PLUGIN = """
from adk_agent_sim import SimulatorPlugin
from google.adk.agents import LlmAgent
from google.adk.apps import App

root_agent = LlmAgent(name="mine", model="gemini-2.5-flash")
app = App(name="mine", root_agent=root_agent, plugins=[SimulatorPlugin()])
"""

_LEFT_OUT = "The app's SimulatorPlugin is not used here: this simulation itself plays the models."

_SLOW_MODEL = """
import asyncio
from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm

class Slow(BaseLlm):
    async def generate_content_async(self, llm_request, stream=False):
        print("asked", flush=True)
        await asyncio.Event().wait()
        yield

root_agent = LlmAgent(name="mine", model=Slow(model="slow"))
"""


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


def _create_agent(name: str = "agent") -> LlmAgent:
    return LlmAgent(name=name, model="gemini-2.5-flash", tools=[add])


class TestAgents:
    def test_none_are_refused(self) -> None:
        with pytest.raises(ValueError, match="pass at least one SimulatedAgentConfig"):
            AgentSimulator([])

    def test_two_of_one_name_are_refused(self, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match="Two agents are named 'Math'"):
            AgentSimulator(
                [build_config(_create_agent("a"), tmp_path, "Math"), build_config(_create_agent("b"), tmp_path, "Math")]
            )

    async def test_names_that_would_have_one_key_get_two(self, tmp_path: Path) -> None:
        configs = [
            build_config(_create_agent("a"), tmp_path, "Math Agent"),
            build_config(_create_agent("b"), tmp_path, "math_agent"),
        ]
        async with await AgentSimulator(configs).start(port=0) as server, _create_client(server) as client:
            agents = (await client.get("/api/agents")).json()

        assert [(agent["key"], agent["name"]) for agent in agents] == [
            ("math_agent", "Math Agent"),
            ("math_agent_2", "math_agent"),
        ]

    async def test_the_plugin_of_an_app_is_left_out_with_one_line_in_the_log(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        with listen_without_clients() as address:
            monkeypatch.setenv("ADK_SIM_SERVER_URL", address)
            app = App(name="app", root_agent=_create_agent(), plugins=[SimulatorPlugin()])
            async with serve_agents(tmp_path, app) as browser:
                assert [agent["tools"] for agent in await browser.get("/agents")] == [["add"]]
                for _ in range(2):
                    session_id = await browser.start_session("agent", "1+1?")
                    await browser.call_tools(session_id, ("add", {"a": 1, "b": 1}))
                    await browser.respond(session_id, "2")
                    await browser.wait_for_status(session_id, "done")

        assert [record.message for record in caplog.records if "SimulatorPlugin" in record.message] == [_LEFT_OUT]


class TestStarting:
    async def test_it_listens_on_loopback_only(self, tmp_path: Path) -> None:
        async with serve_agents(tmp_path, _create_agent()) as browser:
            assert browser.server.url.startswith(f"http://127.0.0.1:{browser.server.port}/?code=")
            with pytest.raises(OSError, match=r".*"):
                await asyncio.open_connection(_find_other_address(), browser.server.port)

    async def test_a_port_in_use_is_skipped(self, tmp_path: Path) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            async with await AgentSimulator([build_config(_create_agent(), tmp_path)]).start(port=port) as server:
                assert server.port > port

    def test_no_port_is_tried_after_the_last(self) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 65535))
            taken.listen()
            with pytest.raises(OSError, match="in use"):
                open_listening_socket("127.0.0.1", 65535)
        with pytest.raises(ValueError, match="ports are 0 to 65535"):
            open_listening_socket("127.0.0.1", 70_000)

    def test_small_responses_are_not_delayed(self) -> None:
        """asyncio disables Nagle's algorithm only on sockets that were created with the protocol TCP."""
        with open_listening_socket("127.0.0.1", 0) as listening:
            assert listening.proto == socket.IPPROTO_TCP

    async def test_a_host_that_is_allowed_is_served(self, tmp_path: Path) -> None:
        simulator = AgentSimulator([build_config(_create_agent(), tmp_path)])
        async with (
            await simulator.start(port=0, allow_hosts=["build-box:8080"]) as server,
            _create_client(server) as client,
        ):
            answer = await client.get("/api/sessions", headers={"Host": "build-box:8080"})

        assert answer.status_code == 200

    async def test_in_an_event_loop_run_says_what_to_do_instead(self, tmp_path: Path) -> None:
        with pytest.raises(RuntimeError, match=r"await simulator.start\(\)"):
            AgentSimulator([build_config(_create_agent(), tmp_path)]).run()

    async def test_two_servers_of_one_simulator_have_tokens_of_their_own(self, tmp_path: Path) -> None:
        simulator = AgentSimulator([build_config(_create_agent(), tmp_path)])
        async with (
            await simulator.start(port=0) as one,
            await simulator.start(port=0) as other,
            _create_client(one) as client,
        ):
            answer = await client.get(f"http://127.0.0.1:{other.port}/api/sessions")

        assert answer.status_code == 401

    async def test_stopping_ends_the_runs_and_frees_the_port(self, tmp_path: Path) -> None:
        async with serve_agents(tmp_path, _create_agent()) as browser:
            await browser.wait_for_turn(await browser.start_session("agent", "go"))
            await browser.server.stop()
            await browser.server.stop()
            with pytest.raises(httpx.ConnectError):
                await browser.client.get("/api/sessions")

        assert not [task for task in asyncio.all_tasks() if (task.get_name() or "").startswith("adksim")]


class TestKeeping:
    @pytest.mark.req("001/FR-017", "001/edge-abandonment")
    async def test_without_a_database_sessions_end_with_the_server(self, tmp_path: Path) -> None:
        async with serve_agents(tmp_path, _create_agent()) as browser:
            session_id = await browser.start_session("agent", "1+1?")
            await browser.wait_for_turn(session_id)
            assert [one["session_id"] for one in await browser.list_sessions()] == [session_id]
        async with serve_agents(tmp_path, _create_agent()) as browser:
            assert await browser.list_sessions() == []
            assert (await browser.client.get(f"/api/sessions/{session_id}")).status_code == 404

    @pytest.mark.req("001/FR-017")
    async def test_with_a_database_sessions_outlive_the_server_and_are_read_only(self, tmp_path: Path) -> None:
        database = tmp_path / "kept.db"
        async with serve_agents(tmp_path, _create_agent(), database=database) as browser:
            session_id = await browser.start_session("agent", "1+1?")
            await browser.call_tools(session_id, ("add", {"a": 1, "b": 1}))
            await browser.respond(session_id, "2")
            await browser.wait_for_status(session_id, "done")
            rows = await browser.get_rows(session_id)
            assert (await browser.get("/server"))["is_persistent"]
        async with serve_agents(tmp_path, _create_agent(), database=database) as browser:
            session = await browser.get(f"/sessions/{session_id}")
            assert (await browser.get_rows(session_id))[:3] == rows
            assert (session["status"], session["agent_key"]) == ("closed", "agent")
            assert (await browser.get_row_detail(session_id, 1))["result"]["text"] == "2"
            refusal = await browser.post_refused(f"/sessions/{session_id}/messages", {"text": "more"}, 409)
            assert (await browser.get(f"/sessions/{session_id}/briefing"))["tools"][0]["name"] == "add"
            exported = await browser.post(f"/sessions/{session_id}/export", {})

        assert refusal["error"] == "AgentNotLocal"
        assert json.loads(exported["text"])["conversation"][0]["final_response"]["parts"][0]["text"] == "2"

    async def test_an_export_is_remembered_after_a_restart(self, tmp_path: Path) -> None:
        database = tmp_path / "kept.db"
        async with serve_agents(tmp_path, _create_agent(), database=database) as browser:
            session_id = await browser.start_session("agent", "1+1?")
            await browser.respond(session_id, "2")
            await browser.wait_for_status(session_id, "done")
            written = await browser.post(f"/sessions/{session_id}/export", {})
        async with serve_agents(tmp_path, _create_agent(), database=database) as browser:
            refusal = await browser.post_refused(f"/sessions/{session_id}/export", {}, 409)
            await browser.post(f"/sessions/{session_id}/export", {"again": True})

        assert refusal["error"] == "AlreadyExported"
        assert written["eval_id"] in refusal["message"]


class TestCommandLine:
    @pytest.mark.process
    def test_the_demo_prints_its_address_and_ends_with_ctrl_c(self) -> None:
        process = open_adksim("demo", "--port", "0", keep_errors=True)
        try:
            url = re.search(r"http://\S+", process.stdout.readline())
            assert url is not None
            with httpx.Client(follow_redirects=True) as client:
                client.get(url[0])
                agents = client.get(httpx.URL(url[0]).join("/api/agents")).json()
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=MAX_WAIT_SECONDS)
        finally:
            process.kill()
            process.wait()

        assert [agent["name"] for agent in agents] == ["math_agent", "shop_agent"]
        assert (process.returncode, errors) == (0, "")

    @pytest.mark.process
    @pytest.mark.parametrize("host", ["0.0.0.0", ""])  # noqa: S104 - printed, not bound
    def test_on_all_addresses_it_says_what_other_machines_need(self, host: str) -> None:
        process = open_adksim("demo", "--host", host, "--behind-tls-proxy", "--port", "0")
        try:
            opened, _, others = [process.stdout.readline() for _ in range(3)]
            address = re.search(r"http://127\.0\.0\.1:(\d+)/", opened)
            process.terminate()
            process.communicate(timeout=MAX_WAIT_SECONDS)
        finally:
            process.kill()
            process.wait()

        assert address is not None
        assert f"--allow-host NAME:{address[1]}" in others

    @pytest.mark.process
    def test_a_tool_that_ignores_its_cancellation_does_not_block_the_exit(self, tmp_path: Path) -> None:
        with _run_in_process(tmp_path, _STUBBORN) as (process, client, session):
            decision = {"decision_id": "decision-1", "calls": [{"name": "stubborn", "arguments": "{}"}]}
            client.post(f"{session}/turns/{_wait_for_turn(client, session)}/decision", json=decision)
            _wait_for_status(client, session, "running")
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=MAX_WAIT_SECONDS)

        assert process.returncode == 0
        assert "a tool of 'mine'" in errors
        assert "Traceback" not in errors

    @pytest.mark.process
    def test_a_suggestion_in_flight_leaves_no_traceback_at_the_end(self, tmp_path: Path) -> None:
        with _run_in_process(tmp_path, _SLOW_MODEL) as (process, client, session), ThreadPoolExecutor() as pool:
            path = f"{session}/turns/{_wait_for_turn(client, session)}/suggestion"
            asked = pool.submit(client.post, path)
            assert process.stdout.readline() == "asked\n"
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=MAX_WAIT_SECONDS)
            asked.exception(timeout=MAX_WAIT_SECONDS)

        assert process.returncode == 0
        assert "Traceback" not in errors

    @pytest.mark.process
    def test_an_upload_in_flight_leaves_no_traceback_at_the_end(self, tmp_path: Path) -> None:
        with _run_in_process(tmp_path, _SLOW_MODEL) as (process, client, session), socket.socket() as upload:
            upload.connect((client.base_url.host, client.base_url.port or 80))
            head = f"POST {session}/messages HTTP/1.1\r\nHost: 127.0.0.1:{client.base_url.port}\r\n"
            cookie = "; ".join(f"{one.name}={one.value}" for one in client.cookies.jar)
            rest = f"Cookie: {cookie}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{{"
            upload.sendall((head + rest).encode())
            _wait_for_turn(client, session)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=MAX_WAIT_SECONDS)

        assert process.returncode == 0
        assert "Traceback" not in errors

    @pytest.mark.process
    def test_a_folder_is_played_in_the_browser_too(self, tmp_path: Path) -> None:
        with (
            listen_without_clients() as address,
            _run_in_process(tmp_path, _WITH_PLUGIN, ADK_SIM_SERVER_URL=address) as (process, client, session),
        ):
            decision = {"decision_id": "decision-1", "text": "Done."}
            client.post(f"{session}/turns/{_wait_for_turn(client, session)}/decision", json=decision)
            _wait_for_status(client, session, "done")
            process.terminate()
            _, errors = process.communicate(timeout=MAX_WAIT_SECONDS)

        assert process.returncode == 0
        assert errors.splitlines() == [_LEFT_OUT]


@contextmanager
def _run_in_process(folder: Path, agent: str, **environment: str) -> Generator[tuple[OpenProcess, httpx.Client, str]]:
    """Run an agent in its own process; yields the process, a client, and the API path of a session with a message."""
    (folder / "mine").mkdir()
    (folder / "mine" / "__init__.py").write_text("from . import agent\n")
    (folder / "mine" / "agent.py").write_text(agent)
    options = ["--web", "--ephemeral", "--port", "0", "--eval-set", folder / "x.evalset.json"]
    process = open_adksim("run", folder / "mine", *options, keep_errors=True, environment=environment)
    try:
        url = httpx.URL(process.stdout.readline().split()[1])
        process.stdout.readline()
        with httpx.Client(base_url=url.join("/"), follow_redirects=True, timeout=MAX_WAIT_SECONDS) as client:
            client.get(url)
            session_id = client.post("/api/sessions", json={"agent_key": "mine"}).json()["session_id"]
            client.post(f"/api/sessions/{session_id}/messages", json={"text": "go"})
            yield process, client, f"/api/sessions/{session_id}"
    finally:
        process.kill()
        process.wait()


def _wait_for_status(client: httpx.Client, session: str, wanted: str) -> Any:
    for _ in range(2_000):
        found = client.get(session).json()
        if found["status"] == wanted:
            return found
    raise AssertionError(f"the session was never {wanted}")


def _wait_for_turn(client: httpx.Client, session: str) -> str:
    return _wait_for_status(client, session, "waiting")["pending"][0]["request_id"]


def _create_client(server: RunningServer) -> httpx.AsyncClient:
    return httpx.AsyncClient(verify=NO_TLS, base_url=f"http://127.0.0.1:{server.port}", headers=bearer_headers(server))


def _find_other_address() -> str:
    """Returns an address of this machine other than 127.0.0.1."""
    return "127.0.0.2"
