import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from secret_corpus import make_plain_values, make_secret_cases
from work_counter import count_lines

from adk_agent_sim.timeline.events import (
    AgentEvent,
    AgentJoined,
    ArtifactSaved,
    EnvironmentDecided,
    Event,
    Noted,
    Payload,
    RunEnded,
    RunOutcome,
    ToolFailed,
    ToolFinished,
    ToolStarted,
    TurnAsked,
    TurnDecided,
    UserSpoke,
)
from adk_agent_sim.timeline.jsonl import encode_line
from adk_agent_sim.timeline.redaction.redactor import MASK, Redactor, is_secret_key, redact_events
from adk_agent_sim.timeline.redaction.secret_values import build_masked_object
from adk_agent_sim.timeline.world_events import NotificationDelivered, VerdictReached, WorldEventHappened

CANARY = 'Kanarienvogel"9\\ü/'
"""Contains characters that JSON and URLs escape."""


@pytest.mark.parametrize(
    "key",
    [
        *("password", "Password", "PASSWORD", "userPassword", "db-password", "passphrase"),
        *("api_key", "apiKey", "APIKey", "X-Api-Key", "apikey", "OPENAI_API_KEY", "privateKey", "aws_access_key"),
        *("token", "accessToken", "refresh_token", "client_secret", "secrets", "credentials"),
        *("authorization", "Proxy-Authorization", "Set-Cookie", "cookies"),
    ],
)
def test_a_key_names_a_secret_by_whole_words(key: str) -> None:
    assert is_secret_key(key)


@pytest.mark.parametrize(
    "key", ["tokenizer", "author", "keyboard", "key", "secretary", "cookiecutter", "monkey", "passwordless"]
)
def test_a_key_that_only_contains_the_letters_does_not(key: str) -> None:
    assert not is_secret_key(key)


@pytest.mark.parametrize(
    ("value", "clean"),
    [
        ({"a": [{"password": "x"}]}, {"a": [{"password": MASK}]}),
        ({"password": {"old": "x", "new": ["y"]}}, {"password": {"old": MASK, "new": [MASK]}}),
        ({"password": 1234}, {"password": MASK}),
        ({"password": None, "token": "", "has_secret": True}, {"password": None, "token": "", "has_secret": True}),
        ({"max_tokens": 100, "token_count": 5}, {"max_tokens": 100, "token_count": 5}),
        ('{"deep": {"token": "x"}}', f'{{"deep": {{"token": "{MASK}"}}}}'),
        ({"body": json.dumps({"inner": json.dumps({"api_key": "x"})})}, None),
        ("log in with password=hunter2&next=1", f"log in with password={MASK}&next=1"),
        ("KeyError in {'api_key': 'x y', 'n': 1}", f"KeyError in {{'api_key': '{MASK}', 'n': 1}}"),
        ("X-Api-Key: abc\nHost: here", f"X-Api-Key: {MASK}\nHost: here"),
        ("Cookie: a=b; c=d\nHost: here", f"Cookie: {MASK}\nHost: here"),
        ("sent Bearer abc.def-ghi to it", f"sent Bearer {MASK} to it"),
        ("the author: Ada, total = 5", "the author: Ada, total = 5"),
    ],
)
def test_values_under_a_secret_key_are_masked(value: Any, clean: Any) -> None:
    found = Redactor({}).redact_value(value)

    if clean is None:
        assert '"x' not in json.dumps(found)
    else:
        assert found == clean
    assert Redactor({}).redact_value(found) == found


@pytest.mark.parametrize("name", ["MY_KEY", "SHOP_TOKEN", "CLIENT_SECRET", "DB_PASSWORD", "my_key"])
def test_the_values_of_secret_variables_are_masked_wherever_they_occur(name: str) -> None:
    redactor = Redactor({name: CANARY, "HOME": "/home/ada"})
    once = json.dumps({"said": f"it is {CANARY}."})
    thrice = json.dumps([json.dumps([once])])

    for text in (CANARY, f"before{CANARY}after", once, thrice, f"see {thrice}", repr(CANARY), "at /home/ada"):
        assert "Kanarien" not in redactor.redact_text(text)
    assert redactor.redact_value({CANARY: 1}) == {MASK: 1}
    assert redactor.redact_text("at /home/ada") == "at /home/ada"


def test_a_short_value_of_a_variable_is_not_masked_elsewhere() -> None:
    assert Redactor({"SORT_KEY": "name"}).redact_text("the name of it") == "the name of it"


def test_a_long_text_without_secrets_is_read_in_linear_time() -> None:
    blob = "QUJD" * 500_000

    assert Redactor({}).redact_text(blob) == blob


_PAYLOADS: list[Payload] = [
    AgentJoined(app_name="a", user_id="u", adk_session_id="s", state={"user": {"password": CANARY}}),
    UserSpoke(content={"parts": [{"text": f"I am {CANARY}"}]}),
    TurnDecided(decision_id="d", response={"content": {"parts": [{"text": json.dumps({"x": CANARY})}]}}),
    ToolStarted(call_id="c", tool_name="login", arguments={"password": CANARY}),
    ToolFinished(call_id="c", result=[f"hello {CANARY}"], duration_ms=1, actions={"state_delta": {"seen": CANARY}}),
    ToolFailed(call_id="c", error_type="E", error_message=CANARY, duration_ms=1, traceback=f"f({CANARY!r})"),
    EnvironmentDecided(
        call_id="c",
        tool_name="login",
        rule="",
        actions=[],
        passed_over=[{"rule": "down", "why": f"password is {CANARY!r}, not 'x'"}],
        near_miss={"rule": "down", "differences": {"user.password": {"expected": "'x'", "found": repr(CANARY)}}},
    ),
    AgentEvent(invocation_id="i", event={"content": {"parts": [{"text": f"?q={CANARY}"}]}}, final=True),
    ArtifactSaved(filename=f"{CANARY}.txt", version=0, mime_type="text/plain", block="b"),
    WorldEventHappened(event={"event_id": CANARY, "event_type": "ENV", "event_time": 1}, elapsed_seconds=1.0),
    NotificationDelivered(kind="USER_MESSAGE", text=f"I am {CANARY}", elapsed_seconds=1.0),
    VerdictReached(turn=0, passed=False, reason=f"no {CANARY}", verdict={"reason": f"no {CANARY}"}),
    Noted(row_index=0, about_seq=2, text=f"why {CANARY}?"),
    RunEnded(invocation_id="i", outcome=RunOutcome.FAILED, error_message=f"no {CANARY}"),
]


def test_no_event_keeps_a_secret_that_one_of_them_names() -> None:
    asked = TurnAsked(invocation_id="i", contents=(("1",),), tools="2", instruction="3", config="4")
    events = [
        Event(event_id=str(seq), session_id="s", seq=seq, timestamp=0.0, payload=payload)
        for seq, payload in enumerate([*_PAYLOADS, asked], start=1)
    ]

    clean = redact_events(events, {})

    assert "Kanarien" in "".join(map(encode_line, events))
    assert "Kanarien" not in "".join(map(encode_line, clean))
    assert [type(event.payload) for event in clean] == [type(event.payload) for event in events]
    assert clean[-1] == events[-1]
    ended = clean[-2].payload
    assert isinstance(ended, RunEnded)
    assert ended.outcome is RunOutcome.FAILED


@pytest.mark.parametrize("levels", [90, 900, 100_000])
def test_json_in_a_text_is_redacted_however_deeply_it_is_nested(levels: int) -> None:
    text = "[" * levels + '{"password": "hunter22"}' + "]" * levels

    assert "hunter22" not in Redactor({}).redact_value(text)


_FRAGMENTS = [case.value for case in make_secret_cases() if isinstance(case.value, str)]
_TEXTS = st.lists(
    st.one_of(
        st.sampled_from([*_FRAGMENTS, *(value for value in make_plain_values() if isinstance(value, str))]),
        st.sampled_from(
            ["password", "token", "api key", "=", ": ", "\n", '"', "'", "\\", "[", "]", "{", "}", "@", "://", MASK]
        ),
        st.text(max_size=8),
    ),
    max_size=8,
).map("".join)
_VALUES = st.recursive(
    st.one_of(_TEXTS, st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.one_of(st.sampled_from(["password", "tokens", "key", "a", "name", "value"]), _TEXTS), inner, max_size=3
        ),
    ),
    max_leaves=6,
)


@pytest.mark.property
@given(_VALUES)
def test_redacting_twice_is_redacting_once(value: Any) -> None:
    once = Redactor({"A_KEY": "redacted", "B_KEY": "hunter22"}).redact_value(value)

    assert Redactor({"A_KEY": "redacted", "B_KEY": "hunter22"}).redact_value(once) == once


@pytest.mark.property
@given(_VALUES)
def test_json_keeps_its_shape(value: Any) -> None:
    _check_same_shape(value, json.loads(json.dumps(Redactor({}).redact_value(value))))


def _list_items(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else list(value)  # pyright: ignore


def _check_same_shape(before: Any, after: Any) -> None:
    if isinstance(before, dict | list):
        assert type(after) is type(before)  # pyright: ignore[reportUnknownArgumentType]
        for inner_before, inner_after in zip(_list_items(before), _list_items(after), strict=True):
            _check_same_shape(inner_before, inner_after)
    else:
        assert isinstance(after, str) if isinstance(before, str) else after in (before, MASK)


@pytest.mark.parametrize("name", ["credentials", "notes"])
def test_entries_whose_keys_are_secrets_stay_as_many(name: str) -> None:
    keys = [f"AKIAIOSFODNN7EXAMPL{letter}" for letter in "ABC"]

    clean = Redactor().redact_value({name: {key: {"type": "x", "id": number} for number, key in enumerate(keys)}})

    assert [*clean[name]] == [MASK, f"{MASK} 2", f"{MASK} 3"]


def test_many_keys_that_become_equal_cost_work_in_proportion() -> None:
    few, many = (
        count_lines(lambda count=count: build_masked_object((MASK, number) for number in range(count)), 1_000_000)
        for count in (100, 1_000)
    )

    assert many <= 11 * few


def test_a_value_named_in_one_text_is_masked_in_another() -> None:
    events = [
        Event(event_id=str(seq), session_id="s", seq=seq, timestamp=0.0, payload=UserSpoke(content=text))
        for seq, text in enumerate(["password=hu7ter22x", "it is hu7ter22x"], start=1)
    ]

    assert "hu7ter22x" not in str(redact_events(events, {}))
