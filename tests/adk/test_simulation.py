from __future__ import annotations

import asyncio
import contextlib
import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from google.adk.agents import (
    LlmAgent,
    ParallelAgent,  # pyright: ignore[reportDeprecated] - users still have them
)
from google.adk.apps import App
from google.adk.apps.app import EventsCompactionConfig
from google.adk.evaluation.eval_case import IntermediateData
from google.adk.evaluation.eval_set import EvalSet
from google.adk.events import Event
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins import BasePlugin
from google.genai import types
from polling import MAX_WAIT_SECONDS, wait_until
from pydantic import BaseModel, field_validator
from scripted_model import ScriptedModel, call_response, extract_decisions, replace_model, text_response
from stores import GatedStore

from adk_agent_sim import RunFailed, Simulation
from adk_agent_sim.adk.demo.math_agent.agent import app as math_app
from adk_agent_sim.adk.demo.math_agent.agent import root_agent as math_agent
from adk_agent_sim.adk.demo.shop_agent.agent import app as shop_app
from adk_agent_sim.adk.runs import run_task
from adk_agent_sim.adk.runs.agent_run import AgentRun
from adk_agent_sim.adk.steps.steps import Done, ModelTurn
from adk_agent_sim.errors import (
    InvalidAnswer,
    InvalidArguments,
    InvalidMessage,
    InvalidTransition,
    NotAnEvalSet,
    SessionIncomplete,
    ToolNotOffered,
    TurnNotNext,
)
from adk_agent_sim.timeline.events import (
    ArtifactSaved,
    Player,
    RunEnded,
    RunOutcome,
    ToolFailed,
    ToolFinished,
    TurnDecided,
)
from adk_agent_sim.timeline.history import FinalResponse, SessionState, ToolError, UserQuery
from adk_agent_sim.timeline.timeline import Timeline


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


def mul(a: int, b: int) -> int:
    """Multiply."""
    return a * b


def _calculator(**fields: Any) -> LlmAgent:
    return LlmAgent(name="calculator", model="gemini-2.5-flash", instruction="Calculate.", tools=[add, mul], **fields)


@pytest.mark.req("001/US1.1", "001/FR-009", "001/constitution-1", "001/constitution-2", "001/constitution-3")
@pytest.mark.req("001/constitution-8")
async def test_a_session_as_the_documentation_shows_it(tmp_path: Path) -> None:
    path = tmp_path / "math.evalset.json"
    async with Simulation(_calculator()) as sim:
        turn = await sim.send("What is 5+3?")
        assert isinstance(turn, ModelTurn)
        turn = await turn.call("add", {"a": 5, "b": 3})
        turn = await turn.calls([("add", {"a": 1, "b": 1}), ("mul", {"a": 2, "b": 3})])
        assert [pending.turn_id for pending in sim.pending()] == [turn.turn_id if isinstance(turn, ModelTurn) else ""]
        done = await turn.respond("The answer is 8")
        assert isinstance(done, Done)
        assert done.text == "The answer is 8"
        assert sim.pending() == []
        assert [event.author for event in sim.events()] == ["user", *["calculator"] * 5]
        sim.export(path)

    outputs = [event.payload.result for event in sim.log() if isinstance(event.payload, ToolFinished)]
    assert outputs == [8, 2, 6]
    assert len(EvalSet.model_validate_json(path.read_text()).eval_cases) == 1


async def test_a_turn_shows_what_the_model_would_read() -> None:
    async with Simulation(_calculator()) as sim:
        turn = await sim.send("hi")
        assert isinstance(turn, ModelTurn)

        assert turn.agent_name == "calculator"
        assert turn.instruction.startswith("Calculate.")
        assert list(turn.tools) == ["add", "mul"]
        assert [part.text for part in turn.request.contents[0].parts or ()] == ["hi"]
        stored = await sim.timeline.read_request(turn.asked_event)
        assert stored.instruction == turn.instruction
        assert list(stored.declarations) == ["add", "mul"]


async def test_the_offered_tools_are_those_of_the_request_transfer_included() -> None:
    async with Simulation(shop_app) as sim:
        turn = await sim.send("hi")
        assert isinstance(turn, ModelTurn)

        assert list(turn.tools) == ["transfer_to_agent", "search_products", "place_order", "get_order"]


async def test_no_key_and_no_model_library_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    agent = LlmAgent(name="anything", model="no-such-provider/no-such-model")

    async with Simulation(agent) as sim:
        turn = await sim.send("hi")
        assert isinstance(turn, ModelTurn)
        assert turn.request.model == "no-such-provider/no-such-model"
        assert (await turn.respond("hello")).text == "hello"


@pytest.mark.req("001/edge-empty-tools")
async def test_an_agent_without_tools_can_answer() -> None:
    async with Simulation(LlmAgent(name="mute", model="gemini-2.5-flash")) as sim:
        turn = await sim.send("hi")
        assert isinstance(turn, ModelTurn)
        assert not turn.tools
        assert (await turn.respond("hello")).text == "hello"


async def test_several_user_turns_in_one_session() -> None:
    async with Simulation(_calculator()) as sim:
        for number in range(3):
            turn = await sim.send(f"question {number}")
            turn = await turn.call("add", {"a": number, "b": 1})
            assert (await turn.respond(f"answer {number}")).text == f"answer {number}"

        case = sim.session()
        assert [entry.type for entry in case.history] == [
            "user_query",
            "tool_call",
            "tool_output",
            "final_response",
        ] * 3


@pytest.mark.req("001/US5.1", "001/US5.2", "001/US5.3", "001/FR-028e", "001/FR-030e", "001/FR-031", "001/SC-004")
async def test_the_model_gets_the_error_of_a_tool_that_raises_and_the_session_goes_on(tmp_path: Path) -> None:
    def fetch_data(url: str) -> str:
        """Fetch."""
        raise ConnectionError(f"cannot reach {url}")

    async with Simulation(LlmAgent(name="fetcher", model="m", tools=[fetch_data, add])) as sim:
        turn = await sim.send("fetch it")
        turn = await turn.call("fetch_data", {"url": "http://x"})
        assert isinstance(turn, ModelTurn)
        answered = (turn.request.contents[-1].parts or [])[0].function_response
        assert answered is not None
        assert answered.response == {"error": {"type": "ConnectionError", "message": "cannot reach http://x"}}
        turn = await turn.call("add", {"a": 1, "b": 1})
        await turn.respond("it failed")
        exported = (sim.export(tmp_path / "x.json").conversation or [])[0].intermediate_data
        assert isinstance(exported, IntermediateData)
        assert [each.response for each in exported.tool_responses] == [answered.response, {"result": 2}]

    (error,) = [entry for entry in sim.history() if isinstance(entry, ToolError)]
    assert (error.error_type, error.error_message) == ("ConnectionError", "cannot reach http://x")
    assert "in fetch_data" in (error.traceback or "")
    assert "Traceback" not in str(answered.response)


class Wanted(BaseModel):
    query: str
    max_results: int


class Found(BaseModel):
    answer: str
    confidence: float


@pytest.mark.req("001/US4.3", "001/FR-016")
async def test_a_final_response_that_the_output_schema_refuses_never_reaches_adk() -> None:
    agent = LlmAgent(name="strict", model="m", output_schema=Found, output_key="found")
    async with Simulation(agent) as sim:
        turn = await sim.send("?")
        with pytest.raises(InvalidAnswer, match=r"confidence: is required \(a number\)"):
            await turn.respond({"answer": "4"})
        with pytest.raises(InvalidAnswer, match="confidence: is 'high', must be a number"):
            await turn.respond('{"answer": "4", "confidence": "high"}')
        with pytest.raises(InvalidAnswer, match="must be JSON"):
            await turn.respond("four")
        done = await turn.respond(Found(answer="4", confidence=1))

        assert done.text == '{"answer": "4", "confidence": 1.0}'
        assert (await sim.state())["found"] == {"answer": "4", "confidence": 1.0}


@pytest.mark.req("001/FR-016", "001/US4.3")
async def test_a_final_response_that_the_output_schema_refuses_can_be_sent_anyway() -> None:
    async with Simulation(LlmAgent(name="strict", model="m", output_schema=Found)) as sim:
        turn = await sim.send("?")
        with pytest.raises(InvalidAnswer, match="confidence: is required"):
            await turn.respond({"answer": "4"})
        done = await turn.respond({"answer": "4"}, force=True)

        assert done.text == '{"answer": "4"}'


async def test_with_tools_too_the_answer_is_data_and_checked() -> None:
    agent = LlmAgent(name="strict", model="m", output_schema=Found, tools=[add])
    async with Simulation(agent) as sim:
        turn = await sim.send("?")
        turn = await turn.call("add", {"a": 2, "b": 2})
        with pytest.raises(InvalidAnswer, match="confidence: is required"):
            await turn.respond({"answer": "4"})
        with pytest.raises(InvalidAnswer, match="must be JSON"):
            await turn.respond("four")
        done = await turn.respond({"answer": "4", "confidence": 0.5})

        assert done.text == '{"answer": "4", "confidence": 0.5}'


async def test_a_list_as_output_schema_with_tools() -> None:
    agent = LlmAgent(name="strict", model="m", output_schema=list[Found], tools=[add])
    async with Simulation(agent) as sim:
        turn = await sim.send("?")
        done = await turn.respond([Found(answer="4", confidence=0.5)])

        assert done.text == '[{"answer": "4", "confidence": 0.5}]'


async def test_a_message_is_checked_against_the_input_schema() -> None:
    agent = LlmAgent(name="searcher", model="m", input_schema=Wanted)
    async with Simulation(agent) as sim:
        with pytest.raises(InvalidMessage, match=r"'searcher': max_results: is required \(an integer\)"):
            await sim.send({"query": "x"})
        with pytest.raises(InvalidMessage, match="must be JSON"):
            await sim.send("find x")
        turn = await sim.send(Wanted(query="x", max_results=3))
        assert isinstance(turn, ModelTurn)
        assert [part.text for part in turn.request.contents[0].parts or ()] == ['{"query": "x", "max_results": 3}']
        await turn.respond("ok")
        with pytest.raises(RunFailed, match="validation error for Wanted"):
            await sim.send("find x", force=True)


async def test_what_does_not_fit_is_refused_and_can_be_insisted_on() -> None:
    async with Simulation(_calculator()) as sim:
        turn = await sim.send("?")
        with pytest.raises(ToolNotOffered):
            await turn.call("subtract", {"a": 1})
        with pytest.raises(InvalidArguments, match="b: is required"):
            await turn.call("add", {"a": 1})
        turn = await turn.call("subtract", {"a": 1}, force=True)
        turn = await turn.call("add", {"a": 1}, force=True)
        assert isinstance(turn, ModelTurn)
        answered = (turn.request.contents[-1].parts or [])[0].function_response
        assert answered is not None
        assert "mandatory input parameters are not present" in str(answered.response)


async def test_what_is_left_out_stays_unset() -> None:
    def search(query: str, limit: int = 10) -> list[str]:
        """Search."""
        return [query] * limit

    async with Simulation(LlmAgent(name="searcher", model="m", tools=[search])) as sim:
        turn = await sim.send("?")
        turn = await turn.call("search", {"query": "x"})
        await turn.respond("ok")

    (decided, _) = extract_decisions(sim.log())
    assert decided["content"]["parts"][0]["function_call"]["args"] == {"query": "x"}


async def test_parallel_agents_wait_in_the_order_in_which_they_asked() -> None:
    agents = [LlmAgent(name=name, model="m", output_key=name) for name in ("left", "right")]
    with pytest.warns(DeprecationWarning, match="ParallelAgent"):
        both = ParallelAgent(  # pyright: ignore[reportDeprecated]
            name="both", sub_agents=list(agents)
        )
    async with Simulation(both) as sim:
        first = await sim.send("hi")
        await wait_until(lambda: len(sim.pending()) == 2)
        head, other = sim.pending()
        assert isinstance(first, ModelTurn)
        assert head.turn_id == first.turn_id
        with pytest.raises(TurnNotNext):
            await other.respond("too early")
        second = await head.respond(f"I am {head.agent_name}")
        assert isinstance(second, ModelTurn)
        assert second.turn_id == other.turn_id
        await second.respond(f"I am {second.agent_name}")

        assert await sim.state() == {"left": "I am left", "right": "I am right"}


async def test_two_sessions_of_one_agent_have_different_players_at_once() -> None:
    model = ScriptedModel(script=[call_response(("add", {"a": 1, "b": 1})), text_response("the model says 2")])
    agent = LlmAgent(name="shared", model=model, tools=[add])

    def respond(request: LlmRequest) -> LlmResponse:
        return LlmResponse.model_validate(text_response("the function says 2"))

    async with (
        Simulation(agent) as human,
        Simulation(agent, model="real") as real,
        Simulation(agent, model=respond) as simulated,
    ):
        turn = await human.send("1+1?")
        by_model, by_function = await asyncio.gather(real.send("1+1?"), simulated.send("1+1?"))
        turn = await turn.call("add", {"a": 1, "b": 1})
        by_person = await turn.respond("the person says 2")

    assert [done.text for done in (by_person, by_model, by_function)] == [
        "the person says 2",
        "the model says 2",
        "the function says 2",
    ]
    players = [
        [event.player for event in sim.log() if isinstance(event.payload, TurnDecided)]
        for sim in (human, real, simulated)
    ]
    assert players == [[Player.HUMAN] * 2, [Player.REAL] * 2, [Player.SIMULATED]]
    assert len(model.requests) == 2


async def test_an_agent_that_was_simulated_still_runs_with_its_own_model() -> None:
    model = ScriptedModel(script=[text_response("still me")])
    app = replace_model(math_app, model)
    async with Simulation(app) as sim:
        turn = await sim.send("hi")
        await turn.respond("not me")

    from google.adk.runners import InMemoryRunner

    runner = InMemoryRunner(app=app)
    events = await runner.run_debug("hi", quiet=True)
    await runner.close()
    assert [part.text for part in (events[-1].content or types.Content()).parts or ()] == ["still me"]


async def test_a_model_that_raises_fails_the_run_and_is_on_the_timeline() -> None:
    def fail(request: LlmRequest) -> LlmResponse:
        raise OSError("out of order")

    async with Simulation(_calculator(), model=fail) as sim:
        with pytest.raises(RunFailed, match="'calculator' failed: OSError: out of order") as failed:
            await sim.send("hi")
        assert isinstance(failed.value.__cause__, OSError)
        with pytest.raises(SessionIncomplete, match="the last run failed: OSError: out of order"):
            sim.export("never.json")

    ended = sim.log()[-2].payload
    assert isinstance(ended, RunEnded)
    assert (ended.outcome, ended.error_type) == (RunOutcome.FAILED, "OSError")


async def test_after_a_failed_run_the_session_can_go_on_and_be_exported(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    answers = iter([OSError("once"), None])

    def shaky(request: LlmRequest) -> LlmResponse:
        if (error := next(answers)) is not None:
            raise error
        return LlmResponse.model_validate(text_response("better"))

    async with Simulation(_calculator(), model=shaky) as sim:
        with pytest.raises(RunFailed):
            await sim.send("hi")
        assert (await sim.send("again")).text == "better"
        case = sim.export(tmp_path / "x.json")

    assert len(case.conversation or ()) == 1
    assert "user turn 1 ('hi') was left out: its run failed" in caplog.text


async def test_closing_during_a_run_cancels_it_and_records_that() -> None:
    async with Simulation(_calculator()) as sim:
        await sim.send("hi")

    ended = sim.log()[-2].payload
    assert isinstance(ended, RunEnded)
    assert ended.outcome is RunOutcome.CANCELLED
    assert sim.pending() == []
    with pytest.raises(
        SessionIncomplete, match="the last run was cancelled; the user query 'hi' has no final response"
    ):
        sim.export("never.json")


async def test_one_message_at_a_time() -> None:
    async with Simulation(_calculator()) as sim:
        await sim.send("hi")
        with pytest.raises(InvalidTransition, match="still working on the last message"):
            await sim.send("hello?")


async def test_a_step_says_what_the_agent_waits_for_when_asked_for_something_else() -> None:
    async with Simulation(_calculator()) as sim:
        turn = await sim.send("hi")
        with pytest.raises(InvalidTransition, match="cannot approve a call now: the model of 'calculator' must decide"):
            await turn.approve()
        done = await turn.respond("hello")
        with pytest.raises(InvalidTransition, match="cannot call a tool now: the agent has answered"):
            await done.call("add")


async def test_artifacts_and_state_are_on_the_timeline() -> None:
    async with Simulation(shop_app, state={"customer": "Ada"}) as sim:
        turn = await sim.send("order")
        assert isinstance(turn, ModelTurn)
        assert "Known about the customer: Ada" in turn.instruction
        address = {"name": "Ada", "street": "Main Street 1", "city": "Berlin", "postcode": "10115"}
        order = {"lines": [{"sku": "SKU-201", "quantity": 2}], "address": address}
        turn = await turn.call("place_order", {"order": order, "shipping": "express"})
        await turn.respond("ordered")
        session = sim.session()
        (saved,) = [event.payload for event in sim.log() if isinstance(event.payload, ArtifactSaved)]
        receipt = await sim.timeline.read_block(sim.session_id, saved.block)

    (finished,) = [event.payload for event in sim.log() if isinstance(event.payload, ToolFinished)]
    assert finished.actions["artifact_delta"] == {"ORD-0001.txt": 0}
    assert finished.actions["state_delta"]["orders"]["ORD-0001"]["total"] == 28.9
    assert (saved.filename, saved.version, saved.mime_type) == ("ORD-0001.txt", 0, "text/plain")
    assert receipt.startswith(b"Receipt ORD-0001\nAda, Berlin\n")
    assert session.initial_state == {"customer": "Ada"}
    assert session.final_state == {"customer": "Ada", "orders": finished.actions["state_delta"]["orders"]}


async def test_nested_arguments_are_checked_down_to_the_field() -> None:
    async with Simulation(shop_app) as sim:
        turn = await sim.send("order")
        order = {"lines": [{"sku": "SKU-201", "quantity": 0}], "address": {"name": "Ada", "postcode": "x"}}
        with pytest.raises(InvalidArguments) as refused:
            await turn.call("place_order", {"order": order, "shipping": "boat"})

    assert {problem.path for problem in refused.value.problems} == {
        "order.lines[0].quantity",
        "order.address.street",
        "order.address.city",
        "order.address.postcode",
        "shipping",
    }


async def test_transfer_is_an_action_on_the_timeline() -> None:
    async with Simulation(shop_app) as sim:
        turn = await sim.send("refund")
        turn = await turn.call("transfer_to_agent", {"agent_name": "refund_agent"})
        assert isinstance(turn, ModelTurn)

        assert turn.agent_name == "refund_agent"
        (finished,) = [event.payload for event in sim.log() if isinstance(event.payload, ToolFinished)]
        assert finished.actions == {"transfer_to_agent": "refund_agent"}


async def test_the_same_agent_object_can_be_simulated_again_and_again() -> None:
    for _ in range(3):
        async with Simulation(math_agent) as sim:
            turn = await sim.send("2+2?")
            turn = await turn.call("add", {"a": 2, "b": 2})
            assert (await turn.respond("4")).text == "4"


async def test_a_failed_tool_is_on_the_timeline_with_its_duration() -> None:
    async with Simulation(math_app) as sim:
        turn = await sim.send("1/0?")
        turn = await turn.call("divide", {"dividend": 1, "divisor": 0})
        await turn.respond("no")

    (failed,) = [event for event in sim.log() if isinstance(event.payload, ToolFailed)]
    assert isinstance(failed.payload, ToolFailed)
    assert failed.payload.duration_ms > 0
    assert failed.player is Player.REAL
    assert failed.agent_name == "math_agent"


async def test_a_simulation_that_is_not_open_says_how_to_open_it() -> None:
    sim = Simulation(_calculator())
    with pytest.raises(InvalidTransition, match="is not open: use `async with`, or await start"):
        await sim.send("hi")


async def test_a_notebook_opens_and_closes_it_in_cells_of_their_own() -> None:
    sim = await Simulation(_calculator()).start()
    turn = await sim.send("2+2?")
    turn = await turn.call("add", {"a": 2, "b": 2})
    assert repr(turn) == "<ModelTurn: the model of 'calculator' must decide>"
    assert isinstance(turn, ModelTurn)
    assert turn.results == [{"result": 4}]
    await turn.respond("4")
    await sim.close()

    with pytest.raises(InvalidTransition, match=r"is closed\. Open a new one"):
        await sim.send("more")
    assert len(sim.history()) == 4


async def test_a_message_during_the_close_is_refused_and_starts_nothing() -> None:
    store = GatedStore()
    run = AgentRun(_calculator(), Timeline(store))
    await run.open()
    store.gate.clear()
    started = asyncio.create_task(run.start(types.Content(role="user", parts=[types.Part(text="2+2?")])))
    await wait_until(lambda: store.waiting_count == 1)
    closed = asyncio.create_task(run.close())
    await asyncio.to_thread(int)
    store.gate.set()
    await closed

    with pytest.raises(InvalidTransition, match="is closed"):
        await started
    assert not run.is_running
    assert run.get_failure() is None


async def test_a_run_that_ignores_its_cancellation_is_abandoned_with_a_warning(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    entered, released = asyncio.Event(), asyncio.Event()

    async def stubborn(callback_context: Any, llm_request: Any) -> None:
        entered.set()
        while not released.is_set():
            with contextlib.suppress(asyncio.CancelledError):
                await released.wait()

    monkeypatch.setattr(run_task, "_STOP_TIMEOUT", 0.05)
    run = AgentRun(_calculator(before_model_callback=stubborn), Timeline())
    await run.open()
    await run.start(types.Content(role="user", parts=[types.Part(text="2+2?")]))
    await entered.wait()
    async with asyncio.timeout(MAX_WAIT_SECONDS):
        assert await run.stop()
    still_running = run.is_running
    released.set()
    await run.close()

    assert still_running
    assert "A run of 'calculator' was stopped but continues" in caplog.text


@pytest.mark.parametrize("nonsense", ["agent", None, [1]])
def test_what_cannot_be_simulated_is_refused(nonsense: Any) -> None:
    with pytest.raises(TypeError, match="Pass an ADK agent, a workflow, or an App"):
        Simulation(nonsense)


async def test_a_follower_of_a_closed_simulation_comes_to_an_end() -> None:
    async with Simulation(_calculator()) as sim:
        turn = await sim.send("hi")
        await turn.respond("hello")

    followed = [event.seq async for event in sim.timeline.follow(sim.session_id)]
    assert followed == list(range(1, len(sim.log()) + 1))


@pytest.mark.req("000/validation-9")
async def test_finished_turns_can_be_exported_while_one_is_open(tmp_path: Path) -> None:
    async with Simulation(_calculator()) as sim:
        turn = await sim.send("first")
        await turn.respond("done")
        await sim.send("second")
        with pytest.raises(SessionIncomplete, match="the user query 'second' has no final response"):
            sim.export(tmp_path / "x.json")
        case = sim.export(tmp_path / "x.json", finished_only=True)

    assert [turn.user_content.parts for turn in case.conversation or ()] == [[types.Part(text="first")]]


@pytest.mark.req("000/validation-9")
async def test_finished_turns_can_be_exported_after_one_that_failed(tmp_path: Path) -> None:
    def respond(request: LlmRequest) -> LlmResponse:
        if len(request.contents) > 1:
            raise ConnectionError("refused")
        return LlmResponse.model_validate(text_response("done"))

    async with Simulation(_calculator(), model=respond) as sim:
        await sim.send("first")
        with pytest.raises(RunFailed, match="refused"):
            await sim.send("second")
        with pytest.raises(SessionIncomplete, match="the last run failed: ConnectionError: refused"):
            sim.export(tmp_path / "x.json")
        case = sim.export(tmp_path / "x.json", finished_only=True)

    assert [turn.user_content.parts for turn in case.conversation or ()] == [[types.Part(text="first")]]


async def test_export_says_what_adk_eval_needs(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def play(agent: Any) -> None:
        async with Simulation(agent) as sim:
            turn = await sim.send("1/0?")
            turn = await turn.call("divide", {"dividend": 1, "divisor": 0})
            await turn.respond("no")
            sim.export(tmp_path / "x.json")

    await play(math_app)
    assert "ToolErrorPlugin" not in caplog.text
    await play(math_agent)
    assert "call 1 (divide) failed: `adk eval` passes only if the evaluated App has a ToolErrorPlugin" in caplog.text


@pytest.mark.parametrize("path", ["", "  "])
async def test_an_export_to_nowhere_is_refused(path: str) -> None:
    async with Simulation(_calculator()) as sim:
        turn = await sim.send("hi")
        await turn.respond("hello")
        with pytest.raises(ValueError, match="must be the path of a file"):
            sim.export(path)


async def test_an_export_to_a_folder_is_refused(tmp_path: Path) -> None:
    async with Simulation(_calculator()) as sim:
        turn = await sim.send("hi")
        await turn.respond("hello")
        with pytest.raises(NotAnEvalSet, match="it is a folder"):
            sim.export(tmp_path)


async def test_what_a_type_refuses_beyond_its_schema_never_reaches_adk() -> None:
    class Dated(BaseModel):
        day: date
        even: int

        @field_validator("even")
        @classmethod
        def _is_even(cls, value: int) -> int:
            if value % 2:
                raise ValueError("must be even")
            return value

    async with Simulation(LlmAgent(name="a", model="m", output_schema=Dated, output_key="found")) as sim:
        turn = await sim.send("?")
        with pytest.raises(InvalidAnswer, match="day: "):
            await turn.respond({"day": "tomorrow", "even": 2})
        with pytest.raises(InvalidAnswer, match="even: Value error, must be even"):
            await turn.respond({"day": "2026-01-01", "even": 3})
        await turn.respond({"day": "2026-01-01", "even": 4})
        assert (await sim.state())["found"]["even"] == 4

    async with Simulation(LlmAgent(name="a", model="m", input_schema=Dated)) as sim:
        with pytest.raises(InvalidMessage, match="even: Value error, must be even"):
            await sim.send({"day": "2026-01-01", "even": 3})


async def test_a_plain_dict_as_output_schema_with_tools() -> None:
    async with Simulation(LlmAgent(name="a", model="m", output_schema=dict[str, int], tools=[add])) as sim:
        turn = await sim.send("?")
        done = await turn.respond({"x": 1})

        assert done.text == '{"x": 1}'


@pytest.mark.req("003/rule-4")
async def test_a_person_can_play_a_model_that_breaks() -> None:
    async with Simulation(_calculator()) as sim:
        turn = await sim.send("?")
        done = await turn.decide(LlmResponse(error_code="SAFETY", error_message="I will not say that."))

        assert isinstance(done, Done)
        assert sim.events()[-1].error_code == "SAFETY"


async def test_half_a_surrogate_pair_breaks_neither_the_run_nor_the_export(tmp_path: Path) -> None:
    def echo(text: str) -> dict[str, str]:
        """Echo."""
        return {"half \ud83d": text}

    async with Simulation(LlmAgent(name="a", model="m", tools=[echo])) as sim:
        turn = await sim.send("say \ud83d")
        turn = await turn.call("echo", {"text": "x \ud83d"})
        await turn.respond("ok \ud83d \U0001f600")
        sim.export(tmp_path / "x.json")

    (case,) = EvalSet.model_validate_json((tmp_path / "x.json").read_text(encoding="utf-8")).eval_cases
    assert (case.conversation or [])[0].final_response == types.Content(
        role="model", parts=[types.Part(text="ok \ufffd \U0001f600")]
    )


class _Masking(BasePlugin):
    """Rewrites the text of events, like a plugin that redacts."""

    async def on_event_callback(self, *, invocation_context: Any, event: Event) -> Event | None:
        text = event.content.parts[0].text if event.content and event.content.parts else None
        if text is None:
            return None
        masked = types.Content(role="model", parts=[types.Part(text=text.replace("4111", "[card]"))])
        return event.model_copy(update={"content": masked})


async def test_the_timeline_has_what_the_apps_plugins_made_of_it() -> None:
    app = App(name="masked", root_agent=_calculator(), plugins=[_Masking(name="masking")])
    async with Simulation(app) as sim:
        turn = await sim.send("my card?")
        assert (await turn.respond("it is 4111")).text == "it is [card]"

    (answer,) = [entry for entry in sim.history() if isinstance(entry, FinalResponse)]
    assert answer.content == "it is [card]"


async def test_a_request_that_a_callback_redacts_in_place_is_on_the_timeline_as_redacted() -> None:
    def redact(callback_context: Any, llm_request: LlmRequest) -> None:
        for content in llm_request.contents:
            for part in content.parts or ():
                if part.function_response and part.function_response.response:
                    part.function_response.response["result"] = "[redacted]"

    async with Simulation(_calculator(before_model_callback=redact)) as sim:
        turn = await sim.send("?")
        for _ in range(2):
            turn = await turn.call("add", {"a": 1, "b": 1})
        assert isinstance(turn, ModelTurn)
        stored = await sim.timeline.read_request(turn.asked_event)

    assert "[redacted]" in str(stored.contents)
    assert "'result': 2" not in str(stored.contents)


async def test_compaction_does_not_ask_the_agents_own_model(caplog: pytest.LogCaptureFixture) -> None:
    model = ScriptedModel(script=[text_response("a summary")])
    app = App(
        name="compact",
        root_agent=LlmAgent(name="a", model=model),
        events_compaction_config=EventsCompactionConfig(compaction_interval=1, overlap_size=0),
    )
    async with Simulation(app) as sim:
        for _ in range(2):
            turn = await sim.send("hi")
            await turn.respond("hello")

    assert not model.requests
    assert "Event compaction is disabled in this simulation" in caplog.text


@pytest.mark.req("000/SimulationSession", "000/relationship-1", "000/relationship-3")
async def test_the_session_as_data_has_its_tools_and_its_adk_session() -> None:
    agent = _calculator()
    async with Simulation(agent) as sim:
        turn = await sim.send("2+2?")
        turn = await turn.call("add", {"a": 2, "b": 2})
        await turn.respond("4")
        session = sim.session()
        started = sim.log()[0].timestamp

    assert (session.session_id, session.start_timestamp) == (sim.session_id, started)
    assert session.agent is session.agent_config.agent is agent
    assert session.agent_name == session.agent_config.name == "calculator"
    assert [tool.name for tool in session.tools] == ["add", "mul"]
    assert session.state is SessionState.COMPLETED
    assert [entry.type for entry in session.history] == ["user_query", "tool_call", "tool_output", "final_response"]
    assert session.adk_session is not None
    assert session.adk_session.app_name == session.app_name
    assert len(session.adk_session.events) == 4


@pytest.mark.req("000/SessionState", "000/transition-1", "000/transition-2", "000/transition-3", "000/transition-4")
async def test_a_session_begins_by_awaiting_the_query_of_its_agent() -> None:
    async with Simulation(_calculator()) as sim:
        states = [sim.session().state]
        turn = await sim.send("2+2?")
        states.append(sim.session().state)
        turn = await turn.call("add", {"a": 2, "b": 2})
        states.append(sim.session().state)
        await turn.respond("4")
        states.append(sim.session().state)

    assert [state.value for state in states] == ["awaiting_query", "active", "active", "completed"]


@pytest.mark.req("000/UserQuery", "000/FinalResponse")
async def test_structured_questions_and_answers_are_json_in_the_history() -> None:
    agent = LlmAgent(name="searcher", model="m", input_schema=Wanted, output_schema=Found)
    async with Simulation(agent) as sim:
        turn = await sim.send(Wanted(query="x", max_results=3))
        await turn.respond(Found(answer="4", confidence=0.5))

    query, answer = sim.history()
    assert isinstance(query, UserQuery)
    assert json.loads(query.content) == {"query": "x", "max_results": 3}
    assert isinstance(answer, FinalResponse)
    assert json.loads(answer.content) == {"answer": "4", "confidence": 0.5}
    assert query.timestamp.tzinfo is not None
    assert query.timestamp < answer.timestamp
