"""Credentials of users whose ADK session is in a database: the run gets them, the database does not."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from fidelity_runs import normalize_events
from google.adk.agents.context import Context
from google.adk.apps import App
from google.adk.auth.auth_handler import AuthHandler
from google.adk.events import Event
from google.adk.events.request_input import RequestInput
from google.adk.runners import Runner
from google.adk.sessions import BaseSessionService, DatabaseSessionService, InMemorySessionService
from google.adk.sessions.sqlite_session_service import SqliteSessionService
from google.adk.workflow import START, FunctionNode, Workflow
from google.genai import types
from pausing_agents import API_KEY, build_credential_app

from adk_agent_sim import Simulation
from adk_agent_sim.adk.runs.credential_masking import MaskingSessionService
from adk_agent_sim.adk.steps.steps import CredentialRequest, Done, InputRequest, ModelTurn

SECRET = "sk-live-Zq81mQ0vXe"  # noqa: S105 - a made-up one

SERVICES: dict[str, Callable[[Path], BaseSessionService]] = {
    "sqlite": lambda file: SqliteSessionService(str(file)),
    "database": lambda file: DatabaseSessionService(f"sqlite+aiosqlite:///{file}"),
}


def build_two_pauses_app() -> App:
    """Return a workflow with one node that needs an API key, and then asks for input: it needs the key twice."""

    def order(ctx: Context) -> Iterator[Event | RequestInput]:
        credential = AuthHandler(API_KEY).get_auth_response(ctx.state)
        size = len(credential.api_key or "") if credential is not None else 0
        if "size" not in ctx.resume_inputs:
            yield RequestInput(message=f"Which size, with a key of {size}?", response_schema=str, interrupt_id="size")
            return
        text = f"Ordered {ctx.resume_inputs['size']} with a key of {size} characters"
        yield Event(content=types.Content(role="model", parts=[types.Part(text=text)]))

    node = FunctionNode(func=order, auth_config=API_KEY, rerun_on_resume=True)
    return App(name="orders", root_agent=Workflow(name="orders", edges=[(START, node)]))


@pytest.fixture(params=SERVICES)
async def service(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[BaseSessionService]:
    service: Any = SERVICES[request.param](tmp_path / "sessions.db")
    yield service
    await service.close()


def _find_files_with_secret(folder: Path) -> list[Path]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    return [path for path in files if SECRET.encode() in path.read_bytes()]


async def test_a_tool_gets_a_credential_that_is_not_in_the_database(
    service: BaseSessionService, tmp_path: Path
) -> None:
    async with Simulation(build_credential_app("m"), session_service=service) as sim:
        turn = await sim.send("How is Rome?")
        await turn.call("get_weather", {"city": "Rome"})
        turn = await sim.answer(SECRET)
        assert isinstance(turn, ModelTurn)
        assert turn.results == [{"city": "Rome", "secret_length": len(SECRET)}]
        await turn.respond("Sunny")
        given = [event for event in sim.events() if event.author == "user"][-1]
        assert SECRET in given.model_dump_json()
        assert isinstance(await (await sim.send("Thanks")).respond("Welcome"), Done)
    with closing(sqlite3.connect(tmp_path / "sessions.db")) as database:
        stored = str(database.execute("SELECT * FROM events").fetchall())
    assert "get_weather" in stored
    assert "not recorded" in stored
    assert _find_files_with_secret(tmp_path) == []


async def test_a_workflow_finds_the_credential_whenever_it_resumes(service: BaseSessionService, tmp_path: Path) -> None:
    """As with a plain Runner, whose database has the credential."""
    async with Simulation(build_two_pauses_app(), session_service=service) as sim:
        assert isinstance(await sim.send("A shirt"), CredentialRequest)
        asked = await sim.answer(SECRET)
        assert isinstance(asked, InputRequest)
        assert asked.message == f"Which size, with a key of {len(SECRET)}?"
        done = await asked.answer("42")
        played = normalize_events(sim.events())
        answers = [event.content for event in sim.events() if event.author == "user"]
    assert _find_files_with_secret(tmp_path) == []

    plain = await _run_plainly(build_two_pauses_app(), InMemorySessionService(), answers)
    assert played == plain
    assert done.text in str(plain[-1])


async def test_a_fork_does_not_write_the_credential_either(service: BaseSessionService, tmp_path: Path) -> None:
    async with Simulation(build_credential_app("m"), session_service=service) as sim:
        turn = await sim.send("How is Rome?")
        await turn.call("get_weather", {"city": "Rome"})
        turn = await sim.answer(SECRET)
        await turn.respond("Sunny")
        await (await sim.send("And Bern?")).respond("Rainy")
        await sim.undo()
        assert _find_files_with_secret(tmp_path) == []


async def test_the_rest_is_done_by_the_service_behind_it(tmp_path: Path) -> None:
    inner = SqliteSessionService(str(tmp_path / "s.db"))
    service = MaskingSessionService(inner)
    session = await service.create_session(app_name="a", user_id="u", state={"user:name": "Ada"}, session_id="s")
    assert await service.get_user_state(app_name="a", user_id="u") == {"name": "Ada"}
    assert [each.id for each in (await service.list_sessions(app_name="a", user_id="u")).sessions] == [session.id]
    await service.flush()
    await service.delete_session(app_name="a", user_id="u", session_id="s")
    assert await inner.get_session(app_name="a", user_id="u", session_id="s") is None
    await service.close()


async def _run_plainly(app: App, service: BaseSessionService, messages: list[types.Content | None]) -> list[Any]:
    runner = Runner(app=app, session_service=service)
    session = await service.create_session(app_name=app.name, user_id="user")
    events: list[Event] = []
    for message in messages:
        asked = [call.id for event in events for call in event.get_function_calls()]
        assert message is not None
        for part in message.parts or ():
            if part.function_response is not None:
                part.function_response.id = asked[-1]
        run = runner.run_async(user_id="user", session_id=session.id, new_message=message, yield_user_message=True)
        events.extend([event async for event in run])
    await runner.close()
    return normalize_events(events)
