"""What must be equal in two model requests, what may differ, and how a difference is told."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from adk_agent_sim.golden.cassette import CassetteBlock, CassetteRequest
from adk_agent_sim.golden.cassette_matching import RequestMatcher, compare_words, summarize_differences

NOW = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC).timestamp()
ONE, OTHER = "0b8a1c52-8f0e-4e0f-9d3a-1f2e3d4c5b6a", "7c6b5a49-3827-4615-a0f1-e2d3c4b5a697"


def build_request(
    *texts: str,
    instruction: Any = "Help.",
    tools: Any = (),
    contents: list[dict[str, Any]] | None = None,
    **config: Any,
) -> CassetteRequest:
    listed = contents if contents is not None else [_say(text) for text in texts]
    return CassetteRequest(
        instruction=CassetteBlock.from_value(instruction),
        tools=CassetteBlock.from_value(list(tools)),
        config=CassetteBlock.from_value({"model": "m", **config}),
        contents=tuple(map(CassetteBlock.from_value, listed)),
    )


def _say(text: str) -> dict[str, Any]:
    return {"role": "user", "parts": [{"text": text}]}


def find(recorded: CassetteRequest, found: CassetteRequest) -> list[str]:
    return [str(each) for each in RequestMatcher(NOW).find_differences(recorded, found)]


@pytest.mark.parametrize(
    ("recorded", "found"),
    [
        ("same", "same"),
        (f"order {ONE}!", f"order {OTHER}!"),
        ("It is 2025-01-01T10:00:00Z.", "It is 2026-03-04T05:00:00+00:00."),
        ("Today is 2025-01-01, a day.", "Today is 2026-03-04, a day."),
        ("at 2025-01-01 10:00:00.123456 sharp", "at 2026-03-04 05:06:07.1 sharp"),
        ("use [redacted] here", "use hunter2 here"),
        ("use [redacted]", "use hunter2"),
        ("use [redacted], [redacted] and [redacted].", "use a1, b2 and c3."),
        ("use [redacted]", "use [redacted]"),
        (f"[redacted] of {ONE} on 2025-01-01", f"x of {OTHER} on 2026-03-04"),
    ],
)
def test_what_changes_by_itself_may_differ(recorded: str, found: str) -> None:
    assert RequestMatcher(NOW).is_match(recorded, found)


@pytest.mark.parametrize(
    ("recorded", "found"),
    [
        ("same", "other"),
        ("same", "same."),
        (f"order {ONE}", "order 12"),
        (f"order {ONE}", f"order {OTHER} "),
        (f"order {ONE}", "order 2026-03-04"),
        ("It is 2025-01-01.", "It is 2025-01-02."),  # not the current date
        ("It is 2025-01-01.", "It is Monday."),
        ("use [redacted] here", "use two words here"),
        ("use [redacted] here", "use  here"),
        ("use [redacted]", "use "),
        ("use hunter2", "use [redacted]"),
        ("x", 1),
        (1, 1.0),
        (1, True),
        (True, 1),
        (False, 0),
        ({"strict": [True]}, {"strict": [1]}),
        (1, None),
        (1_700_000_000, 1_600_000_000),
        ([1], [1, 2]),
        ({"a": 1}, {"a": 1, "b": None}),
    ],
)
def test_everything_else_must_be_equal(recorded: Any, found: Any) -> None:
    assert not RequestMatcher(NOW).is_match(recorded, found)


def test_a_uuid_has_the_same_counterpart_everywhere() -> None:
    matcher = RequestMatcher(NOW)

    assert matcher.is_match([ONE, ONE], [OTHER, OTHER])
    assert matcher.uuids == {ONE: OTHER}
    assert not RequestMatcher(NOW).is_match([ONE, ONE], [OTHER, OTHER.replace("7", "8")])
    assert not RequestMatcher(NOW, {ONE: ONE}).is_match(ONE, OTHER)


@pytest.mark.parametrize("found", [int(NOW), 1_700_000_000])
def test_seconds_may_be_those_of_now(found: int) -> None:
    assert RequestMatcher(NOW).is_match({"at": 1_700_000_000}, {"at": found})


def test_a_masked_value_may_be_of_any_kind() -> None:
    assert RequestMatcher(NOW).is_match({"pin": "[redacted]"}, {"pin": 1234})


def test_equal_requests_have_no_differences() -> None:
    assert find(build_request("a", "b"), build_request("a", "b")) == []


def test_each_part_is_named() -> None:
    recorded = build_request("a", instruction="Be kind.", tools=[{"function": {"name": "add"}}], temperature=0)
    found = build_request("b", instruction="Be quick.", tools=[{"google_search": {}}], temperature=1)

    differences = RequestMatcher(NOW).find_differences(recorded, found)

    assert [str(each) for each in differences] == [
        "the instruction: Be [-kind-]{+quick+}.",
        "tool 'add': it was offered, and is not offered now",
        "tool 'google_search': it is offered, and was not offered before",
        "the setting 'temperature': [-0-]{+1+}",
        "content 1 (user message): [-a-]{+b+}",
    ]
    assert summarize_differences(differences).endswith("was not offered before; and 2 more")


def test_another_order_of_tools_is_a_difference() -> None:
    one, two = {"function": {"name": "one"}}, {"function": {"name": "two"}}

    (difference,) = find(build_request(tools=[one, two]), build_request(tools=[two, one]))

    assert difference.startswith("the order of the tools: ")


def test_contents_that_are_new_or_missing_are_named() -> None:
    assert find(build_request("a"), build_request("a", "b")) == ["content 2 (user message): it was not there before: b"]
    assert find(build_request("a", "b"), build_request("a")) == [
        "content 2 (user message): it was there, and is missing now: b"
    ]


def test_what_other_agents_did_may_be_in_any_order() -> None:
    one = {"role": "user", "parts": [{"text": "For context:"}, {"text": "[one] said: 1"}]}
    two = {"role": "user", "parts": [{"text": "For context:"}, {"text": "[two] said: 2"}]}
    ask = _say("merge")

    assert find(build_request(contents=[ask, one, two]), build_request(contents=[ask, two, one])) == []
    assert find(build_request(contents=[one, ask, two]), build_request(contents=[two, ask, one])) != []
    assert find(build_request(contents=[_say("a"), _say("b")]), build_request(contents=[_say("b"), _say("a")])) != []


def test_calls_and_responses_are_named_after_their_tools() -> None:
    def build(result: int) -> CassetteRequest:
        response = {"role": "user", "parts": [{"function_response": {"name": "add", "response": {"result": result}}}]}
        return build_request(contents=[_say("a"), response])

    (difference,) = find(build(4), build(5))

    assert difference.startswith("content 2 (response of tool 'add'): ")
    assert "[-4-]{+5+}" in difference


def test_a_word_diff_is_short() -> None:
    words = " ".join(f"word{number}" for number in range(5_000))

    diff = compare_words(f"{words} old {words}", f"{words} new {words}")

    assert "word4999 [-old-]{+new+} word0" in diff
    assert diff.startswith("…")
    assert diff.endswith("…")
    assert len(compare_words(words, words.upper())) < 500


def test_a_line_break_that_changed_is_visible() -> None:
    assert compare_words("a\nb", "a b") == "a[-↵-]{+ +}b"
