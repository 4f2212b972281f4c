"""Runs the calls of a golden trace again on the agent's real tools, in order, and reports what has changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from google.adk.apps import App
from google.adk.evaluation.eval_case import EvalCase, Invocation, get_all_tool_calls, get_all_tool_responses
from google.adk.evaluation.eval_set import EvalSet
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from pydantic import ValidationError

from adk_agent_sim.adk.simulation import Simulation
from adk_agent_sim.errors import NotAnEvalSet, ReplayImpossible, SimulatorError
from adk_agent_sim.golden.drift import Drift, find_drifts
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import Player
from adk_agent_sim.timeline.history import ToolCall, ToolError, ToolOutput

__all__ = ["CaseReplay", "EvalCase", "RecordedModel", "read_eval_cases", "replay_eval_case"]


@dataclass(frozen=True, kw_only=True)
class CaseReplay:
    """How one case went."""

    eval_id: str
    calls: int
    """How many calls were made again."""

    drifts: Sequence[Drift]
    problem: str = ""
    """Why the case could not be played to its end; empty if it could."""

    @property
    def is_unchanged(self) -> bool:
        """Whether everything is as it was recorded."""
        return not self.drifts and not self.problem


class RecordedModel:
    """Plays a model from a trace: one recorded call a turn, then the recorded answer."""

    player = Player.RECORDED

    def __init__(self) -> None:
        self._contents: Iterator[types.Content] = iter(())

    def load_invocation(self, invocation: Invocation) -> None:
        """Play the decisions of a user turn next."""
        calls = [
            types.Part(function_call=_remove_call_id(call)) for call in get_all_tool_calls(invocation.intermediate_data)
        ]
        contents = [types.Content(role="model", parts=[call]) for call in calls]
        if invocation.final_response is not None:
            contents.append(invocation.final_response)
        self._contents = iter(contents)

    def __call__(self, request: LlmRequest) -> LlmResponse:
        """The next recorded decision; loud when the agent asks for more than there is."""
        content = next(self._contents, None)
        if content is None:
            raise ReplayImpossible("the agent asks its model for more than the trace has")
        return LlmResponse(content=content)


def read_eval_cases(path: Path, eval_id: str | None = None) -> list[EvalCase]:
    """The cases of an EvalSet file, or the one of that id."""
    try:
        cases = EvalSet.model_validate_json(path.read_text(encoding="utf-8")).eval_cases
    except FileNotFoundError:
        raise NotAnEvalSet(str(path), "there is no such file") from None
    except (ValidationError, ValueError) as error:
        raise NotAnEvalSet(str(path), str(error).split("\n", maxsplit=1)[0]) from None
    if eval_id is None:
        return cases
    found = [case for case in cases if case.eval_id == eval_id]
    if not found:
        raise ReplayImpossible(f"{path} has no case {eval_id!r}; it has: {', '.join(case.eval_id for case in cases)}")
    return found


async def replay_eval_case(app: App, case: EvalCase, ignore: Sequence[str] = ()) -> CaseReplay:
    """Replay a case on the app's real tools."""
    recording = RecordedModel()
    found: list[Drift] = []
    made = 0
    state = case.session_input.state if case.session_input else {}
    async with Simulation(app, model=recording, state=state) as sim:
        for invocation in case.conversation or ():
            recording.load_invocation(invocation)
            seen = len(sim.history())
            problem = await _send_user_message(sim, invocation)
            answers = _collect_tool_responses(sim, seen)
            made += len(answers)
            uses = get_all_tool_calls(invocation.intermediate_data)
            found += find_drifts(uses, get_all_tool_responses(invocation.intermediate_data), answers, ignore)
            if problem:
                return CaseReplay(eval_id=case.eval_id, calls=made, drifts=found, problem=problem)
    return CaseReplay(eval_id=case.eval_id, calls=made, drifts=found)


async def _send_user_message(sim: Simulation, invocation: Invocation) -> str:
    """Let the agent work on the user's message; returns why it could not."""
    try:
        await sim.send(invocation.user_content)
    except SimulatorError as error:
        return str(error)
    return ""


def _collect_tool_responses(sim: Simulation, history_start: int) -> list[Json]:
    """What the model got for each call made since, in the order of the calls."""
    entries = sim.history()[history_start:]
    results = {entry.call_id: entry.response for entry in entries if isinstance(entry, ToolOutput | ToolError)}
    return [results.get(entry.call_id) for entry in entries if isinstance(entry, ToolCall)]


def _remove_call_id(call: types.FunctionCall) -> types.FunctionCall:
    """The call without its recorded id: ADK gives each call its own."""
    return types.FunctionCall(name=call.name, args=call.args)
