"""Plays a model from the decisions of a golden trace, and reads the cases of EvalSet files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from google.adk.evaluation.eval_case import EvalCase, Invocation, get_all_tool_calls
from google.adk.evaluation.eval_set import EvalSet
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from pydantic import ValidationError

from adk_agent_sim.errors import NotAnEvalSet, ReplayImpossible
from adk_agent_sim.golden.adk_files import parse_adk_file
from adk_agent_sim.timeline.events import Player


class RecordedModel:
    """Plays a model from a trace: one recorded call per turn, then the recorded final response."""

    player = Player.RECORDED

    def __init__(self) -> None:
        self._contents: Iterator[types.Content] = iter(())

    def load_invocation(self, invocation: Invocation) -> None:
        """Play the decisions of this invocation next."""
        calls = [
            types.Part(function_call=_remove_call_id(call)) for call in get_all_tool_calls(invocation.intermediate_data)
        ]
        contents = [types.Content(role="model", parts=[call]) for call in calls]
        if invocation.final_response is not None:
            contents.append(invocation.final_response)
        self._contents = iter(contents)

    def __call__(self, request: LlmRequest) -> LlmResponse:
        """Return the next recorded decision; raise ReplayImpossible if there are no more."""
        content = next(self._contents, None)
        if content is None:
            raise ReplayImpossible("the agent calls its model more often than the trace has decisions")
        return LlmResponse(content=content)


def read_eval_cases(path: Path, eval_id: str | None = None) -> list[EvalCase]:
    """Return the cases of an EvalSet file, or only the one with the given id.

    Raises:
        NotAnEvalSet: The file does not exist or is no EvalSet.
        ReplayImpossible: It has no case with the id.
    """
    try:
        cases = parse_adk_file(path.read_text(encoding="utf-8"), EvalSet).eval_cases
    except FileNotFoundError:
        raise NotAnEvalSet(str(path), "there is no such file") from None
    except (ValidationError, ValueError) as error:
        raise NotAnEvalSet(str(path), str(error).split("\n", maxsplit=1)[0]) from None
    if eval_id is None:
        return cases
    matching = [case for case in cases if case.eval_id == eval_id]
    if not matching:
        raise ReplayImpossible(f"{path} has no case {eval_id!r}; it has: {', '.join(case.eval_id for case in cases)}")
    return matching


def _remove_call_id(call: types.FunctionCall) -> types.FunctionCall:
    """Return the call without its recorded id, because ADK assigns a new one to each call."""
    return types.FunctionCall(name=call.name, args=call.args)
