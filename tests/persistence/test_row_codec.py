"""Encoding and decoding rows returns exactly the same events."""

from dataclasses import replace

import payload_strategies
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.persistence.row_codec import (
    decode_event,
    decode_session,
    encode_event,
    encode_session,
    get_payload_type,
    read_stored_event,
)
from adk_agent_sim.timeline.blocks import Block, pack_ids
from adk_agent_sim.timeline.canonical_json import encode_json
from adk_agent_sim.timeline.events import (
    AgentPath,
    Event,
    Payload,
    Player,
    Session,
    ToolFailed,
    TurnAsked,
    TurnDecided,
    Unreadable,
)

_WHOLE_TEXT = st.text(max_size=10)


@st.composite
def _events(draw: st.DrawFn, payloads: st.SearchStrategy[Payload] = payload_strategies.ANY_PAYLOAD) -> Event:
    return Event(
        event_id=draw(_WHOLE_TEXT),
        session_id=draw(_WHOLE_TEXT),
        seq=draw(st.integers(0, 2**63 - 1)),
        timestamp=draw(payload_strategies.TIME),
        payload=draw(payloads),
        turn_id=draw(_WHOLE_TEXT),
        agent_name=draw(_WHOLE_TEXT),
        player=draw(st.none() | st.sampled_from(Player)),
        agent_path=draw(
            st.none()
            | st.builds(AgentPath, branch=st.sampled_from(["", "root.a"]), parent_call_id=st.sampled_from(["", "c"]))
        ),
    )


@pytest.mark.req("003/schema-1")
@pytest.mark.parametrize("kind", payload_strategies.PAYLOADS, ids=lambda kind: kind.__name__)
def test_every_kind_of_event_comes_back_types_and_key_order_exact(kind: type[Payload]) -> None:
    @given(event=_events(payload_strategies.PAYLOADS[kind]))
    def comes_back(event: Event) -> None:
        decoded = decode_event(encode_event(event))

        assert decoded == event
        # == takes 5 for 5.0 and any order of keys; the text does not.
        assert encode_json(_jsons(decoded)) == encode_json(_jsons(event))

    comes_back()


def _jsons(event: Event) -> list[object]:
    payload = event.payload
    return [
        getattr(payload, name)
        for name in ("state", "content", "response", "arguments", "result", "actions", "event")
        if hasattr(payload, name)
    ]


def test_a_row_of_an_older_release_has_no_agent_path_and_nobody_who_decided() -> None:
    """Written by a release that knew neither of them."""
    row = b'\n\x01e\x12\x01s\x1a\x02\x08\x01"\x01t*\x04math\xa0\x01\x01\xa8\x01\x02\xc2\x01\x01d\xca\x02\x04\n\x02{}'

    event = decode_event(row)

    assert (event.turn_id, event.agent_name, event.agent_path) == ("t", "math", None)
    assert isinstance(event.payload, TurnDecided)
    assert (event.payload.decision_id, event.payload.decided_by) == ("d", "")


@given(event=_events(), seq=st.integers(1, 2**63 - 1))
def test_the_column_of_the_seq_is_authoritative(event: Event, seq: int) -> None:
    event = replace(event, event_id="e", session_id="s", turn_id="t", agent_name="a", timestamp=1.0, agent_path=None)
    assert read_stored_event(event.session_id, seq, encode_event(event)) == replace(event, seq=seq)


@pytest.mark.parametrize("blob", [b"\xff", b"", encode_session(Session(session_id="s", created_at=1.0))])
def test_a_stored_event_that_cannot_be_read_says_why(blob: bytes) -> None:
    event = read_stored_event("s", 7, blob)

    assert (event.session_id, event.seq) == ("s", 7)
    assert isinstance(event.payload, Unreadable)
    assert event.payload.reason


@given(session=st.builds(Session, session_id=_WHOLE_TEXT, created_at=st.floats(1e8, 1e10), description=_WHOLE_TEXT))
def test_a_session_comes_back(session: Session) -> None:
    assert decode_session(encode_session(session)) == session


def test_a_lone_surrogate_is_replaced_in_the_message_and_decoded_exactly() -> None:
    failed = ToolFailed(call_id="c", error_type="ValueError", error_message="bad: \ud83d", duration_ms=1.0)
    event = Event(event_id="e", session_id="s", seq=1, timestamp=0.0, payload=failed)

    stored = v1.SessionEvent.FromString(encode_event(event))

    assert stored.tool_failed.error_message == "bad: \ufffd"
    assert stored.texts_json == r'{"error_message":"bad: \ud83d"}'
    assert decode_event(encode_event(event)) == event


def test_a_request_is_stored_as_references_however_long_the_conversation() -> None:
    def count_stored_bytes(contents: int) -> int:
        ids = [Block.from_data(str(number).encode()).block_id for number in range(contents)]
        asked = TurnAsked(
            invocation_id="i", contents=pack_ids(ids, lambda _: None), tools=ids[0], instruction=ids[0], config=ids[0]
        )
        event = Event(event_id="e", session_id="s", seq=1, timestamp=0.0, payload=asked, turn_id="t")
        assert decode_event(encode_event(event)) == event
        return len(encode_event(event))

    assert count_stored_bytes(100_000) < 2_000


@pytest.mark.req("003/schema-5")
@given(payload=payload_strategies.ANY_PAYLOAD)
def test_the_payload_type_is_request_response_or_the_event_kind(payload: Payload) -> None:
    facts_of_the_protocol = {field.name for field in v1.SessionEvent.DESCRIPTOR.oneofs_by_name["payload"].fields}

    match payload:
        case TurnAsked():
            assert get_payload_type(payload) == "request"
        case TurnDecided():
            assert get_payload_type(payload) == "response"
        case _:
            assert get_payload_type(payload) in facts_of_the_protocol


def test_a_message_that_is_never_stored_is_refused() -> None:
    blob = v1.SessionEvent(event_id="e1", history_complete=v1.HistoryComplete()).SerializeToString()

    with pytest.raises(ValueError, match=r"'e1'.*history_complete"):
        decode_event(blob)
