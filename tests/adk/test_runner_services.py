"""Session, artifact and memory services of the user's: what is stored in them, and time travel with them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from api_client import NO_TLS, bearer_headers
from google.adk.agents import LlmAgent
from google.adk.agents.callback_context import CallbackContext
from google.adk.artifacts import FileArtifactService
from google.adk.sessions import InMemorySessionService, Session
from google.adk.sessions.base_session_service import BaseSessionService
from google.adk.tools import ToolContext, load_memory
from google.genai import types

from adk_agent_sim import AgentSimulator, SimulatedAgentConfig, Simulation
from adk_agent_sim.adk.runs.session_storage import RunnerServices, ServiceUris
from adk_agent_sim.adk.steps.steps import ModelTurn, Step
from adk_agent_sim.errors import ReplayDiverged, ServiceFailed


async def _remember(callback_context: CallbackContext) -> None:
    await callback_context.add_session_to_memory()


async def note(text: str, tool_context: ToolContext) -> dict[str, int]:
    """Write a note."""
    tool_context.state["notes"] = [*tool_context.state.get("notes", []), text]
    await tool_context.save_artifact("notes.txt", types.Part(text=text))
    return {"count": len(tool_context.state["notes"])}


async def set_plan(plan: str, tool_context: ToolContext) -> str:
    """Set the plan of the user, in all sessions."""
    tool_context.state["user:plan"] = plan
    return "set"


async def share(text: str, tool_context: ToolContext) -> str:
    """Save a file that all sessions of the user share."""
    await tool_context.save_artifact("user:shared.txt", types.Part(text=text))
    return "shared"


def _create_agent() -> LlmAgent:
    return LlmAgent(
        name="noter",
        model="none",
        instruction="Notes: {notes?}",
        tools=[note, set_plan, share, load_memory],
        after_agent_callback=_remember,
    )


OpenServices = Callable[..., dict[str, Any]]


@pytest.fixture
async def open_services(tmp_path: Path) -> AsyncIterator[OpenServices]:
    """Opens services in files, by default with ADK's SQLite sessions, as another process would; closes them all."""
    opened: list[RunnerServices] = []

    def open_services(scheme: str = "sqlite") -> dict[str, Any]:
        uris = ServiceUris(
            session=f"{scheme}:///{tmp_path}/sessions.db",
            artifact=f"file://{tmp_path}/artifacts",
            memory=f"sqlite:///{tmp_path}/memory.db",
        )
        services = uris.create_services(tmp_path / "agent")
        opened.append(services)
        return {
            "session_service": services.session,
            "artifact_service": services.artifact,
            "memory_service": services.memory,
        }

    yield open_services
    for services in opened:
        await services.close()


async def _list_sessions(service: BaseSessionService) -> list[Session]:
    listed = (await service.list_sessions(app_name="noter", user_id="user")).sessions
    found = [await service.get_session(app_name="noter", user_id="user", session_id=each.id) for each in listed]
    return [session for session in found if session is not None]


async def _play(sim: Simulation, *texts: str) -> Step:
    step = await sim.send(f"Note that {', '.join(texts)}.")
    for text in texts:
        step = await step.call("note", {"text": text})
    return await step.respond("noted")


async def test_a_session_is_in_the_services_and_another_process_finds_it(open_services: OpenServices) -> None:
    async with Simulation(_create_agent(), **open_services()) as sim:
        await _play(sim, "the key is under the mat")

    again = open_services()
    (stored,) = await _list_sessions(again["session_service"])
    assert stored.state == {"notes": ["the key is under the mat"]}
    assert [event.id for event in stored.events] == [event.id for event in sim.events()]
    key = {"app_name": "noter", "user_id": "user", "session_id": stored.id}
    assert await again["artifact_service"].load_artifact(**key, filename="notes.txt") == types.Part(
        text="the key is under the mat"
    )

    async with Simulation(_create_agent(), **again) as second:
        step = await second.send("Where is the key?")
        step = await step.call("load_memory", {"query": "key"})
        assert isinstance(step, ModelTurn)
        (memories,) = step.results
        assert "the key is under the mat" in str(memories)


async def test_without_services_load_memory_finds_only_what_the_session_added() -> None:
    async with Simulation(_create_agent()) as sim:
        await _play(sim, "the key is under the mat")
        step = await (await sim.send("Where?")).call("load_memory", {"query": "key"})
        assert isinstance(step, ModelTurn)
        assert "under the mat" in str(step.results)
    async with Simulation(_create_agent()) as other:
        step = await (await other.send("Where?")).call("load_memory", {"query": "key"})
        assert isinstance(step, ModelTurn)
        assert "memories=[]" in str(step.results)


@pytest.mark.parametrize("scheme", ["sqlite", "sqlite+aiosqlite"])
async def test_an_undo_leaves_one_session_in_the_service_which_has_what_counts(
    open_services: OpenServices, tmp_path: Path, scheme: str
) -> None:
    services = open_services(scheme)
    async with Simulation(_create_agent(), **services) as sim:
        await _play(sim, "a")
        step = await (await sim.send("And b.")).call("note", {"text": "b"})
        step = await step.call("note", {"text": "c"})

        step = await sim.undo()
        assert isinstance(step, ModelTurn)
        assert await sim.state() == {"notes": ["a", "b"]}
        assert await sim.artifact("notes.txt") == types.Part(text="b")
        step = await step.call("note", {"text": "d"})
        await step.respond("noted")

        (stored,) = await _list_sessions(services["session_service"])
        assert stored.state == {"notes": ["a", "b", "d"]}
        texts = [call.args for event in stored.events for call in event.get_function_calls()]
        assert texts == [{"text": "a"}, {"text": "b"}, {"text": "d"}]
        assert await sim.artifact("notes.txt", 2) == types.Part(text="d")
        files = [each for each in (tmp_path / "artifacts").rglob("*") if each.is_file()]
        assert files
        assert all(stored.id in each.parts for each in files)


async def test_a_fork_is_a_second_session_in_the_service(open_services: OpenServices) -> None:
    services = open_services()
    async with Simulation(_create_agent(), **services) as sim:
        await _play(sim, "a", "b")
        between = await sim.fork()
        await _play(between, "c")
        at_turn = await sim.fork(2)
        step = await at_turn.next()
        step = await step.call("note", {"text": "x"})

        stored = await _list_sessions(services["session_service"])
        assert sorted(str(each.state["notes"]) for each in stored) == [
            "['a', 'b', 'c']",
            "['a', 'b']",
            "['a', 'x']",
        ]
        assert await between.artifact("notes.txt", 1) == types.Part(text="b")
        await at_turn.close()
        await between.close()


async def test_what_sessions_share_is_not_taken_back_by_an_undo_which_says_so(open_services: OpenServices) -> None:
    services = open_services()
    async with Simulation(_create_agent(), **services) as sim:
        await _play(sim, "a")
        step = await sim.send("Upgrade me.")
        step = await step.call("set_plan", {"plan": "gold"})
        with pytest.raises(ReplayDiverged, match=r"another value of user:plan now"):
            await sim.undo()

        # The session goes on as if nothing had been asked for, and the attempt has left nothing in the service.
        (stored,) = await _list_sessions(services["session_service"])
        assert stored.state == {"notes": ["a"], "user:plan": "gold"}
        await (await sim.next()).respond("done")

        # The plan was set before the response that is taken back here.
        step = await sim.undo()
        assert await sim.state() == {"notes": ["a"], "user:plan": "gold"}
        await step.respond("upgraded")
        forked = await sim.fork(3, force=True)
        assert await forked.state() == {"notes": ["a"], "user:plan": "gold"}
        await forked.close()

        step = await sim.send("Share a file.")
        step = await step.call("share", {"text": "a"})
        await step.respond("shared")
        with pytest.raises(ReplayDiverged, match=r"version 0 of the artifact 'user:shared.txt'"):
            await sim.fork(5)


async def test_a_session_service_object_is_shared_by_simulations() -> None:
    service = InMemorySessionService()
    async with Simulation(_create_agent(), session_service=service, state={"user:plan": "gold"}) as first:
        await _play(first, "a")
        async with Simulation(_create_agent(), session_service=service) as second:
            assert await second.state() == {"user:plan": "gold"}
            await _play(second, "b")
            await second.undo()
            assert await second.state() == {"notes": ["b"], "user:plan": "gold"}
    assert len(await _list_sessions(service)) == 2


async def test_a_server_lists_its_agents_without_a_session_in_the_service(tmp_path: Path) -> None:
    service = InMemorySessionService()
    config = SimulatedAgentConfig(name="Noter", agent=_create_agent(), eval_set_path=tmp_path / "n.evalset.json")
    simulator = AgentSimulator(
        [config], session_service=service, artifact_service=FileArtifactService(root_dir=tmp_path / "artifacts")
    )
    async with await simulator.start(port=0) as server:
        headers = bearer_headers(server)
        async with httpx.AsyncClient(base_url=server.base_url, headers=headers, verify=NO_TLS) as client:
            (agent,) = (await client.get("/api/agents")).json()
            assert "load_memory" in agent["tools"]
            assert await _list_sessions(service) == []
            await client.post("/api/sessions", json={"agent_key": agent["key"]})
            assert len(await _list_sessions(service)) == 1


def test_a_uri_that_no_service_understands_is_an_error_that_names_the_option(tmp_path: Path) -> None:
    for kind in ("session", "artifact", "memory"):
        with pytest.raises(ServiceFailed, match=rf"--{kind}_service_uri.*Check the URI"):
            ServiceUris(**{kind: "nonsense://x"}).create_services(tmp_path)


class _OfflineSessions(InMemorySessionService):
    """Sessions on a server that cannot be reached."""

    async def create_session(self, **settings: Any) -> Session:
        raise ConnectionError("no route to host")


async def test_a_session_service_that_fails_is_named() -> None:
    with pytest.raises(ServiceFailed, match=r"_OfflineSessions\) could not create a session: .*no route to host"):
        await Simulation(_create_agent(), session_service=_OfflineSessions()).start()


async def test_a_session_that_somebody_has_deleted_from_the_service_cannot_be_edited(
    open_services: OpenServices,
) -> None:
    service = open_services()["session_service"]
    async with Simulation(_create_agent(), session_service=service) as sim:
        (stored,) = await _list_sessions(service)
        await service.delete_session(app_name="noter", user_id="user", session_id=stored.id)
        with pytest.raises(ServiceFailed, match=f"no longer has session {stored.id}"):
            await sim.set_state({"notes": []})
