"""A model cassette in its file: read by content, written atomically, shared by threads and processes.

    {"format": "adksim.cassette", "version": 1,
     "sessions": [{"app_name": ..., "user_id": ..., "state": ..., "runs": [{"message": ..., "turns": [
         {"agent_name": ..., "branch": ..., "parent_call_id": ...,
          "instruction": DIGEST, "tools": DIGEST, "config": DIGEST, "contents": [{"from_previous": [0, 3]}, DIGEST],
          "responses": [...], "pieces": [[5, 6]], "error": ...}]}]}],
     "blocks": {DIGEST: ...}}

Every request repeats the conversation: `from_previous` stands for a slice of the contents of the agent's previous turn
in the session. `pieces` has the lengths in which the text of each response was streamed, and is missing if none was.
An instruction of several lines is `{"lines": [...]}`. A digest is only a name; whoever edits a block by hand need
not change it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

from adk_agent_sim.errors import ImportRefused
from adk_agent_sim.golden.cassette import (
    Cassette,
    CassetteBlock,
    CassetteRequest,
    CassetteRun,
    CassetteSession,
    CassetteTurn,
)
from adk_agent_sim.golden.recording import StreamKey
from adk_agent_sim.timeline.atomic_files import atomic_write_text, lock_folder, prepare_path
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import AgentPath
from adk_agent_sim.timeline.strict_json import dump_json, parse_json_object

CASSETTE_FORMAT = "adksim.cassette"
CASSETTE_VERSION = 1
"""The version of the file format; files of other versions are rejected."""

_FROM_PREVIOUS = "from_previous"

_MAX_DEPTH = 300
"""How deep a file may be nested; what is recorded is not."""

_MAX_CONTENTS = 100_000
"""How many contents a request may have: a few slices of slices would fill the memory."""


def render_cassette(cassette: Cassette) -> str:
    """Return the text of a file."""
    blocks: dict[str, CassetteBlock] = {}
    fields = {
        "format": dump_json(CASSETTE_FORMAT),
        "version": str(CASSETTE_VERSION),
        "sessions": _join_list(_render_session(session, blocks) for session in cassette.sessions),
        "blocks": _join_object({digest: block.shared_text for digest, block in blocks.items()}),
    }
    return _join_object(fields) + "\n"


def parse_cassette(text: str | bytes) -> Cassette:
    """Parse the text of a file; raise ValueError if it is invalid."""
    value = parse_json_object(text, max_depth=_MAX_DEPTH)
    if (value.get("format"), value.get("version")) != (CASSETTE_FORMAT, CASSETTE_VERSION):
        raise ValueError(
            f"the format is {value.get('format')!r}, version {value.get('version')!r}; "
            f"this release reads {CASSETTE_FORMAT!r}, version {CASSETTE_VERSION}"
        )
    try:
        blocks = {digest: CassetteBlock.from_shared(each) for digest, each in value["blocks"].items()}
        sessions = tuple(_parse_session(each, blocks) for each in value["sessions"])
    except KeyError as error:
        raise ValueError(f"{error.args[0]!r} is missing") from error
    except (AttributeError, TypeError, IndexError) as error:
        raise ValueError(f"a field has the wrong type: {error}") from error
    return Cassette(sessions=sessions)


def _render_session(session: CassetteSession, blocks: dict[str, CassetteBlock]) -> str:
    previous: dict[str, tuple[CassetteBlock, ...]] = {}
    runs = [
        _join_object(
            {
                "message": run.message.text,
                "turns": _join_list(_render_turn(turn, previous, blocks) for turn in run.turns),
            }
        )
        for run in session.runs
    ]
    return _join_object(
        {
            "app_name": dump_json(session.app_name),
            "user_id": dump_json(session.user_id),
            "state": session.state.text,
            "runs": _join_list(runs),
        }
    )


def _render_turn(
    turn: CassetteTurn, previous: dict[str, tuple[CassetteBlock, ...]], blocks: dict[str, CassetteBlock]
) -> str:
    request, path = turn.request, turn.key.path or AgentPath()
    for block in (request.instruction, request.tools, request.config, *request.contents):
        blocks.setdefault(block.digest, block)
    before = previous.get(turn.key.agent_name, ())
    previous[turn.key.agent_name] = request.contents
    names = {"agent_name": turn.key.agent_name, "branch": path.branch, "parent_call_id": path.parent_call_id}
    digests = {name: getattr(request, name).digest for name in ("instruction", "tools", "config")}
    fields = {name: dump_json(text) for name, text in {**names, **digests}.items() if text}
    fields["contents"] = dump_json(list(_iter_references(request.contents, before)))
    if turn.responses:
        fields["responses"] = _join_list(response.text for response in turn.responses)
    if any(turn.pieces):
        fields["pieces"] = dump_json(list(map(list, turn.pieces)))
    if turn.error:
        fields["error"] = turn.error.text
    return _join_object(fields)


def _iter_references(contents: Sequence[CassetteBlock], previous: Sequence[CassetteBlock]) -> Iterator[Json]:
    """Yield digests, and slices of the previous contents; both lists are read from the start to the end only."""
    place, start = 0, 0
    # Usually a request begins with all of the previous one, which tuples find out without looking at every item here.
    if previous and contents[: len(previous)] == previous:
        yield {_FROM_PREVIOUS: [0, len(previous)]}
        place = start = len(previous)
    # Reversed, so that of equal contents the first one is found.
    places = {block.digest: index for index, block in reversed(list(enumerate(previous)))} if start == 0 else {}
    while place < len(contents):
        found = places.get(contents[place].digest, -1)
        length = _count_equal(contents, place, previous, found) if found >= start else 0
        if length:
            yield {_FROM_PREVIOUS: [found, found + length]}
            start = found + length
        else:
            yield contents[place].digest
        place += max(length, 1)


def _count_equal(contents: Sequence[CassetteBlock], place: int, previous: Sequence[CassetteBlock], found: int) -> int:
    length = 0
    while (
        place + length < len(contents)
        and found + length < len(previous)
        and contents[place + length] == previous[found + length]
    ):
        length += 1
    return length


def _parse_session(value: Mapping[str, Json], blocks: Mapping[str, CassetteBlock]) -> CassetteSession:
    previous: dict[str, tuple[CassetteBlock, ...]] = {}
    runs = [
        CassetteRun(
            message=CassetteBlock.from_value(run["message"]),
            turns=tuple(_parse_turn(turn, previous, blocks) for turn in run["turns"]),
        )
        for run in value["runs"]
    ]
    return CassetteSession(
        app_name=value["app_name"],
        user_id=value["user_id"],
        state=CassetteBlock.from_value(value["state"]),
        runs=tuple(runs),
    )


def _parse_turn(
    value: Mapping[str, Json],
    previous: dict[str, tuple[CassetteBlock, ...]],
    blocks: Mapping[str, CassetteBlock],
) -> CassetteTurn:
    agent_name: str = value["agent_name"]
    contents: list[CassetteBlock] = []
    for reference in cast("Sequence[Json]", value["contents"]):
        if isinstance(reference, str):
            contents.append(blocks[reference])
        else:
            start, end = reference[_FROM_PREVIOUS]
            contents.extend(previous[agent_name][start:end])
        if len(contents) > _MAX_CONTENTS:
            raise ValueError(f"a request has more than {_MAX_CONTENTS:,} contents")
    previous[agent_name] = tuple(contents)
    responses: Sequence[Json] = value.get("responses") or ()
    return CassetteTurn(
        key=StreamKey(
            agent_name=agent_name,
            path=AgentPath(branch=value.get("branch", ""), parent_call_id=value.get("parent_call_id", "")),
        ),
        request=CassetteRequest(
            instruction=blocks[value["instruction"]],
            tools=blocks[value["tools"]],
            config=blocks[value["config"]],
            contents=tuple(contents),
        ),
        responses=tuple(map(CassetteBlock.from_value, responses)),
        error=CassetteBlock.from_value(value["error"]) if "error" in value else None,
        pieces=tuple(_parse_pieces(each) for each in cast("Sequence[Sequence[Json]]", value.get("pieces") or ())),
    )


def _parse_pieces(lengths: Sequence[Json]) -> tuple[int, ...]:
    if not all(type(length) is int and length > 0 for length in lengths):
        raise ValueError(f"'pieces' must be lists of positive whole numbers, but one of them is {lengths!r}")
    return tuple(lengths)


def _join_object(fields: Mapping[str, str]) -> str:
    """Return an object of rendered values, as `json.dumps(indent=2)` would; parts of it are kept as texts."""
    if not fields:
        return "{}"
    lines = ",\n".join(f"  {json.dumps(name)}: {_indent(text)}" for name, text in fields.items())
    return f"{{\n{lines}\n}}"


def _join_list(texts: Iterator[str] | Sequence[str]) -> str:
    joined = ",\n".join(f"  {_indent(text)}" for text in texts)
    return f"[\n{joined}\n]" if joined else "[]"


def _indent(text: str) -> str:
    return text.replace("\n", "\n  ")


def read_cassette(path: Path) -> Cassette:
    """Read a cassette; raise ImportRefused if the file is none, or cannot be read."""
    try:
        return parse_cassette(path.read_bytes())
    except (OSError, ValueError) as error:
        raise ImportRefused(str(path), "a model cassette", str(error).rstrip(".")) from error


class CassetteFile:
    """A file that sessions are written to."""

    def __init__(self, path: Path) -> None:
        """Use a file, which need not exist.

        Raises:
            ImportRefused: There is something else at the path, which would be lost.
        """
        self.path = path
        self._known: Cassette | None = None
        self._stamp: tuple[int, ...] | None = None
        """What the file looked like when it had the known content."""
        if path.suffix == ".jsonl":
            raise ImportRefused(str(path), "a model cassette", "a cassette is one JSON document; name it *.json")
        if path.exists():
            read_cassette(path)

    def put_session(self, session: CassetteSession, earlier: CassetteSession | None = None) -> None:
        """Write a session, and leave all others as they are now, whoever wrote them.

        Args:
            session: The session; it replaces one with the same conversation.
            earlier: What was written or read of the same session before.
        """
        target = prepare_path(self.path)
        with lock_folder(target.parent):
            cassette = self._read_current(target).put_session(session, earlier)
            atomic_write_text(target, render_cassette(cassette), keep_mode=True)
            self._known, self._stamp = cassette, _take_stamp(target)

    def _read_current(self, target: Path) -> Cassette:
        stamp = _take_stamp(target)
        if stamp is None:
            return Cassette()
        # Parsing the file for each turn would take quadratic time; the stamp shows if somebody has replaced it.
        if self._known is None or stamp != self._stamp:
            return read_cassette(target)
        return self._known


def _take_stamp(path: Path) -> tuple[int, ...] | None:
    """Return what changes with every write, which replaces the file; None if there is no file."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
