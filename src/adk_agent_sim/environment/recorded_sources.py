"""Reads the recordings that `mock: replay` names.

Only here files are read that rules name, and only for rules of a file on disk or of Python code. Rules and faults that
arrive in a request are refused if they name a recording, because nothing has read it.
"""

from __future__ import annotations

from pathlib import Path

from adk_agent_sim.environment.actions.mock_response import Mock
from adk_agent_sim.environment.rules import Rules
from adk_agent_sim.errors import SimulatorError
from adk_agent_sim.mocks.replay_mock import ReplaySource, build_replay_source


def read_recorded_sources(rules: Rules, folder: Path) -> None:
    """Read the recordings of rules; what cannot be read is a finding of the check that follows.

    Args:
        rules: The rules.
        folder: Where relative paths start.
    """
    known: dict[tuple[Path, str | None], ReplaySource] = {}
    for rule in rules.rules:
        for action in rule.do:
            if isinstance(action, Mock) and action.source is not None and action.replayed is None:
                key = (folder / action.source, action.case)
                try:
                    if key not in known:
                        known[key] = _read_source(action.source, *key)
                except SimulatorError as error:
                    action.refuse_recording(str(error).rstrip("."))
                else:
                    action.use_recording(known[key])


def _read_source(label: str, path: Path, case: str | None) -> ReplaySource:
    # It imports ADK, which rules without recordings do not need.
    from adk_agent_sim.golden.recording_files import read_recordings

    source = build_replay_source(label, read_recordings(path, case))
    if not any(log.calls for log in source.logs):
        raise SimulatorError(f"{path} has no tool call with a response")
    return source
