"""Recorded answers of the model that simulates tools, in a model cassette: found by what was asked, in any order.

    question --redacted--> CassetteRequest --digest--> the recorded answer
                                  |
                                  none --> ADK_SIM_CASSETTE set? --> ask, and write it to the file; otherwise an error

Each question is a session of the cassette with one turn, so that processes which record different ones at the same time
do not lose any.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path

from google.adk.models.llm_response import LlmResponse
from google.genai import types

from adk_agent_sim.adk.players.cassette_player import CASSETTE_VARIABLE, CassetteMode, read_cassette_mode
from adk_agent_sim.errors import ImportRefused, SimulationModelFailed
from adk_agent_sim.golden.cassette import (
    CassetteBlock,
    CassetteRequest,
    CassetteRun,
    CassetteSession,
    CassetteTurn,
)
from adk_agent_sim.golden.cassette_files import CassetteFile, read_cassette
from adk_agent_sim.golden.cassette_matching import UUID_PATTERN, RequestMatcher, summarize_differences
from adk_agent_sim.golden.recording import StreamKey
from adk_agent_sim.mocks.llm_questions import ModelQuestion
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.clock import Clock, WallClock
from adk_agent_sim.timeline.content_parts import extract_visible_text
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.redaction.redactor import Redactor

_SESSION_NAME = "mock: llm"
"""The app of the sessions in the file."""


def describe_question(question: ModelQuestion, model_name: str, settings: Json) -> CassetteRequest:
    """Return a question as it is recorded and compared: without secrets, with the model's name and settings."""
    contents = [
        {"role": "user" if index % 2 == 0 else "model", "parts": [{"text": text}]}
        for index, text in enumerate(question.messages)
    ]
    asked: Json = {"instruction": question.instruction, "contents": contents}
    # A redactor for each question: which secrets other questions had must not decide what is found.
    redactor = Redactor()
    redactor.learn_secrets(asked)
    clean = redactor.redact_value(asked)
    return CassetteRequest(
        instruction=CassetteBlock.from_value(clean["instruction"]),
        tools=CassetteBlock.from_value([]),
        config=CassetteBlock.from_value({"model": model_name, **redactor.redact_value(settings)}),
        contents=tuple(map(CassetteBlock.from_value, clean["contents"])),
    )


def compute_key(request: CassetteRequest) -> str:
    """Return the key of a question: equal questions to the same model have the same one."""
    blocks = (request.instruction, request.config, *request.contents)
    return blake2b(" ".join(block.digest for block in blocks).encode(), digest_size=8).hexdigest()


class AnswerFile:
    """The file of one `mock: llm` rule; all sessions of an environment share it."""

    def __init__(self, path: Path, *, environment: Mapping[str, str] | None = None, clock: Clock | None = None) -> None:
        """Use a file, which must exist unless answers are recorded.

        Args:
            path: The file.
            environment: Where ADK_SIM_CASSETTE is looked up; by default the process environment.
            clock: Says which times in a question are the current time.

        Raises:
            ImportRefused: The file is something else, or cannot be read.
            InvalidCassetteMode: ADK_SIM_CASSETTE has a value that means nothing.
        """
        self.path = path
        self.may_record = (
            read_cassette_mode(os.environ if environment is None else environment) is not CassetteMode.REPLAY
        )
        """Whether the model is asked what the file does not have."""
        if not self.may_record and not path.exists():
            advice = f"run again with {CASSETTE_VARIABLE}=record, which asks the model and records its answers"
            raise ImportRefused(str(path), "recorded answers of a model", f"there is no such file; {advice}")
        self._clock = clock or WallClock()
        self._file = CassetteFile(path)
        sessions = read_cassette(path).sessions if path.exists() else ()
        turns = [turn for session in sessions for run in session.runs for turn in run.turns]
        self._turns = {compute_key(turn.request): turn for turn in turns if turn.responses}

    def find(self, question: ModelQuestion, request: CassetteRequest) -> str | None:
        """Return the recorded answer to a question; None if the model may be asked.

        Raises:
            SimulationModelFailed: There is none, and the model may not be asked.
        """
        if (turn := self._turns.get(compute_key(request))) is not None:
            return _read_text(turn)
        # A copy, because sessions in other threads share the file and may record an answer at the same time.
        others = [turn for turn in list(self._turns.values()) if turn.key.agent_name == question.about]
        differences = ""
        for turn in others:
            matcher = RequestMatcher(self._clock.now())
            found = matcher.find_differences(turn.request, request)
            if not found:
                return UUID_PATTERN.sub(lambda each, known=matcher.uuids: known.get(each[0], each[0]), _read_text(turn))
            differences = differences or summarize_differences(found)
        if self.may_record:
            return None
        reason = f"{self.path} has no answer to the question about {question.about}"
        if differences:
            reason += f"; a recorded one differs in {differences}"
        raise SimulationModelFailed(f"{reason}. Run again with {CASSETTE_VARIABLE}=record, which asks the model")

    async def record(self, question: ModelQuestion, request: CassetteRequest, text: str) -> None:
        """Add an answer to the file."""
        redactor = Redactor()
        redactor.learn_secrets(text)
        content = types.Content(role="model", parts=[types.Part(text=redactor.redact_text(text))])
        response = CassetteBlock.from_value(to_json_value(LlmResponse(content=content)))
        turn = CassetteTurn(key=StreamKey(agent_name=question.about), request=request, responses=(response,))
        key = compute_key(request)
        self._turns[key] = turn
        # A session is identified by its messages, so this one replaces only an older answer to the same question.
        message = {"role": "user", "parts": [{"text": f"{question.about}, {key}"}]}
        session = CassetteSession(
            app_name=_SESSION_NAME,
            user_id="",
            state=CassetteBlock.from_value({}),
            runs=(CassetteRun(message=CassetteBlock.from_value(message), turns=(turn,)),),
        )
        await asyncio.to_thread(self._file.put_session, session)


def _read_text(turn: CassetteTurn) -> str:
    return extract_visible_text(turn.responses[0].value.get("content"))
