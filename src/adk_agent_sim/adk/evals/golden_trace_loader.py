"""Loads a golden trace as an eval case from an EvalSet, a session that ADK saved, or a timeline."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from google.adk.agents import LlmAgent
from google.adk.evaluation.eval_case import EvalCase

from adk_agent_sim.errors import ImportRefused
from adk_agent_sim.golden.eval_set import summarize_error
from adk_agent_sim.golden.eval_set_files import read_eval_cases
from adk_agent_sim.golden.golden_trace_builder import GoldenTraceBuilder
from adk_agent_sim.golden.importers import import_adk_session
from adk_agent_sim.golden.invocation_contents import UNKNOWN_AGENT
from adk_agent_sim.golden.session import SimulatedAgentConfig, SimulationSession
from adk_agent_sim.golden.trace_kind import detect_trace_kind
from adk_agent_sim.timeline import jsonl
from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.history import find_agent_joined


def load_golden_trace(path: Path, eval_id: str | None = None) -> EvalCase:
    """Load the golden trace in a file.

    Args:
        path: The file.
        eval_id: Which case of an EvalSet; optional if it has only one.

    Raises:
        ImportRefused: The file has no golden trace, or several and `eval_id` was not given.
        SessionIncomplete: The session has not finished.
    """
    kind = detect_trace_kind(path)
    if kind is None:
        reason = "it is neither an EvalSet, nor a session file of ADK, nor a timeline"
        raise ImportRefused(str(path), "a golden trace", reason)
    if kind == "cassette":
        raise ImportRefused(str(path), "a golden trace", "it is a model cassette, which has no final responses")
    if kind == "evalset":
        return _require_single_case(path, read_eval_cases(path, eval_id))
    if eval_id is not None:
        raise ImportRefused(str(path), "an EvalSet", "it holds a single session; omit --case")
    if kind == "session":
        return _build_case(path, import_adk_session(path))
    return _build_case(path, [record for record in jsonl.read_records(path) if isinstance(record, Event)])


def _require_single_case(path: Path, cases: Sequence[EvalCase]) -> EvalCase:
    if len(cases) != 1:
        listed = ", ".join(case.eval_id for case in cases) or "none"
        reason = f"it has {len(cases)} cases; select one with --case: {listed}"
        raise ImportRefused(str(path), "one golden trace", reason)
    return cases[0]


def _build_case(path: Path, events: Sequence[Event]) -> EvalCase:
    """Return the case of a session. The agent is not available here; the builder needs only its name."""
    join = find_agent_joined(events)
    name = (join.app_name if join else "") or UNKNOWN_AGENT
    config = SimulatedAgentConfig(name=name, agent=LlmAgent(name=UNKNOWN_AGENT), eval_set_path=path)
    try:
        session = SimulationSession.from_events(config, events[0].session_id if events else path.stem, events)
    except ValueError as error:
        raise ImportRefused(str(path), "a golden trace", summarize_error(error)) from error
    return GoldenTraceBuilder(session, eval_id_style="selectable").build()
