"""Every kind of ADK agent and tool can be played, and behaves as with its own model."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, closing
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from fidelity_runs import FidelityTurn, MakeApp, normalize_events, run_with_scripted_model, run_with_wizard
from google.adk.agents import (
    LlmAgent,
    LoopAgent,  # pyright: ignore[reportDeprecated] - users still have them
    ParallelAgent,  # pyright: ignore[reportDeprecated]
    SequentialAgent,  # pyright: ignore[reportDeprecated]
)
from google.adk.agents._streaming_mode import StreamingMode
from google.adk.agents.readonly_context import ReadonlyContext
from google.adk.agents.run_config import RunConfig
from google.adk.apps import App
from google.adk.code_executors import BuiltInCodeExecutor
from google.adk.models import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.tools import AgentTool, FunctionTool, LongRunningFunctionTool, ToolContext, exit_loop
from google.adk.tools.base_toolset import BaseToolset
from google.adk.tools.mcp_tool import McpToolset, StdioConnectionParams, StreamableHTTPConnectionParams
from google.adk.tools.openapi_tool import OpenAPIToolset
from google.adk.workflow import Workflow
from google.genai import types
from mcp import StdioServerParameters
from polling import MAX_WAIT_SECONDS, pause, wait_until
from scripted_model import ScriptedModel, call_response, text_response

from adk_agent_sim import RunFailed, Simulation, ToolErrorPlugin
from adk_agent_sim.adk.steps.steps import Confirmation, Done, ModelTurn, Step
from adk_agent_sim.timeline.events import ToolFinished, TurnAsked, TurnDecided
from adk_agent_sim.timeline.history import ToolOutput
from adk_agent_sim.timeline.json_conversion import to_json_value

pytestmark = pytest.mark.filterwarnings("ignore:(Sequential|Parallel|Loop)Agent is deprecated:DeprecationWarning")

_SERVER = Path(__file__).parents[1] / "mcp_server.py"


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


def _app(root: Any) -> App:
    return App(name="kinds", root_agent=root, plugins=[ToolErrorPlugin()])


async def _both(
    make_app: MakeApp, turns: list[FidelityTurn], state: dict[str, Any] | None = None
) -> list[dict[str, Any]]:
    expected = await run_with_scripted_model(make_app, turns, state)
    played = await run_with_wizard(make_app, turns, state)

    assert played.events == expected.events
    assert played.state == expected.state
    assert played.artifacts == expected.artifacts
    return played.events


def _responses(turn: Step) -> list[dict[str, Any] | None]:
    assert isinstance(turn, ModelTurn)
    return [part.function_response.response for part in turn.request.contents[-1].parts or () if part.function_response]


class TestAgentsOfAgents:
    async def test_an_agent_used_as_a_tool(self) -> None:
        def make(model: BaseLlm) -> App:
            inner = LlmAgent(name="inner", model=model, description="Adds.", tools=[add])
            return _app(LlmAgent(name="outer", model=model, tools=[AgentTool(inner)]))

        decisions = [
            call_response(("inner", {"request": "2+2"})),
            call_response(("add", {"a": 2, "b": 2})),
            text_response("inner: 4"),
            text_response("outer: 4"),
        ]
        events = await _both(make, [FidelityTurn("2+2?", decisions)])
        assert events[2]["content"]["parts"][0]["function_response"]["response"] == {"result": "inner: 4"}

    async def test_what_an_inner_agent_does_is_on_the_timeline_but_not_in_the_trajectory(self) -> None:
        inner = LlmAgent(name="inner", model="m", description="Adds.", tools=[add])
        async with Simulation(LlmAgent(name="outer", model="m", tools=[AgentTool(inner)])) as sim:
            turn = await sim.send("2+2?")
            turn = await turn.call("inner", {"request": "2+2"})
            assert isinstance(turn, ModelTurn)
            assert turn.agent_name == "inner"
            turn = await turn.call("add", {"a": 2, "b": 2})
            turn = await turn.respond("inner: 4")
            await turn.respond("outer: 4")
            uses = [entry.type for entry in sim.history()]

        assert uses == ["user_query", "tool_call", "tool_output", "final_response"]
        asked = [event.agent_name for event in sim.log() if isinstance(event.payload, TurnAsked)]
        assert asked == ["outer", "inner", "inner", "outer"]
        finished = [event.agent_name for event in sim.log() if isinstance(event.payload, ToolFinished)]
        assert finished == ["inner", "outer"]

    async def test_leaving_while_an_inner_agent_waits_ends_the_wait(self) -> None:
        inner = LlmAgent(name="inner", model="m", description="Adds.")
        async with Simulation(LlmAgent(name="outer", model="m", tools=[AgentTool(inner)])) as sim:
            turn = await sim.send("2+2?")
            await turn.call("inner", {"request": "2+2"})
            assert len(sim.pending()) == 1

        assert sim.timeline.peek_pending_turns(sim.session_id) == []

    async def test_cancelling_the_call_of_an_inner_agent_takes_its_turn_back(self) -> None:
        inner = LlmAgent(name="inner", model="m", description="Adds.")
        async with Simulation(LlmAgent(name="outer", model="m", tools=[AgentTool(inner)])) as sim:
            turn = await sim.send("2+2?")
            turn = await turn.call("inner", {"request": "2+2"})
            assert isinstance(turn, ModelTurn)
            assert turn.agent_name == "inner"
            sim.cancel(sim.running()[0])
            await wait_until(lambda: bool(sim.pending()) and sim.pending()[0].agent_name == "outer")
            (outer,) = sim.pending()
            assert outer.results[0]["error"]["type"] == "Cancelled"
            assert (await outer.respond("never mind")).text == "never mind"

    async def test_an_inner_agent_without_our_plugins_is_played_too(self) -> None:
        model = ScriptedModel(script=[text_response("the model")])
        inner = LlmAgent(name="inner", model=model, description="Adds.")
        tool = AgentTool(inner, include_plugins=False)
        async with Simulation(LlmAgent(name="outer", model="m", tools=[tool])) as sim:
            turn = await sim.send("2+2?")
            turn = await turn.call("inner", {"request": "2+2"})
            assert isinstance(turn, ModelTurn)
            assert turn.agent_name == "inner"
            turn = await turn.respond("the person")
            assert isinstance(turn, ModelTurn)
            assert turn.results == [{"result": "the person"}]

        assert not model.requests

    async def test_a_workflow_of_llm_nodes(self) -> None:
        def make(model: BaseLlm) -> App:
            first = LlmAgent(name="first", model=model, output_key="draft")
            second = LlmAgent(name="second", model=model, tools=[add])
            return _app(Workflow(name="flow", edges=[("START", first), (first, second)]))

        await _both(
            make,
            [
                FidelityTurn(
                    "?", [text_response("draft"), call_response(("add", {"a": 1, "b": 1})), text_response("final")]
                )
            ],
        )

    async def test_a_sequence(self) -> None:
        def make(model: BaseLlm) -> App:
            agents = [
                LlmAgent(name="first", model=model, output_key="draft"),
                LlmAgent(name="second", model=model, instruction="Improve {draft}", tools=[add]),
            ]
            return _app(SequentialAgent(name="row", sub_agents=list(agents)))  # pyright: ignore[reportDeprecated]

        await _both(
            make,
            [
                FidelityTurn(
                    "?", [text_response("draft"), call_response(("add", {"a": 1, "b": 1})), text_response("final")]
                )
            ],
        )

    async def test_a_loop(self) -> None:
        def make(model: BaseLlm) -> App:
            worker = LlmAgent(name="worker", model=model, tools=[exit_loop])
            return _app(LoopAgent(name="loop", max_iterations=5, sub_agents=[worker]))  # pyright: ignore[reportDeprecated]

        events = await _both(
            make, [FidelityTurn("?", [text_response("once"), text_response("twice"), call_response(("exit_loop", {}))])]
        )
        assert events[-1]["actions"]["escalate"] is True

    async def test_parallel_agents_in_any_order_of_asking(self) -> None:
        def make(model: BaseLlm) -> App:
            agents = [LlmAgent(name=name, model=model, output_key=name) for name in ("left", "middle", "right")]
            return _app(ParallelAgent(name="all", sub_agents=list(agents)))  # pyright: ignore[reportDeprecated]

        expected = await run_with_scripted_model(make, [FidelityTurn("?", [text_response("same")] * 3)])
        async with Simulation(make(ScriptedModel(script=[]))) as sim:
            step = await sim.send("?")
            await wait_until(lambda: len(sim.pending()) == 3)
            while isinstance(step, ModelTurn):
                step = await step.respond("same")
            played = normalize_events(sim.events())

        def by_author(event: dict[str, Any]) -> str:
            return str(event["author"])

        assert sorted(played, key=by_author) == sorted(expected.events, key=by_author)


def wipe(disk: str) -> str:
    """Wipe a disk."""
    return f"wiped {disk}"


def transfer(amount: int, tool_context: ToolContext) -> dict[str, Any]:
    """Transfer money; asks how much is allowed."""
    confirmation = tool_context.tool_confirmation
    if confirmation is None:
        tool_context.request_confirmation(hint="How much is allowed?", payload={"allowed": 0})
        return {"status": "waiting"}
    allowed: dict[str, int] = confirmation.payload or {}
    return {"status": "done", "amount": min(amount, allowed["allowed"])}


class TestConsent:
    @pytest.mark.req("001/SC-002")
    @pytest.mark.parametrize("approve", [True, False])
    async def test_a_call_waits_for_consent(
        self, approve: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        agent = LlmAgent(name="admin", model="m", tools=[FunctionTool(wipe, require_confirmation=True)])
        async with Simulation(agent) as sim:
            turn = await sim.send("wipe it")
            question = await turn.call("wipe", {"disk": "sda"})
            assert isinstance(question, Confirmation)
            assert (question.pending_call.name, question.pending_call.args) == ("wipe", {"disk": "sda"})
            turn = await (question.approve() if approve else question.deny())
            expected = {"result": "wiped sda"} if approve else {"error": "This tool call is rejected."}
            assert _responses(turn) == [expected]
            assert (await turn.respond("done")).text == "done"
            sim.export(tmp_path / "x.json")

        assert "call 1 (wipe) waited for the user's consent, which `adk eval` cannot give again" in caplog.text
        (output,) = [entry for entry in sim.history() if isinstance(entry, ToolOutput)]
        assert output.response == expected
        ran = [event.payload.result for event in sim.log() if isinstance(event.payload, ToolFinished)]
        assert ran == (["wiped sda"] if approve else [])

    async def test_consent_with_a_payload(self) -> None:
        async with Simulation(LlmAgent(name="bank", model="m", tools=[transfer])) as sim:
            turn = await sim.send("pay 100")
            turn = await turn.call("transfer", {"amount": 100})
            question = await turn.respond("The bank asks how much is allowed.")
            assert isinstance(question, Confirmation)
            assert question.hint == "How much is allowed?"
            turn = await question.approve({"allowed": 30})
            assert _responses(turn) == [{"status": "done", "amount": 30}]

    @pytest.mark.parametrize("confirmed", [True, False])
    async def test_as_with_the_agents_own_model(self, confirmed: bool) -> None:
        def make(model: BaseLlm | str) -> App:
            return _app(LlmAgent(name="admin", model=model, tools=[FunctionTool(wipe, require_confirmation=True)]))

        async def play(sim: Simulation, decisions: list[dict[str, Any]]) -> list[dict[str, Any]]:
            step = await sim.send("wipe it")
            while not isinstance(step, Done):
                if isinstance(step, Confirmation):
                    step = await (step.approve() if confirmed else step.deny())
                else:
                    assert isinstance(step, ModelTurn)
                    step = await sim.decide(step.turn_id, decisions.pop(0))
            return normalize_events(sim.events())

        script = [call_response(("wipe", {"disk": "sda"})), text_response("done")]
        async with Simulation(make(ScriptedModel(script=script)), model="real") as real:
            expected = await play(real, [])
        async with Simulation(make("m")) as human:
            assert await play(human, script.copy()) == expected


class TestLongRunningTools:
    async def test_one_that_answers_later_ends_the_turn(self) -> None:
        def start(what: str) -> None:
            """Start a job; its answer comes later."""

        def make(model: BaseLlm) -> App:
            return _app(LlmAgent(name="boss", model=model, tools=[LongRunningFunctionTool(start)]))

        await _both(make, [FidelityTurn("go", [call_response(("start", {"what": "x"}))])])

    async def test_one_that_says_it_has_started_lets_the_model_go_on(self) -> None:
        def start(what: str) -> dict[str, str]:
            """Start a job."""
            return {"status": "pending", "ticket": what}

        def make(model: BaseLlm) -> App:
            return _app(LlmAgent(name="boss", model=model, tools=[LongRunningFunctionTool(start)]))

        await _both(make, [FidelityTurn("go", [call_response(("start", {"what": "x"})), text_response("started")])])

    async def test_its_answer_is_sent_when_it_is_there(self, tmp_path: Path) -> None:
        def start(what: str) -> dict[str, str]:
            """Start a job."""
            return {"status": "pending"}

        async with Simulation(LlmAgent(name="boss", model="m", tools=[LongRunningFunctionTool(start)])) as sim:
            turn = await sim.send("go")
            turn = await turn.call("start", {"what": "x"})
            await turn.respond("started")
            (call,) = [call for event in sim.events() for call in event.get_function_calls()]
            answer = types.FunctionResponse(id=call.id, name="start", response={"status": "done"})
            turn = await sim.send(types.Content(role="user", parts=[types.Part(function_response=answer)]))
            assert {"status": "done"} in _responses(turn)
            await turn.respond("it is done")
            case = sim.export(tmp_path / "x.json")

        assert len(case.conversation or ()) == 1
        (entry,) = [entry for entry in sim.history() if isinstance(entry, ToolOutput)]
        assert entry.result == {"status": "pending"}


@asynccontextmanager
async def _http_mcp() -> AsyncGenerator[str]:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    quiet = asyncio.subprocess.DEVNULL
    server = await asyncio.create_subprocess_exec(
        *(sys.executable, str(_SERVER), "http", str(port)), stdout=quiet, stderr=quiet
    )
    try:
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                assert server.returncode is None, "the MCP server did not start"
                await pause()
                continue
            writer.close()
            break
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        server.terminate()
        await server.wait()


def _stdio(command: str = sys.executable, *arguments: str) -> McpToolset:
    parameters = StdioServerParameters(command=command, args=list(arguments or (str(_SERVER),)), env=dict(os.environ))
    return McpToolset(connection_params=StdioConnectionParams(server_params=parameters, timeout=MAX_WAIT_SECONDS))


_MCP_TURNS = [
    FidelityTurn(
        "go",
        [
            call_response(("put", {"thing": "book", "times": 2})),
            call_response(("drop", {"thing": "vase"})),
            text_response("ok"),
        ],
    )
]


class TestMcp:
    @pytest.mark.process
    async def test_tools_of_a_server_over_stdio(self) -> None:
        await _both(lambda model: _app(LlmAgent(name="shelf", model=model, tools=[_stdio()])), _MCP_TURNS)

    @pytest.mark.process
    async def test_tools_of_a_server_over_http(self) -> None:
        async with _http_mcp() as url:

            def make(model: BaseLlm) -> App:
                toolset = McpToolset(connection_params=StreamableHTTPConnectionParams(url=url))
                return _app(LlmAgent(name="shelf", model=model, tools=[toolset]))

            await _both(make, _MCP_TURNS)

    @pytest.mark.process
    async def test_arguments_are_checked_against_the_servers_schema(self) -> None:
        async with Simulation(LlmAgent(name="shelf", model="m", tools=[_stdio()])) as sim:
            turn = await sim.send("go")
            assert isinstance(turn, ModelTurn)
            assert list(turn.tools) == ["drop", "put"]
            with pytest.raises(Exception, match="thing: is required"):
                await turn.call("put", {"times": 2})

    @pytest.mark.process
    async def test_a_server_that_does_not_start_is_named(self) -> None:
        agent = LlmAgent(name="shelf", model="m", tools=[add, _stdio("no-such-command", "--serve")])
        async with Simulation(agent) as sim:
            with pytest.raises(
                RunFailed, match=r"'shelf' cannot load its tools from McpToolset \(no-such-command --serve\)"
            ):
                await sim.send("go")

    async def test_a_server_that_is_not_there_is_named(self) -> None:
        url = "http://127.0.0.1:9/mcp"
        toolset = McpToolset(connection_params=StreamableHTTPConnectionParams(url=url))
        async with Simulation(LlmAgent(name="shelf", model="m", tools=[toolset])) as sim:
            with pytest.raises(RunFailed, match=r"cannot load its tools from McpToolset \(http://127\.0\.0\.1:9/mcp\)"):
                await sim.send("go")


class _Broken(BaseToolset):
    async def get_tools(self, readonly_context: ReadonlyContext | None = None) -> list[Any]:
        raise LookupError("nothing here")


async def test_any_toolset_that_does_not_load_is_named() -> None:
    async with Simulation(LlmAgent(name="a", model="m", tools=[_Broken()])) as sim:
        with pytest.raises(RunFailed, match="cannot load its tools from _Broken: nothing here"):
            await sim.send("go")


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = b'{"path": "%s"}' % self.path.encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        pass


@pytest.fixture
def api() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), _Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


async def test_tools_of_an_openapi_document(api: str) -> None:
    parameter = {"name": "pet_id", "in": "path", "required": True, "schema": {"type": "integer"}}
    document = {
        "openapi": "3.0.0",
        "info": {"title": "Pets", "version": "1"},
        "servers": [{"url": api}],
        "paths": {
            "/pets/{pet_id}": {
                "get": {
                    "operationId": "getPet",
                    "summary": "Get a pet.",
                    "parameters": [parameter],
                    "responses": {"200": {"description": "ok"}},
                }
            }
        },
    }

    def make(model: BaseLlm) -> App:
        toolset = OpenAPIToolset(spec_dict=document, allow_private_network_access=True)
        return _app(LlmAgent(name="pets", model=model, tools=[toolset]))

    events = await _both(
        make, [FidelityTurn("pet 7", [call_response(("get_pet", {"pet_id": 7})), text_response("found")])]
    )
    assert "/pets/7" in str(events[2]["content"])


class TestMedia:
    async def test_code_that_the_model_ran(self) -> None:
        content = types.Content(
            role="model",
            parts=[
                types.Part(executable_code=types.ExecutableCode(code="print(4)", language=types.Language.PYTHON)),
                types.Part(
                    code_execution_result=types.CodeExecutionResult(outcome=types.Outcome.OUTCOME_OK, output="4")
                ),
                types.Part(text="4"),
            ],
        )

        def make(model: BaseLlm) -> App:
            return _app(LlmAgent(name="coder", model=model, code_executor=BuiltInCodeExecutor()))

        await _both_gemini(make, [FidelityTurn("2+2?", [to_json_value(LlmResponse(content=content))])])

    async def test_images_and_files_in_and_out(self) -> None:
        image = types.Part.from_bytes(data=b"\x89PNG\x00\xff", mime_type="image/png")
        document = types.Part.from_uri(file_uri="gs://bucket/a.pdf", mime_type="application/pdf")

        def draw() -> types.Part:
            """Draw."""
            return image

        async with Simulation(LlmAgent(name="artist", model="m", tools=[draw])) as sim:
            turn = await sim.send(types.Content(role="user", parts=[types.Part(text="copy"), image, document]))
            assert isinstance(turn, ModelTurn)
            assert turn.request.contents[0].parts == [types.Part(text="copy"), image, document]
            turn = await turn.call("draw")
            assert isinstance(turn, ModelTurn)
            response = (turn.request.contents[-1].parts or [])[0].function_response
            assert response is not None
            assert response.parts
            done = await turn.decide(types.Content(role="model", parts=[types.Part(text="here"), image]))
            assert isinstance(done, Done)
            assert done.content is not None
            assert done.content.parts == [types.Part(text="here"), image]

    async def test_a_tool_that_returns_an_image_as_with_the_agents_own_model(self) -> None:
        def draw() -> dict[str, Any]:
            """Draw."""
            return {"what": "a dot", "image": types.Part.from_bytes(data=b"\xff", mime_type="image/png")}

        await _both(
            lambda model: _app(LlmAgent(name="artist", model=model, tools=[draw])),
            [FidelityTurn("draw", [call_response(("draw", {})), text_response("drawn")])],
        )


async def _both_gemini(make_app: MakeApp, turns: list[FidelityTurn]) -> None:
    """Like `_both`, with a model whose name is Gemini's, because ADK lets no other model execute code itself."""
    expected = await run_with_scripted_model(
        lambda model: make_app(model.model_copy(update={"model": "gemini-2.5-flash"})), turns
    )
    played = await run_with_wizard(
        lambda model: make_app(model.model_copy(update={"model": "gemini-2.5-flash"})), turns
    )

    assert played.events == expected.events


class TestStreaming:
    async def test_a_person_in_a_streaming_run_answers_in_one_piece(self) -> None:
        config = RunConfig(streaming_mode=StreamingMode.SSE)
        async with Simulation(LlmAgent(name="a", model="m", tools=[add]), run_config=config) as sim:
            turn = await sim.send("2+2?")
            turn = await turn.call("add", {"a": 2, "b": 2})
            await turn.respond("4")
            streamed = normalize_events(sim.events())
        async with Simulation(LlmAgent(name="a", model="m", tools=[add])) as sim:
            turn = await sim.send("2+2?")
            turn = await turn.call("add", {"a": 2, "b": 2})
            await turn.respond("4")

            assert streamed == normalize_events(sim.events())

    async def test_the_pieces_of_the_agents_own_model_pass_and_the_whole_is_the_decision(self) -> None:
        pieces = [
            {**text_response("The "), "partial": True},
            {**text_response("answer"), "partial": True},
            text_response("The answer"),
        ]

        class Streaming(ScriptedModel):
            async def generate_content_async(
                self, llm_request: LlmRequest, stream: bool = False
            ) -> AsyncGenerator[LlmResponse, None]:
                assert stream
                for piece in pieces:
                    yield LlmResponse.model_validate(piece)

        config = RunConfig(streaming_mode=StreamingMode.SSE)
        agent = LlmAgent(name="a", model=Streaming(script=[]))
        async with Simulation(agent, model="real", run_config=config) as sim:
            assert (await sim.send("?")).text == "The answer"

        decided = [event.payload.response for event in sim.log() if isinstance(event.payload, TurnDecided)]
        assert [one["content"]["parts"] for one in decided] == [[{"text": "The answer"}]]
        assert [event.partial for event in sim.events()][1:3] == [True, True]
        assert [entry.type for entry in sim.history()] == ["user_query", "final_response"]
