"""A model of ADK answers soft checks."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest
from google.adk.models import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from scripted_model import ScriptedModel, text_response

from adk_agent_sim.adk.evals.model_judge import ModelJudge
from adk_agent_sim.errors import JudgeFailed, NotJudgeable
from adk_agent_sim.scenario import SoftCheck

CHECK = SoftCheck(task="Greet Gus.", tool="T__send", argument="content", expected="Hello", got="Hi")


class _FailingModel(BaseLlm):
    model: str = "failing"

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        raise ValueError("No API key was provided.")
        yield


async def test_a_model_is_asked_with_the_prompt_also_inside_of_an_event_loop() -> None:
    model = ScriptedModel(script=[text_response("The same.\nPASS"), text_response("FAIL"), text_response("Hm.")])
    judge = ModelJudge(model)
    answers = [judge(CHECK) for _ in range(3)]
    judge.close()
    assert [each.passed for each in answers] == [True, False, False]
    assert answers[0].reply == "The same.\nPASS"
    parts = model.requests[0].contents[0].parts
    assert parts is not None
    assert parts[0].text == CHECK.prompt()


def test_a_model_that_fails_judges_nothing() -> None:
    judge = ModelJudge(_FailingModel())
    with pytest.raises(
        JudgeFailed, match="'failing': it did not answer: ValueError: No API key was provided"
    ) as raised:
        judge(CHECK)
    judge.close()
    assert isinstance(raised.value.__cause__, ValueError)


def test_the_code_of_a_model_that_answers_with_an_error_is_kept() -> None:
    judge = ModelJudge(ScriptedModel(script=[{"error_code": "429", "error_message": "slow down"}]))
    with pytest.raises(JudgeFailed, match="429: slow down") as raised:
        judge(CHECK)
    judge.close()
    assert raised.value.code == "429"


def test_a_model_that_adk_does_not_know_is_refused() -> None:
    with pytest.raises(NotJudgeable, match="with the model 'no-such-model'"):
        ModelJudge("no-such-model")
