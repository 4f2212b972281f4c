"""Plays the models of live sessions from golden traces, each session from the case that begins as it does."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from google.adk.evaluation.eval_case import EvalCase, Invocation
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from adk_agent_sim.adk.replay import Recording, read_cases
from adk_agent_sim.errors import ReplayImpossible
from adk_agent_sim.timeline.events import Player

_log = logging.getLogger(__name__)


class Traces:
    """The cases of a file."""

    def __init__(self, path: str, cases: Sequence[EvalCase]) -> None:
        self.path = path
        self.cases = cases

    @classmethod
    def read(cls, path: str) -> Traces:
        """The cases of an EvalSet file; NotAnEvalSet if it is none."""
        return cls(path, read_cases(Path(path)))


class TracePlayer:
    """Answers the model calls of one session as the trace has them, and says loudly what the trace does not have."""

    player = Player.RECORDED

    def __init__(self, traces: Traces) -> None:
        self._traces = traces
        self._recording = Recording()
        self._case: EvalCase | None = None
        self._heard = 0
        self._problem = ""

    def hear(self, message: types.Content) -> None:
        """The user says something: play the decisions that followed in the trace."""
        said = _text(message)
        invocation = self._next(said)
        self._problem = "" if invocation else f"the user says {said!r} here"
        if invocation is not None:
            self._heard += 1
            self._recording.load(invocation)

    def __call__(self, request: LlmRequest) -> LlmResponse:
        """The next recorded decision."""
        if not self._problem:
            try:
                return self._recording(request)
            except ReplayImpossible as error:
                self._problem = str(error)
        problem = f"The trace {self._traces.path} does not have what the agent asks: {self._problem}."
        _log.error("%s", problem)
        raise ReplayImpossible(problem)

    def _next(self, said: str) -> Invocation | None:
        if self._case is None:
            self._case = next((case for case in self._traces.cases if _says(case, 0, said)), None)
        if self._case is None or not _says(self._case, self._heard, said):
            return None
        return (self._case.conversation or [])[self._heard]


def _says(case: EvalCase, place: int, said: str) -> bool:
    conversation = case.conversation or []
    return place < len(conversation) and _text(conversation[place].user_content) == said


def _text(content: types.Content) -> str:
    return "".join(part.text or "" for part in content.parts or ())
