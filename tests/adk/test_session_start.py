"""How a session begins and what a person sets in its state: missing keys, edits, and what exports have of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.runners import InMemoryRunner
from google.adk.sessions.sqlite_session_service import SqliteSessionService
from google.adk.tools import AgentTool, ToolContext

from adk_agent_sim import RunFailed, Simulation
from adk_agent_sim.adk.evals.recording_replay import replay_recording
from adk_agent_sim.adk.runs.briefing import find_instruction_keys
from adk_agent_sim.adk.steps.steps import Done, ModelTurn
from adk_agent_sim.errors import InvalidTransition, NotReplayable, StateKeyMissing
from adk_agent_sim.golden.recording import build_recording
from adk_agent_sim.timeline.events import RunEnded


def note(text: str, tool_context: ToolContext) -> str:
    """Write a note."""
    tool_context.state["note"] = text
    return "noted"


def _create_agent() -> LlmAgent:
    return LlmAgent(name="tone", model="gemini-2.5-flash", instruction="Be {mood}, and {user:style}.", tools=[note])


async def test_a_run_whose_instruction_needs_a_missing_key_says_which_and_how_to_set_it() -> None:
    async with Simulation(_create_agent(), state={"other": 1}) as sim:
        assert await sim.find_missing_keys() == ["mood", "user:style"]
        with pytest.raises(
            RunFailed, match=r"has no keys 'mood', 'user:style', which the instruction of 'tone' needs"
        ) as failed:
            await sim.send("Hello")
        assert isinstance(failed.value.__cause__, StateKeyMissing)
        assert failed.value.__cause__.keys == ("mood", "user:style")
        ended = [event.payload for event in sim.log() if isinstance(event.payload, RunEnded)]
        assert [each.error_type for each in ended] == ["StateKeyMissing"]

        await sim.set_state({"mood": "calm", "user:style": "brief"})
        assert await sim.find_missing_keys() == []
        turn = await sim.send("Hello")
        assert isinstance(turn, ModelTurn)
        assert "Be calm, and brief." in turn.instruction


async def _list_logged_failures(agent: LlmAgent, caplog: pytest.LogCaptureFixture) -> list[str]:
    caplog.clear()
    async with Simulation(agent) as sim:
        with pytest.raises(RunFailed):
            await sim.send("Hello")
    return [record.name for record in caplog.records if record.exc_info]


async def test_adk_logs_tracebacks_only_of_failures_that_are_not_explained(caplog: pytest.LogCaptureFixture) -> None:
    def instruct(_: object) -> str:
        raise KeyError("mood")

    caplog.set_level("WARNING", logger="google_adk")
    broken = LlmAgent(name="tone", model="none", instruction=instruct)

    assert await _list_logged_failures(_create_agent(), caplog) == []
    assert len(await _list_logged_failures(broken, caplog)) == 2
    caplog.set_level("DEBUG", logger="google_adk")
    assert len(await _list_logged_failures(_create_agent(), caplog)) == 2


async def test_other_runs_in_the_process_log_their_failures(caplog: pytest.LogCaptureFixture) -> None:
    runner = InMemoryRunner(_create_agent(), app_name="other")
    async with Simulation(LlmAgent(name="waits", model="none")) as sim:
        await sim.send("Hello")
        with pytest.raises(KeyError):
            await runner.run_debug("Hello", quiet=True)

    assert [record.name for record in caplog.records if record.exc_info]


async def test_a_key_error_of_the_agents_own_code_stays_what_it_is() -> None:
    def instruct(_: object) -> str:
        raise KeyError("mood")

    async with Simulation(LlmAgent(name="tone", model="none", instruction=instruct)) as sim:
        with pytest.raises(RunFailed, match="KeyError: 'mood'"):
            await sim.send("Hello")


def test_the_keys_that_instructions_need_are_found_in_all_agents() -> None:
    helper = LlmAgent(name="helper", model="none", instruction="Use {topic} and {draft}.")
    child = LlmAgent(name="child", model="none", instruction="{mood?} {artifact.file} {{x: 1}} {user:name} {a b}")
    writer = LlmAgent(name="writer", model="none", output_key="draft", instruction=lambda _: "{ignored}")
    root = LlmAgent(
        name="root", model="none", instruction="{topic} {temp:x}", sub_agents=[child, writer], tools=[AgentTool(helper)]
    )

    assert find_instruction_keys(root) == {"topic": ["root", "helper"], "user:name": ["child"]}


async def test_an_edit_is_a_marked_row_and_changes_the_state_of_the_service(tmp_path: Path) -> None:
    service = SqliteSessionService(db_path=str(tmp_path / "s.db"))
    state = {"mood": "calm", "user:style": "brief"}
    async with Simulation(_create_agent(), state=state, user_id="ada", session_service=service) as sim:
        await (await sim.send("Hello")).respond("Hi")
        await sim.set_state({"mood": "stern", "count": 2})
        step = await sim.next()
        assert isinstance(step, Done)
        assert step.text == "Hi"

        rows = await sim.timeline.read_rows(sim.session_id, 0, 100)
        edited = [row for row in rows if row.subject == "state edited"]
        assert [(row.kind.value, row.summary) for row in edited] == [("note", "mood=stern count=2")]
        stored = (await service.list_sessions(app_name="tone", user_id="ada")).sessions
        assert [each.state for each in stored] == [{**state, "mood": "stern", "count": 2}]
        turn = await sim.send("And now?")
        assert isinstance(turn, ModelTurn)
        assert "Be stern, and brief." in turn.instruction
        await turn.respond("Done")


async def test_edits_that_cannot_be_made_say_why() -> None:
    async with Simulation(_create_agent()) as sim:
        with pytest.raises(InvalidTransition, match="nothing to set"):
            await sim.set_state({})
        with pytest.raises(InvalidTransition, match="'temp:x' cannot be set"):
            await sim.set_state({"temp:x": 1})


async def test_edits_before_the_first_finished_turn_are_the_initial_state_of_a_golden_trace(tmp_path: Path) -> None:
    async with Simulation(_create_agent(), state={"user:style": "brief"}, user_id="ada") as sim:
        with pytest.raises(RunFailed):
            await sim.send("Hello")
        await sim.set_state({"mood": "calm"})
        await (await sim.send("Hello")).respond("Hi")
        case = sim.export(tmp_path / "a.evalset.json")

    assert case.session_input is not None
    assert (case.session_input.state, case.session_input.user_id) == ({"user:style": "brief", "mood": "calm"}, "ada")
    assert [turn.user_content.parts[0].text for turn in case.conversation or () if turn.user_content.parts] == ["Hello"]


@pytest.mark.req("001/SC-002")
async def test_a_later_edit_is_not_in_a_golden_trace_and_its_notes_say_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with Simulation(_create_agent(), state={"mood": "calm", "user:style": "brief"}) as sim:
        await (await sim.send("Hello")).respond("Hi")
        await sim.set_state({"mood": "stern"})
        await (await sim.send("Again")).respond("Hi.")
        case = sim.export(tmp_path / "a.evalset.json")
        with pytest.raises(NotReplayable, match=r"edited after user message 1 \(mood\), which `adk test` does not do"):
            sim.export_adk_test(tmp_path / "tests" / "a.json")
        sim.export_adk_test(tmp_path / "tests" / "a.json", force=True)

    assert case.session_input is not None
    assert case.session_input.state == {"mood": "calm", "user:style": "brief"}
    assert case.final_session_state == {"mood": "stern", "user:style": "brief"}
    assert len(case.conversation or ()) == 2
    assert "the state was edited after user message 1 (mood), which `adk eval` does not do again" in caplog.text
    fixture = json.loads((tmp_path / "tests" / "a.json").read_text())
    assert [event["author"] for event in fixture["events"]] == ["user", "tone", "user", "tone"]


async def test_a_replay_edits_the_state_as_it_was_recorded() -> None:
    def greet(tool_context: ToolContext) -> str:
        """Greet."""
        return f"{tool_context.state['mood']} {tool_context.user_id}"

    agent = LlmAgent(name="tone", model="gemini-2.5-flash", tools=[greet])
    async with Simulation(agent, user_id="ada") as sim:
        await sim.set_state({"mood": "calm"})
        for _ in range(2):
            step = await (await sim.send("Hello")).call("greet", {})
            await step.respond("Hi")
            await sim.set_state({"mood": "stern"})
        recording = build_recording(sim.log())

    replay = await replay_recording(App(name="tone", root_agent=agent), recording)

    assert recording.state == {"mood": "calm"}
    assert [run.calls[0].response for run in recording.runs] == [{"result": "calm ada"}, {"result": "stern ada"}]
    assert replay.problem == ""
    assert replay.is_unchanged


async def test_forks_and_undo_have_the_edits_before_their_point(tmp_path: Path) -> None:
    async with Simulation(_create_agent(), state={"mood": "calm", "user:style": "brief"}) as sim:
        await (await sim.send("Hello")).respond("Hi")
        await sim.set_state({"mood": "stern"})
        await (await sim.send("Again")).respond("Hi.")

        second = await sim.fork(2)
        turn = await second.next()
        assert isinstance(turn, ModelTurn)
        assert "Be stern, and brief." in turn.instruction
        first = await sim.fork(1)
        turn = await first.next()
        assert isinstance(turn, ModelTurn)
        assert "Be calm, and brief." in turn.instruction
        between = await sim.fork()
        assert (await between.state())["mood"] == "stern"
        await sim.export_jsonl(tmp_path / "a.jsonl")
        stored = await Simulation.fork_file(_create_agent(), tmp_path / "a.jsonl", 2)
        turn = await stored.next()
        assert isinstance(turn, ModelTurn)
        assert "Be stern, and brief." in turn.instruction
        await sim.undo()
        assert (await sim.state())["mood"] == "stern"
        await sim.undo()
        assert (await sim.state())["mood"] == "calm"
        for forked in (first, second, between, stored):
            await forked.close()
