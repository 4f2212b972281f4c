"""A cassette is written atomically by several writers, read as it was written, and refused if it is something else."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import fork_server
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from polling import MAX_WAIT_SECONDS

from adk_agent_sim.errors import ImportRefused
from adk_agent_sim.golden.cassette import (
    Cassette,
    CassetteBlock,
    CassetteRequest,
    CassetteRun,
    CassetteSession,
    CassetteTurn,
)
from adk_agent_sim.golden.cassette_files import CassetteFile, parse_cassette, read_cassette, render_cassette
from adk_agent_sim.golden.recording import StreamKey
from adk_agent_sim.golden.trace_kind import detect_trace_kind
from adk_agent_sim.timeline.events import AgentPath

_TEXTS = st.text(max_size=8)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | _TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=5,
)
_BLOCKS = st.sampled_from([CassetteBlock.from_value({"parts": [{"text": each}]}) for each in "abcdef"])
_TURNS = st.builds(
    CassetteTurn,
    key=st.builds(
        StreamKey,
        agent_name=st.sampled_from(["one", "two"]),
        path=st.builds(AgentPath, branch=_TEXTS, parent_call_id=_TEXTS),
    ),
    request=st.builds(
        CassetteRequest,
        instruction=st.sampled_from(["", "line\nline\n", "one"]).map(CassetteBlock.from_value),
        tools=st.just(CassetteBlock.from_value([])),
        config=st.just(CassetteBlock.from_value({"model": "m"})),
        contents=st.lists(_BLOCKS, max_size=8).map(tuple),
    ),
    responses=st.lists(_JSON.map(CassetteBlock.from_value), max_size=2).map(tuple),
    error=st.none() | st.just(CassetteBlock.from_value({"type": "T", "message": "m"})),
    pieces=st.just(()) | st.just(((3, 1),)) | st.just(((), (2,))),
)
_SESSIONS = st.builds(
    CassetteSession,
    app_name=_TEXTS,
    user_id=_TEXTS,
    state=_JSON.map(CassetteBlock.from_value),
    runs=st.lists(
        st.builds(CassetteRun, message=_BLOCKS, turns=st.lists(_TURNS, max_size=4).map(tuple)), max_size=3
    ).map(tuple),
)


@example([CassetteSession(app_name="a", user_id="u", state=CassetteBlock.from_value({"lines": ["1"]}), runs=())])
@example([CassetteSession(app_name="a", user_id="u", state=CassetteBlock.from_value("\n"), runs=())])
@given(st.lists(_SESSIONS, max_size=2))
def test_a_cassette_is_read_as_it_was_written(sessions: list[CassetteSession]) -> None:
    cassette = Cassette(sessions=tuple(sessions))
    text = render_cassette(cassette)

    assert parse_cassette(text) == cassette
    assert render_cassette(parse_cassette(text)) == text


def build_session(*messages: str, app_name: str = "app", answer: str = "") -> CassetteSession:
    runs: list[CassetteRun] = []
    contents: list[CassetteBlock] = []
    for message in messages:
        contents.append(CassetteBlock.from_value({"role": "user", "parts": [{"text": message}]}))
        request = CassetteRequest(
            instruction=CassetteBlock.from_value("Help."),
            tools=CassetteBlock.from_value([]),
            config=CassetteBlock.from_value({"model": "m"}),
            contents=tuple(contents),
        )
        response = CassetteBlock.from_value({"content": {"role": "model", "parts": [{"text": answer or message}]}})
        turn = CassetteTurn(key=StreamKey(agent_name="a", path=AgentPath()), request=request, responses=(response,))
        runs.append(CassetteRun(message=contents[-1], turns=(turn,)))
        contents.append(CassetteBlock.from_value({"role": "model", "parts": [{"text": answer or message}]}))
    return CassetteSession(app_name=app_name, user_id="u", state=CassetteBlock.from_value({}), runs=tuple(runs))


def test_the_order_of_the_sessions_does_not_depend_on_who_came_first(tmp_path: Path) -> None:
    one, two = CassetteFile(tmp_path / "one.json"), CassetteFile(tmp_path / "two.json")
    sessions = [build_session("b"), build_session("a"), build_session("a", app_name="zoo")]
    for session in sessions:
        one.put_session(session)
    for session in reversed(sessions):
        two.put_session(session)

    assert one.path.read_bytes() == two.path.read_bytes()


def test_a_conversation_is_there_once(tmp_path: Path) -> None:
    file = CassetteFile(tmp_path / "a.json")
    file.put_session(build_session("a"))
    file.put_session(build_session("a", answer="new"))
    longer = build_session("a", "b", answer="new")
    file.put_session(longer, build_session("a", answer="new"))

    assert read_cassette(file.path).sessions == (longer,)


def test_what_another_writer_wrote_in_between_stays(tmp_path: Path) -> None:
    one, two = CassetteFile(tmp_path / "a.json"), CassetteFile(tmp_path / "a.json")
    for number in range(3):
        one.put_session(build_session(f"one {number}"))
        two.put_session(build_session(f"two {number}"))

    assert len(read_cassette(tmp_path / "a.json").sessions) == 6


_WRITER = """
import sys
sys.path[:0] = [{tests!r}]
from pathlib import Path
from test_cassette_files import CassetteFile, build_session
file = CassetteFile(Path(sys.argv[1]))
print("ready", flush=True)
number = 0
while sys.stdin.readline():
    file.put_session(build_session(f"{{sys.argv[2]}} {{number}}"))
    number += 1
    print(number, flush=True)
"""


@pytest.mark.process
def test_processes_that_write_at_once_and_are_killed_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    code = _WRITER.format(tests=str(Path(__file__).parent))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])}
    writers = [
        fork_server.open_process(["-c", code, str(path), name], environment=environment) for name in ("one", "two")
    ]
    try:
        for writer in writers:
            writer.stdin.write("go\n" * 50)
            writer.stdin.flush()
        for writer in writers:
            while writer.stdout.readline() != "10\n":
                assert writer.poll() is None
            writer.kill()  # in the middle of any of the next writes
    finally:
        for writer in writers:
            writer.kill()
            writer.communicate(timeout=MAX_WAIT_SECONDS)

    texts = {run.message.value["parts"][0]["text"] for each in read_cassette(path).sessions for run in each.runs}
    assert {f"{name} {number}" for name in ("one", "two") for number in range(10)} <= texts


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ('{"version": 2}', "version 2; this release reads 'adksim.cassette', version 1"),
        ('{"format": "other"}', "the format is 'other'"),
        ('{"sessions": [{}]}', "'runs' is missing"),
        ('{"sessions": 5}', "a field has the wrong type"),
        ('{"blocks": []}', "a field has the wrong type"),
        ('{"blocks": {}}', "is missing"),
    ],
)
def test_an_invalid_file_is_refused(change: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    CassetteFile(path).put_session(build_session("a"))
    path.write_text(json.dumps({**json.loads(path.read_text()), **json.loads(change)}))

    with pytest.raises(ImportRefused, match=reason):
        read_cassette(path)


@pytest.mark.parametrize("pieces", [[[0]], [[-1]], [["a"]], [[True]], [5], 5])
def test_pieces_that_are_not_lengths_are_refused(pieces: object, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    CassetteFile(path).put_session(build_session("a"))
    document = json.loads(path.read_text())
    document["sessions"][0]["runs"][0]["turns"][0]["pieces"] = pieces
    path.write_text(json.dumps(document))

    with pytest.raises(ImportRefused, match=r"'pieces' must be lists of positive|a field has the wrong type"):
        read_cassette(path)


def test_a_file_that_would_fill_the_memory_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    CassetteFile(path).put_session(build_session("a"))
    document = json.loads(path.read_text())
    (turn,) = document["sessions"][0]["runs"][0]["turns"]
    bomb = {**turn, "contents": [{"from_previous": [0, 10**9]}] * 10}
    document["sessions"][0]["runs"][0]["turns"] = [turn, *[bomb] * 20]
    path.write_text(json.dumps(document))

    with pytest.raises(ImportRefused, match="a request has more than 100,000 contents"):
        read_cassette(path)


def test_a_file_that_is_nested_too_deeply_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(
        f'{{"format": "adksim.cassette", "version": 1, "sessions": {"[" * 900}{"]" * 900}, "blocks": {{}}}}'
    )

    with pytest.raises(ImportRefused, match="it has more than 300 levels"):
        read_cassette(path)


def test_a_cassette_is_recognized_by_its_content(tmp_path: Path) -> None:
    path = tmp_path / "anything.txt"
    CassetteFile(path).put_session(build_session("a"))

    assert detect_trace_kind(path) == "cassette"


def test_a_cassette_can_be_edited_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    CassetteFile(path).put_session(build_session("a"))
    path.write_text(path.read_text().replace("Help.", "Help well."))

    (session,) = read_cassette(path).sessions
    assert session.runs[0].turns[0].request.instruction.value == "Help well."
