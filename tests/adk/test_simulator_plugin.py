"""SimulatorPlugin: real Runners whose model calls wait at a real server."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import pytest
from google.adk.agents import (
    LlmAgent,
    LoopAgent,  # pyright: ignore[reportDeprecated]
    ParallelAgent,  # pyright: ignore[reportDeprecated] - users still have them
)
from google.adk.agents.invocation_context import InvocationContext
from google.adk.apps import App
from google.adk.events import Event as AdkEvent
from google.adk.plugins import BasePlugin
from google.adk.runners import InMemoryRunner
from google.adk.tools import AgentTool, ToolContext
from google.genai import types
from polling import MAX_WAIT_SECONDS, pause, wait_until
from pydantic import BaseModel
from scripted_model import ScriptedModel, call_response, extract_decisions, text_response
from scripted_person import decide_in_order, run_person, wait_for_turn
from timeline_builders import list_sessions, list_waiting_turns

from adk_agent_sim import SimulatorPlugin
from adk_agent_sim.adk.plugins import simulator_plugin
from adk_agent_sim.adk.plugins.simulator_plugin import SERVER_URL_VARIABLE, TARGET_AGENTS_VARIABLE
from adk_agent_sim.adk.time_travel.restart_input import SessionRestart
from adk_agent_sim.errors import DeadlineExceeded, ImportRefused, ReplayImpossible, ServerUnreachable, SessionClosed
from adk_agent_sim.link.outbox import DiscardingOutbox
from adk_agent_sim.server.grpc.grpc_server import serve_grpc
from adk_agent_sim.simulation.simulation import Simulation
from adk_agent_sim.timeline.events import (
    AgentEvent,
    AgentJoined,
    ArtifactSaved,
    Event,
    Player,
    RunEnded,
    RunOutcome,
    ToolFailed,
    ToolFinished,
    ToolStarted,
    TurnAsked,
    TurnDecided,
    TurnWithdrawn,
    UserSpoke,
)
from adk_agent_sim.timeline.history import FinalResponse, ToolCall, ToolOutput, UserQuery, build_history
from adk_agent_sim.timeline.read_model.session_summary import SessionStatus
from adk_agent_sim.timeline.submissions import TurnDecision
from adk_agent_sim.timeline.timeline import Timeline

NOWHERE = "127.0.0.1:1"


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def agent(name: str = "math", **stated: Any) -> LlmAgent:
    fields: dict[str, Any] = {"name": name, "model": "no-such-model", "tools": [add], **stated}
    return LlmAgent(**fields)


class Served:
    """A server and the runs of agents that use it."""

    def __init__(self, timeline: Timeline, url: str) -> None:
        self.timeline = timeline
        self.url = url

    def plugin(self, **stated: Any) -> SimulatorPlugin:
        fields: dict[str, Any] = {"server_url": self.url, **stated}
        return SimulatorPlugin(**fields)

    async def run(
        self, root: Any, *messages: str, plugins: list[BasePlugin] | None = None, user: str = "u", **stated: Any
    ) -> list[AdkEvent]:
        app = App(name="app", root_agent=root, plugins=plugins or [self.plugin(**stated)])
        return await send_messages(InMemoryRunner(app=app), *messages, user=user)

    async def log(self) -> list[Event]:
        (session,) = await list_sessions(self.timeline)
        return list(await self.timeline.read_events(session.session_id))


async def send_messages(runner: InMemoryRunner, *messages: str, user: str = "u") -> list[AdkEvent]:
    session = await runner.session_service.create_session(app_name=runner.app_name, user_id=user)
    events: list[AdkEvent] = []
    for message in messages or ("hi",):
        content = types.Content(role="user", parts=[types.Part(text=message)])
        events += [event async for event in runner.run_async(user_id=user, session_id=session.id, new_message=content)]
    await runner.close()
    return events


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    timeline = Timeline()
    async with serve_grpc(timeline, access=None, web_url=lambda session_id: f"http://sim/{session_id}") as server:
        yield Served(timeline, server.address)


def kinds(log: list[Event]) -> list[type]:
    return [type(event.payload) for event in log]


def answer(events: list[AdkEvent]) -> str:
    parts = events[-1].content.parts if events[-1].content else None
    return (parts[0].text if parts else "") or ""


async def test_a_person_at_the_server_plays_the_model_and_real_tools_run(served: Served) -> None:
    async with run_person(
        served.timeline, decide_in_order([call_response(("add", {"a": 2, "b": 2})), text_response("4")])
    ):
        events = await served.run(agent(), "2+2?")

    assert answer(events) == "4"
    log = await served.log()
    assert kinds(log) == [
        AgentJoined, UserSpoke, TurnAsked, TurnDecided, AgentEvent,
        ToolStarted, ToolFinished, AgentEvent, TurnAsked, TurnDecided, AgentEvent, RunEnded,
    ]  # fmt: skip
    assert [type(entry) for entry in build_history(log)] == [UserQuery, ToolCall, ToolOutput, FinalResponse]
    assert (await served.timeline.list_summaries())[0].status is SessionStatus.DONE
    assert (await served.timeline.list_summaries())[0].agent_name == "app"


async def test_a_remote_timeline_is_as_complete_as_a_local_one(served: Served) -> None:
    async def remember(tool_context: ToolContext, note: str) -> str:
        """Remember a note."""
        tool_context.state["note"] = note
        await tool_context.save_artifact("note.txt", types.Part(text=note))
        return "noted"

    def build_agent() -> LlmAgent:
        return agent(tools=[add, remember], sub_agents=[agent("helper", description="helps")])

    script = [
        call_response(("add", {"a": 1, "b": 2}), ("remember", {"note": "x"})),
        call_response(("transfer_to_agent", {"agent_name": "helper"})),
        text_response("done"),
    ]
    async with run_person(served.timeline, decide_in_order(script)):
        await served.run(build_agent(), "go")
    remote = await served.log()
    async with Simulation(App(name="app", root_agent=build_agent())) as sim:
        turn = await sim.send("go")
        for response in script:
            turn = await sim.decide(cast("Any", turn).turn_id, response)
        local = list(sim.log())

    assert sorted(kind.__name__ for kind in kinds(remote)) == sorted(kind.__name__ for kind in kinds(local))
    assert extract_decisions(remote) == extract_decisions(local)
    for kind in (ToolFinished, ArtifactSaved):
        found = [[one.payload for one in log if isinstance(one.payload, kind)] for log in (remote, local)]
        assert len(found[0]) == len(found[1])
    assert [type(entry) for entry in build_history(remote)] == [type(entry) for entry in build_history(local)]


async def test_only_targeted_agents_are_played_and_the_others_are_watched(served: Served) -> None:
    model = ScriptedModel(
        script=[call_response(("transfer_to_agent", {"agent_name": "human"})), text_response("never")]
    )
    root = agent("real", model=model, sub_agents=[agent("human", description="a person")])
    async with run_person(served.timeline, decide_in_order([text_response("from a person")])):
        events = await served.run(root, target_agents=["human"])

    assert answer(events) == "from a person"
    assert len(model.requests) == 1
    turns = [event for event in await served.log() if isinstance(event.payload, TurnAsked | TurnDecided)]
    assert [(event.agent_name, event.player) for event in turns] == [
        ("real", Player.REAL),
        ("real", Player.REAL),
        ("human", None),
        ("human", Player.HUMAN),
    ]
    durations = [event.payload.duration_ms for event in turns if isinstance(event.payload, TurnDecided)]
    assert durations[0] is not None
    assert durations[1] is None


async def test_a_watched_agent_never_waits_for_the_server(caplog: pytest.LogCaptureFixture) -> None:
    model = ScriptedModel(script=[call_response(("add", {"a": 1, "b": 1})), text_response("2")])
    plugin = SimulatorPlugin(NOWHERE, ["somebody else"], connect_timeout=0.2)
    app = App(name="app", root_agent=agent(model=model), plugins=[plugin])

    assert answer(await send_messages(InMemoryRunner(app=app))) == "2"
    assert "No simulator server answers at 127.0.0.1:1" in caplog.text


async def test_a_target_that_is_no_agent_is_warned_of(served: Served, caplog: pytest.LogCaptureFixture) -> None:
    model = ScriptedModel(script=[text_response("hi")])
    tool = AgentTool(agent("as_a_tool", model=model))
    root = agent("root", model=model, sub_agents=[agent("child", model=model)], tools=[tool])
    await served.run(root, "one", "two", target_agents="child, chidl,as_a_tool")

    warned = [record.message for record in caplog.records if "No agent is named" in record.message]
    assert warned == ["No agent is named 'chidl'. The agents seen so far are: as_a_tool, child, root."]


async def test_a_played_model_causes_no_warnings_of_adk_and_a_real_one_still_does(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "google_adk")
    loggers = [logging.getLogger(f"google_adk.google.adk.{name}") for name in ("telemetry._metrics", "runners")]
    filters = [list(logger.filters) for logger in loggers]

    def warn() -> str:
        """Warn as ADK does."""
        for logger in loggers:
            logger.warning("A real warning of %s", logger.name)
        return "done"

    model = ScriptedModel(
        script=[call_response(("transfer_to_agent", {"agent_name": "human"})), text_response("never")]
    )
    person = LlmAgent(name="human", description="a person", model="no-such-model", tools=[warn])
    root = agent("real", model=model, sub_agents=[person])
    decisions = [call_response(("warn", {})), call_response(("make_tea", {})), text_response("done")]
    async with run_person(served.timeline, decide_in_order(decisions)):
        await served.run(root, target_agents=["human"])

    messages = [record.getMessage() for record in caplog.records if record.name.startswith("google_adk")]
    assert [text for text in messages if "token usage" in text] == [
        "Skipping missing token usage metadata for agent real and model scripted"
    ]
    assert len([text for text in messages if "A real warning" in text]) == 2
    assert not [text for text in messages if "make_tea" in text]
    assert [logger.filters for logger in loggers] == filters


async def test_the_sessions_page_is_printed_and_a_wait_is_logged_once_a_turn(
    served: Served, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    async with run_person(
        served.timeline, decide_in_order([call_response(("add", {"a": 1, "b": 1})), text_response("2")])
    ):
        await served.run(agent())

    (session,) = await list_sessions(served.timeline)
    assert capsys.readouterr().err.count(f"Simulator session: http://sim/{session.session_id}\n") == 1
    assert session.description == "app"
    waits = [record.message for record in caplog.records if "Waiting" in record.message]
    assert waits == ["Waiting for human input for agent: 'math'"] * 2


async def test_a_session_has_the_description_it_was_given(served: Served) -> None:
    async with run_person(served.timeline, decide_in_order([text_response("hi")])):
        await served.run(agent(), session_description="refunds of May")

    assert [one.description for one in await list_sessions(served.timeline)] == ["refunds of May"]


class TestSettings:
    async def test_they_come_from_the_environment(self, served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv(SERVER_URL_VARIABLE, f"http://{served.url}")
        monkeypatch.setenv(TARGET_AGENTS_VARIABLE, " nobody , root")
        async with run_person(served.timeline, decide_in_order([text_response("hi")])):
            await served.run(agent("root"), plugins=[SimulatorPlugin()])

        assert len(await list_sessions(served.timeline)) == 1

    async def test_the_constructor_wins(self, served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv(SERVER_URL_VARIABLE, NOWHERE)
        monkeypatch.setenv(TARGET_AGENTS_VARIABLE, "nobody")
        async with run_person(served.timeline, decide_in_order([text_response("hi")])):
            await served.run(agent("root"), plugins=[SimulatorPlugin(served.url, ["root"])])

        assert len(await list_sessions(served.timeline)) == 1

    def test_adk_can_build_it_by_its_name_alone(self) -> None:
        from google.adk.cli.api_server import ApiServer

        assert os.environ.get(SERVER_URL_VARIABLE) is None
        server = ApiServer.__new__(ApiServer)
        server.extra_plugins = ["adk_agent_sim.SimulatorPlugin"]
        (plugin,) = cast("Any", server)._instantiate_extra_plugins()
        assert isinstance(plugin, SimulatorPlugin)
        assert plugin.name == "adk_agent_sim.SimulatorPlugin"

    def test_an_unknown_player_is_refused(self) -> None:
        with pytest.raises(ValueError, match="a player is one of real, human, replay:FILE"):
            SimulatorPlugin(player="robot")


class TestWithoutADecision:
    async def test_at_the_deadline_the_agents_own_model_answers(self, served: Served) -> None:
        root = agent(model=ScriptedModel(script=[text_response("by myself")]))
        events = await served.run(root, deadline=0.05, on_deadline="real_model")

        assert answer(events) == "by myself"
        turns = [event for event in await served.log() if "Turn" in type(event.payload).__name__]
        assert kinds(turns) == [TurnAsked, TurnWithdrawn, TurnAsked, TurnDecided]
        assert [event.player for event in turns] == [None, None, Player.REAL, Player.REAL]

    async def test_at_the_deadline_the_run_fails(self, served: Served) -> None:
        with pytest.raises(DeadlineExceeded, match=r"Nobody answered agent 'math' within 0\.05 seconds"):
            await served.run(agent(), deadline=0.05)

        await until_ended(served)
        log = await served.log()
        assert isinstance(log[-1].payload, RunEnded)
        assert (log[-1].payload.outcome, log[-1].payload.error_type) == (RunOutcome.FAILED, "DeadlineExceeded")
        assert not await list_waiting_turns(served.timeline)

    async def test_a_server_that_is_not_there_fails_the_run_and_is_named(self, served: Served) -> None:
        with pytest.raises(ServerUnreachable, match=r"127\.0\.0\.1:1.*`adksim serve`.*ADK_SIM_SERVER_URL"):
            await served.run(agent(), server_url=NOWHERE, connect_timeout=0.2)

    async def test_without_a_server_the_agents_own_model_answers_if_asked(self, served: Served) -> None:
        root = agent(model=ScriptedModel(script=[text_response("by myself")]))
        stated: dict[str, Any] = {"server_url": NOWHERE, "connect_timeout": 0.2, "on_unreachable": "real_model"}

        assert answer(await served.run(root, **stated)) == "by myself"

    async def test_a_closed_session_fails_the_run(self, served: Served) -> None:
        running = asyncio.create_task(served.run(agent()))
        turn = await wait_for_turn(served.timeline)
        await served.timeline.close_session(turn.session_id, "enough")

        with pytest.raises(SessionClosed):
            await running

    async def test_a_cancelled_run_takes_its_turn_back(self, served: Served) -> None:
        running = asyncio.create_task(served.run(agent()))
        turn = await wait_for_turn(served.timeline)
        running.cancel()
        await asyncio.wait({running})
        await wait_until(lambda: not served.timeline.peek_pending_turns(turn.session_id))
        await until_ended(served)

        assert (await served.timeline.list_summaries())[0].status is SessionStatus.STOPPED

    async def test_a_run_that_is_cancelled_while_a_tool_runs_is_over(self, served: Served) -> None:
        begun = asyncio.Event()

        async def forever() -> None:
            """Never end."""
            begun.set()
            await asyncio.Event().wait()

        async with run_person(served.timeline, decide_in_order([call_response(("forever", {}))])):
            running = asyncio.create_task(served.run(agent(tools=[forever])))
            async with asyncio.timeout(MAX_WAIT_SECONDS):
                await begun.wait()
            running.cancel()
            await asyncio.wait({running})
            await until_ended(served)

        ended = [event.payload for event in await served.log() if isinstance(event.payload, RunEnded)]
        assert [one.outcome for one in ended] == [RunOutcome.CANCELLED]


async def until_ended(served: Served) -> None:
    """Wait for the events of a run that failed, which may still be on their way."""
    async with asyncio.timeout(MAX_WAIT_SECONDS):
        while not any(isinstance(event.payload, RunEnded) for event in await served.log()):
            await pause()


async def test_a_cancel_at_the_server_reaches_the_tool(served: Served) -> None:
    cancelled = asyncio.Event()

    async def forever() -> str:
        """Never end."""
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()
        return ""

    def report_cancellation(**_: Any) -> dict[str, str]:
        return {"error": "cancelled"}

    async with run_person(served.timeline, decide_in_order([call_response(("forever", {})), text_response("gave up")])):
        root = agent(tools=[forever], on_tool_error_callback=report_cancellation)
        running = asyncio.create_task(served.run(root))
        started = None
        while started is None:
            sessions = await list_sessions(served.timeline)
            log = await served.timeline.read_events(sessions[0].session_id) if sessions else ()
            started = next((event for event in log if isinstance(event.payload, ToolStarted)), None)
            await pause()
        assert isinstance(started.payload, ToolStarted)
        await served.timeline.cancel_call(started.session_id, started.payload.call_id)
        async with asyncio.timeout(MAX_WAIT_SECONDS):
            await cancelled.wait()
            assert answer(await running) == "gave up"

    (failed,) = [event.payload for event in await served.log() if isinstance(event.payload, ToolFailed)]
    assert failed.error_type == "Cancelled"


async def test_several_runners_and_sessions_run_at_once(served: Served) -> None:
    plugin = served.plugin()

    def decide(asked: Event, request: Any) -> dict[str, Any]:
        return text_response(f"you said {request.contents[-1]['parts'][0]['text']}")

    async with run_person(served.timeline, decide):
        answers = await asyncio.gather(
            *(
                served.run(agent(f"a{number % 3}"), f"m{number}", user=f"u{number}", plugins=[plugin])
                for number in range(8)
            )
        )

    assert [answer(events) for events in answers] == [f"you said m{number}" for number in range(8)]
    assert len(await list_sessions(served.timeline)) == 8


async def test_parallel_agents_wait_in_one_queue_first_come_first_served(served: Served) -> None:
    with pytest.warns(DeprecationWarning, match="ParallelAgent"):
        root = ParallelAgent(  # pyright: ignore[reportDeprecated]
            name="root", sub_agents=[agent(f"a{number}") for number in range(4)]
        )
    running = asyncio.create_task(served.run(root))
    turn = await wait_for_turn(served.timeline)
    await wait_until(lambda: len(served.timeline.peek_pending_turns(turn.session_id)) == 4)
    asked = [one.agent_name for one in await list_waiting_turns(served.timeline)]
    async with run_person(served.timeline, lambda asked, request: text_response(f"from {asked.agent_name}")):
        await running

    decided = [event.agent_name for event in await served.log() if isinstance(event.payload, TurnDecided)]
    assert decided == asked
    assert sorted(decided) == ["a0", "a1", "a2", "a3"]


async def test_an_agent_used_as_a_tool_is_played_in_the_same_session(served: Served) -> None:
    root = agent("root", tools=[AgentTool(agent("inner"))])
    script = [
        call_response(("inner", {"request": "help"})),
        text_response("from inside"),
        text_response("from outside"),
    ]
    async with run_person(served.timeline, decide_in_order(script)):
        events = await served.run(root)

    assert answer(events) == "from outside"
    log = await served.log()
    asked = [event.agent_name for event in log if isinstance(event.payload, TurnAsked)]
    assert asked == ["root", "inner", "root"]
    assert kinds(log).count(RunEnded) == kinds(log).count(UserSpoke) == 1


async def test_an_output_schema_is_asked_for(served: Served) -> None:
    class Total(BaseModel):
        total: int

    def decide(asked: Event, request: Any) -> dict[str, Any]:
        assert request.response_schema["properties"]["total"]["type"] == "integer"
        return text_response('{"total": 4}')

    async with run_person(served.timeline, decide):
        assert answer(await served.run(agent(tools=[], output_schema=Total))) == '{"total": 4}'


class _Shouts(BasePlugin):
    async def on_event_callback(self, *, invocation_context: InvocationContext, event: AdkEvent) -> AdkEvent | None:
        text = event.content.parts[0].text if event.content and event.content.parts else None
        if not text:
            return None
        shouted = types.Content(role="model", parts=[types.Part(text=text.upper())])
        return AdkEvent(author=event.author, content=shouted)

    async def on_user_message_callback(
        self, *, invocation_context: InvocationContext, user_message: types.Content
    ) -> types.Content | None:
        return types.Content(role="user", parts=[types.Part(text="replaced")])


@pytest.mark.parametrize("first", [True, False])
async def test_what_other_plugins_change_is_recorded_as_they_leave_it(served: Served, first: bool) -> None:
    ours, theirs = served.plugin(), _Shouts(name="shouts")
    async with run_person(served.timeline, decide_in_order([text_response("quiet")])):
        events = await served.run(agent(), plugins=[ours, theirs] if first else [theirs, ours])

    assert answer(events) == "QUIET"
    log = await served.log()
    (spoke,) = [event.payload.content for event in log if isinstance(event.payload, UserSpoke)]
    assert spoke["parts"][0]["text"] == ("hi" if first else "replaced")
    if first:
        (emitted,) = [event.payload.event for event in log if isinstance(event.payload, AgentEvent)]
        assert emitted["content"]["parts"][0]["text"] == "QUIET"


async def test_a_run_that_fails_is_recorded_as_failed(served: Served) -> None:
    def breaks() -> None:
        """Break."""
        raise ZeroDivisionError("broken")

    async with run_person(served.timeline, decide_in_order([call_response(("breaks", {}))])):
        with pytest.raises(ZeroDivisionError):
            await served.run(agent(tools=[breaks]))
    await until_ended(served)

    log = await served.log()
    assert isinstance(log[-1].payload, RunEnded)
    assert (log[-1].payload.outcome, log[-1].payload.error_message) == (RunOutcome.FAILED, "broken")


async def test_a_further_message_goes_on_in_the_same_session(served: Served) -> None:
    async with run_person(served.timeline, decide_in_order([text_response("one"), text_response("two")])):
        await served.run(agent(), "first", "second")

    assert [type(entry) for entry in build_history(await served.log())] == [UserQuery, FinalResponse] * 2


async def ignore_restart(session: SessionRestart) -> None:
    """A restart function that is never called here."""


async def decide_later(timeline: Timeline, answers: list[str]) -> None:
    """Decide turns a while after they were asked, and only if they still wait."""
    for text in answers:
        asked = await wait_for_turn(timeline)
        for _ in range(20):
            await pause()
        waiting = [each.turn_id for each in timeline.peek_pending_turns(asked.session_id)]
        if waiting != [asked.turn_id]:
            await timeline.close_session(asked.session_id, "the turn was withdrawn")  # or its agent would ask for ever
        assert waiting == [asked.turn_id]
        await timeline.decide(TurnDecision(asked.session_id, asked.turn_id, text_response(text)))


@pytest.mark.parametrize("stated", [{}, {"restart": ignore_restart}], ids=["plain", "restartable"])
async def test_adks_own_sync_runner_works(served: Served, stated: dict[str, Any]) -> None:
    """It runs each message in a new event loop; a person takes their time in each of them."""
    runner = InMemoryRunner(app=App(name="app", root_agent=agent(), plugins=[served.plugin(**stated)]))
    session = await runner.session_service.create_session(app_name="app", user_id="u")

    def run_all() -> list[str]:
        found: list[str] = []
        for message in ("one", "two", "three"):
            content = types.Content(role="user", parts=[types.Part(text=message)])
            found.append(answer(list(runner.run(user_id="u", session_id=session.id, new_message=content))))
        return found

    running = asyncio.ensure_future(asyncio.to_thread(run_all))
    await decide_later(served.timeline, ["1", "2", "3"])
    assert await running == ["1", "2", "3"]
    await runner.close()


async def test_sessions_that_do_not_run_are_forgotten_in_time(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulator_plugin, "MAX_IDLE_SESSIONS", 2)
    plugin = served.plugin(target_agents=["nobody"])
    runner = InMemoryRunner(
        app=App(name="app", root_agent=agent(model=ScriptedModel(script=[text_response("hi")])), plugins=[plugin])
    )
    for number in range(5):
        await send_messages(runner, "one", "two", user=f"u{number}")

    assert len(cast("Any", plugin)._bound_sessions) == 2
    assert len(await list_sessions(served.timeline)) == 5


class TestReplay:
    @pytest.fixture
    async def trace(self, tmp_path: Path) -> Path:
        async with Simulation(agent()) as sim:
            turn = await sim.send("2+2?")
            turn = await turn.call("add", {"a": 2, "b": 2})
            await turn.respond("4")
            turn = await sim.send("and again?")
            await turn.respond("still 4")
            sim.export(tmp_path / "math.evalset.json")
        return tmp_path / "math.evalset.json"

    async def test_a_trace_plays_instead_of_a_person(self, served: Served, trace: Path) -> None:
        events = await served.run(agent(), "2+2?", "and again?", player=f"replay:{trace}")

        assert answer(events) == "still 4"
        players = {event.player for event in await served.log() if isinstance(event.payload, TurnDecided)}
        assert players == {Player.RECORDED}

    async def test_it_needs_no_server(self, trace: Path) -> None:
        plugin = SimulatorPlugin(NOWHERE, player=f"replay:{trace}", connect_timeout=0.2)
        app = App(name="app", root_agent=agent(), plugins=[plugin])

        assert answer(await send_messages(InMemoryRunner(app=app), "2+2?")) == "4"

    async def test_it_looks_for_no_server_unless_one_is_named(
        self, trace: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        monkeypatch.delenv("ADK_SIM_SERVER_URL", raising=False)
        plugin = SimulatorPlugin(player=f"replay:{trace}")
        app = App(name="app", root_agent=agent(), plugins=[plugin])

        runner = InMemoryRunner(app=app)
        assert answer(await send_messages(runner, "2+2?", "and again?")) == "still 4"
        await runner.close()

        assert isinstance(plugin._outbox, DiscardingOutbox)  # pyright: ignore[reportPrivateUsage]
        assert not [record for record in caplog.records if "server" in record.message]

    @pytest.mark.parametrize("message", ["what else?", "and again?"])
    async def test_a_message_that_the_trace_does_not_have_is_logged_and_raised(
        self, served: Served, trace: Path, message: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        with pytest.raises(ReplayImpossible, match=f"does not fit this session: it has no user message '{message[:4]}"):
            await served.run(agent(), message, player=f"replay:{trace}")
        assert [record.levelno for record in caplog.records if "does not fit" in record.message] == [logging.ERROR]

    @pytest.mark.filterwarnings("ignore:LoopAgent is deprecated:DeprecationWarning")
    async def test_an_agent_that_calls_its_model_too_often_fails(self, served: Served, trace: Path) -> None:
        repeats = LoopAgent(name="loop", sub_agents=[agent()], max_iterations=2)  # pyright: ignore[reportDeprecated]
        with pytest.raises(ReplayImpossible, match="more often than it has decisions after user message 1"):
            await served.run(repeats, "2+2?", player=f"replay:{trace}")

    def test_a_file_that_is_none_is_refused_at_once(self, tmp_path: Path) -> None:
        with pytest.raises(ImportRefused, match="no such file"):
            SimulatorPlugin(player=f"replay:{tmp_path / 'none.json'}")
