"""Notes of people are in the report, and in nothing that a session is compared or replayed with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from adk_agent_sim import Simulation
from adk_agent_sim.adk.demo.math_agent.agent import app as math_app
from adk_agent_sim.adk.demo.math_agent.agent import root_agent as math_agent
from adk_agent_sim.environment.recorded_report import build_recorded_report
from adk_agent_sim.errors import NotFound
from adk_agent_sim.golden.adk_test_fixture import build_adk_test_fixture
from adk_agent_sim.golden.golden_trace_builder import GoldenTraceBuilder
from adk_agent_sim.golden.markdown_report import render_markdown_report
from adk_agent_sim.golden.recording import build_recording
from adk_agent_sim.golden.session import SimulatedAgentConfig, SimulationSession, select_finished_events
from adk_agent_sim.golden.trace_omissions import remove_faulty_turns, remove_rejected_responses
from adk_agent_sim.timeline.events import Event, Noted, ToolStarted, TurnAsked
from adk_agent_sim.timeline.history import build_history

CANARY = "Kanarienvogel-4711"


async def _play(sim: Simulation) -> None:
    turn = await sim.send("What is 2+2?")
    turn = await turn.call("add", {"a": 2, "b": 2})
    await turn.respond("4.")


def _add_notes(events: Sequence[Event]) -> list[Event]:
    """Add a note after every event."""
    noted = Noted(row_index=0, about_seq=2, text="a note")
    return [each for event in events for each in (event, replace(event, payload=noted, turn_id="", agent_name=""))]


def _build_exports(events: Sequence[Event]) -> list[Any]:
    config = SimulatedAgentConfig(name="math", agent=math_agent, eval_set_path="math.evalset.json")
    finished = remove_rejected_responses(select_finished_events(remove_faulty_turns(events)))
    session = SimulationSession.from_events(config, "s", finished)
    return [
        build_history(events),
        GoldenTraceBuilder(session).build().conversation,
        build_recording(events),
        build_adk_test_fixture(session, finished),
        build_recorded_report(events),
    ]


async def test_no_export_but_the_report_has_notes() -> None:
    async with Simulation(math_app) as sim:
        await _play(sim)
        log = sim.log()
    noted = _add_notes(log)

    plain, other = _build_exports(log), _build_exports(noted)
    assert len(plain[0]) == 4  # there is something to compare
    for expected, found in zip(plain, other, strict=True):
        assert found == expected


async def test_a_report_has_the_last_note_of_each_row_without_secrets() -> None:
    async with Simulation(math_app, state={"password": CANARY}) as sim:
        await _play(sim)
        lasted = _find_line(sim.report(), "| Lasted ")
        call_seq = next(event.seq for event in sim.log() if isinstance(event.payload, ToolStarted))
        await sim.note(call_seq, "first")
        await sim.note(call_seq, f"is {CANARY} the *reason*?")
        await sim.note(2, "removed")
        await sim.note(2, "")
        report, unredacted = sim.report(), sim.report(redact=False)

    notes = report.split("## Notes")[1].split("##")[0]
    assert notes.strip() == "On row 2, call `add a=2 b=2`:\n\n```\nis [redacted] the *reason*?\n```"
    assert CANARY in unredacted.split("## Notes")[1]
    assert _find_line(report, "| Lasted ") == lasted


def _find_line(report: str, start: str) -> str:
    return next(line for line in report.splitlines() if line.startswith(start))


def test_a_report_of_nothing_but_notes_is_empty() -> None:
    only = Event(event_id="e", session_id="s", seq=1, timestamp=1.0, payload=Noted(row_index=0, about_seq=1, text="x"))
    assert "| Lasted | 0.0 ms |" in render_markdown_report([only])
    assert "## Notes" not in render_markdown_report([only])


async def test_an_event_that_no_row_shows_gets_no_note(tmp_path: Path) -> None:
    async with Simulation(math_app) as sim:
        await _play(sim)
        asked = next(event.seq for event in sim.log() if isinstance(event.payload, TurnAsked))
        for seq in (0, asked, 10_000):
            with pytest.raises(NotFound, match=f"No row of the timeline shows event {seq}: pass"):
                await sim.note(seq, "x")
        await sim.note(2, "why not by heart?")
        await sim.export_jsonl(tmp_path / "log.jsonl")

    assert "why not by heart?" in (tmp_path / "log.jsonl").read_text(encoding="utf-8")


async def _read_notes(sim: Simulation) -> list[str]:
    rows = await sim.timeline.read_rows(sim.session_id, 0, 100)
    return [row.note for row in rows]


async def test_forks_and_undone_decisions_leave_notes_where_they_were_written() -> None:
    async with Simulation(math_app) as sim:
        await _play(sim)
        (spoke, call, answer) = await sim.timeline.read_rows(sim.session_id, 0, 10)
        for row in (spoke, call, answer):
            await sim.note(row.seq, f"on row {row.index}")
        at_turn, at_end = await sim.fork(2), await sim.fork()
        await sim.undo()
        await sim.note(answer.seq, "wrong")

        assert (await _read_notes(sim))[:3] == ["on row 0", "on row 1", "wrong"]
        assert "on row 1" in sim.report()
        assert "wrong" not in sim.report()  # the report leaves out what was undone
        await sim.redo()
        assert (await _read_notes(sim))[:3] == ["on row 0", "on row 1", "wrong"]
        for fork in (at_turn, at_end):
            assert not any(await _read_notes(fork))
            assert not any(isinstance(event.payload, Noted) for event in fork.log())
            await fork.close()
