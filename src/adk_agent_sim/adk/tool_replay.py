"""Replays the calls of a golden trace on the agent's real tools, in order, and reports what has changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from google.adk.apps import App
from google.adk.evaluation.eval_case import EvalCase, Invocation, get_all_tool_calls, get_all_tool_responses

from adk_agent_sim.adk.recorded_model import RecordedModel, read_eval_cases
from adk_agent_sim.adk.simulation import Simulation
from adk_agent_sim.errors import SimulatorError
from adk_agent_sim.golden.drift import Drift, find_drifts
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.history import ToolCall, ToolError, ToolOutput

__all__ = ["CaseReplay", "EvalCase", "read_eval_cases", "replay_eval_case"]


@dataclass(frozen=True, kw_only=True)
class CaseReplay:
    """The result of replaying one case."""

    eval_id: str
    calls: int
    """How many calls were made."""

    drifts: Sequence[Drift]
    """The responses that differ from the recorded ones."""

    problem: str = ""
    """Why the replay stopped early; empty if it did not."""

    @property
    def is_unchanged(self) -> bool:
        """Whether every response is as recorded and the replay reached the end."""
        return not self.drifts and not self.problem


async def replay_eval_case(app: App, case: EvalCase, ignore: Sequence[str] = ()) -> CaseReplay:
    """Replay a case on the app's real tools.

    Args:
        app: The app whose tools run.
        case: The recorded case.
        ignore: The fields of responses that may differ.
    """
    recording = RecordedModel()
    drifts: list[Drift] = []
    call_count = 0
    state = case.session_input.state if case.session_input else {}
    async with Simulation(app, model=recording, state=state) as sim:
        for invocation in case.conversation or ():
            recording.load_invocation(invocation)
            history_start = len(sim.history())
            problem = await _send_user_message(sim, invocation)
            responses = _collect_tool_responses(sim, history_start)
            call_count += len(responses)
            calls = get_all_tool_calls(invocation.intermediate_data)
            drifts += find_drifts(calls, get_all_tool_responses(invocation.intermediate_data), responses, ignore)
            if problem:
                return CaseReplay(eval_id=case.eval_id, calls=call_count, drifts=drifts, problem=problem)
    return CaseReplay(eval_id=case.eval_id, calls=call_count, drifts=drifts)


async def _send_user_message(sim: Simulation, invocation: Invocation) -> str:
    """Run the agent on the user's message. Returns why that failed; empty if it did not."""
    try:
        await sim.send(invocation.user_content)
    except SimulatorError as error:
        return str(error)
    return ""


def _collect_tool_responses(sim: Simulation, history_start: int) -> list[Json]:
    """Return the response that the model got for each call since `history_start`, in the order of the calls."""
    entries = sim.history()[history_start:]
    results = {entry.call_id: entry.response for entry in entries if isinstance(entry, ToolOutput | ToolError)}
    return [results.get(entry.call_id) for entry in entries if isinstance(entry, ToolCall)]
