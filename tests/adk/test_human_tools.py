"""Tools that a person plays (`mock: human`): asked, answered and recorded in real runs of ADK."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from google.adk.agents import (
    LlmAgent,
    ParallelAgent,  # pyright: ignore[reportDeprecated]
)
from google.adk.apps import App
from google.adk.events import Event as AdkEvent
from google.adk.runners import InMemoryRunner
from google.genai import types
from polling import pause, wait_until
from pydantic import BaseModel, Field
from scripted_agent import build_scripted_agent, run_scripted_agent
from scripted_model import ScriptedModel, call_response, text_response

from adk_agent_sim import EnvironmentSimulationFactory, Simulation, SimulatorPlugin
from adk_agent_sim.adk.steps.steps import Done, ModelTurn, Step, ToolTurn
from adk_agent_sim.environment.recorded_report import build_recorded_report
from adk_agent_sim.environment.rules_file import check_rules_text, parse_rules
from adk_agent_sim.errors import (
    InvalidToolResult,
    InvalidTransition,
    SessionClosed,
    ToolAlreadyAnswered,
    ToolRequestAbandoned,
)
from adk_agent_sim.link.remote_link import RemoteLink
from adk_agent_sim.server.composition import ServeSettings, run_services
from adk_agent_sim.server.grpc.grpc_server import serve_grpc
from adk_agent_sim.timeline.events import Player, ToolAnswered, ToolAsked, ToolFailed, ToolFinished, ToolStarted
from adk_agent_sim.timeline.read_model.pending_requests import PendingRequest, RequestKind
from adk_agent_sim.timeline.read_model.session_summary import SessionStatus
from adk_agent_sim.timeline.read_model.timeline_row import RowKind, RowStatus, TimelineRow
from adk_agent_sim.timeline.submissions import EventBatch, ToolRequest, ToolResponse
from adk_agent_sim.timeline.timeline import Timeline


class Weather(BaseModel):
    """The weather of a city."""

    city: str
    degrees: float = Field(ge=-90, le=60)


def get_weather(city: str) -> Weather:
    """Look up the weather."""
    raise AssertionError("the real tool must not run")


def send_mail(to: str) -> dict[str, Any]:
    """Send a mail."""
    raise AssertionError("the real tool must not run")


def _build_agent(**settings: Any) -> LlmAgent:
    return LlmAgent(name="guide", model="unused", tools=[get_weather, send_mail], **settings)


_HUMAN = parse_rules("{rules: [{name: a person, match: {tool: '*'}, do: {mock: human}}]}")
_OSLO = {"city": "Oslo", "degrees": 3.5}


async def _call_weather(sim: Simulation) -> ToolTurn:
    turn = await sim.send("Is it cold?")
    step = await turn.call("get_weather", {"city": "Oslo"})
    assert isinstance(step, ToolTurn)
    return step


def _list_answers(sim: Simulation) -> list[ToolAnswered]:
    return [event.payload for event in sim.log() if isinstance(event.payload, ToolAnswered)]


def _get_results(step: Step) -> list[dict[str, Any]]:
    assert isinstance(step, ModelTurn)
    return step.results


async def test_a_person_gives_the_result_and_the_timeline_says_so() -> None:
    async with Simulation(_build_agent(), environment=_HUMAN) as sim:
        asked = await _call_weather(sim)
        assert (asked.tool_name, asked.args, asked.agent_name) == ("get_weather", {"city": "Oslo"}, "guide")
        assert asked.response_schema["properties"]["degrees"]["maximum"] == 60
        summary = await sim.timeline.get_summary(sim.session_id)
        assert [(each.kind, each.tool_name) for each in summary.pending.values()] == [(RequestKind.TOOL, "get_weather")]
        assert summary.status is SessionStatus.WAITING

        turn = await asked.give_result(_OSLO)

        assert _get_results(turn) == [_OSLO]
        await turn.respond("It is.")
        log = sim.log()
        answered = next(event for event in log if isinstance(event.payload, ToolAnswered))
        assert answered.player is Player.HUMAN
        assert [event.player for event in log if isinstance(event.payload, ToolStarted | ToolFinished)] == [
            Player.HUMAN,
            Player.HUMAN,
        ]
        rows = await sim.timeline.read_rows(sim.session_id, 0, 10)
        assert [(row.subject, row.responder) for row in rows if row.call_id] == [("get_weather", "human")]
        assert "tool human" in sim.report()
        (live,) = sim.environment_report.tools
        assert (live.human, live.simulated) == (1, {"a person": 1})
        assert build_recorded_report(log).tools == [live]
        assert "in 1 of them a person was asked" in str(sim.environment_report)


async def test_a_result_that_does_not_fit_the_schema_is_sent_only_anyway() -> None:
    async with Simulation(_build_agent(), environment=_HUMAN) as sim:
        asked = await _call_weather(sim)
        with pytest.raises(InvalidToolResult, match="degrees"):
            await asked.give_result({"city": "Oslo", "degrees": 99})
        assert [step.tool_name for step in sim.list_tool_turns()] == ["get_weather"]

        turn = await asked.give_result({"city": "Oslo", "degrees": 99}, force=True)

        assert _get_results(turn) == [{"city": "Oslo", "degrees": 99}]
        assert [answer.force for answer in _list_answers(sim)] == [True]


async def test_a_person_returns_an_error_or_raises_it() -> None:
    async with Simulation(_build_agent(), environment=_HUMAN) as sim:
        turn = await (await _call_weather(sim)).give_error("the station is closed")
        assert _get_results(turn) == [{"error": "the station is closed"}]
        asked = await turn.call("get_weather", {"city": "Bergen"})

        turn = await asked.raise_error("TimeoutError", "no answer")

        assert _get_results(turn) == [{"error": {"type": "TimeoutError", "message": "no answer"}}]
        failed = next(event for event in sim.log() if isinstance(event.payload, ToolFailed))
        assert failed.player is Player.HUMAN


async def test_faults_act_before_and_after_a_person() -> None:
    rules = parse_rules(
        """
        rules:
          - {match: {tool: get_weather, call: {first: 1}}, do: {error: {code: 503, message: Later.}}}
          - {match: {tool: get_weather}, do: [{mock: human}, {drop: degrees}]}
        """
    )
    async with Simulation(_build_agent(), environment=rules) as sim:
        turn = await (await sim.send("hi")).call("get_weather", {"city": "Oslo"})
        assert _get_results(turn) == [{"error_code": 503, "error_message": "Later."}]
        asked = await turn.call("get_weather", {"city": "Oslo"})

        turn = await asked.give_result(_OSLO)

        assert _get_results(turn) == [{"city": "Oslo"}]
        assert [answer.result for answer in _list_answers(sim)] == [_OSLO]


async def test_parallel_calls_are_answered_in_any_order_and_each_once() -> None:
    async with Simulation(_build_agent(), environment=_HUMAN) as sim:
        turn = await sim.send("hi")
        await turn.calls([("get_weather", {"city": "Oslo"}), ("send_mail", {"to": "ada"})])
        await wait_until(lambda: len(sim.list_tool_turns()) == 2)
        first, second = sim.list_tool_turns()

        step = await second.give_result({"sent": True})

        assert isinstance(step, ToolTurn)
        assert step.tool_name == first.tool_name == "get_weather"
        with pytest.raises(ToolAlreadyAnswered):
            await second.give_result({"sent": False})
        request_id = second.tool_request.asked.request_id
        (answer,) = _list_answers(sim)
        retried = ToolResponse(sim.session_id, request_id, None, decision_id=answer.decision_id)
        assert (await sim.timeline.tool_requests.respond(retried)).payload == answer
        assert _get_results(await step.give_result(_OSLO)) == [_OSLO, {"sent": True}]


async def test_a_real_model_calls_tools_that_a_person_plays() -> None:
    model = ScriptedModel(script=[call_response(("get_weather", {"city": "Oslo"})), text_response("Cold.")])
    agent = LlmAgent(name="guide", model=model, tools=[get_weather])
    async with Simulation(agent, model="real", environment=_HUMAN) as sim:
        step = await sim.send("hi")
        assert isinstance(step, ToolTurn)
        with pytest.raises(InvalidTransition, match="tool 'get_weather' must respond"):
            await step.respond("no")

        done = await step.give_result(_OSLO)

        assert isinstance(done, Done)
        assert done.text == "Cold."


async def test_cancelling_the_call_ends_the_question() -> None:
    async with Simulation(_build_agent(), environment=_HUMAN) as sim:
        asked = await _call_weather(sim)
        assert sim.cancel(sim.running()[0])

        turn = await sim.next()

        assert "cancelled" in _get_results(turn)[0]["error"]["message"]
        assert not (await sim.timeline.get_summary(sim.session_id)).pending.keys() & {asked.tool_request.asked.call_id}
        with pytest.raises(ToolRequestAbandoned):
            await asked.give_result(_OSLO)


async def test_closing_the_session_ends_the_call_with_a_clear_error() -> None:
    sim = Simulation(_build_agent(), environment=_HUMAN)
    await sim.start()
    await _call_weather(sim)

    await sim.close()

    (failed,) = [event.payload for event in sim.log() if isinstance(event.payload, ToolFailed)]
    assert failed.error_message == "The run was stopped while a person was asked for the response of get_weather."
    assert not (await sim.timeline.get_summary(sim.session_id)).pending


async def test_a_fork_and_a_redo_replay_the_response_without_asking_again() -> None:
    async with Simulation(_build_agent(), environment=_HUMAN) as sim:
        await (await _call_weather(sim)).give_result(_OSLO)
        forked = await sim.fork(2)
        turn = await forked.next()
        assert _get_results(turn) == [_OSLO]
        await turn.respond("Cold.")
        assert [type(event.payload) for event in forked.log()].count(ToolAsked) == 1
        await forked.close()

        undone = await sim.undo()
        assert isinstance(undone, ModelTurn)
        assert undone.results == []
        assert _get_results(await sim.redo()) == [_OSLO]


async def test_undo_while_the_tool_waits_takes_the_call_back() -> None:
    async with Simulation(_build_agent(), environment=_HUMAN) as sim:
        asked = await _call_weather(sim)

        turn = await sim.undo()

        assert isinstance(turn, ModelTurn)
        assert sim.list_tool_turns() == []
        with pytest.raises(ToolRequestAbandoned):
            await asked.give_result(_OSLO)
        again = await turn.call("get_weather", {"city": "Bergen"})
        assert isinstance(again, ToolTurn)
        assert again.args == {"city": "Bergen"}
        assert _get_results(await again.give_result(_OSLO)) == [_OSLO]


async def test_a_fork_while_the_tool_waits_asks_again_in_the_fork() -> None:
    async with Simulation(_build_agent(), environment=_HUMAN) as sim:
        asked = await _call_weather(sim)

        forked = await sim.fork()

        step = await forked.next()
        assert isinstance(step, ToolTurn)
        pending = (await forked.timeline.get_summary(forked.session_id)).pending
        assert list(pending) == [step.tool_request.asked.request_id]
        assert _get_results(await step.give_result(_OSLO)) == [_OSLO]
        await forked.close()
        assert _get_results(await asked.give_result({"city": "Oslo", "degrees": 0})) == [{"city": "Oslo", "degrees": 0}]


async def test_a_fork_keeps_the_players_that_were_chosen_so_that_no_real_tool_runs() -> None:
    async with Simulation(_build_agent()) as sim:
        sim.environment.choose_tool_player("get_weather", "human")
        asked = await _call_weather(sim)

        forked = await sim.fork()

        step = await forked.next()
        assert isinstance(step, ToolTurn)
        done = await (await step.give_result(_OSLO)).respond("Cold.")
        assert isinstance(done, Done)
        await forked.undo()
        assert isinstance(await forked.redo(), Done)
        later = await forked.fork()
        again = await (await later.send("And now?")).call("get_weather", {"city": "Oslo"})
        assert isinstance(again, ToolTurn)
        await later.close()
        await forked.close()
        assert _get_results(await asked.give_result(_OSLO)) == [_OSLO]


@pytest.mark.filterwarnings("ignore:ParallelAgent:DeprecationWarning")
async def test_undoing_the_turn_of_another_agent_asks_again_for_the_tool_that_waits() -> None:
    def build(name: str) -> LlmAgent:
        return LlmAgent(name=name, model="unused", tools=[get_weather])

    team = ParallelAgent(name="team", sub_agents=[build("left"), build("right")])  # pyright: ignore[reportDeprecated]
    async with Simulation(team, environment=_HUMAN) as sim:
        await sim.send("hi")
        await wait_until(lambda: len(sim.pending()) == 2)
        for turn in sim.pending():
            await turn.call("get_weather", {"city": turn.agent_name})
        await wait_until(lambda: len(sim.list_tool_turns()) == 2)
        left, right = sorted(sim.list_tool_turns(), key=lambda asked: asked.agent_name)
        await right.give_result(_OSLO)
        await wait_until(lambda: bool(sim.pending()))
        await sim.pending()[0].respond("Cold.")

        await sim.undo()

        await wait_until(lambda: bool(sim.pending() and sim.list_tool_turns()))
        assert [turn.results for turn in sim.pending()] == [[_OSLO]]
        (again,) = sim.list_tool_turns()
        assert again.args == {"city": "left"}
        assert again.tool_request.asked.request_id != left.tool_request.asked.request_id
        await again.give_result(_OSLO)
        await wait_until(lambda: len(sim.pending()) == 2)


async def test_without_a_timeline_the_call_fails_and_says_what_to_do() -> None:
    agent = build_scripted_agent([get_weather], [("get_weather", {"city": "Oslo"})])
    plugin = EnvironmentSimulationFactory.create_plugin(_HUMAN)

    with pytest.raises(Exception, match=r"Nobody can be asked for the response of get_weather: .*`adksim run`"):
        await run_scripted_agent(agent, plugin)


def test_rules_know_the_mock_and_refuse_a_declaration_for_it() -> None:
    assert not check_rules_text("{rules: [{match: {tool: t}, do: {mock: human}}]}").findings
    declared = "{rules: [{match: {tool: t}, do: {mock: human, declare: {resource: order}}}]}"
    assert "declare belongs to `mock: stateful`" in str(check_rules_text(declared).findings)


async def test_an_app_with_the_plugin_asks_too() -> None:
    app = App(name="guide", root_agent=_build_agent(), plugins=[EnvironmentSimulationFactory.create_plugin(_HUMAN)])
    async with Simulation(app) as sim:
        turn = await (await _call_weather(sim)).give_result(_OSLO)
        assert _get_results(turn) == [_OSLO]


async def _find_remote_call(timeline: Timeline) -> PendingRequest:
    """Wait for the call of the only session, and return its request."""
    while not (found := await timeline.list_pending()):
        await pause()
    (entry,) = found
    return entry.request


def _build_remote_app(url: str) -> App:
    model = ScriptedModel(script=[call_response(("get_weather", {"city": "Oslo"})), text_response("Cold.")])
    agent = LlmAgent(name="guide", model=model, tools=[get_weather])
    rules = EnvironmentSimulationFactory.create_plugin(_HUMAN)
    return App(name="guide", root_agent=agent, plugins=[SimulatorPlugin(server_url=url, player="real"), rules])


async def test_an_agent_in_another_process_asks_a_person_at_the_server() -> None:
    timeline = Timeline()
    async with serve_grpc(timeline, access=None) as server:
        running = asyncio.create_task(_run_remote(_build_remote_app(server.address)))
        request = await _find_remote_call(timeline)
        assert (request.kind, request.tool_name, bool(request.client_id)) == (RequestKind.TOOL, "get_weather", True)
        (summary,) = await timeline.list_summaries()
        session_id = summary.session.session_id

        await timeline.tool_requests.respond(ToolResponse(session_id, request.request_id, _OSLO))

        events = await running
        (response,) = [each for event in events for each in event.get_function_responses()]
        assert response.response == _OSLO
        (finished,) = [
            event for event in await timeline.read_events(session_id) if isinstance(event.payload, ToolFinished)
        ]
        assert finished.player is Player.HUMAN


async def test_closing_the_session_at_the_server_ends_the_call_of_another_process() -> None:
    timeline = Timeline()
    async with serve_grpc(timeline, access=None) as server:
        running = asyncio.create_task(_run_remote(_build_remote_app(server.address)))
        await _find_remote_call(timeline)
        (summary,) = await timeline.list_summaries()

        await timeline.close_session(summary.session.session_id, "enough")

        with pytest.raises(SessionClosed):
            await running


async def test_the_call_of_a_process_that_went_away_waits_for_nobody() -> None:
    timeline = Timeline()
    async with serve_grpc(timeline, access=None, abandon_after=0.0) as server:
        async with RemoteLink(server.address) as link:
            session = await link.create_session("remote")
            asked = ToolAsked(request_id="r", call_id="c", tool_name="add", arguments={"a": 1})
            await link.ask_tool(ToolRequest(session.session_id, asked, agent_name="guide"))
            stop_listening = await link.listen(session.session_id, lambda _: None)
            assert (await _find_remote_call(timeline)).call_id == "c"
            stop_listening()
        while await timeline.list_pending():
            await pause()
        summary = await timeline.get_summary(session.session_id)
        assert summary.status is SessionStatus.ABANDONED
        with pytest.raises(ToolRequestAbandoned):
            await timeline.tool_requests.respond(ToolResponse(session.session_id, "r", 4))


async def test_a_call_waits_across_a_restart_of_the_server_and_is_answered_after_it(tmp_path: Path) -> None:
    settings = ServeSettings(database=tmp_path / "sessions.sqlite", grpc_port=0, web=False)
    async with run_services(settings) as services:
        settings = replace(settings, grpc_port=services.grpc.port)
        running = asyncio.create_task(_run_remote(_build_remote_app(services.grpc.address)))
        request = await _find_remote_call(services.timeline)
        (summary,) = await services.timeline.list_summaries()
        session_id = summary.session.session_id

    async with run_services(settings) as services:
        assert (await _find_remote_call(services.timeline)).request_id == request.request_id
        (call,) = await _list_call_rows(services.timeline, session_id)
        assert call.status is RowStatus.RUNNING

        await services.timeline.tool_requests.respond(ToolResponse(session_id, request.request_id, _OSLO))

        events = await running
        (response,) = [each for event in events for each in event.get_function_responses()]
        assert response.response == _OSLO
        while (await services.timeline.get_summary(session_id)).status is not SessionStatus.DONE:
            await pause()
        (call,) = await _list_call_rows(services.timeline, session_id)
        assert call.status is RowStatus.DONE


async def test_a_call_that_is_given_up_and_asked_again_is_one_row() -> None:
    timeline = Timeline()
    session = await timeline.create_session("remote")
    started = ToolStarted(call_id="c", tool_name="add", arguments={})
    await timeline.append(EventBatch(session.session_id, [started]))
    request = ToolRequest(
        session.session_id,
        ToolAsked(request_id="r", call_id="c", tool_name="add", arguments={}, client_id="p"),
        agent_name="guide",
    )
    await timeline.tool_requests.ask(request)
    await timeline.tool_requests.withdraw(session.session_id, "r")
    (given_up,) = await _list_call_rows(timeline, session.session_id)
    await timeline.tool_requests.ask(request)
    (asked_again,) = await _list_call_rows(timeline, session.session_id)
    await timeline.append(EventBatch(session.session_id, [ToolFinished(call_id="c", result=4, duration_ms=1.0)]))
    (answered,) = await _list_call_rows(timeline, session.session_id)

    assert (given_up.status, given_up.result) == (RowStatus.CANCELLED, "abandoned: the agent's process ended")
    assert (asked_again.status, asked_again.result) == (RowStatus.RUNNING, "")
    assert (answered.status, answered.result) == (RowStatus.DONE, "4")


async def _list_call_rows(timeline: Timeline, session_id: str) -> list[TimelineRow]:
    return [row for row in await timeline.read_rows(session_id, 0, 100) if row.kind is RowKind.CALL]


async def _run_remote(app: App) -> list[AdkEvent]:
    async with InMemoryRunner(app=app) as runner:
        session = await runner.session_service.create_session(app_name="guide", user_id="u")
        content = types.Content(role="user", parts=[types.Part(text="hi")])
        return [event async for event in runner.run_async(user_id="u", session_id=session.id, new_message=content)]
