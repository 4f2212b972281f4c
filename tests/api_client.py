"""A real server on a real port, and a client that uses its API as the browser does."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
from google.adk.apps import App
from google.adk.workflow import BaseNode
from polling import MAX_WAIT_SECONDS, pause
from websockets.asyncio.client import ClientConnection, connect

from adk_agent_sim import AgentSimulator, SimulatedAgentConfig
from adk_agent_sim.persistence.access_tokens import MemoryTokenStore, TokenStore
from adk_agent_sim.server.access.access_control import open_access_control
from adk_agent_sim.server.access.connection_limits import IdleConnections
from adk_agent_sim.server.sessions.session_api_models import SessionGone, SessionListUpdate, SessionUpdate
from adk_agent_sim.server.sessions.session_services import SessionServices
from adk_agent_sim.server.web.web_server import RunningServer, start_web_server
from adk_agent_sim.timeline.clock import Clock
from adk_agent_sim.use_cases.session_record import SessionRecord

NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""For clients of plain HTTP: without it, each reads the certificates of all authorities, which takes 40 ms."""

_UPDATE_FIELDS = {
    name for model in (SessionUpdate, SessionListUpdate, SessionGone, SessionRecord) for name in model.model_fields
}


class ApiClient:
    """Plays sessions over HTTP."""

    def __init__(self, server: RunningServer, client: httpx.AsyncClient) -> None:
        self.server = server
        self.client = client

    async def get(self, path: str, **query: Any) -> Any:
        return _read_json(await self.client.get(f"/api{path}", params=query))

    async def post(self, path: str, body: Any = None) -> Any:
        return _read_json(await self.client.post(f"/api{path}", json=body))

    async def post_refused(self, path: str, body: Any, status: int) -> Any:
        answer = await self.client.post(f"/api{path}", json=body)
        assert answer.status_code == status, answer.text
        return answer.json()

    async def start_session(self, agent: str, text: str | None = None) -> str:
        session_id: str = (await self.post("/sessions", {"agent_key": agent}))["session_id"]
        if text is not None:
            await self.send_message(session_id, text)
        return session_id

    async def send_message(self, session_id: str, text: str, **more: Any) -> None:
        await self.post(f"/sessions/{session_id}/messages", {"text": text, **more})

    async def wait_for_turn(self, session_id: str) -> str:
        """Wait for a pending turn and return it."""
        return (await self.wait_for_request(session_id, "model"))["pending"][0]["request_id"]

    async def wait_for_confirmation(self, session_id: str) -> Any:
        """Wait for a call that needs the user's confirmation and return it."""
        return (await self.wait_for_request(session_id, "consent"))["confirmation"]

    async def wait_for_request(self, session_id: str, *kinds: str) -> Any:
        """Wait until the session waits for a person, first for a request of one of these kinds."""
        async with asyncio.timeout(MAX_WAIT_SECONDS):
            while True:
                session = await self.wait_for_status(session_id, "waiting")
                if session["pending"][0]["kind"] in kinds:
                    return session
                await pause()

    async def list_sessions(self, **query: Any) -> list[Any]:
        return (await self.get("/sessions", **query))["sessions"]

    async def call_tools(self, session_id: str, *calls: tuple[str, dict[str, Any]], **more: Any) -> Any:
        listed = [{"name": name, "arguments": json.dumps(arguments)} for name, arguments in calls]
        return await self.decide(session_id, calls=listed, **more)

    async def respond(self, session_id: str, text: str, **more: Any) -> Any:
        return await self.decide(session_id, text=text, **more)

    async def decide(self, session_id: str, **decision: Any) -> Any:
        turn_id = await self.wait_for_turn(session_id)
        body = {"decision_id": uuid4().hex, **decision}
        return await self.post(f"/sessions/{session_id}/turns/{turn_id}/decision", body)

    async def time_travel(self, session_id: str, action: str, **more: Any) -> Any:
        """Undo, redo, go back or fork, and return the session that continues."""
        answer = await self.post(f"/sessions/{session_id}/time-travel", {"action": action, **more})
        return await self.get(f"/sessions/{answer['session_id']}")

    async def wait_for_status(self, session_id: str, *statuses: str) -> Any:
        async with asyncio.timeout(MAX_WAIT_SECONDS):
            while True:
                session = await self.get(f"/sessions/{session_id}")
                if session["status"] in statuses:
                    return session
                await pause()

    async def get_rows(self, session_id: str) -> list[dict[str, Any]]:
        return await self.get(f"/sessions/{session_id}/rows", count=10_000)

    async def get_row_detail(self, session_id: str, index: int, **query: Any) -> dict[str, Any]:
        """Return the details of a row, its values by label."""
        detail = await self.get(f"/sessions/{session_id}/rows/{index}", **query)
        return {"media": detail["media"], **{value["label"]: value for value in detail["values"]}}

    @asynccontextmanager
    async def open_tab(self) -> AsyncGenerator[LiveTab]:
        address = f"ws://127.0.0.1:{self.server.port}/api/live"
        headers = bearer_headers(self.server)
        async with connect(address, additional_headers=headers, max_size=None, ping_interval=None) as socket:
            tab = LiveTab(socket)
            await tab.follow(None)
            yield tab


class LiveTab:
    """A browser tab that receives live updates."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.rows: dict[int, dict[str, Any]] = {}
        self.seq = 0

    async def follow(self, session_id: str | None, after_seq: int = 0, tail: int = 10_000) -> None:
        await self.socket.send(json.dumps({"session_id": session_id, "after_seq": after_seq, "tail": tail}))

    async def iter_updates(self) -> AsyncIterator[Any]:
        async with asyncio.timeout(MAX_WAIT_SECONDS):
            async for message in self.socket:
                update = json.loads(message)
                if update["type"] == "session":
                    self.rows.update({row["index"]: row for row in update["rows"]})
                    self.seq = update["session"]["last_seq"]
                yield update

    async def wait_for_update(self, **wanted: Any) -> Any:
        """Returns the next update in which the message or its session has these values."""
        assert wanted.keys() <= _UPDATE_FIELDS, "a field that no update has would be waited for until the timeout"
        async for update in self.iter_updates():
            if all(update.get(key, update.get("session", {}).get(key)) == value for key, value in wanted.items()):
                return update
        raise AssertionError("the socket was closed")


def bearer_headers(server: RunningServer) -> dict[str, str]:
    return {"Authorization": f"Bearer {server.token}"}


def build_config(agent: BaseNode | App, folder: Path, name: str = "") -> SimulatedAgentConfig:
    app = agent if isinstance(agent, App) else None
    root = agent.root_agent if isinstance(agent, App) else agent
    assert root is not None
    return SimulatedAgentConfig(
        name=name or root.name, agent=root, app=app, eval_set_path=folder / f"{name or root.name}.evalset.json"
    )


@asynccontextmanager
async def serve_agents(
    folder: Path, *agents: BaseNode | App | SimulatedAgentConfig, database: Path | None = None
) -> AsyncGenerator[ApiClient]:
    """Serve agents, and yield a client with the token."""
    configs = [agent if isinstance(agent, SimulatedAgentConfig) else build_config(agent, folder) for agent in agents]
    async with serve_simulator(AgentSimulator(configs, database=database)) as client:
        yield client


@asynccontextmanager
async def serve_simulator(simulator: AgentSimulator) -> AsyncGenerator[ApiClient]:
    """Start a simulator, and yield a client with the token."""
    async with (
        await simulator.start(port=0) as server,
        httpx.AsyncClient(
            verify=NO_TLS,
            base_url=f"http://127.0.0.1:{server.port}",
            headers=bearer_headers(server),
            timeout=MAX_WAIT_SECONDS,
        ) as client,
    ):
        yield ApiClient(server, client)


@asynccontextmanager
async def serve_sessions(
    services: SessionServices,
    *,
    store: TokenStore | None = None,
    clock: Clock | None = None,
    idle_connections: IdleConnections | None = None,
) -> AsyncGenerator[RunningServer]:
    """Serve the sessions of a timeline, whose agents are elsewhere."""
    async with (
        open_access_control(store or MemoryTokenStore(), clock) as access,
        await start_web_server(
            services, AsyncExitStack(), access=access, port=0, idle_connections=idle_connections
        ) as server,
    ):
        yield server


def _read_json(answer: httpx.Response) -> Any:
    assert answer.status_code == 200, f"{answer.status_code} {answer.text}"
    return answer.json()
