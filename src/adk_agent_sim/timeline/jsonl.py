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
from adk_agent_sim.timeline.atomic_files import atomic_write
from adk_agent_sim.timeline.blocks import Block, unpack_ids
from adk_agent_sim.timeline.canonical_json import Json, decode_json, encode_json
from adk_agent_sim.timeline.events import (
    ArtifactSaved,
    Event,
    Payload,
    Player,
    RunEnded,
    RunOutcome,
    Session,
    TurnAsked,
)
from adk_agent_sim.timeline.session_progress import SessionProgress, StatusSnapshot
from adk_agent_sim.timeline.store import Store

FORMAT_VERSION = 1
"""Of the lines' schema; a file of another version is refused."""

_FORMAT_NAME = "adksim.timeline"

_PAYLOAD_CLASSES: Mapping[str, type[Payload]] = {
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

_KIND_NAMES = {kind: name for name, kind in _PAYLOAD_CLASSES.items()}

TimelineRecord: TypeAlias = Session | Block | Event
"""What a line holds; the first is the session."""


def encode_line(record: TimelineRecord) -> str:
    """A record as its line, without the line's end."""
    match record:
        case Session():
            value: Json = {"format": _FORMAT_NAME, "version": FORMAT_VERSION, "session": _to_field_dict(record)}
        case Block():
            value = {"block": record.block_id, **_encode_block_data(record.data)}
        case Event():
            event = _to_field_dict(record)
            value = {
                "event": {**event, "kind": _KIND_NAMES[type(record.payload)], "payload": _to_field_dict(record.payload)}
            }
    return encode_json(value).decode("ascii")


def decode_line(line: str) -> TimelineRecord:
    """The record of a line; ValueError says what is wrong with it."""
    value = decode_json(line.encode())
    if not isinstance(value, dict):
        raise ValueError("the line is not a JSON object")
    found = cast("dict[str, Json]", value)
    try:
        if "format" in found:
            return _parse_session(found)
        if "block" in found:
            return _parse_block(found)
        if "event" in found:
            return _parse_event(found["event"])
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"a field is missing or is of another type: {error}") from error
    raise ValueError(f"the line holds neither a block nor an event, but {', '.join(found) or 'nothing'}")


async def iter_records(store: Store, session: Session) -> AsyncIterator[TimelineRecord]:
    """The records of a session, in the order of its file."""
    yield session
    written: set[str] = set()
    for event in await store.read_events(session.session_id):
        for block in await _read_new_blocks(store, event, written):
            yield block
        yield event


async def write_session(store: Store, session: Session, path: str | Path) -> None:
    """Write a session to a file; what the file held before is replaced in one step."""
    with atomic_write(path) as file:
        async for record in iter_records(store, session):
            file.write(encode_line(record) + "\n")


def read_records(path: str | Path) -> Iterator[TimelineRecord]:
    """The records of a file, one at a time; ImportRefused names the line that is wrong."""
    read_lines = 0
    try:
        with Path(path).open(encoding="utf-8") as file:
            for record in _validate_records(map(decode_line, file)):
                yield record
                read_lines += 1
    except (OSError, ValueError) as error:
        raise ImportRefused(str(path), "a timeline", f"line {read_lines + 1}: {error}") from error
    if not read_lines:
        raise ImportRefused(str(path), "a timeline", "the file is empty")


async def restore_session(path: str | Path, store: Store) -> Session:
    """Put a file's session into a store, where its requests can be reassembled."""
    session: Session | None = None
    blocks: list[Block] = []
    progress = SessionProgress()
    for record in read_records(path):
        match record:
            case Session():
                session = record
                await store.create_session(record)
            case Block():
                blocks.append(record)
            case Event():
                progress = progress.with_event(record)
                await store.append([record], blocks, StatusSnapshot.from_progress(progress))
                blocks = []
    assert session is not None  # noqa: S101 - read() refuses a file that does not begin with one
    return session


def _validate_records(unchecked: Iterable[TimelineRecord]) -> Iterator[TimelineRecord]:
    """The records, as long as they are one session's, without a gap."""
    seq = 0
    session_id = ""
    for place, record in enumerate(unchecked):
        if (place == 0) != isinstance(record, Session):
            raise ValueError("a timeline begins with the line of its session, and holds one session")
        if isinstance(record, Session):
            session_id = record.session_id
        if isinstance(record, Event):
            seq += 1
            if (record.session_id, record.seq) != (session_id, seq):
                raise ValueError(f"event {seq} of session {session_id!r} is missing")
        yield record


async def _read_new_blocks(store: Store, event: Event, written_ids: set[str]) -> list[Block]:
    """The blocks that an event names and that no line holds yet."""
    found: dict[str, bytes] = {}

    async def collect_new(ids: Sequence[str]) -> None:
        wanted = [block_id for block_id in ids if block_id not in written_ids]
        found.update(await store.read_blocks(event.session_id, wanted))

    async def read_groups(ids: Sequence[str]) -> Mapping[str, bytes]:
        await collect_new(ids)
        return await store.read_blocks(event.session_id, ids)

    match event.payload:
        case TurnAsked() as asked:
            await collect_new(
                [*await unpack_ids(asked.contents, read_groups), asked.tools, asked.instruction, asked.config]
            )
        case ArtifactSaved(block=block_id):
            await collect_new([block_id])
        case _:
            pass
    written_ids.update(found)
    return [Block(block_id, data) for block_id, data in found.items()]


def _to_field_dict(value: Session | Event | Payload) -> dict[str, Json]:
    return {field.name: getattr(value, field.name) for field in fields(value)}


def _parse_session(line_value: dict[str, Json]) -> Session:
    if (line_value["format"], line_value.get("version")) != (_FORMAT_NAME, FORMAT_VERSION):
        raise ValueError(
            f"the format is {line_value['format']!r}, version {line_value.get('version')!r}; "
            f"this release reads {_FORMAT_NAME!r}, version {FORMAT_VERSION}"
        )
    return Session(**line_value["session"])


def _parse_block(line_value: dict[str, Json]) -> Block:
    data = (
        line_value["text"].encode()
        if "text" in line_value
        else base64.b64decode(line_value.get("base64", ""), validate=True)
    )
    block = Block.from_data(data)
    if block.block_id != line_value["block"]:
        raise ValueError(f"the data of block {line_value['block']!r} is not what its id says")
    return block


def _encode_block_data(data: bytes) -> dict[str, str]:
    try:
        return {"text": data.decode()}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode("ascii")}


def _parse_event(event_value: dict[str, Json]) -> Event:
    stated = dict(event_value)
    kind = _PAYLOAD_CLASSES.get(stated.pop("kind"))
    if kind is None:
        raise ValueError(f"there is no kind of event {event_value['kind']!r}")
    player = stated.pop("player")
    payload = _parse_payload(kind, dict(stated.pop("payload")))
    return Event(**stated, payload=payload, player=Player(player) if player else None)


def _parse_payload(kind: type[Payload], payload_fields: dict[str, Json]) -> Payload:
    if kind is TurnAsked:
        payload_fields["contents"] = tuple(tuple(level) for level in payload_fields["contents"])
    if kind is RunEnded:
        payload_fields["outcome"] = RunOutcome(payload_fields["outcome"])
    return kind(**payload_fields)
