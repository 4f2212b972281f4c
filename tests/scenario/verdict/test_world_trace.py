"""A run in a world is judged from its timeline with the same result as in the world."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from world_builders import build_reply_event, build_world_event, build_world_scenario
from world_timelines import SCENARIO, RecordedWorldRun, build_timeline

from adk_agent_sim.cli.main import adksim
from adk_agent_sim.errors import NotJudgeable
from adk_agent_sim.scenario import Judge
from adk_agent_sim.scenario.format.exporter import serialize_trace
from adk_agent_sim.scenario.verdict.trace_files import list_timeline_trace
from adk_agent_sim.timeline.events import Event, Rewound, Session
from adk_agent_sim.timeline.jsonl import decode_line, encode_line
from adk_agent_sim.timeline.world_events import VerdictReached

OTHER = build_world_scenario(build_world_event("u", "USER"), build_reply_event("m", "u"), scenario_id="other")


@pytest.mark.parametrize("second", ["b@example.org", "c@example.org"])
def test_the_verdict_from_the_timeline_is_that_of_the_world(second: str) -> None:
    run = RecordedWorldRun(Judge(SCENARIO), second=second)
    stored = [decode_line(encode_line(each)) for each in build_timeline(run.payloads)]
    trace = list_timeline_trace([each for each in stored if isinstance(each, Event)], SCENARIO)
    expected = run.judge.judge(run.world)
    assert expected.passed == (second == "b@example.org")
    assert run.judge.judge(trace).to_json() == expected.to_json()
    assert sum(isinstance(each, VerdictReached) for each in run.payloads) == 1
    assert "mail" in {each.event_id for each in trace}


def test_what_was_undone_is_not_judged() -> None:
    judge = Judge(SCENARIO)
    right = RecordedWorldRun(judge).payloads
    wrong = RecordedWorldRun(judge, second="c@example.org").payloads
    shared = next(number for number, (one, other) in enumerate(zip(right, wrong, strict=True)) if one != other)
    undo = Rewound(to_seq=shared, kept_seqs=[], from_seq=len(wrong))
    assert judge.judge(list_timeline_trace(build_timeline([*wrong, undo, *right[shared:]]), SCENARIO)).passed
    assert not judge.judge(list_timeline_trace(build_timeline(wrong), SCENARIO)).passed


def test_a_run_in_the_world_of_another_scenario_is_not_judged() -> None:
    with pytest.raises(NotJudgeable, match="the session ran in the world of 'small'"):
        list_timeline_trace(build_timeline(RecordedWorldRun(Judge(SCENARIO)).payloads), OTHER)


def test_the_command_finds_the_scenario_of_a_timeline(tmp_path: Path) -> None:
    (tmp_path / "scenarios").mkdir()
    for each in (OTHER, SCENARIO):
        file = tmp_path / "scenarios" / f"{each.scenario_id}.json"
        file.write_text(serialize_trace(each.trace), encoding="utf-8")
    events = build_timeline(RecordedWorldRun(Judge(SCENARIO)).payloads)
    records = [Session(session_id="s", created_at=5_000.0), *events]
    timeline = tmp_path / "session.jsonl"
    timeline.write_text("".join(encode_line(each) + "\n" for each in records), encoding="utf-8")
    result = CliRunner().invoke(adksim, ["scenario", "judge", str(tmp_path / "scenarios"), str(timeline)])
    assert result.exit_code == 0, result.output
    assert "PASSED  small" in result.output
