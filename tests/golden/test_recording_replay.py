"""One agent of each kind found in practice is replayed from its timeline and from its EvalSet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from agent_scripts import AGENTS, KINDS, play_conversation, read_agent_script
from google.adk.agents import LlmAgent, LoopAgent  # pyright: ignore[reportDeprecated] - users still have them
from google.adk.apps import App
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools import AgentTool
from google.genai import types

from adk_agent_sim import Simulation, SimulatorPlugin
from adk_agent_sim.adk.evals.recording_replay import Replay, replay_recording
from adk_agent_sim.adk.loading.agent_loader import load_app
from adk_agent_sim.adk.steps.steps import ModelTurn
from adk_agent_sim.golden.recording import Recording, build_recording
from adk_agent_sim.golden.recording_files import read_recordings
from adk_agent_sim.timeline.events import TurnDecided
from adk_agent_sim.timeline.framework_calls import is_refused_call

pytestmark = [
    pytest.mark.filterwarnings("ignore:(Sequential|Parallel|Loop)Agent is deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*SimulatorPlugin"),
]

_KINDS = [pytest.param(kind, marks=pytest.mark.process if kind == "mcp_shelf" else ()) for kind in KINDS]


async def _play(kind: str, folder: Path) -> tuple[Recording, Recording]:
    """Return what a person played, as it is read from the timeline and from the EvalSet."""
    script = read_agent_script(kind)
    async with Simulation(load_app(AGENTS / kind), state=script.state) as sim:
        await play_conversation(sim, script)
        sim.export(folder / "played.evalset.json", eval_id_style="selectable")
    await sim.export_jsonl(folder / "played.jsonl")
    (from_timeline,) = read_recordings(folder / "played.jsonl")
    (from_eval_set,) = read_recordings(folder / "played.evalset.json")
    return from_timeline, from_eval_set


async def _replay(kind: str, recording: Recording) -> Replay:
    return await replay_recording(load_app(AGENTS / kind), recording)


@pytest.mark.parametrize("kind", _KINDS)
async def test_an_agent_of_each_kind_repeats_what_was_recorded(kind: str, tmp_path: Path) -> None:
    from_timeline, from_eval_set = await _play(kind, tmp_path)

    for recording in (from_timeline, from_eval_set):
        replayed = await _replay(kind, recording)
        assert not replayed.problem
        assert not replayed.comparison.differences
        assert replayed.comparison.compared_call_count == sum(len(run.calls) for run in recording.runs)
        assert replayed.comparison.has_compared


@pytest.mark.parametrize("kind", _KINDS)
async def test_a_changed_response_is_found_in_every_call(kind: str, tmp_path: Path) -> None:
    """Change all recorded responses, each a little: whatever agent made the call, it must be reported."""
    recording, _ = await _play(kind, tmp_path)
    changed = replace(
        recording,
        runs=[
            replace(run, calls=[replace(call, response={**(call.response or {}), "new": 1}) for call in run.calls])
            for run in recording.runs
        ],
    )

    differences = (await _replay(kind, changed)).comparison.differences

    expected = [
        (number, call.key.agent_name, f"call {place} of {call.tool_name}")
        for number, run in enumerate(recording.runs, start=1)
        for place, call in enumerate(run.calls, start=1)
    ]
    assert [(each.message_number, each.agent_name, each.what) for each in differences] == expected


@pytest.mark.parametrize("kind", ["sequential_auditor", "writing_loop", "parallel_research"])
async def test_a_changed_intermediate_text_is_found(kind: str, tmp_path: Path) -> None:
    """Rewrite what one agent says by a callback of its own."""
    recording, _ = await _play(kind, tmp_path)
    speaker = next(text.key.agent_name for run in recording.runs for text in run.texts)
    app = load_app(AGENTS / kind)
    assert app.root_agent is not None
    agent = _find_agent(app.root_agent, speaker)

    def rewrite(callback_context: Any, llm_response: LlmResponse) -> LlmResponse | None:
        parts = (llm_response.content.parts if llm_response.content else None) or []
        if not parts or not parts[0].text:
            return None
        return LlmResponse(content=types.Content(role="model", parts=[types.Part(text=parts[0].text + " - changed")]))

    before, agent.after_model_callback = agent.after_model_callback, rewrite
    try:
        replayed = await replay_recording(app, recording)
    finally:
        agent.after_model_callback = before

    assert (speaker, "text 1") in [(each.agent_name, each.what) for each in replayed.comparison.differences]


async def test_an_error_inside_an_agent_that_is_used_as_a_tool_is_found(tmp_path: Path) -> None:
    def look(x: int) -> int:
        """Look."""
        return x

    def fail(x: int) -> int:
        """Look."""
        raise KeyError(x)

    fail.__name__ = "look"
    root, inner = _build_nested_agents(look)
    async with Simulation(root) as sim:
        turn = await sim.send("hi")
        turn = await turn.call("inner", {"request": "a"})
        turn = await turn.call("look", {"x": 1})
        turn = await turn.respond("done")
        await turn.respond("all done")
    recording = build_recording(sim.log())
    assert not (await replay_recording(App(name="nested", root_agent=root), recording)).comparison.differences

    inner.tools = [fail]
    (difference,) = (await replay_recording(App(name="nested", root_agent=root), recording)).comparison.differences

    assert (difference.agent_name, difference.what) == ("inner", "call 2 of look")
    assert difference.found == {"error": {"type": "KeyError", "message": "1"}}


async def test_without_its_decisions_an_inner_agent_returns_its_recorded_result(tmp_path: Path) -> None:
    root, _ = _build_nested_agents()
    async with Simulation(root) as sim:
        turn = await sim.send("hi")
        turn = await turn.call("inner", {"request": "a"})
        turn = await turn.respond("from inside")
        await turn.respond("all done")
        sim.export(tmp_path / "nested.evalset.json")
    (recording,) = read_recordings(tmp_path / "nested.evalset.json")

    replayed = await replay_recording(App(name="nested", root_agent=root), recording)

    assert replayed.is_unchanged
    assert replayed.notes == ["agent 'inner' did not run: the recording has its result, but not its decisions"]


async def test_a_consent_that_the_file_does_not_have_is_as_the_response_shows(tmp_path: Path) -> None:
    _, from_eval_set = await _play("consent_refunds", tmp_path)

    replayed = await _replay("consent_refunds", from_eval_set)

    assert replayed.is_unchanged
    refused = [call.tool_name for run in from_eval_set.runs for call in run.calls if is_refused_call(call.response)]
    assert refused == ["close_account"]


@pytest.mark.parametrize("answer", ["I wrote it.", "From a callback."])
@pytest.mark.parametrize("callback", ["before_agent_callback", "before_model_callback", "after_agent_callback"])
async def test_a_text_that_a_callback_says_again_is_not_played_by_the_model(
    callback: str, answer: str, tmp_path: Path
) -> None:
    """An EvalSet does not say which of an agent's texts were the model's."""
    async with Simulation(_build_loop(callback)) as sim:
        step = await sim.send("Write.")
        while isinstance(step, ModelTurn):
            step = await step.respond(answer)
        sim.export(tmp_path / "loop.evalset.json")
    decided = _list_decisions(sim)
    said = [event.content for event in sim.events()]
    assert len(said) > len(decided)
    (recording,) = read_recordings(tmp_path / "loop.evalset.json")

    replayed = await replay_recording(_build_loop(callback), recording)
    async with Simulation(_build_loop(callback), model=f"replay:{tmp_path / 'loop.evalset.json'}") as sim:
        await sim.send("Write.")

    assert replayed.is_unchanged
    assert replayed.comparison.compared_text_count
    assert _list_decisions(sim) == decided
    assert [event.content for event in sim.events()] == said


async def test_the_plugin_does_not_play_the_text_of_a_callback_either(tmp_path: Path) -> None:
    async with Simulation(_build_loop("before_model_callback")) as sim:
        step = await sim.send("Write.")
        assert isinstance(step, ModelTurn)
        await step.respond("I wrote it.")
        sim.export(tmp_path / "loop.evalset.json")
    app = _build_loop("before_model_callback")
    plugins = [SimulatorPlugin(player=f"replay:{tmp_path / 'loop.evalset.json'}")]
    runner = InMemoryRunner(app=app.model_copy(update={"plugins": plugins}))

    session = await runner.session_service.create_session(app_name="loop", user_id="u")
    message = types.Content(role="user", parts=[types.Part(text="Write.")])
    texts = [
        part.text
        async for event in runner.run_async(user_id="u", session_id=session.id, new_message=message)
        for part in (event.content.parts if event.content else None) or ()
    ]
    await runner.close()

    assert texts == ["From a callback.", "I wrote it."]


async def test_an_agent_that_decides_less_often_is_reported(tmp_path: Path) -> None:
    recording, _ = await _play("customer_service", tmp_path)
    run = recording.runs[-1]
    more = replace(run, decisions=[*run.decisions, run.decisions[-1]])
    longer = replace(recording, runs=[*recording.runs[:-1], more])

    replayed = await _replay("customer_service", longer)

    assert replayed.problem == "The agents did not make 1 of the recorded decisions."


async def test_a_message_names_the_agent_that_decides_more_often(tmp_path: Path) -> None:
    recording, _ = await _play("customer_service", tmp_path)
    run = recording.runs[0]
    shorter = replace(recording, runs=[replace(run, decisions=run.decisions[:-1]), *recording.runs[1:]])

    replayed = await _replay("customer_service", shorter)

    name = run.decisions[0].key.agent_name
    assert f"agent '{name}' calls its model more often than it has decisions after user message 1" in replayed.problem


def _build_loop(callback: str) -> App:
    """Return an agent that runs twice; a callback speaks for its model in the first round, or after it in both."""
    content = types.Content(role="model", parts=[types.Part(text="From a callback.")])
    calls: list[object] = []

    def speak(**context: object) -> types.Content | LlmResponse | None:
        calls.append(context)
        if callback != "after_agent_callback" and len(calls) > 1:
            return None
        return LlmResponse(content=content) if callback == "before_model_callback" else content

    writer = LlmAgent(name="writer", model="no/such/model", **cast("Any", {callback: speak}))
    loop = LoopAgent(name="loop", sub_agents=[writer], max_iterations=2)  # pyright: ignore[reportDeprecated]
    return App(name="loop", root_agent=loop)


def _list_decisions(sim: Simulation) -> list[Any]:
    return [event.payload.response["content"] for event in sim.log() if isinstance(event.payload, TurnDecided)]


def _build_nested_agents(*tools: Callable[..., Any]) -> tuple[LlmAgent, LlmAgent]:
    inner = LlmAgent(name="inner", model="no/such/model", description="Looks.", tools=list(tools))
    return LlmAgent(name="outer", model="no/such/model", tools=[AgentTool(inner)]), inner


def _find_agent(root: Any, name: str) -> LlmAgent:
    remaining = [root]
    while remaining:
        agent = remaining.pop()
        if agent.name == name and isinstance(agent, LlmAgent):
            return agent
        remaining += getattr(agent, "sub_agents", [])
    raise LookupError(name)
