"""The files and reports that `Simulation` exports."""

from pathlib import Path

import pytest
from google.adk.evaluation.eval_set import EvalSet

from adk_agent_sim import Simulation
from adk_agent_sim.adk.demo.math_agent.agent import app as math_app
from adk_agent_sim.errors import AlreadyExported, SessionIncomplete
from adk_agent_sim.timeline.events import TurnAsked
from adk_agent_sim.timeline.jsonl import load_session
from adk_agent_sim.timeline.store import MemoryStore
from adk_agent_sim.timeline.timeline import Timeline

CANARY = "Kanarienvogel-4711"


async def _say_the_canary(sim: Simulation) -> None:
    turn = await sim.send(f"The password is {CANARY}")
    turn = await turn.call("add", {"a": 1, "b": 2, "api_key": CANARY}, force=True)
    await turn.respond(f"3, and {CANARY}")


async def test_a_golden_trace_is_redacted_on_request_only(tmp_path: Path) -> None:
    async with Simulation(math_app, state={"token": CANARY}) as sim:
        await _say_the_canary(sim)
        sim.export(tmp_path / "whole.json")
        sim.export(tmp_path / "clean.json", redact=True, again=True)

    assert (tmp_path / "whole.json").read_text().count(CANARY) >= 4
    clean = (tmp_path / "clean.json").read_text()
    assert CANARY not in clean
    assert EvalSet.model_validate_json(clean).eval_cases


async def test_an_export_is_recorded_and_a_second_case_is_refused(tmp_path: Path) -> None:
    async with Simulation(math_app) as sim:
        await (await sim.send("What is 1+2?")).respond("3")
        case = sim.export(tmp_path / "a.evalset.json")
        with pytest.raises(AlreadyExported, match="already exported"):
            sim.export(tmp_path / "b.evalset.json")
        replaced = sim.export(tmp_path / "a.evalset.json", replace=True)
        exports = (await sim.timeline.get_summary(sim.session_id)).exports

    assert [(each.format, each.path, each.eval_id) for each in exports] == [
        ("evalset", str(tmp_path / "a.evalset.json"), case.eval_id)
    ] * 2
    assert replaced.eval_id == case.eval_id
    assert not (tmp_path / "b.evalset.json").exists()


async def test_the_timeline_is_written_whole_as_json_lines(tmp_path: Path) -> None:
    async with Simulation(math_app) as sim:
        turn = await sim.send("What is 1+2?")
        turn = await turn.call("add", {"a": 1, "b": 2})
        await turn.respond("3")
        await sim.export_jsonl(tmp_path / "played.jsonl")
        log = sim.log()
        requests = [await sim.timeline.read_request(one) for one in log if isinstance(one.payload, TurnAsked)]

    store = MemoryStore()
    session = await load_session(tmp_path / "played.jsonl", store)

    assert session.description == "math_agent"
    assert store.get_log(session.session_id) == log
    restored = Timeline(store)
    assert [await restored.read_request(one) for one in log if isinstance(one.payload, TurnAsked)] == requests


async def test_a_session_that_still_runs_can_be_reported_but_is_no_golden_trace(tmp_path: Path) -> None:
    async with Simulation(math_app) as sim:
        await sim.send("What is 1+2?")

        assert "| User turns | 1, 0 answered |" in sim.report()
        with pytest.raises(SessionIncomplete):
            sim.export(tmp_path / "early.json", redact=True)
        assert not (tmp_path / "early.json").exists()
