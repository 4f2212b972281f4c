"""Every event of a run has the path of its agent: ADK's branch, and the tool call that the agent runs in."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from google.adk.agents import (
    BaseAgent,
    LlmAgent,
    LoopAgent,  # pyright: ignore[reportDeprecated] - users still have them
    ParallelAgent,  # pyright: ignore[reportDeprecated]
    SequentialAgent,  # pyright: ignore[reportDeprecated]
)
from google.adk.apps import App
from google.adk.events import Event as AdkEvent
from google.adk.runners import InMemoryRunner
from google.adk.sessions import Session
from google.adk.tools import AgentTool, FunctionTool, ToolContext
from google.adk.workflow import BaseNode, Workflow
from google.genai import types
from polling import wait_until
from scripted_model import ScriptedModel, call_response, text_response
from scripted_person import decide_in_order, run_person
from timeline_builders import list_sessions

from adk_agent_sim import SimulatorPlugin, ToolErrorPlugin
from adk_agent_sim.adk.runs.agent_paths import AgentPathFinder
from adk_agent_sim.adk.steps.steps import Confirmation, ModelTurn
from adk_agent_sim.environment.rules_file import parse_rules
from adk_agent_sim.server.grpc.grpc_server import serve_grpc
from adk_agent_sim.simulation.simulation import Simulation
from adk_agent_sim.timeline.events import (
    AgentEvent,
    AgentJoined,
    AgentPath,
    ArtifactSaved,
    Closed,
    EnvironmentDecided,
    Event,
    Payload,
    RunEnded,
    ToolFailed,
    ToolFinished,
    ToolStarted,
    TurnAsked,
    TurnDecided,
    TurnWithdrawn,
    UserSpoke,
)
from adk_agent_sim.timeline.jsonl import decode_line, encode_line
from adk_agent_sim.timeline.timeline import Timeline

pytestmark = pytest.mark.filterwarnings("ignore:(Sequential|Parallel|Loop)Agent is deprecated:DeprecationWarning")

TURN: set[type[Payload]] = {TurnAsked, TurnDecided}
TALK: set[type[Payload]] = TURN | {AgentEvent}
CALL: set[type[Payload]] = {ToolStarted, ToolFinished}

ADD = call_response(("add", {"a": 1, "b": 1}))
DONE = text_response("done")


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


def fail() -> str:
    """Fail."""
    raise ValueError("this tool fails")


async def paint(tool_context: ToolContext) -> str:
    """Save a picture."""
    await tool_context.save_artifact("picture.txt", types.Part(text="a picture"))
    return "painted"


def call(tool: str) -> dict[str, Any]:
    return call_response((tool, {"request": "x"}))


def agent(name: str, *script: dict[str, Any], **fields: Any) -> Any:
    """An agent with a model of its own, so that agents which run side by side each have their script."""
    model = ScriptedModel(script=list(script) or [DONE])
    return LlmAgent(name=name, model=model, description=f"The agent {name}.", **fields)


def parallel(name: str, *agents: BaseAgent) -> Any:
    return ParallelAgent(name=name, sub_agents=list(agents))  # pyright: ignore[reportDeprecated]


def sequence(name: str, *agents: BaseAgent) -> Any:
    return SequentialAgent(name=name, sub_agents=list(agents))  # pyright: ignore[reportDeprecated]


@dataclass(frozen=True)
class Stream:
    """What is expected of the events of one agent."""

    kinds: set[type[Payload]]

    branch: str = ""
    """With the name of a tool in braces in place of the id of its call."""

    parent: str = ""
    """The tool in whose call the agent runs."""


@dataclass(frozen=True)
class Kind:
    """A kind of agent, and what is expected of the events of each of its agents."""

    build: Callable[[], BaseNode]
    streams: Mapping[str, Stream]


KINDS: dict[str, Kind] = {
    "one agent": Kind(lambda: agent("root", ADD, DONE, tools=[add]), {"root": Stream(TALK | CALL)}),
    "failing tool": Kind(
        lambda: agent("root", call_response(("fail", {})), DONE, tools=[fail]),
        {"root": Stream(TALK | {ToolStarted, ToolFailed})},
    ),
    "artifact": Kind(
        lambda: parallel("all", agent("painter", call_response(("paint", {})), DONE, tools=[paint])),
        {"painter": Stream(TALK | CALL | {ArtifactSaved}, "all.painter")},
    ),
    "sequence": Kind(
        lambda: sequence("row", agent("first"), agent("second", ADD, DONE, tools=[add])),
        {"first": Stream(TALK), "second": Stream(TALK | CALL)},
    ),
    "loop": Kind(
        lambda: LoopAgent(name="loop", max_iterations=2, sub_agents=[agent("worker")]),  # pyright: ignore[reportDeprecated]
        {"worker": Stream(TALK)},
    ),
    "parallel": Kind(
        lambda: parallel("all", agent("left", ADD, DONE, tools=[add]), sequence("row", agent("right"))),
        {"left": Stream(TALK | CALL, "all.left"), "right": Stream(TALK, "all.row")},
    ),
    "parallel in parallel": Kind(
        lambda: parallel("all", parallel("inner", agent("deep")), agent("flat")),
        {"deep": Stream(TALK, "all.inner.inner.deep"), "flat": Stream(TALK, "all.flat")},
    ),
    "transfer": Kind(
        lambda: agent(
            "root",
            call_response(("transfer_to_agent", {"agent_name": "helper"})),
            sub_agents=[agent("helper", ADD, DONE, tools=[add])],
        ),
        {"root": Stream(TALK | CALL), "helper": Stream(TALK | CALL)},
    ),
    # The events that an agent emits when it is used as a tool are not on the timeline, as its session is its own.
    "agent tool": Kind(
        lambda: agent("root", call("inner"), DONE, tools=[AgentTool(agent("inner", ADD, DONE, tools=[add]))]),
        {"root": Stream(TALK | CALL), "inner": Stream(TURN | CALL, parent="inner")},
    ),
    "failing tool in an agent tool": Kind(
        lambda: agent(
            "root",
            call("inner"),
            DONE,
            tools=[AgentTool(agent("inner", call_response(("fail", {})), DONE, tools=[fail]))],
        ),
        {"root": Stream(TALK | CALL), "inner": Stream(TURN | {ToolStarted, ToolFailed}, parent="inner")},
    ),
    "agent tool without plugins": Kind(
        lambda: agent("root", call("inner"), DONE, tools=[AgentTool(agent("inner"), include_plugins=False)]),
        {"root": Stream(TALK | CALL), "inner": Stream(TURN, parent="inner")},
    ),
    "agent tool in an agent tool": Kind(
        lambda: agent(
            "root",
            call("middle"),
            DONE,
            tools=[
                AgentTool(
                    agent("middle", call("inner"), DONE, tools=[AgentTool(agent("inner", ADD, DONE, tools=[add]))])
                )
            ],
        ),
        {
            "root": Stream(TALK | CALL),
            "middle": Stream(TURN | CALL, parent="middle"),
            "inner": Stream(TURN | CALL, parent="inner"),
        },
    ),
    "parallel in an agent tool": Kind(
        lambda: agent(
            "root",
            call("all"),
            DONE,
            tools=[AgentTool(parallel("all", agent("left", ADD, DONE, tools=[add]), agent("right")))],
        ),
        {
            "root": Stream(TALK | CALL),
            "left": Stream(TURN | CALL, "all.left", "all"),
            "right": Stream(TURN, "all.right", "all"),
        },
    ),
    "parallel in an agent tool without plugins": Kind(
        lambda: agent(
            "root",
            call("all"),
            DONE,
            tools=[AgentTool(parallel("all", agent("left"), agent("right")), include_plugins=False)],
        ),
        {
            "root": Stream(TALK | CALL),
            "left": Stream(TURN, "all.left", "all"),
            "right": Stream(TURN, "all.right", "all"),
        },
    ),
    "agent tools in parallel": Kind(
        lambda: parallel(
            "all",
            agent("left", call("one"), DONE, tools=[AgentTool(agent("one"))]),
            agent("right", call("two"), DONE, tools=[AgentTool(agent("two"))]),
        ),
        {
            "left": Stream(TALK | CALL, "all.left"),
            "right": Stream(TALK | CALL, "all.right"),
            "one": Stream(TURN, parent="one"),
            "two": Stream(TURN, parent="two"),
        },
    ),
    "two agent tools at once": Kind(
        lambda: agent(
            "root",
            call_response(("one", {"request": "x"}), ("two", {"request": "x"})),
            DONE,
            tools=[AgentTool(agent("one")), AgentTool(agent("two"))],
        ),
        {"root": Stream(TALK | CALL), "one": Stream(TURN, parent="one"), "two": Stream(TURN, parent="two")},
    ),
    "single-turn sub-agent": Kind(
        lambda: agent(
            "root", call("helper"), DONE, sub_agents=[agent("helper", ADD, DONE, mode="single_turn", tools=[add])]
        ),
        {"root": Stream(TALK | CALL), "helper": Stream(TALK | CALL, "helper@{helper}", "helper")},
    ),
    # ADK runs the agent outside the call of its tool, which therefore is not on the timeline.
    "task sub-agent": Kind(
        lambda: agent(
            "root",
            call("helper"),
            DONE,
            sub_agents=[
                agent("helper", ADD, call_response(("finish_task", {"result": "x"})), mode="task", tools=[add])
            ],
        ),
        {"root": Stream(TALK), "helper": Stream(TALK | CALL, "helper@{helper}", "helper")},
    ),
    "workflow": Kind(
        lambda: Workflow(name="flow", edges=[("START", agent("node", ADD, DONE, tools=[add]))]),
        {"node": Stream(TALK | CALL)},
    ),
    "workflow as a tool": Kind(
        lambda: agent(
            "root",
            call("flow"),
            DONE,
            tools=[Workflow(name="flow", edges=[("START", agent("node", ADD, DONE, tools=[add]))])],
        ),
        {"root": Stream(TALK | CALL), "node": Stream(TALK | CALL, "flow@{flow}", "flow")},
    ),
}


async def run_here(root: BaseNode) -> list[Event]:
    """Run an agent with its own models on a timeline in this process."""
    async with Simulation(root, model="real") as sim:
        await sim.send("go")
    return list(sim.log())


async def run_at_server(root: BaseNode) -> list[Event]:
    """Run an agent with its own models on the timeline of a server."""
    timeline = Timeline()
    async with serve_grpc(timeline, access=None) as server:
        await run_with_plugin(root, SimulatorPlugin(server.address, player="real"))
        (session,) = await list_sessions(timeline)
        await timeline.close_session(session.session_id, "done")
        return list(await timeline.read_events(session.session_id))


async def run_with_plugin(root: Any, plugin: SimulatorPlugin) -> None:
    runner = InMemoryRunner(app=App(name="app", root_agent=root, plugins=[plugin, ToolErrorPlugin()]))
    session = await runner.session_service.create_session(app_name="app", user_id="u")
    content = types.Content(role="user", parts=[types.Part(text="go")])
    async for _ in runner.run_async(user_id="u", session_id=session.id, new_message=content):
        pass
    await runner.close()


def find_call_ids(log: Sequence[Event]) -> dict[str, str]:
    """Return the ids of the calls by tool; those in the sessions of inner agents are only in the events of tools."""
    call_ids: dict[str, str] = {}
    for event in log:
        match event.payload:
            case ToolStarted(call_id=call_id, tool_name=tool_name):
                call_ids[tool_name] = call_id
            case AgentEvent() as emitted:
                calls = AdkEvent.model_validate(emitted.event).get_function_calls()
                call_ids |= {each.name or "": each.id or "" for each in calls}
            case _:
                pass
    return call_ids


def check_paths(log: Sequence[Event], streams: Mapping[str, Stream]) -> None:
    assert [event for event in log if event.agent_path is None] == []
    outside = [event for event in log if not event.agent_name]
    assert {type(event.payload) for event in outside} == {AgentJoined, UserSpoke, RunEnded, Closed}
    assert {event.agent_path for event in outside} == {AgentPath()}
    kinds = {name: {type(event.payload) for event in log if event.agent_name == name} for name in streams}
    assert kinds == {name: stream.kinds for name, stream in streams.items()}
    call_ids = find_call_ids(log)
    for name, stream in streams.items():
        parent = call_ids.get(stream.parent, "no such call") if stream.parent else ""
        expected = AgentPath(branch=stream.branch.format_map(call_ids), parent_call_id=parent)
        assert {event.agent_path for event in log if event.agent_name == name} == {expected}


@pytest.mark.parametrize("run", [run_here, run_at_server])
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
async def test_every_event_has_the_path_of_its_agent(kind: Kind, run: Callable[[BaseNode], Any]) -> None:
    check_paths(await run(kind.build()), kind.streams)


async def test_a_sub_agent_of_an_agent_tool_without_plugins_runs_in_a_call_that_is_not_on_the_timeline() -> None:
    middle = agent("middle", call("helper"), DONE, sub_agents=[agent("helper", mode="single_turn")])
    root = agent("root", call("middle"), DONE, tools=[AgentTool(middle, include_plugins=False)])

    log = await run_here(root)

    (path,) = {event.agent_path for event in log if event.agent_name == "helper"}
    assert path is not None
    assert path.branch == f"helper@{path.parent_call_id}"
    assert path.parent_call_id not in {"", find_call_ids(log)["middle"]}


async def test_an_agent_tool_without_plugins_gets_its_callbacks_back() -> None:
    seen: list[str] = []
    inner = agent("inner", before_model_callback=lambda callback_context, llm_request: seen.append("own"))  # pyright: ignore[reportUnknownLambdaType]
    root = agent("root", call("inner"), DONE, tools=[AgentTool(inner, include_plugins=False)])

    before = inner.before_model_callback
    await run_here(root)
    await run_here(root)

    assert seen == ["own", "own"]
    assert inner.before_model_callback is before


async def test_an_agent_that_a_tool_runs_by_itself_has_the_call_as_its_parent() -> None:
    shared = agent("shared", text_response("from the runner"))

    async def consult() -> str:
        """Ask the shared agent, by a runner that this tool makes."""
        runner = InMemoryRunner(agent=shared, app_name="own")
        session = await runner.session_service.create_session(app_name="own", user_id="u")
        content = types.Content(role="user", parts=[types.Part(text="?")])
        events = runner.run_async(user_id="u", session_id=session.id, new_message=content)
        return str([event.author async for event in events])

    root = agent("root", call_response(("consult", {})), DONE, tools=[consult])
    log = await run_here(sequence("row", shared, parallel("all", root)))

    paths = [event.agent_path for event in log if event.agent_name == "shared" and isinstance(event.payload, TurnAsked)]
    assert paths == [AgentPath(), AgentPath(parent_call_id=find_call_ids(log)["consult"])]
    assert {event.agent_path for event in log if event.agent_name == "root"} == {AgentPath(branch="all.root")}


async def test_a_simulation_inside_a_tool_has_paths_of_its_own() -> None:
    logs: list[list[Event]] = []

    async def simulate() -> str:
        """Simulate another agent, on a timeline of its own."""
        logs.append(await run_here(agent("other")))
        return "simulated"

    await run_here(agent("root", call_response(("simulate", {})), DONE, tools=[simulate]))

    (inner,) = logs
    check_paths(inner, {"other": Stream(TALK)})


class TestPeople:
    """The same for turns that wait for a person."""

    def build(self) -> Any:
        return LlmAgent(
            name="root",
            model="m",
            tools=[AgentTool(LlmAgent(name="inner", model="m", description="Adds.", tools=[add]))],
        )

    script = (call("inner"), ADD, DONE, DONE)
    streams: Mapping[str, Stream] = KINDS["agent tool"].streams

    async def test_here(self) -> None:
        async with Simulation(self.build()) as sim:
            step = await sim.send("go")
            for decision in self.script:
                assert isinstance(step, ModelTurn)
                step = await sim.decide(step.turn_id, decision)

        check_paths(list(sim.log()), self.streams)

    async def test_at_a_server(self) -> None:
        timeline = Timeline()
        async with serve_grpc(timeline, access=None) as server, run_person(timeline, decide_in_order(self.script)):
            await run_with_plugin(self.build(), SimulatorPlugin(server.address))
            (session,) = await list_sessions(timeline)
            await timeline.close_session(session.session_id, "done")

        check_paths(list(await timeline.read_events(session.session_id)), self.streams)

    async def test_the_withdrawal_of_a_turn_has_the_path_of_the_turn(self) -> None:
        async with Simulation(self.build()) as sim:
            turn = await sim.send("go")
            await turn.call("inner", {"request": "x"})
            (call_id,) = sim.running()
            sim.cancel(call_id)
            await wait_until(lambda: bool(sim.pending()) and sim.pending()[0].agent_name == "root")

        (withdrawn,) = [
            event for event in sim.log() if isinstance(event.payload, TurnWithdrawn) and event.agent_name == "inner"
        ]
        assert withdrawn.agent_path == AgentPath(parent_call_id=call_id)
        (failed,) = [event for event in sim.log() if isinstance(event.payload, ToolFailed)]
        assert failed.agent_path == AgentPath()

    async def test_a_call_that_waited_for_consent_has_the_branch_of_its_agent(self) -> None:
        tool = FunctionTool(add, require_confirmation=True)
        left, right = LlmAgent(name="left", model="m", tools=[tool]), LlmAgent(name="right", model="m")
        async with Simulation(parallel("all", left, right)) as sim:
            await sim.send("go")
            await wait_until(lambda: len(sim.pending()) == 2)
            pending = {turn.agent_name: turn for turn in sim.pending()}
            await sim.decide(pending["right"].turn_id, DONE)
            question = await sim.decide(pending["left"].turn_id, ADD)
            assert isinstance(question, Confirmation)
            await question.approve()
            await wait_until(lambda: any(isinstance(event.payload, ToolFinished) for event in sim.log()))

        paths = {event.agent_path for event in sim.log() if event.agent_name == "left"}
        assert paths == {AgentPath(branch="all.left")}


async def test_what_the_rules_decide_has_the_path_of_the_calling_agent() -> None:
    rules = parse_rules("rules: [{name: sum, match: {tool: add}, do: {respond: 3}}]")
    kind = KINDS["parallel in an agent tool"]
    async with Simulation(kind.build(), model="real", environment=rules) as sim:
        await sim.send("go")

    # At the first call, which no rule names, the rules themselves are recorded.
    streams = {
        **kind.streams,
        "root": dataclasses.replace(kind.streams["root"], kinds=kind.streams["root"].kinds | {EnvironmentDecided}),
        "left": dataclasses.replace(kind.streams["left"], kinds=TURN | CALL | {EnvironmentDecided}),
    }
    check_paths(list(sim.log()), streams)


async def test_the_paths_survive_a_file() -> None:
    log = await run_here(KINDS["parallel in an agent tool"].build())

    assert len({event.agent_path for event in log}) == 3
    assert [decode_line(encode_line(event)) for event in log] == log


class TestAgentPathFinder:
    """The parts of a branch that look like the id of a call, and are not."""

    @staticmethod
    def build_session(*call_ids: str) -> Session:
        calls = [types.FunctionCall(id=call_id, name="f", args={}) for call_id in call_ids]
        contents = [types.Content(role="model", parts=[types.Part(function_call=call)]) for call in calls]
        events = [AdkEvent(id=f"e{number}", author="a", content=content) for number, content in enumerate(contents)]
        return Session(id="s", app_name="app", user_id="u", events=events)

    @pytest.mark.parametrize(
        ("branch", "parent"),
        [
            (None, "outer"),
            ("", "outer"),
            ("all.left", "outer"),
            ("flow@1", "outer"),
            ("flow@chosen-by-a-user", "outer"),
            ("@", "outer"),
            ("helper@c1", "c1"),
            ("helper@c1.node@2", "c1"),
            ("helper@c1.deeper@c2", "c2"),
            ("helper@c1.flow@chosen-by-a-user.all.left", "c1"),
        ],
    )
    def test_the_innermost_call_in_a_branch_is_the_parent(self, branch: str | None, parent: str) -> None:
        path = AgentPathFinder().find(branch, self.build_session("c1", "c2", "1", "2"), "outer")

        assert path == AgentPath(branch=branch or "", parent_call_id=parent)

    def test_calls_that_are_made_later_are_found(self) -> None:
        finder, session = AgentPathFinder(), self.build_session("c1")

        assert finder.find("helper@c2", session).parent_call_id == ""
        session.events += self.build_session("c0", "c2").events[1:]
        assert finder.find("helper@c2", session).parent_call_id == "c2"
        assert finder.find("helper@c1", session).parent_call_id == "c1"

    def test_without_a_session_there_is_only_the_branch(self) -> None:
        assert AgentPathFinder().find("helper@c1", None) == AgentPath(branch="helper@c1")
