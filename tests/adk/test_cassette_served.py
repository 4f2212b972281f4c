"""`adk web` records an agent's own model to a cassette, and answers from it without a model's key."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import fork_server
import httpx
import pytest
from polling import MAX_WAIT_SECONDS, wait_until

_AGENT = """\
import os

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from adk_agent_sim import SimulatorPlugin


class OwnModel(BaseLlm):
    async def generate_content_async(self, llm_request, stream=False):
        result = llm_request.contents[-1].parts[0].function_response
        if result is None:
            yield _build_response(types.Part(function_call=types.FunctionCall(name="track", args={"order": 7})))
            return
        for text in ("The order ", result.response["state"]) if stream else ():
            yield _build_response(types.Part(text=text), partial=True)
        yield _build_response(types.Part(text=f"The order {result.response['state']}"))


def _build_response(part, **settings):
    return LlmResponse(content=types.Content(role="model", parts=[part]), **settings)


def track(order: int) -> dict:
    "Say where an order is."
    return {"order": order, "state": "was shipped."}


root_agent = LlmAgent(name="desk", model=MODEL, instruction="Help.", tools=[track])
app = App(name="APP", root_agent=root_agent, plugins=[SimulatorPlugin(player="PLAYER:desk.cassette.json")])
"""


@pytest.mark.process
async def test_adk_web_replays_what_it_recorded_and_needs_no_key(tmp_path: Path) -> None:
    # The replay's model is the real Gemini, for which there is no key here.
    _write_agent(tmp_path / "recorded", "record", 'OwnModel(model="gemini-2.5-flash")')
    _write_agent(tmp_path / "replayed", "replay", '"gemini-2.5-flash"')
    cassette = tmp_path / "desk.cassette.json"

    async with _serve_adk_web(tmp_path) as client:
        recorded = await _ask(client, "recorded")
        written = cassette.read_bytes()
        replayed = await _ask(client, "replayed")

    assert recorded == ["track", "was shipped.", "The order ", "was shipped.", "The order was shipped."]
    assert replayed == recorded
    assert cassette.read_bytes() == written


def _write_agent(folder: Path, player: str, model: str) -> None:
    folder.mkdir()
    (folder / "__init__.py").write_text("from . import agent\n")
    text = _AGENT.replace("MODEL", model).replace("APP", folder.name).replace("PLAYER", player)
    (folder / "agent.py").write_text(text)


async def _ask(client: httpx.AsyncClient, app_name: str) -> list[str]:
    """Return the calls, results and texts that `adk web` streams to its page, pieces included."""
    session = (await client.post(f"/apps/{app_name}/users/u/sessions", json={})).json()
    message = {"role": "user", "parts": [{"text": "Where is order 7?"}]}
    run = {"appName": app_name, "userId": "u", "sessionId": session["id"], "newMessage": message, "streaming": True}
    answer = await client.post("/run_sse", json=run)
    lines = [line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: ")]
    parts: list[dict[str, Any]] = [part for line in lines for part in json.loads(line)["content"]["parts"]]
    return [_summarize_part(part) for part in parts]


def _summarize_part(part: dict[str, Any]) -> str:
    if "functionCall" in part:
        return part["functionCall"]["name"]
    if "functionResponse" in part:
        return part["functionResponse"]["response"]["state"]
    return part["text"]


@asynccontextmanager
async def _serve_adk_web(folder: Path) -> AsyncGenerator[httpx.AsyncClient]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    removed = ("GOOGLE_", "GEMINI_", "ADK_SIM_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(removed)}
    command = ["-m", "google.adk.cli", "web", "--port", str(port), str(folder)]
    process = await fork_server.start(command, environment=kept, cwd=folder)
    try:
        await wait_until(lambda: process.returncode is not None or _listens(port))
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=MAX_WAIT_SECONDS) as client:
            yield client
    finally:
        process.terminate()
        await process.wait()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
