"""A process that is killed in the middle of a fork leaves the original session as it was."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import fork_server
import pytest
from processes import ENVIRONMENT

from adk_agent_sim.persistence.database_store import open_store
from adk_agent_sim.timeline.jsonl import encode_line, iter_records
from adk_agent_sim.timeline.timeline import Timeline

_FORKER = """
import asyncio, sys
from pathlib import Path

from adk_agent_sim.adk.loading.agent_loader import get_demo_folder, load_app
from adk_agent_sim.adk.runs.agent_run import AgentRun
from adk_agent_sim.adk.time_travel.fork_source import choose_fork_point
from adk_agent_sim.adk.time_travel.fork_source import read_source_of_run
from adk_agent_sim.adk.time_travel.session_forking import fork_session
from adk_agent_sim.persistence.database_store import open_store
from adk_agent_sim.timeline.jsonl import write_session
from adk_agent_sim.timeline.timeline import Timeline
from google.adk.models.llm_response import LlmResponse
from google.genai import types

made = 0

def decide(request):
    global made
    made += 1
    call = types.Part(function_call=types.FunctionCall(name="add", args={"a": made, "b": 1}))
    part = types.Part(text="done") if made % 4 == 0 else call
    return LlmResponse(content=types.Content(role="model", parts=[part]))

async def main(folder):
    async with open_store(str(folder / "sessions.db")) as store:
        timeline = Timeline(store)
        app = load_app(get_demo_folder("math_agent"))
        run = AgentRun(app, timeline, player=decide)
        await run.open()
        for text in ("first", "second"):
            await run.start(types.Content(role="user", parts=[types.Part(text=text)]))
            while run.is_running:
                await asyncio.sleep(0.01)
        session = await timeline.get_session(run.recorded_session.session_id)
        await write_session(store, session, folder / "original.jsonl")
        print("ready", flush=True)
        while True:
            source = await read_source_of_run(run)
            forked = await fork_session(source, choose_fork_point(source.events, 7), lambda: run.create_copy(decide))
            await forked.close(release=False)
            print("forked", flush=True)

asyncio.run(main(Path(sys.argv[1])))
"""


@pytest.mark.process
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 10))])
async def test_a_killed_fork_leaves_the_original_unchanged(tmp_path: Path, seed: int) -> None:
    process = await fork_server.start(["-c", _FORKER, str(tmp_path)], environment=ENVIRONMENT, cwd=tmp_path)
    random = Random(seed)  # noqa: S311 - the same moments every time
    assert await process.stdout.readline() == b"ready\n"
    for _ in range(random.randint(0, 3)):
        assert await process.stdout.readline() == b"forked\n"
    for _ in range(random.randint(0, 200)):
        os.sched_yield()
    process.kill()
    await process.wait()

    original = (tmp_path / "original.jsonl").read_text().splitlines()
    session_id = original[0].split('"session_id":"')[1].split('"')[0]
    async with open_store(str(tmp_path / "sessions.db")) as store:
        session = await Timeline(store).get_session(session_id)
        assert [encode_line(record) async for record in iter_records(store, session)] == original
