"""What a `restart` function of a SimulatorPlugin can be, what it gets, and how it fails; all in one process."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from api_client import ApiClient
from google.adk.agents import LlmAgent
from google.adk.agents.callback_context import CallbackContext
from google.adk.apps import App
from google.adk.artifacts import InMemoryArtifactService
from google.adk.runners import InMemoryRunner, Runner
from google.adk.sessions import DatabaseSessionService
from google.adk.tools import ToolContext
from google.genai import types
from polling import pause

from adk_agent_sim import EnvironmentSimulationFactory, SimulatorPlugin
from adk_agent_sim.adk.time_travel.restart_input import RestartFunction, SessionRestart
from adk_agent_sim.environment.rules import Rules
from adk_agent_sim.environment.rules_file import parse_rules
from adk_agent_sim.errors import RunUndone
from adk_agent_sim.server.composition import RunningServices

_DOCS = Path(__file__).parents[2] / "docs"


class _Desk:
    """An agent with a runner; its tool and its callback count how often they run."""

    def __init__(self, served: RunningServices, restart: RestartFunction | None = None, rules: str = "") -> None:
        self.runs: list[str] = []
        self.stamps: list[int] = []
        self.is_stamping = False
        self.restarted: list[SessionRestart] = []
        agent = LlmAgent(
            name="desk",
            model="none",
            instruction="Notes: {notes?} {stamp?} Name: {user:name?} Last: {app:last?}",
            tools=[self.note],
            before_agent_callback=self.stamp,
        )
        plugin = SimulatorPlugin(served.grpc.address, restart=restart or self._restart)
        self.rules = EnvironmentSimulationFactory.create_plugin(parse_rules(rules) if rules else Rules(rules=[]))
        self.app = App(name="desk", root_agent=agent, plugins=[plugin, *([self.rules] if rules else ())])
        self.runner: Runner = InMemoryRunner(app=self.app)

    async def note(self, text: str, tool_context: ToolContext) -> int:
        """Write a note."""
        self.runs.append(text)
        tool_context.state["notes"] = [*tool_context.state.get("notes", []), text]
        tool_context.state["user:name"] = tool_context.state["app:last"] = text
        await tool_context.save_artifact("notes.txt", types.Part(text=text))
        return len(tool_context.state["notes"])

    def stamp(self, callback_context: CallbackContext) -> None:
        """Change the state, if that is wanted, differently each time."""
        if self.is_stamping:
            self.stamps.append(len(self.stamps))
            callback_context.state["stamp"] = len(self.stamps)

    async def _restart(self, session: SessionRestart) -> None:
        self.restarted.append(session)
        await session.run(self.runner)

    @asynccontextmanager
    async def run(self, *messages: str) -> AsyncGenerator[asyncio.Task[None]]:
        """Run the agent on messages, in a task."""
        session = await self.runner.session_service.create_session(app_name="desk", user_id="u", state={"notes": []})
        self.session = session

        async def talk() -> None:
            for text in messages:
                message = types.Content(role="user", parts=[types.Part(text=text)])
                async for _ in self.runner.run_async(user_id="u", session_id=session.id, new_message=message):
                    pass

        task = asyncio.create_task(talk())
        try:
            yield task
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError, RunUndone):
                await task


async def _play(browser: ApiClient) -> str:
    """Play a run of two turns, and the first turn of another one; the session's id."""
    while not (sessions := await browser.list_sessions()):
        await pause()
    session_id = sessions[0]["session_id"]
    await browser.call_tools(session_id, ("note", {"text": "a"}))
    await browser.respond(session_id, "noted")
    await browser.call_tools(session_id, ("note", {"text": "b"}))
    await browser.wait_for_turn(session_id)
    return session_id


async def _time_travel(browser: ApiClient, session_id: str, action: str, **more: Any) -> Any:
    return await browser.time_travel(session_id, action, **more)


async def _refuse(browser: ApiClient, session_id: str, action: str, **more: Any) -> Any:
    """Return a refusal, which has changed nothing."""
    before = await browser.get_rows(session_id), len(await browser.list_sessions())
    refusal = await browser.post_refused(f"/sessions/{session_id}/time-travel", {"action": action, **more}, 409)
    assert (await browser.get_rows(session_id), len(await browser.list_sessions())) == before
    return refusal


def _find_examples() -> list[str]:
    text = (_DOCS / "time-travel.md").read_text(encoding="utf-8")
    return [code for code in re.findall(r"```python\n(.*?)```", text, flags=re.S) if "restart" in code]


def _execute(code: str, desk: _Desk) -> RestartFunction:
    """Execute an example of the documentation, and return its `restart` function."""
    found: list[RestartFunction] = []

    def record_restart(restart: RestartFunction) -> None:
        found.append(restart)

    names: dict[str, Any] = {"SimulatorPlugin": record_restart, "runner": desk.runner}
    exec(code.replace("from adk_agent_sim import SimulatorPlugin\n", ""), names)  # noqa: S102 - our own documentation
    return found[0]


@pytest.mark.parametrize("number", range(len(_find_examples())))
async def test_the_examples_of_the_documentation_restart_a_session(
    served: RunningServices, browser: ApiClient, number: int
) -> None:
    def restart(session: SessionRestart) -> Any:
        return _execute(_find_examples()[number], desk)(session)

    desk = _Desk(served, restart)
    async with desk.run("a", "b"):
        fork = await _time_travel(browser, await _play(browser), "fork", turn=4)
        await browser.respond(fork["session_id"], "done")
        await browser.wait_for_status(fork["session_id"], "done")

    assert desk.runs == ["a", "b"]
    assert len(_find_examples()) == 2


async def test_a_restart_gets_what_was_before_the_message_and_changes_nothing_that_sessions_share(
    served: RunningServices, browser: ApiClient, tmp_path: Path
) -> None:
    desk = _Desk(served)
    service = DatabaseSessionService(f"sqlite+aiosqlite:///{tmp_path / 'adk.db'}")
    artifacts = InMemoryArtifactService()
    desk.runner = Runner(app=desk.app, session_service=service, artifact_service=artifacts)
    async with desk.run("a", "b"):
        session_id = await _play(browser)
        fork = await _time_travel(browser, session_id, "fork", turn=4)
        await browser.wait_for_turn(fork["session_id"])
        plan = await browser.post(f"/sessions/{session_id}/time-travel/plan", {"action": "undo"})
        (restart,) = desk.restarted
        created = await service.get_session(app_name="desk", user_id="u", session_id=restart.session_id)
        versions = await artifacts.list_versions(
            app_name="desk", user_id="u", session_id=restart.session_id, filename="notes.txt"
        )
    await service.close()

    assert (restart.app_name, restart.user_id, restart.state) == ("desk", "u", {"notes": ["a"]})
    assert restart.message.model_dump(exclude_none=True) == {"role": "user", "parts": [{"text": "b"}]}
    assert [event.author for event in restart.events] == ["user", "desk", "desk", "desk"]
    assert all("user:name" not in event.actions.state_delta for event in restart.events)
    assert [(name, part.text) for name, part in restart.artifacts] == [("notes.txt", "a")]
    assert created is not None
    assert (created.state["notes"], created.state["user:name"]) == (["a", "b"], "b")
    assert versions == [0, 1]
    assert plan["callbacks"] == ["agent 'desk': before_agent_callback stamp"]
    assert (plan["copied_runs"], plan["replayed_turns"]) == (1, 0)


async def test_what_needs_the_process_to_act_by_itself_is_refused_with_the_reason_and_the_next_step(
    served: RunningServices, browser: ApiClient
) -> None:
    desk = _Desk(served)
    async with desk.run("a", "b"):
        session_id = await _play(browser)
        rows = await browser.get_rows(session_id)
        messages = [row["index"] for row in rows if row["kind"] == "user"]
        before = [await _refuse(browser, session_id, "go_back", row=row) for row in messages]
        between = await _refuse(browser, session_id, "fork", row=messages[1])
        player = await browser.client.put(f"/api/sessions/{session_id}/player", json={"player": "real"})
        listed = await browser.client.get(f"/api/sessions/{session_id}/players")
        described = await browser.get(f"/sessions/{session_id}")
        await browser.respond(session_id, "still here")
        await browser.wait_for_status(session_id, "done")

    assert all("before the one that you chose, nothing more would happen" in each["message"] for each in before)
    assert "a fork between two runs would wait for one forever" in between["message"]
    for refused in (*before, between):
        assert "`adksim fork SESSION --turn N --agent DIR`" in refused["message"]
        assert not refused["can_override"]
    problem = described["time_travel"]["player_problem"]
    assert "Start it with another `player=`" in problem
    assert "--model real" in problem
    assert (player.status_code, listed.status_code) == (409, 409)
    assert player.json()["message"] == listed.json()["message"] == problem


_PROFILES = """
rules: [{name: low, match: {tool: note}, do: {respond: {result: 7}}}, {match: {tool: other}, do: {mock: schema}}]
profiles: {mocked: [low]}
"""


@pytest.mark.parametrize("chosen", ["player", "profile"])
async def test_what_was_chosen_for_tools_in_the_process_stays_chosen_after_a_restart_and_in_a_fork(
    served: RunningServices, browser: ApiClient, chosen: str
) -> None:
    desk = _Desk(served, rules=_PROFILES)
    async with desk.run("a"):
        while not (sessions := await browser.list_sessions()):
            await pause()
        session_id = sessions[0]["session_id"]
        await browser.call_tools(session_id, ("note", {"text": "real"}))
        await browser.wait_for_turn(session_id)
        environment = desk.rules.get_environment(desk.session)
        if chosen == "player":
            environment.choose_tool_player("note", "schema")
        else:
            environment.switch_profile("mocked")
        for target in ("mocked", "after", "forked"):
            await browser.call_tools(session_id, ("note", {"text": target}))
            await browser.wait_for_turn(session_id)
            if target == "mocked":
                await _time_travel(browser, session_id, "undo")
                await browser.wait_for_turn(session_id)
            elif target == "after":
                session_id = (await _time_travel(browser, session_id, "fork"))["session_id"]
        earlier = (await _time_travel(browser, session_id, "fork", turn=2))["session_id"]
        await browser.call_tools(earlier, ("note", {"text": "real in the past"}))
        await browser.wait_for_turn(earlier)

    assert desk.runs == ["real", "real in the past"]


@pytest.mark.parametrize("in_database", [False, True])
async def test_a_restarted_run_finds_the_shared_state_that_it_had_and_no_other_session_notices(
    served: RunningServices, browser: ApiClient, tmp_path: Path, *, in_database: bool
) -> None:
    desk = _Desk(served)
    service = DatabaseSessionService(f"sqlite+aiosqlite:///{tmp_path / 'adk.db'}") if in_database else None
    if service is not None:
        desk.runner = Runner(app=desk.app, session_service=service, artifact_service=InMemoryArtifactService())
    async with desk.run("a", "b"):
        session_id = await _play(browser)
        forked = [
            await _read_shared_state(
                browser, (await _time_travel(browser, session_id, "fork", turn=turn))["session_id"]
            )
            for turn in (1, 3, 4)
        ]
        first = await _time_travel(browser, session_id, "fork", turn=1)
        await browser.wait_for_turn(first["session_id"])
        other = await desk.runner.session_service.create_session(app_name="desk", user_id="u")
        await _time_travel(browser, session_id, "go_back", turn=3)
        undone = await _read_shared_state(browser, session_id)
    if service is not None:
        await service.close()

    assert [*forked, undone] == ["Name:  Last: ", "Name: a Last: a", "Name: b Last: b", "Name: a Last: a"]
    assert (other.state["user:name"], other.state["app:last"]) == ("b", "b")
    assert desk.runs == ["a", "b"]


async def _read_shared_state(browser: ApiClient, session_id: str) -> str:
    """Return the shared state in the instruction of the turn that waits in a session."""
    turn_id = await browser.wait_for_turn(session_id)
    request = await browser.get(f"/sessions/{session_id}/turns/{turn_id}/request")
    (found,) = re.findall(r"Name: \w* Last: \w*", str(request))
    return found


async def test_a_run_that_differs_is_refused_and_can_be_accepted(served: RunningServices, browser: ApiClient) -> None:
    desk = _Desk(served)
    async with desk.run("a", "b") as running:
        session_id = await _play(browser)
        desk.is_stamping = True
        refusals = [await _refuse(browser, session_id, action, turn=4) for action in ("fork", "go_back")]
        fork = await _time_travel(browser, session_id, "fork", turn=4, force=True)
        await browser.wait_for_turn(fork["session_id"])
        await _time_travel(browser, session_id, "go_back", turn=4, force=True)
        await browser.respond(session_id, "again")
        await browser.wait_for_status(session_id, "done")
        with pytest.raises(RunUndone):
            await running

    assert all(refusal["can_override"] and "is different" in refusal["message"] for refusal in refusals)
    notes = [row["summary"] for row in await browser.get_rows(fork["session_id"]) if row["kind"] == "note"]
    assert any("is different" in note for note in notes), notes
    assert desk.runs == ["a", "b"]


async def _fail(session: SessionRestart) -> None:
    raise KeyError("no runner")


async def _do_nothing(session: SessionRestart) -> None:
    pass


def _return_nothing(session: SessionRestart) -> None:
    pass


async def _run_other_app(session: SessionRestart) -> None:
    await session.run(InMemoryRunner(app_name="x", agent=LlmAgent(name="x")))


_FAILING: list[tuple[Callable[[SessionRestart], Any], str]] = [
    (_fail, "The agent's process failed to restart it: KeyError: 'no runner'"),
    (_do_nothing, "the run ended before the turn"),
    (_return_nothing, "has to be async, or to return what `Runner.run_async` returns. It returned NoneType."),
    (_run_other_app, "has the app 'x'"),
]


async def test_a_restart_that_fails_changes_nothing(served: RunningServices, browser: ApiClient) -> None:
    remaining = [restart for restart, _ in _FAILING for _ in range(2)]

    def restart(session: SessionRestart) -> Any:
        return remaining.pop(0)(session)

    desk = _Desk(served, restart)
    messages: list[str] = []
    async with desk.run("a", "b"):
        session_id = await _play(browser)
        for _ in _FAILING:
            refusals = [await _refuse(browser, session_id, action, turn=4) for action in ("fork", "go_back")]
            messages.append(refusals[0]["message"])
            assert refusals[1]["message"] == messages[-1]
        await browser.respond(session_id, "four")
        await browser.wait_for_status(session_id, "done")

    assert [expected in message for message, (_, expected) in zip(messages, _FAILING, strict=True)] == [True] * 4
    assert desk.runs == ["a", "b"]


async def test_what_a_restart_waits_for_is_told_and_a_process_that_ends_meanwhile_changes_nothing(
    served: RunningServices, browser: ApiClient
) -> None:
    hold = asyncio.Event()

    async def wait(session: SessionRestart) -> None:
        await hold.wait()
        await session.run(desk.runner)

    desk = _Desk(served, wait)
    async with desk.run("a", "b"):
        session_id = await _play(browser)
        forking = asyncio.create_task(_time_travel(browser, session_id, "fork", turn=4))
        while not (waits_for := (await browser.get(f"/sessions/{session_id}/time-travel"))["waits_for"]):
            await pause()
        hold.set()
        await browser.respond((await forking)["session_id"], "done")
        hold.clear()
        refusing = asyncio.create_task(_refuse(browser, session_id, "undo"))
        while not (await browser.get(f"/sessions/{session_id}/time-travel"))["waits_for"]:
            await pause()
        (plugin,) = desk.app.plugins
        await plugin._outbox._run_in_thread(plugin._outbox._get_link().close())  # pyright: ignore
        refusal = await refusing

    assert waits_for == "the user message"
    assert "disconnected" in refusal["message"]
