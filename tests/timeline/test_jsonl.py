from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

import payload_strategies
import pytest
from hypothesis import given
from hypothesis import strategies as st
from timeline_builders import ManualClock, ask_turn, build_request_blocks, call_decision, text_decision, user_content

from adk_agent_sim.errors import ImportRefused
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.events import (
    AgentPath,
    ArtifactSaved,
    Event,
    Payload,
    Player,
    Session,
    TurnAsked,
    TurnDecided,
    Unreadable,
    UserSpoke,
)
from adk_agent_sim.timeline.jsonl import (
    TimelineRecord,
    decode_line,
    encode_line,
    iter_records,
    load_session,
    read_records,
    write_session,
)
from adk_agent_sim.timeline.store import MemoryStore
from adk_agent_sim.timeline.submissions import EventBatch, TurnDecision
from adk_agent_sim.timeline.timeline import Timeline

_RECORDS: st.SearchStrategy[TimelineRecord] = st.one_of(
    st.builds(
        Session,
        session_id=payload_strategies.IDS,
        created_at=payload_strategies.TIME,
        description=payload_strategies.TEXT,
    ),
    st.binary(max_size=40).map(Block.from_data),
    st.builds(
        Event,
        event_id=payload_strategies.IDS,
        session_id=payload_strategies.IDS,
        seq=st.integers(1, 2**63 - 1),
        timestamp=payload_strategies.TIME,
        payload=payload_strategies.ANY_PAYLOAD,
        turn_id=payload_strategies.NAMES,
        agent_name=payload_strategies.NAMES,
        player=st.none() | st.sampled_from(Player),
        agent_path=st.none()
        | st.builds(AgentPath, branch=payload_strategies.TEXT, parent_call_id=payload_strategies.TEXT),
    ),
)


@given(record=_RECORDS)
def test_a_line_gives_back_its_record(record: TimelineRecord) -> None:
    line = encode_line(record)

    assert "\n" not in line
    assert decode_line(line) == record
    assert encode_line(decode_line(line)) == line


def test_the_line_of_an_older_release_has_no_agent_path_and_nobody_who_decided() -> None:
    """Written by a release that knew neither of them."""
    line = (
        '{"event":{"agent_name":"math","event_id":"e","kind":"turn_decided","payload":{"force":false,'
        '"decision_id":"d","duration_ms":null,"response":{}},"player":"human","seq":1,"session_id":"s",'
        '"timestamp":1.0,"turn_id":"t"}}'
    )

    event = decode_line(line)

    assert isinstance(event, Event)
    assert event.agent_path is None
    assert isinstance(event.payload, TurnDecided)
    assert event.payload.decided_by == ""


def test_an_unknown_agent_path_is_left_out_of_its_line() -> None:
    event = Event(event_id="e", session_id="s", seq=1, timestamp=1.0, payload=UserSpoke(content={}))

    assert "agent_path" not in encode_line(event)
    assert decode_line(encode_line(replace(event, agent_path=AgentPath()))) == replace(event, agent_path=AgentPath())


def test_every_kind_of_event_is_tried() -> None:
    assert set(payload_strategies.PAYLOADS) == set(get_args(Payload)) - {Unreadable}


async def _play_session(contents: int = 1) -> tuple[MemoryStore, Session]:
    store = MemoryStore()
    timeline = Timeline(store, ManualClock())
    session = await timeline.create_session("math")
    session_id = session.session_id
    await timeline.append(EventBatch(session_id, [UserSpoke(content=user_content("hi"))]))
    for number in range(contents):
        said = [user_content(f"message {place}") for place in range(number + 1)]
        await ask_turn(timeline, session_id, f"turn-{number}", build_request_blocks(said))
        await timeline.decide(TurnDecision(session_id, f"turn-{number}", call_decision("add", a=1, b=number)))
    block = Block.from_data(b"\xff\x00 no text")
    saved = ArtifactSaved(filename="a.bin", version=0, mime_type="application/octet-stream", block=block.block_id)
    await timeline.append(EventBatch(session_id, [saved], blocks=[block]))
    await ask_turn(timeline, session_id, "last")
    await timeline.decide(TurnDecision(session_id, "last", text_decision("done")))
    await timeline.close_session(session_id, "over")
    return store, session


async def test_a_file_gives_back_the_log_its_requests_and_its_artifacts(tmp_path: Path) -> None:
    store, session = await _play_session(40)
    path = tmp_path / "session.jsonl"
    await write_session(store, session, path)

    other = MemoryStore()
    restored = await load_session(path, other)

    assert restored == session
    assert other.get_log(session.session_id) == store.get_log(session.session_id)
    assert other.count_stored_bytes(session.session_id) == store.count_stored_bytes(session.session_id)
    before, after = Timeline(store), Timeline(other)
    for event in store.get_log(session.session_id):
        if isinstance(event.payload, TurnAsked):
            assert await after.read_request(event) == await before.read_request(event)
        if isinstance(event.payload, ArtifactSaved):
            assert await after.read_block(session.session_id, event.payload.block) == b"\xff\x00 no text"


async def test_a_block_is_written_once_and_before_the_event_that_names_it() -> None:
    store, session = await _play_session(3)
    found = await _all(iter_records(store, session))

    blocks = [record.block_id for record in found if isinstance(record, Block)]
    assert len(blocks) == len(set(blocks))
    first_ask = next(
        place
        for place, record in enumerate(found)
        if isinstance(record, Event) and isinstance(record.payload, TurnAsked)
    )
    assert all(isinstance(record, Block) for record in found[first_ask - 4 : first_ask])


async def _all(found: AsyncIterator[TimelineRecord]) -> list[TimelineRecord]:
    return [record async for record in found]


async def _lines(tmp_path: Path) -> list[str]:
    store, session = await _play_session()
    await write_session(store, session, tmp_path / "good.jsonl")
    return (tmp_path / "good.jsonl").read_text().splitlines()


def _read_refusal(tmp_path: Path, lines: Sequence[str]) -> str:
    path = tmp_path / "bad.jsonl"
    path.write_text("".join(line + "\n" for line in lines))
    with pytest.raises(ImportRefused, match=r"bad\.jsonl cannot be opened as a timeline: ") as refused:
        list(read_records(path))
    return refused.value.reason


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{oops", "Expecting property name"),
        ("[]", "the line is not a JSON object"),
        ("{}", "the line must contain a block or an event, but contains nothing"),
        ('{"event": {"kind": "dreamt", "seq": 1}}', "the event kind 'dreamt' is unknown"),
        ('{"event": 5}', "a field is missing or has the wrong type"),
        ('{"block": "ff", "text": "x"}', "the data of block 'ff' does not match its id"),
    ],
)
async def test_a_bad_line_is_refused_with_its_number(tmp_path: Path, line: str, why: str) -> None:
    good = await _lines(tmp_path)

    assert _read_refusal(tmp_path, [*good, line]).startswith(f"line {len(good) + 1}: {why}")


async def test_an_incomplete_file_is_refused(tmp_path: Path) -> None:
    good = await _lines(tmp_path)

    assert _read_refusal(tmp_path, []) == "the file is empty"
    assert "line 1: the first line, and no other, must be a session" in _read_refusal(tmp_path, good[1:])
    assert "version 2; this release reads" in _read_refusal(tmp_path, [good[0].replace('"version":1', '"version":2')])
    assert "event 2 of session" in _read_refusal(tmp_path, [line for line in good if '"seq":2' not in line])


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ImportRefused, match="No such file"):
        list(read_records(tmp_path / "none.jsonl"))


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('"text":"hi"', '"text":1', "line 2: user_spoke.content.parts[0].text must be a string, and is a number."),
        (
            '"timestamp":1000.0',
            '"timestamp":NaN',
            "line 2: timestamp must be a time in seconds since 1970, and is nan.",
        ),
        ('"agent_name":""', '"agent_name":" "', "line 2: agent_name must have a visible character, or be empty."),
        ('{"parts"', '{"deep":' + "[" * 100_000 + ',"parts"', "line 2: the line is nested too deeply to be read."),
        (
            '"created_at":1000.0',
            '"created_at":"now"',
            "line 1: session.created_at must be a time in seconds since 1970",
        ),
    ],
    ids=["text", "time", "name", "depth", "session"],
)
async def test_an_invalid_event_is_refused_and_its_line_named(tmp_path: Path, old: str, new: str, problem: str) -> None:
    store, session = await _play_session()
    path = tmp_path / "session.jsonl"
    await write_session(store, session, path)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))

    with pytest.raises(ImportRefused) as error:
        list(read_records(path))
    assert problem in str(error.value)
    assert not str(error.value).endswith("..")
