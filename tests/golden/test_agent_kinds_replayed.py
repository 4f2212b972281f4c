"""A recording of every kind of agent is replayed as it was played: the same turns, calls, results and answers."""

from __future__ import annotations

from pathlib import Path

import pytest
from agent_scripts import (
    KINDS,
    TIMELINE_FILE,
    load_agent,
    read_agent_script,
    record_conversation,
    repeat_conversation,
    summarize_run,
)

from adk_agent_sim import Simulation


@pytest.mark.filterwarnings("ignore:(Sequential|Parallel|Loop)Agent is deprecated:DeprecationWarning")
@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.process if kind == "mcp_shelf" else ()) for kind in KINDS]
)
async def test_a_recording_is_replayed_as_it_was_played(kind: str, tmp_path: Path) -> None:
    script = read_agent_script(kind)
    await record_conversation(kind, tmp_path)

    player = f"replay:{tmp_path / TIMELINE_FILE}"
    async with Simulation(load_agent(kind), state=script.state, model=player) as sim:
        await repeat_conversation(sim, script)
        assert await summarize_run(sim) == script.expected
