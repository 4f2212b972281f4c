"""A session as JSON Lines: one record a line, lossless, written and read as a stream.

    {"format": "adksim.timeline", "version": 1, "session": {...}}
    {"block": "9f...", "text": "..."}              or "base64" where the data is no text
    {"event": {"seq": 3, ..., "kind": "turn_asked", "payload": {...}}}

A block has a line of its own, before the first event that names it, so the file grows as the log does although every
request repeats the conversation; `restore` puts it back into a store, which reassembles requests. Text is ASCII.
"""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TypeAlias, cast

from adk_agent_sim.errors import ImportRefused
from adk_agent_sim.timeline import events as kinds
from adk_agent_sim.timeline.blocks import Block, unpack
from adk_agent_sim.timeline.canonical import Json, decode, encode
from adk_agent_sim.timeline.events import ArtifactSaved, Event, Outcome, Payload, Player, RunEnded, Session, TurnAsked
from adk_agent_sim.timeline.files import replacing
from adk_agent_sim.timeline.progress import Progress, Standing
from adk_agent_sim.timeline.store import Store

VERSION = 1
"""Of the lines' schema; a file of another version is refused."""

_FORMAT = "adksim.timeline"

_KINDS: Mapping[str, type[Payload]] = {
    "agent_joined": kinds.AgentJoined,
    "user_spoke": kinds.UserSpoke,
    "turn_asked": kinds.TurnAsked,
    "turn_decided": kinds.TurnDecided,
    "turn_withdrawn": kinds.TurnWithdrawn,
    "turn_revived": kinds.TurnRevived,
    "cancel_asked": kinds.CancelAsked,
    "tool_started": kinds.ToolStarted,
    "tool_finished": kinds.ToolFinished,
    "tool_failed": kinds.ToolFailed,
    "environment_decided": kinds.EnvironmentDecided,
    "agent_event": kinds.AgentEvent,
    "artifact_saved": kinds.ArtifactSaved,
    "run_ended": kinds.RunEnded,
    "closed": kinds.Closed,
}

_NAMES = {kind: name for name, kind in _KINDS.items()}

Record: TypeAlias = Session | Block | Event
"""What a line holds; the first is the session."""


def encode_line(record: Record) -> str:
    """A record as its line, without the line's end."""
    match record:
        case Session():
            value: Json = {"format": _FORMAT, "version": VERSION, "session": _fields(record)}
        case Block():
            value = {"block": record.block_id, **_data(record.data)}
        case Event():
            event = _fields(record)
            value = {"event": {**event, "kind": _NAMES[type(record.payload)], "payload": _fields(record.payload)}}
    return encode(value).decode("ascii")


def decode_line(line: str) -> Record:
    """The record of a line; ValueError says what is wrong with it."""
    value = decode(line.encode())
    if not isinstance(value, dict):
        raise ValueError("the line is not a JSON object")
    found = cast("dict[str, Json]", value)
    try:
        if "format" in found:
            return _session(found)
        if "block" in found:
            return _block(found)
        if "event" in found:
            return _event(found["event"])
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"a field is missing or is of another type: {error}") from error
    raise ValueError(f"the line holds neither a block nor an event, but {', '.join(found) or 'nothing'}")


async def records(store: Store, session: Session) -> AsyncIterator[Record]:
    """The records of a session, in the order of its file."""
    yield session
    written: set[str] = set()
    for event in await store.read(session.session_id):
        for block in await _named_blocks(store, event, written):
            yield block
        yield event


async def write(store: Store, session: Session, path: str | Path) -> None:
    """Write a session to a file; what the file held before is replaced in one step."""
    with replacing(path) as file:
        async for record in records(store, session):
            file.write(encode_line(record) + "\n")


def read(path: str | Path) -> Iterator[Record]:
    """The records of a file, one at a time; ImportRefused names the line that is wrong."""
    read_lines = 0
    try:
        with Path(path).open(encoding="utf-8") as file:
            for record in _checked(map(decode_line, file)):
                yield record
                read_lines += 1
    except (OSError, ValueError) as error:
        raise ImportRefused(str(path), "a timeline", f"line {read_lines + 1}: {error}") from error
    if not read_lines:
        raise ImportRefused(str(path), "a timeline", "the file is empty")


async def restore(path: str | Path, store: Store) -> Session:
    """Put a file's session into a store, where its requests can be reassembled."""
    session: Session | None = None
    blocks: list[Block] = []
    progress = Progress()
    for record in read(path):
        match record:
            case Session():
                session = record
                await store.create_session(record)
            case Block():
                blocks.append(record)
            case Event():
                progress = progress.after(record)
                await store.append([record], blocks, Standing.of(progress))
                blocks = []
    assert session is not None  # noqa: S101 - read() refuses a file that does not begin with one
    return session


def _checked(found: Iterable[Record]) -> Iterator[Record]:
    """The records, as long as they are one session's, without a gap."""
    seq = 0
    session_id = ""
    for place, record in enumerate(found):
        if (place == 0) != isinstance(record, Session):
            raise ValueError("a timeline begins with the line of its session, and holds one session")
        if isinstance(record, Session):
            session_id = record.session_id
        if isinstance(record, Event):
            seq += 1
            if (record.session_id, record.seq) != (session_id, seq):
                raise ValueError(f"event {seq} of session {session_id!r} is missing")
        yield record


async def _named_blocks(store: Store, event: Event, written: set[str]) -> list[Block]:
    """The blocks that an event names and that no line holds yet."""
    found: dict[str, bytes] = {}

    async def new(ids: Sequence[str]) -> None:
        wanted = [block_id for block_id in ids if block_id not in written]
        found.update(await store.blocks(event.session_id, wanted))

    async def groups(ids: Sequence[str]) -> Mapping[str, bytes]:
        await new(ids)
        return await store.blocks(event.session_id, ids)

    match event.payload:
        case TurnAsked() as asked:
            await new([*await unpack(asked.contents, groups), asked.tools, asked.instruction, asked.config])
        case ArtifactSaved(block=block_id):
            await new([block_id])
        case _:
            pass
    written.update(found)
    return [Block(block_id, data) for block_id, data in found.items()]


def _fields(value: Session | Event | Payload) -> dict[str, Json]:
    return {field.name: getattr(value, field.name) for field in fields(value)}


def _session(found: dict[str, Json]) -> Session:
    if (found["format"], found.get("version")) != (_FORMAT, VERSION):
        raise ValueError(
            f"the format is {found['format']!r}, version {found.get('version')!r}; "
            f"this release reads {_FORMAT!r}, version {VERSION}"
        )
    return Session(**found["session"])


def _block(found: dict[str, Json]) -> Block:
    data = found["text"].encode() if "text" in found else base64.b64decode(found.get("base64", ""), validate=True)
    block = Block.of(data)
    if block.block_id != found["block"]:
        raise ValueError(f"the data of block {found['block']!r} is not what its id says")
    return block


def _data(data: bytes) -> dict[str, str]:
    try:
        return {"text": data.decode()}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode("ascii")}


def _event(found: dict[str, Json]) -> Event:
    stated = dict(found)
    kind = _KINDS.get(stated.pop("kind"))
    if kind is None:
        raise ValueError(f"there is no kind of event {found['kind']!r}")
    player = stated.pop("player")
    payload = _payload(kind, dict(stated.pop("payload")))
    return Event(**stated, payload=payload, player=Player(player) if player else None)


def _payload(kind: type[Payload], found: dict[str, Json]) -> Payload:
    if kind is TurnAsked:
        found["contents"] = tuple(tuple(level) for level in found["contents"])
    if kind is RunEnded:
        found["outcome"] = Outcome(found["outcome"])
    return kind(**found)
