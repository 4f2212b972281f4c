from __future__ import annotations

from typing import Any

import pytest

from adk_agent_sim.generated.adksim.v1 import GenerateContentRequest
from adk_agent_sim.wire.llm_messages import from_request_message, to_request_message


def test_a_request_survives_the_round_trip_through_a_message() -> None:
    request: dict[str, Any] = {
        "model": "m",
        "contents": [{"parts": [{"text": "hi"}], "role": "user"}],
        "config": {
            "temperature": 0.2,
            "stop_sequences": ["."],
            "safety_settings": [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "OFF"}],
            "tools": [{"url_context": {}}],
            "tool_config": {"function_calling_config": {"mode": "ANY"}},
            "cached_content": "caches/1",
            "system_instruction": "Be brief.",
        },
    }

    message = to_request_message(request)

    assert message.generation_config.stop_sequences == ["."]
    assert message.system_instruction.parts[0].text == "Be brief."
    assert from_request_message(message) == request


def test_an_empty_request_has_contents_and_config() -> None:
    assert from_request_message(GenerateContentRequest()) == {"contents": [], "config": {}}


_ROLE = {"parts": [{"text": "a"}], "role": "system"}
_TWO = {"parts": [{"text": "a"}, {"text": "b"}]}


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("a", "a"),
        ("", ""),
        ({"text": "a"}, "a"),
        ({"parts": [{"text": "a"}]}, "a"),
        (["a", {"text": "b"}], _TWO),
        (_TWO, _TWO),
        (_ROLE, _ROLE),
    ],
)
def test_every_form_of_instruction_is_a_content(given: object, read: object) -> None:
    message = to_request_message({"contents": [], "config": {"system_instruction": given}})

    assert from_request_message(message)["config"] == {"system_instruction": read}
