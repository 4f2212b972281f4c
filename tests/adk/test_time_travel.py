"""Undo, redo, edits, differences and changes of the player, each in a small session."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from fidelity_runs import normalize_events
from google.adk.agents import LlmAgent, ParallelAgent  # pyright: ignore[reportDeprecated] - users still have them
from google.adk.agents.callback_context import CallbackContext
from google.adk.apps import App
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins import BasePlugin
from google.adk.tools import FunctionTool, ToolContext
from google.genai import types
from scripted_model import ScriptedModel, call_response, text_response

from adk_agent_sim import Simulation
from adk_agent_sim.adk.runs.replay_watch import DEFAULT_LIMIT, LIMIT_VARIABLE, get_replay_watch, watch_replays
from adk_agent_sim.adk.steps.steps import Confirmation, Done, ModelTurn, Step
from adk_agent_sim.environment.rules import Rules
from adk_agent_sim.errors import ExportRefused, ForkRefused, ReplayDiverged, TurnAbandoned, TurnNotFound
from adk_agent_sim.timeline.events import Forked, Player, Rewound, TurnDecided
from adk_agent_sim.timeline.history import FinalResponse, SessionState
from adk_agent_sim.timeline.read_model.session_read_model import create_read_model


class _Notes:
    """An agent with tools that count how often they run."""

    def __init__(self, **settings: Any) -> None:
        self.runs: list[str] = []
        self.agent = LlmAgent(
            name="noter",
            model=settings.pop("model", "none"),
            instruction="Notes: {notes?}",
            tools=[self.note, self.fail],
            **settings,
        )

    async def note(self, text: str, tool_context: ToolContext) -> dict[str, int]:
        """Write a note."""
        self.runs.append(text)
        tool_context.state["notes"] = [*tool_context.state.get("notes", []), text]
        await tool_context.save_artifact("notes.txt", types.Part(text=text))
        return {"count": len(tool_context.state["notes"])}

    def fail(self) -> None:
        """Fail."""
        self.runs.append("failed")
        raise KeyError("broken")


async def _play(sim: Simulation) -> Step:
    step = await sim.send("Note a and b.")
    step = await step.call("note", {"text": "a"})
    step = await step.calls([("note", {"text": "b"}), ("fail", {})])
    return await step.respond("noted")


async def test_a_fork_continues_where_the_turn_was() -> None:
    notes = _Notes()
    async with Simulation(notes.agent) as sim:
        await _play(sim)
        forked = await sim.fork(3)
        turn = await forked.next()

        assert isinstance(turn, ModelTurn)
        assert turn.results == [{"count": 2}, {"error": {"type": "KeyError", "message": "'broken'"}}]
        assert await forked.state() == {"notes": ["a", "b"]}
        assert await forked.artifact("notes.txt") == types.Part(text="b")
        assert (await turn.call("note", {"text": "c"})).__class__ is ModelTurn
        assert await forked.state() == {"notes": ["a", "b", "c"]}
        assert await sim.state() == {"notes": ["a", "b"]}
        assert notes.runs == ["a", "b", "failed", "c"]
        assert forked.session_id != sim.session_id
        await forked.close()


async def test_a_fork_at_an_earlier_turn_knows_nothing_of_what_came_later() -> None:
    notes = _Notes()
    async with Simulation(notes.agent) as sim:
        await _play(sim)
        forked = await sim.fork(2)

        assert await forked.state() == {"notes": ["a"]}
        assert await forked.artifact("notes.txt") == types.Part(text="a")
        assert forked.pending()[0].results == [{"count": 1}]
        (event,) = [event.payload for event in forked.log() if isinstance(event.payload, Forked)]
        assert (event.source_session_id, event.difference) == (sim.session_id, "")
        await forked.close()


async def test_a_stored_session_can_be_forked_after_a_restart(tmp_path: Path) -> None:
    async with Simulation(_Notes().agent) as sim:
        await _play(sim)
        await sim.send("And c.")
        await sim.pending()[0].call("note", {"text": "c"})
        before = await sim.fork(5)
        await sim.export_jsonl(tmp_path / "session.jsonl")
    notes = _Notes()

    forked = await Simulation.fork_file(notes.agent, tmp_path / "session.jsonl", 5)

    assert notes.runs == []
    assert await forked.state() == await before.state() == {"notes": ["a", "b", "c"]}
    assert await forked.artifact("notes.txt") == types.Part(text="c")
    assert await forked.artifact("notes.txt", 0) == types.Part(text="a")
    assert normalize_events(forked.events()) == normalize_events(before.events())
    assert isinstance(await forked.pending()[0].respond("done"), Done)
    await forked.close()
    await before.close()


async def test_a_turn_that_does_not_exist_is_refused() -> None:
    async with Simulation(_Notes().agent) as sim:
        await _play(sim)

        with pytest.raises(ForkRefused, match=r"There is no turn 4: the session has 3 turns\. Choose a number from 1"):
            await sim.fork(4)
        with pytest.raises(TurnNotFound):
            await sim.fork("no such id")


@pytest.mark.req("000/transition-4", "001/SC-005")
async def test_undo_reopens_the_last_turn_in_the_same_session() -> None:
    notes = _Notes()
    async with Simulation(notes.agent) as sim:
        done = await _play(sim)
        session_id = sim.session_id
        turn = await sim.undo()

        assert isinstance(turn, ModelTurn)
        assert (sim.session_id, sim.session().state) == (session_id, SessionState.ACTIVE)
        done = await turn.respond("corrected")
        assert sim.session().state is SessionState.COMPLETED
        assert done.text == "corrected"
        assert [entry.content for entry in sim.history() if isinstance(entry, FinalResponse)] == ["corrected"]
        assert notes.runs == ["a", "b", "failed"]
        # The timeline still shows what happened.
        said = [event.payload.response for event in sim.log() if isinstance(event.payload, TurnDecided)]
        assert "noted" in json.dumps(said)
        assert sum(isinstance(event.payload, Rewound) for event in sim.log()) == 1
        rows = await sim.timeline.read_rows(session_id, 0, 100)
        assert [row.subject for row in rows if row.kind == "note"] == ["undone"]


@pytest.mark.req("000/GoldenTraceBuilder", "001/FR-029", "001/SC-005")
async def test_what_was_undone_is_not_in_golden_traces_and_reports(tmp_path: Path) -> None:
    async with Simulation(_Notes().agent) as sim:
        await _play(sim)
        await (await sim.undo()).respond("corrected")
        case = sim.export(tmp_path / "notes.evalset.json")
        sim.export_adk_test(tmp_path / "notes.json", force=True)

        exported = (tmp_path / "notes.evalset.json").read_text() + (tmp_path / "notes.json").read_text()
        assert '"corrected"' in exported
        assert '"noted"' not in exported + sim.report()
        assert case.conversation is not None
        assert len(case.conversation) == 1


async def test_a_user_message_is_undone_with_the_decision_before_it() -> None:
    async with Simulation(_Notes().agent) as sim:
        await _play(sim)
        await sim.send("Forget it.")
        turn = await sim.undo()
        done = await turn.respond("noted, finally")

        assert done.text == "noted, finally"
        assert [entry.type for entry in sim.history()].count("user_query") == 1


async def test_redo_ends_with_a_new_decision() -> None:
    async with Simulation(_Notes().agent) as sim:
        with pytest.raises(ForkRefused, match="nothing to undo"):
            await sim.undo()
        done = await _play(sim)
        with pytest.raises(ForkRefused, match="nothing to redo"):
            await sim.redo()
        await sim.undo()
        await sim.undo()
        turn = await sim.redo()
        assert isinstance(turn, ModelTurn)
        done = await sim.redo()
        assert isinstance(done, Done)
        assert done.text == "noted"
        await (await sim.undo()).respond("other")
        with pytest.raises(ForkRefused, match="nothing to redo"):
            await sim.redo()


async def test_a_turn_that_was_undone_cannot_be_decided() -> None:
    async with Simulation(_Notes().agent) as sim:
        turn = await sim.send("hi")
        old = await turn.call("note", {"text": "a"})
        await sim.undo()

        with pytest.raises(TurnAbandoned):
            await old.respond("too late")


async def test_a_consent_comes_back_with_redo() -> None:
    deleted: list[str] = []

    def delete(name: str) -> str:
        """Delete a file."""
        deleted.append(name)
        return "gone"

    agent = LlmAgent(name="keeper", model="none", tools=[FunctionTool(delete, require_confirmation=True)])
    async with Simulation(agent) as sim:
        turn = await sim.send("Delete it.")
        question = await turn.call("delete", {"name": "x"})
        assert isinstance(question, Confirmation)
        assert isinstance(await sim.undo(), ModelTurn)
        question = await sim.redo()
        assert isinstance(question, Confirmation)
        summary = await sim.timeline.get_summary(sim.session_id)
        assert [request.tool_name for request in summary.pending.values()] == ["delete"]
        turn = await question.approve()
        assert isinstance(turn, ModelTurn)
        assert deleted == ["x"]
        assert isinstance(await turn.respond("done"), Done)


async def test_a_response_or_a_message_is_edited() -> None:
    notes = _Notes()
    async with Simulation(notes.agent) as sim:
        await _play(sim)
        edited = await sim.fork(3, response="all noted")
        done = await edited.next()
        assert isinstance(done, Done)
        assert done.text == "all noted"
        await edited.close()

        asked = await sim.fork(2, message="Note nothing.")
        turn = await asked.next()
        assert isinstance(turn, ModelTurn)
        assert [part.text for content in turn.request.contents for part in content.parts or ()] == ["Note nothing."]
        assert await asked.state() == {}
        await asked.close()
        assert notes.runs == ["a", "b", "failed"]


@pytest.mark.req("001/FR-023", "001/US3.3")
async def test_a_corrected_case_is_added_or_replaces_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "notes.evalset.json"
    async with Simulation(_Notes().agent) as sim:
        await _play(sim)
        old = sim.export(path)
        edited = await sim.fork(3, response="corrected")
        added = edited.export(path)
        replaced = edited.export(path, replaces=old.eval_id)
        cases = json.loads(path.read_text())["eval_cases"]

        assert [case["eval_id"] for case in cases] == [old.eval_id, added.eval_id]
        assert replaced.eval_id == old.eval_id
        assert "noted" not in json.dumps(cases)
        with pytest.raises(ExportRefused, match="has no case 'nothing' to be replaced"):
            edited.export(path, replaces="nothing")
        await edited.close()


class _Clock(BasePlugin):
    """Changes every model request."""

    def __init__(self) -> None:
        super().__init__(name="clock")
        self.time = 0

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        self.time += 1
        llm_request.append_instructions([f"It is {self.time} o'clock."])
        return None


def _greet(callback_context: CallbackContext) -> None:
    callback_context.state["greeted"] = True


async def test_a_difference_stops_a_fork_and_can_be_accepted() -> None:
    notes = _Notes(before_agent_callback=_greet)
    async with Simulation(App(name="noter", root_agent=notes.agent, plugins=[_Clock()])) as sim:
        await _play(sim)
        count = len(await sim.timeline.list_summaries())
        log = list(sim.log())
        plan = await sim.plan_fork(3)
        assert list(plan.callbacks) == [
            "agent 'noter': before_agent_callback _greet",
            "plugin 'clock': before_model_callback",
        ]
        assert (plan.copied_runs, plan.replayed_turns, plan.replayed_calls) == (0, 2, 3)

        with pytest.raises(ReplayDiverged, match="the instruction that the model of agent 'noter' gets is different"):
            await sim.fork(3)
        with pytest.raises(ReplayDiverged):
            await sim.undo()
        assert len(await sim.timeline.list_summaries()) == count
        assert list(sim.log()) == log

        forked = await sim.fork(3, force=True)
        turn = await forked.next()
        assert isinstance(turn, ModelTurn)
        assert turn.results[0] == {"count": 2}
        (event,) = [event.payload for event in forked.log() if isinstance(event.payload, Forked)]
        assert "the instruction" in event.difference
        assert isinstance(await turn.respond("done"), Done)
        assert notes.runs == ["a", "b", "failed"]
        await forked.close()
        undone = await sim.undo(force=True)
        assert isinstance(await undone.respond("other"), Done)
        assert notes.runs == ["a", "b", "failed"]


async def test_the_player_of_the_model_changes_while_the_session_runs() -> None:
    model = ScriptedModel(script=[call_response(("note", {"text": "b"})), text_response("by itself")])
    notes = _Notes(model=model)
    async with Simulation(notes.agent) as sim:
        turn = await sim.send("Note a and b.")
        waiting = await turn.call("note", {"text": "a"})
        sim.seat(model="real")
        done = await sim.next()

        assert done.text == "by itself"
        assert notes.runs == ["a", "b"]
        with pytest.raises(TurnAbandoned):
            await waiting.respond("too late")
        sim.seat(model=lambda request: LlmResponse.model_validate(text_response("by a function")))
        assert (await sim.send("Again.")).text == "by a function"
        sim.seat(model="human")
        assert isinstance(await sim.send("And you?"), ModelTurn)
        players = [event.player for event in sim.log() if isinstance(event.payload, TurnDecided)]
        assert players == [Player.HUMAN, Player.REAL, Player.REAL, Player.SIMULATED]
        assert "real" in sim.report()


async def test_a_recording_takes_over_in_the_middle_of_a_run(tmp_path: Path) -> None:
    async with Simulation(_Notes().agent) as sim:
        await _play(sim)
        await sim.export_jsonl(tmp_path / "played.jsonl")
    notes = _Notes()
    async with Simulation(notes.agent) as sim:
        turn = await sim.send("Note a and b.")
        await turn.call("note", {"text": "a"})
        sim.seat(model=f"replay:{tmp_path / 'played.jsonl'}")
        done = await sim.next()

        assert done.text == "noted"
        assert notes.runs == ["a", "b", "failed"]
        forked = await sim.fork(2, model=f"replay:{tmp_path / 'played.jsonl'}")
        assert (await forked.next()).text == "noted"
        await forked.close()


async def test_a_fork_has_the_rules_of_the_simulated_environment() -> None:
    rule = {"name": "canned", "match": {"tool": "note"}, "do": {"respond": {"count": 99}}}
    rules = Rules.model_validate({"rules": [rule]})
    notes = _Notes()
    async with Simulation(notes.agent, environment=rules) as sim:
        turn = await sim.send("Note a.")
        assert isinstance(await turn.call("note", {"text": "a"}), ModelTurn)
        forked = await sim.fork(2)
        again = await forked.pending()[0].call("note", {"text": "b"})
        undone = await sim.undo()
        repeated = await undone.call("note", {"text": "c"})

        assert isinstance(again, ModelTurn)
        assert isinstance(repeated, ModelTurn)
        assert again.results == repeated.results == [{"count": 99}]
        assert notes.runs == []
        await forked.close()


_PROFILES = {
    "profiles": {"calm": ["few"], "busy": ["many"]},
    "profile": "calm",
    "rules": [
        {"name": "few", "match": {"tool": "note"}, "do": {"respond": {"count": 1}}},
        {"name": "many", "match": {"tool": "note"}, "do": {"respond": {"count": 99}}},
    ],
}


async def test_a_fork_has_the_profile_that_was_active_at_its_turn(tmp_path: Path) -> None:
    notes, rules = _Notes(), Rules.model_validate(_PROFILES)
    async with Simulation(notes.agent, environment=rules) as sim:
        turn = await sim.send("Note a, b and c.")
        turn = await turn.call("note", {"text": "a"})
        sim.environment.switch_profile("busy")  # while turn 2 waits
        waiting = await sim.fork(2)
        turn = await turn.call("note", {"text": "b"})
        sim.environment.switch_profile(None)
        await turn.respond("noted")
        await sim.export_jsonl(tmp_path / "noted.jsonl")
        stored = tmp_path / "noted.jsonl"
        forks = [waiting, await sim.fork(1), await sim.fork(2), await sim.fork(3), await sim.fork()]
        forks += [await Simulation.fork_file(notes.agent, stored, 2, environment=rules), await forks[2].fork()]
        before = [fork.environment.profile for fork in forks]
        again = await forks[2].pending()[0].call("note", {"text": "again"})

        assert before == ["busy", "calm", "busy", "busy", None, "busy", "busy"]
        assert isinstance(again, ModelTurn)
        assert again.results == [{"count": 99}]
        assert notes.runs == []
        for fork in forks:
            await fork.close()


async def test_who_watches_a_replay_is_told_what_it_waits_for() -> None:
    notes, told, hold = _Notes(), asyncio.Queue[str](), asyncio.Event()
    hold.set()

    async def wait_for_release(callback_context: CallbackContext) -> None:
        await hold.wait()

    notes.agent.before_agent_callback = wait_for_release
    async with Simulation(notes.agent) as sim:
        await _play(sim)
        hold.clear()
        with watch_replays(on_wait=told.put_nowait, report_after=0.001):
            forking = asyncio.create_task(sim.fork(2))
        assert await told.get() == "a turn of agent 'noter'"
        hold.set()
        forked = await forking
        while waits_for := await told.get():
            assert "agent" in waits_for
        await forked.close()


@pytest.mark.filterwarnings("ignore:ParallelAgent is deprecated:DeprecationWarning")
async def test_a_replay_that_stalls_says_so_and_fails_after_the_limit() -> None:
    told: list[str] = []
    hold = asyncio.Event()
    hold.set()

    async def wait_for_release(callback_context: CallbackContext) -> None:
        await hold.wait()

    slow = LlmAgent(name="slow", model="none", before_agent_callback=wait_for_release)
    both = ParallelAgent(name="both", sub_agents=[slow, _Notes().agent])  # pyright: ignore[reportDeprecated]
    async with Simulation(both) as sim:
        step = await sim.send("Go.")
        step = await step.respond("done")
        await step.call("note", {"text": "a"})
        decided = [event.agent_name for event in sim.log() if isinstance(event.payload, TurnDecided)]
        hold.clear()
        with (
            watch_replays(on_wait=told.append, report_after=0.001, limit=0.05),
            pytest.raises(ReplayDiverged) as refused,
        ):
            await sim.fork(3)

        assert decided == ["slow", "noter"]
        assert "a turn of agent 'slow', for 0.05 seconds at most" in told
        assert "a turn of agent 'slow' was recorded and did not happen" in str(refused.value)


def test_a_limit_that_is_no_number_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[float] = []
    for value in ("1.5", "soon", "-1", ""):
        monkeypatch.setenv(LIMIT_VARIABLE, value)
        limits.append(get_replay_watch().limit)

    assert limits == [1.5, DEFAULT_LIMIT, DEFAULT_LIMIT, DEFAULT_LIMIT]


async def _check_read_model(sim: Simulation) -> None:
    """Compare what lists and pages show of a session with what follows from its events."""
    summary = await sim.timeline.get_summary(sim.session_id)
    folded = create_read_model(summary.session).with_events(sim.log())

    assert summary == folded.summary
    assert list(await sim.timeline.read_rows(sim.session_id, 0, 1000)) == folded.changed_rows
    assert {event.session_id for event in sim.log()} == {sim.session_id}


async def test_a_fork_between_two_runs_shares_nothing_with_the_original(tmp_path: Path) -> None:
    notes = _Notes()
    async with Simulation(notes.agent) as sim:
        await _play(sim)
        before = list(sim.log())
        forked = await sim.fork()
        await forked.send("And c.")
        again = await forked.pending()[0].call("note", {"text": "c"})
        await again.respond("noted c")

        assert list(sim.log()) == before
        assert await forked.state() == {"notes": ["a", "b", "c"]}
        assert await sim.state() == {"notes": ["a", "b"]}
        assert await forked.artifact("notes.txt") == types.Part(text="c")
        assert [event.payload for event in forked.log()[: len(before)]] == [event.payload for event in before]
        assert not {event.event_id for event in before} & {event.event_id for event in forked.log()}
        await _check_read_model(forked)
        await forked.export_jsonl(tmp_path / "forked.jsonl")
        edited = await forked.fork(4, message="And d.")
        await _check_read_model(edited)
        assert await edited.state() == {"notes": ["a", "b"]}
    await sim.timeline.delete_session(sim.session_id)
    turn = await edited.next()
    assert isinstance(await turn.respond("no"), Done)
    reread = await Simulation.fork_file(notes.agent, tmp_path / "forked.jsonl")
    assert await reread.state() == {"notes": ["a", "b", "c"]}
    for each in (forked, edited, reread):
        await each.close()


async def test_a_recording_that_takes_over_after_an_undo_makes_the_undone_decision(tmp_path: Path) -> None:
    async with Simulation(_Notes().agent) as sim:
        await _play(sim)
        await sim.export_jsonl(tmp_path / "played.jsonl")
    notes = _Notes()
    async with Simulation(notes.agent) as sim:
        turn = await sim.send("Note a and b.")
        await turn.call("note", {"text": "wrong"})
        await sim.undo()
        sim.seat(model=f"replay:{tmp_path / 'played.jsonl'}")

        assert (await sim.next()).text == "noted"
        assert notes.runs == ["wrong", "a", "b", "failed"]
