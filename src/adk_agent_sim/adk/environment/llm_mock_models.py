"""Asks the model that simulates tools, directly: no seat, no rule, no plugin and no agent is between it and the mock.

a name --> ADK's registry --+
an object ------------------+--> generate_content_async --> text
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Any, cast

from google.adk.models import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.registry import LLMRegistry
from google.genai import types

from adk_agent_sim.adk.adk_messages import remove_unknown_model_prefix
from adk_agent_sim.adk.environment.llm_mock_answers import AnswerFile, compute_key, describe_question
from adk_agent_sim.adk.seats.model_seat import ModelSeat, get_complete_answer
from adk_agent_sim.environment.argument_lint import ModelProblem
from adk_agent_sim.errors import SimulationModelFailed
from adk_agent_sim.golden.cassette import CassetteRequest
from adk_agent_sim.mocks.llm_mock import ModelReply
from adk_agent_sim.mocks.llm_questions import ModelQuestion
from adk_agent_sim.timeline.content_parts import extract_visible_text
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.redaction.redactor import Redactor

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
