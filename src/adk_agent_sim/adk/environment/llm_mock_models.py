"""The models that simulate tools, their recorded answers, and the mocks: one per model, settings and file of answers.

No seat, no rule, no plugin and no agent is between a mock and its model.

a name --> ADK's registry --+
an object ------------------+--> generate_content_async --> text
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, cast

from google.adk.models import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.models.registry import LLMRegistry
from google.genai import types
from pydantic import ValidationError

from adk_agent_sim.adk.adk_messages import remove_unknown_model_prefix
from adk_agent_sim.adk.players.cassette_player import CASSETTE_VARIABLE, CassetteMode, read_cassette_mode
from adk_agent_sim.adk.seats.model_seat import ModelSeat, get_complete_answer
from adk_agent_sim.environment.actions.mock_response import DEFAULT_MODEL, Mock
from adk_agent_sim.environment.argument_lint import ModelProblem
from adk_agent_sim.environment.rulebook import Rulebook
from adk_agent_sim.errors import ImportRefused, InvalidRules, SimulationModelFailed, SimulatorError
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
from adk_agent_sim.mocks.llm_mock import LlmMock, ModelChoice, ModelReply
from adk_agent_sim.mocks.llm_questions import ModelQuestion
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.clock import Clock, WallClock
from adk_agent_sim.timeline.content_parts import extract_visible_text
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.redaction.redactor import Redactor
from adk_agent_sim.timeline.strict_json import dump_json, parse_json_object

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


_MAX_ERROR_CHARACTERS = 500
_RETRIED_CLIENT_ERRORS = frozenset({408, 409, 429})
_JSON_TYPE = "application/json"
_MAX_DESCRIBED = 16

_UNREAD_SETTINGS = frozenset({"http_options", "cached_content", "should_return_http_response"})
"""Settings that say how a question is sent, and not what is asked."""


class SimulationModel:
    """One model with its settings, and the file of its recorded answers."""

    def __init__(
        self, model: str | BaseLlm, config: types.GenerateContentConfig, answers: AnswerFile | None = None
    ) -> None:
        """Use a model.

        Args:
            model: Its name, or the model itself.
            config: Settings for its answers.
            answers: Recorded answers, which are given instead of asking the model; None to always ask.
        """
        self._model = model
        self._config = config
        self._answers = answers
        # A question is described for its key and when it is asked. A cache on the class would keep every instance.
        self._describe = lru_cache(maxsize=_MAX_DESCRIBED)(self._describe_question)
        self._settings = {name: value for name, value in to_json_value(config).items() if name not in _UNREAD_SETTINGS}

    @property
    def model_name(self) -> str:
        """The name of the model."""
        return self._model if isinstance(self._model, str) else self._model.model

    def name_question(self, question: ModelQuestion) -> str:
        """Return the key of a question, by which a recorded answer is found."""
        return compute_key(self._describe(question))

    async def ask(self, question: ModelQuestion) -> ModelReply:
        """Return the recorded answer, or that of the model; raise SimulationModelFailed if there is none."""
        if self._answers is None:
            return ModelReply(text=await self._generate(question), source="model")
        request = self._describe(question)
        recorded = self._answers.find(question, request)
        if recorded is not None:
            return ModelReply(text=recorded, source=self._answers.path.name)
        text = await self._generate(question)
        await self._answers.record(question, request, text)
        return ModelReply(text=text, source="model")

    def _describe_question(self, question: ModelQuestion) -> CassetteRequest:
        return describe_question(question, self.model_name, self._settings)

    async def _generate(self, question: ModelQuestion) -> str:
        try:
            model = self.own_model
            request = LlmRequest(
                model=model.model, contents=_build_contents(question), config=self._build_config(question)
            )
            answer = await get_complete_answer(model.generate_content_async(request, stream=False))
        except Exception as error:  # whatever a model raises, the agent gets an error response
            raise SimulationModelFailed(
                f"the model failed: {_describe_error(error)}", may_succeed_later=_may_succeed_later(error)
            ) from error
        if answer.error_code:
            reason = Redactor().redact_text(f"{answer.error_code}: {answer.error_message or 'no message'}")
            raise SimulationModelFailed(f"the model failed: {reason[:_MAX_ERROR_CHARACTERS]}", may_succeed_later=True)
        parts = (answer.content.parts if answer.content else None) or ()
        return "".join(part.text for part in parts if part.text and not part.thought)

    @cached_property
    def own_model(self) -> BaseLlm:
        """The model itself; a name is looked up when it is first asked."""
        model = LLMRegistry.new_llm(self._model) if isinstance(self._model, str) else self._model
        # An agent that has a seat gives it for its model.
        return model.get_own_model() if isinstance(model, ModelSeat) else model

    def _build_config(self, question: ModelQuestion) -> types.GenerateContentConfig:
        config = self._config
        own = _read_instruction(config)
        # Models change the request that they get.
        changes: dict[str, object] = {"system_instruction": "\n".join(filter(None, [question.instruction, own]))}
        if config.http_options is not None:
            changes["http_options"] = config.http_options.model_copy(deep=True)
        # Gemini rejects requests that have tools and a JSON response type together.
        if config.response_mime_type is None and not config.tools:
            changes["response_mime_type"] = _JSON_TYPE
        return config.model_copy(update=changes)


def find_model_problem(name: str, environment: Mapping[str, str]) -> ModelProblem | None:
    """Return why a model cannot be asked; None if it can, or if that cannot be known.

    Args:
        name: The name of the model.
        environment: Where credentials are looked up.
    """
    try:
        found = LLMRegistry.resolve(name)
    except (ValueError, ImportError) as error:
        advice = remove_unknown_model_prefix(str(error), name)
        return ModelProblem(
            message=f"ADK knows no model {name!r}",
            advice=advice.rstrip(".") or "Write a name such as gemini-flash-latest",
            is_unknown=True,
        )
    # By its name: importing the class takes longer than everything else here, and most rules ask no model.
    is_gemini = any(base.__name__ == "Gemini" for base in found.__mro__)
    missing = _find_missing_credentials(environment) if is_gemini else ""
    if not missing:
        return None
    advice = "Set one, or record answers where there is one, and play them with `answers: FILE`"
    return ModelProblem(message=f"{name} cannot be asked here: {missing}", advice=advice, is_unknown=False)


def _find_missing_credentials(environment: Mapping[str, str]) -> str:
    if environment.get("GOOGLE_GENAI_USE_VERTEXAI", "").lower() in ("1", "true"):
        has_project = environment.get("GOOGLE_CLOUD_PROJECT") or environment.get("GOOGLE_API_KEY")
        return "" if has_project else "GOOGLE_CLOUD_PROJECT is not set"
    has_key = environment.get("GOOGLE_API_KEY") or environment.get("GEMINI_API_KEY")
    return "" if has_key else "neither GOOGLE_API_KEY nor GEMINI_API_KEY is set"


def _read_instruction(config: types.GenerateContentConfig) -> str:
    """Return the text of an instruction that is part of the settings."""
    own: object = cast("Any", config).system_instruction
    return own if isinstance(own, str) else extract_visible_text(to_json_value(own))


def _build_contents(question: ModelQuestion) -> list[types.Content]:
    return [
        types.Content(role="user" if index % 2 == 0 else "model", parts=[types.Part(text=text)])
        for index, text in enumerate(question.messages)
    ]


def _may_succeed_later(error: Exception) -> bool:
    """Whether it makes sense to ask again: not after a wrong name, a missing key or a refused request."""
    code = getattr(error, "code", None)
    if isinstance(code, int) and 400 <= code < 500:
        return code in _RETRIED_CLIENT_ERRORS
    return not isinstance(error, ValueError | TypeError | ImportError)


def _describe_error(error: Exception) -> str:
    text = Redactor().redact_text(f"{type(error).__name__}: {' '.join(str(error).split())}")
    return text[:_MAX_ERROR_CHARACTERS].rstrip(".")


@dataclass(frozen=True, kw_only=True)
class LlmMockSetup:
    """What Python code, or ADK's config, says about the model that simulates tools."""

    model: str | BaseLlm | None = None
    """The model of the rules that name none."""

    answers: Path | None = None
    """The file of recorded answers of the rules that name none."""

    config: types.GenerateContentConfig | None = None
    """The settings of the rules that have none."""

    environment_data: str | None = None
    """What is known about the world, as any text; None for the environment data of the rules."""

    tracing: str = ""
    """Calls of earlier runs with their responses, as any text."""


class LlmMocks:
    """Creates the mocks of an environment when they are first used."""

    def __init__(self, rulebook: Rulebook, setup: LlmMockSetup | None = None) -> None:
        self._setup = setup or LlmMockSetup()
        self._rulebook = rulebook
        self._mocks: dict[ModelChoice, LlmMock] = {}
        self._lock = threading.Lock()

    @property
    def default_model(self) -> str:
        """The name of the model, or of the file of its answers, for rules that name none; empty if none was chosen."""
        model = self._setup.model
        if model is None:
            return self._setup.answers.name if self._setup.answers is not None else ""
        return model if isinstance(model, str) else model.model

    def find(self, choice: ModelChoice) -> LlmMock:
        """Return the mock of a model.

        Raises:
            SimulatorError: Its settings or its file of answers cannot be used.
        """
        with self._lock:  # sessions may run in several threads, and share one analysis of the tools
            if choice not in self._mocks:
                self._mocks[choice] = LlmMock(
                    _create_model(choice, self._setup),
                    deadline=choice.deadline,
                    environment_data=self._write_environment_data(),
                    tracing=self._setup.tracing,
                )
            return self._mocks[choice]

    def _write_environment_data(self) -> str:
        if self._setup.environment_data is not None:
            return self._setup.environment_data
        data = self._rulebook.spec.environment_data
        return dump_json(data, indent=2) if data else ""


def check_llm_mocks(rulebook: Rulebook, setup: LlmMockSetup | None = None, source: str = "Python") -> None:
    """Raise InvalidRules if a model of the rules is not known, or its settings or answers cannot be used."""
    problems = list(dict.fromkeys(_iter_problems(rulebook, setup or LlmMockSetup())))
    if problems:
        raise InvalidRules(source, problems)


def _iter_problems(rulebook: Rulebook, setup: LlmMockSetup) -> Iterator[str]:
    for rule in rulebook.rules:
        for action in rule.actions:
            if isinstance(action, Mock) and action.mock == "llm":
                try:
                    _create_model(action.choice, setup)
                except SimulatorError as error:
                    yield f"{rule.name}: {error}"
                    continue
                model = action.model or setup.model or DEFAULT_MODEL
                has_answers = action.answers is not None or setup.answers is not None  # which need no model
                # Without an environment: a missing key is no error of the rules, only an unknown name is.
                problem = find_model_problem(model, {}) if isinstance(model, str) and not has_answers else None
                if problem is not None and problem.is_unknown:
                    yield f"{rule.name}: {problem.message}. {problem.advice}."


def _create_model(choice: ModelChoice, setup: LlmMockSetup) -> SimulationModel:
    config = setup.config or types.GenerateContentConfig()
    if choice.settings:
        try:
            config = types.GenerateContentConfig.model_validate(parse_json_object(choice.settings))
        except ValidationError as error:
            details = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
            raise SimulatorError(f"The settings of `mock: llm` are invalid: {details}.") from None
    path = Path(choice.answers) if choice.answers else setup.answers
    answers = AnswerFile(path) if path is not None else None
    return SimulationModel(choice.model or setup.model or DEFAULT_MODEL, config, answers)
