from __future__ import annotations

import httpx
from google.adk.models.llm_request import LlmRequest
from google.genai import types
from pydantic import BaseModel

from adk_agent_sim.adk.request_blocks import RequestEncoder
from adk_agent_sim.timeline.canonical_json import decode_json


class _Answer(BaseModel):
    text: str


def _content(text: str) -> types.Content:
    return types.Content(role="user", parts=[types.Part(text=text)])


def test_an_output_schema_class_is_kept_as_json_schema() -> None:
    request = LlmRequest(model="m", contents=[_content("hi")])
    request.set_output_schema(_Answer)

    config = decode_json(RequestEncoder().encode("a", request).config.data)

    assert config["model"] == "m"
    assert config["config"]["response_schema"]["properties"] == {"text": {"title": "Text", "type": "string"}}
    assert config["config"]["response_mime_type"] == "application/json"


def test_a_content_that_adk_sends_again_is_not_converted_again() -> None:
    encoder = RequestEncoder()
    first = [_content("one"), _content("two")]
    before = encoder.encode("a", LlmRequest(contents=first)).contents
    again = [
        content.model_copy(update={"parts": [part.model_copy() for part in content.parts or ()]}) for content in first
    ]
    after = encoder.encode("a", LlmRequest(contents=[*again, _content("three")])).contents

    assert [new is old for new, old in zip(after, before, strict=False)] == [True, True]
    assert decode_json(after[2].data) == {"parts": [{"text": "three"}], "role": "user"}


def test_a_content_that_was_changed_in_place_is_converted_again() -> None:
    encoder = RequestEncoder()
    content = _content("secret")
    encoder.encode("a", LlmRequest(contents=[content]))
    (content.parts or [])[0].text = "redacted"

    (block,) = encoder.encode("a", LlmRequest(contents=[content])).contents

    assert decode_json(block.data)["parts"] == [{"text": "redacted"}]


def test_5_and_5_0_and_true_in_arguments_stay_what_they_are() -> None:
    args = {"b": 5, "a": 5.0, "c": True, "d": None, "e": {"z": [1, 1.0, False]}}
    call = types.Part(function_call=types.FunctionCall(name="f", args=args))

    (block,) = RequestEncoder().encode("a", LlmRequest(contents=[types.Content(parts=[call])])).contents

    assert b'{"b":5,"a":5.0,"c":true,"d":null,"e":{"z":[1,1.0,false]}}' in block.data


def test_bytes_come_back() -> None:
    image = types.Content(role="user", parts=[types.Part.from_bytes(data=b"\x00\xff", mime_type="image/png")])

    (block,) = RequestEncoder().encode("a", LlmRequest(contents=[image])).contents

    assert types.Content.model_validate_json(block.data) == image


def test_an_open_connection_is_not_recorded() -> None:
    options = types.HttpOptions(timeout=5, httpx_client=httpx.Client())
    request = LlmRequest(model="m", config=types.GenerateContentConfig(http_options=options))

    config = decode_json(RequestEncoder().encode("a", request).config.data)

    assert config["config"]["http_options"] == {"timeout": 5}
