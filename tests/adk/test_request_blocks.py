from __future__ import annotations

import copy
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, cast

import httpx
import pytest
from google.adk.models.llm_request import LlmRequest
from google.genai import types
from pydantic import BaseModel

from adk_agent_sim.adk.seats.request_blocks import RequestEncoder
from adk_agent_sim.timeline.canonical_json import decode_json, encode_json
from adk_agent_sim.timeline.json_conversion import to_json_value


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


def _call(args: dict[str, Any]) -> types.Content:
    return types.Content(role="model", parts=[types.Part(function_call=types.FunctionCall(name="f", args=args))])


def _get_args(content: types.Content) -> dict[str, Any]:
    for part in content.parts or ():
        if part.function_call is not None and part.function_call.args is not None:
            return part.function_call.args
    raise ValueError("The content has no call.")


def _set_part(content: types.Content, **fields: Any) -> None:
    vars((content.parts or [])[0]).update(fields)


def _replace_args(contents: list[types.Content], args: dict[str, Any]) -> None:
    _get_args(contents[1]).clear()
    _get_args(contents[1]).update(args)


_EDITS: dict[str, Callable[[list[types.Content]], object]] = {
    "nothing": lambda contents: None,
    "a text": lambda contents: _set_part(contents[0], text="redacted"),
    "a role": lambda contents: setattr(contents[0], "role", "model"),
    "a number to a boolean": lambda contents: _get_args(contents[1]).update(a=True),
    "a number to a fraction": lambda contents: _get_args(contents[1]).update(a=1.0),
    "a sign of zero": lambda contents: _get_args(contents[1])["b"].update(z=-0.0),
    "an inner list": lambda contents: _get_args(contents[1])["b"]["list"].append("more"),
    "the order of keys": lambda contents: _replace_args(contents, dict(reversed(list(_get_args(contents[1]).items())))),
    "a value without JSON": lambda contents: _get_args(contents[1]).update(a=datetime(2030, 1, 2, tzinfo=UTC)),
    "a flag": lambda contents: _set_part(contents[0], thought=True),
    "a flag to a number": lambda contents: _set_part(contents[0], thought=1),
    "bytes": lambda contents: _set_part(contents[0], thought_signature=b"\x00"),
    "a list of models": lambda contents: _set_part(
        contents[0],
        function_response=types.FunctionResponse(
            name="f", response={}, parts=[types.FunctionResponsePart.from_bytes(data=b"1", mime_type="image/png")]
        ),
    ),
    "another part": lambda contents: (contents[0].parts or []).append(types.Part(text="more")),
    "no parts": lambda contents: setattr(contents[0], "parts", None),
    "a content left out": lambda contents: contents.pop(0),
    "a content put in": lambda contents: contents.insert(0, _content("first")),
    "the order of contents": lambda contents: contents.reverse(),
    "a content of another class": lambda contents: contents.__setitem__(
        0, types.UserContent(parts=[types.Part(text="other")])
    ),
}
"""What a callback may do to the contents, in place."""


_CONFIG = types.GenerateContentConfig()


def _build_conversation() -> list[types.Content]:
    return [_content("one"), _call({"a": 1, "b": {"z": 0.0, "list": [1]}}), _content("three"), _content("three")]


@pytest.mark.parametrize("copied", [False, True], ids=["in place", "in copies"])
@pytest.mark.parametrize("first", _EDITS)
def test_whatever_a_callback_does_to_old_contents_is_recorded(first: str, copied: bool) -> None:
    for second in _EDITS:
        encoder, contents = RequestEncoder(), _build_conversation()
        encoder.encode("a", LlmRequest(contents=contents))
        for edit in (first, second):
            contents = copy.deepcopy(contents) if copied else contents
            # The second edit may find something else where the first has been.
            with suppress(ValueError, IndexError, KeyError):
                _EDITS[edit](contents)

            recorded = encoder.encode("a", LlmRequest.model_construct(contents=contents, config=_CONFIG)).contents

            expected = [encode_json(to_json_value(content)) for content in contents]
            assert [block.data for block in recorded] == expected, (first, second)


@pytest.mark.parametrize("edit", [edit for edit in _EDITS if edit != "nothing"])
def test_each_edit_changes_what_is_recorded(edit: str) -> None:
    contents = _build_conversation()
    before = [block.data for block in RequestEncoder().encode("a", LlmRequest(contents=contents)).contents]
    _EDITS[edit](contents)

    request = LlmRequest.model_construct(contents=contents, config=_CONFIG)
    assert [block.data for block in RequestEncoder().encode("a", request).contents] != before


@pytest.mark.parametrize("kind", [types.UserContent, types.ModelContent])
def test_contents_that_an_app_builds_by_role_are_not_converted_again(kind: type[types.UserContent]) -> None:
    encoder = RequestEncoder()
    content = kind(parts=[types.Part(text="one")])
    (before,) = encoder.encode("a", LlmRequest.model_construct(contents=[content], config=_CONFIG)).contents

    request = LlmRequest.model_construct(contents=[copy.deepcopy(content)], config=_CONFIG)
    (after,) = encoder.encode("a", request).contents

    assert after is before


def test_after_an_old_content_was_edited_or_left_out_the_others_are_not_converted_again() -> None:
    encoder = RequestEncoder()
    contents = [_content(f"text {number}") for number in range(100)]
    before = encoder.encode("a", LlmRequest(contents=contents)).contents
    _set_part(contents[10], text="redacted")
    left = contents[4:]

    after = encoder.encode("a", LlmRequest(contents=left)).contents

    assert sum(new is not old for new, old in zip(after, before[4:], strict=True)) == 1


def test_tools_that_were_changed_in_place_are_converted_again() -> None:
    declaration = types.FunctionDeclaration(name="f", parameters_json_schema={"properties": {"a": {"default": 1}}})
    request = LlmRequest(config=types.GenerateContentConfig(tools=[types.Tool(function_declarations=[declaration])]))
    encoder = RequestEncoder()
    first = encoder.encode("a", request).tools
    assert encoder.encode("a", request).tools is first

    (tool,) = cast("list[types.Tool]", cast("Any", request.config).tools)
    (sent,) = tool.function_declarations or []
    cast("Any", sent.parameters_json_schema)["properties"]["a"]["default"] = True
    changed = encoder.encode("a", request).tools

    assert b'"default":true' in changed.data  # decoded, 1 and True would be equal
