"""The own models of every kind of agent are recorded to a cassette, from which the agent runs again without a model."""

from __future__ import annotations

from pathlib import Path

import pytest
from agent_scripts import KINDS, load_agent, read_agent_script, repeat_conversation, sort_parallel, summarize_run
from planned_model import plan_decisions

from adk_agent_sim import Simulation
from adk_agent_sim.adk.evals.recording_replay import replay_recording
from adk_agent_sim.golden.recording_files import read_recordings

_PARAMETERS = [pytest.param(kind, marks=pytest.mark.process if kind == "mcp_shelf" else ()) for kind in KINDS]


@pytest.mark.filterwarnings("ignore:(Sequential|Parallel|Loop)Agent is deprecated:DeprecationWarning")
@pytest.mark.parametrize("kind", _PARAMETERS)
async def test_a_cassette_is_replayed_as_it_was_recorded(kind: str, tmp_path: Path) -> None:
    script = read_agent_script(kind)
    file = tmp_path / "kind.cassette.json"

    with plan_decisions(script.decisions):
        async with Simulation(load_agent(kind), state=script.state, model=f"record:{file}") as sim:
            await repeat_conversation(sim, script)
            # Each turn is written in a thread before its agent goes on, so agents that run side by side take turns in
            # any order. A replay writes nothing.
            assert sort_parallel(kind, await summarize_run(sim)) == sort_parallel(kind, script.expected)
    written = _read(file)

    with plan_decisions(None):
        async with Simulation(load_agent(kind), state=script.state, model=f"replay:{file}") as sim:
            await repeat_conversation(sim, script)
            assert await summarize_run(sim) == script.expected
        (recording,) = read_recordings(file)
        replayed = await replay_recording(load_agent(kind), recording)

    assert _read(file) == written
    assert (replayed.problem, replayed.comparison.differences) == ("", [])
    assert replayed.comparison.has_compared


def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8")
