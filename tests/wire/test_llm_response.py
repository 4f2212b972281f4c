"""A response of v1beta is read the way ADK reads it, but without ADK."""

from genai_strategies import models
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from hypothesis import given

from adk_agent_sim.generated.adksim.v1 import Candidate, GenerateContentResponse
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.wire.llm_messages import from_response_message, to_response_message
from adk_agent_sim.wire.message_codec import fill_message, message_to_json


@given(models(types.GenerateContentResponse))
def test_any_response_is_read_as_adk_reads_it(response: types.GenerateContentResponse) -> None:
    message = GenerateContentResponse()
    fill_message(message, to_json_value(response))

    read_by_adk = LlmResponse.create(types.GenerateContentResponse.model_validate(message_to_json(message)))
    assert LlmResponse.model_validate(from_response_message(message)) == read_by_adk


def test_an_error_is_a_candidate_without_content() -> None:
    message = to_response_message({"error_code": "SAFETY", "error_message": "not that"})

    assert message.candidates[0].finish_reason == Candidate.FinishReason.SAFETY
    assert from_response_message(message) == {
        "finish_reason": "SAFETY",
        "error_code": "SAFETY",
        "error_message": "not that",
    }


def test_a_message_without_candidates_is_an_empty_response() -> None:
    assert from_response_message(GenerateContentResponse()) == {"content": {"role": "model", "parts": []}}
