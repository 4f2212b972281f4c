"""Plays the models of running sessions from golden traces; a session uses the case that has its first message."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from google.adk.evaluation.eval_case import EvalCase, Invocation
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from adk_agent_sim.adk.recorded_model import RecordedModel, read_eval_cases
from adk_agent_sim.errors import ReplayImpossible
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.timeline.events import Player

_log = get_logger(__name__)


class TraceFile:
    """The cases of an EvalSet file."""

    def __init__(self, path: str, cases: Sequence[EvalCase]) -> None:
        self.path = path
        self.cases = cases

    @classmethod
    def read(cls, path: str) -> TraceFile:
        """Read an EvalSet file; raise NotAnEvalSet if it is not one."""
        return cls(path, read_eval_cases(Path(path)))


class TracePlayer:
    """Answers the model calls of one session from a trace; raises, and logs an error, where the trace does not fit."""

    player = Player.RECORDED

    def __init__(self, trace_file: TraceFile) -> None:
        self._trace_file = trace_file
        self._recorded_model = RecordedModel()
        self._case: EvalCase | None = None
        self._invocation_index = 0
        self._problem = ""

    def handle_user_message(self, message: types.Content) -> None:
        """Play the decisions that follow this message in the trace next."""
        text = _extract_text(message)
        invocation = self._find_next_invocation(text)
        self._problem = "" if invocation else f"it has no user message {text!r} at this point"
        if invocation is not None:
            self._invocation_index += 1
            self._recorded_model.load_invocation(invocation)

    def __call__(self, request: LlmRequest) -> LlmResponse:
        """Return the next recorded decision; raise ReplayImpossible if the trace has none."""
        if not self._problem:
            try:
                return self._recorded_model(request)
            except ReplayImpossible as error:
                self._problem = str(error)
        problem = f"The trace {self._trace_file.path} does not fit this session: {self._problem}."
        _log.error("%s", problem)
        raise ReplayImpossible(problem)

    def _find_next_invocation(self, message_text: str) -> Invocation | None:
        if self._case is None:
            self._case = next(
                (case for case in self._trace_file.cases if _has_user_message(case, 0, message_text)), None
            )
        if self._case is None or not _has_user_message(self._case, self._invocation_index, message_text):
            return None
        return (self._case.conversation or [])[self._invocation_index]


def _has_user_message(case: EvalCase, index: int, message_text: str) -> bool:
    conversation = case.conversation or []
    return index < len(conversation) and _extract_text(conversation[index].user_content) == message_text


def _extract_text(content: types.Content) -> str:
    return "".join(part.text or "" for part in content.parts or ())
