"""The mocks of an environment that ask a model: one per model, settings and file of answers, shared by all sessions."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from google.adk.models import BaseLlm
from google.genai import types
from pydantic import ValidationError

from adk_agent_sim.adk.environment.llm_mock_answers import AnswerFile
from adk_agent_sim.adk.environment.llm_mock_models import SimulationModel, find_model_problem
from adk_agent_sim.environment.actions.mock_response import DEFAULT_MODEL, Mock
from adk_agent_sim.environment.rulebook import Rulebook
from adk_agent_sim.errors import InvalidRules, SimulatorError
from adk_agent_sim.mocks.llm_mock import LlmMock, ModelChoice
from adk_agent_sim.timeline.strict_json import dump_json, parse_json_object


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
