"""Reads and writes a session as a JSON Lines file: one record per line, lossless, streamed.

    {"format": "adksim.timeline", "version": 1, "session": {...}}
    {"block": "9f...", "text": "..."}              or "base64" if the data is not UTF-8
    {"event": {"seq": 3, ..., "kind": "turn_asked", "payload": {...}}}

Each block is written once, before the first event that refers to it, so the file grows linearly although every model
request repeats the conversation. `load_session` loads a file into a store. The text is ASCII.
"""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TypeAlias, cast

from adk_agent_sim.errors import ImportRefused, InvalidField
from adk_agent_sim.timeline.atomic_files import atomic_write
from adk_agent_sim.timeline.blocks import Block, unpack_ids
from adk_agent_sim.timeline.canonical_json import Json, decode_json, encode_json
from adk_agent_sim.timeline.event_validation import KIND_NAMES, PAYLOAD_CLASSES, validate_event, validate_session
from adk_agent_sim.timeline.events import (
    AgentPath,
    ArtifactSaved,
    Event,
    Payload,
    Player,
    RunEnded,
    RunOutcome,
    Session,
    TurnAsked,
)
from adk_agent_sim.timeline.read_model.session_read_model import SessionReadModel, create_read_model
from adk_agent_sim.timeline.store import Store, fold_events

FORMAT_VERSION = 1
"""The version of the file format; files of other versions are rejected."""

_FORMAT_NAME = "adksim.timeline"

TimelineRecord: TypeAlias = Session | Block | Event
"""The content of one line; the first line is the session."""


def encode_line(record: TimelineRecord) -> str:
    """Return the line of a record, without the line break."""
    match record:
        case Session():
            value: Json = {"format": _FORMAT_NAME, "version": FORMAT_VERSION, "session": _to_field_dict(record)}
        case Block():
            value = {"block": record.block_id, **_encode_block_data(record.data)}
        case Event():
            event = _to_field_dict(record)
            path: AgentPath | None = event.pop("agent_path")
            if path is not None:
                event["agent_path"] = {"branch": path.branch, "parent_call_id": path.parent_call_id}
            value = {
                "event": {**event, "kind": KIND_NAMES[type(record.payload)], "payload": _to_field_dict(record.payload)}
            }
    return encode_json(value).decode("ascii")


def decode_line(line: str) -> TimelineRecord:
    """Parse a line; raise ValueError if it is invalid."""
    try:
        value = decode_json(line.encode())
    except RecursionError as error:
        raise ValueError("the line is nested too deeply to be read") from error
    if not isinstance(value, dict):
        raise ValueError("the line is not a JSON object")
    fields_by_name = cast("dict[str, Json]", value)
    try:
        if "format" in fields_by_name:
            return _parse_session(fields_by_name)
        if "block" in fields_by_name:
            return _parse_block(fields_by_name)
        if "event" in fields_by_name:
            return _parse_event(fields_by_name["event"])
    except InvalidField as error:
        raise ValueError(str(error).removesuffix(".")) from error
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"a field is missing or has the wrong type: {error}") from error
    names = ", ".join(fields_by_name) or "nothing"
    raise ValueError(f"the line must contain a block or an event, but contains {names}")


async def iter_records(store: Store, session: Session) -> AsyncIterator[TimelineRecord]:
    """Yield the records of a session in file order."""
    yield session
    written: set[str] = set()
    for event in await store.read_events(session.session_id):
        for block in await _read_new_blocks(store, event, written):
            yield block
        yield event


async def write_session(store: Store, session: Session, path: str | Path) -> None:
    """Write a session to a file; an existing file is replaced atomically."""
    await write_records(iter_records(store, session), path)


async def write_records(records: AsyncIterator[TimelineRecord], path: str | Path) -> None:
    """Write records to a file; an existing file is replaced atomically."""
    with atomic_write(path) as file:
        async for record in records:
            file.write(encode_line(record) + "\n")


def read_records(path: str | Path) -> Iterator[TimelineRecord]:
    """Yield the records of a file; raise ImportRefused, which names the line, if one is invalid."""
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


async def load_session(path: str | Path, store: Store) -> Session:
    """Load the session of a file into a store and return it."""
    session: Session | None = None
    blocks: list[Block] = []
    read_model: SessionReadModel | None = None
    for record in read_records(path):
        match record:
            case Session():
                session = record
                read_model = create_read_model(record)
                await store.create_session(record)
            case Block():
                blocks.append(record)
            case Event():
                assert read_model is not None  # noqa: S101 - as below
                read_model = await fold_events(store, read_model, [record])
                await store.append([record], blocks, read_model)
                blocks = []
    assert session is not None  # noqa: S101 - read_records rejects a file that does not start with one
    return session


def _validate_records(unchecked: Iterable[TimelineRecord]) -> Iterator[TimelineRecord]:
    """Yield the records; raise ValueError if they are not exactly one session without gaps."""
    seq = 0
    session_id = ""
    for place, record in enumerate(unchecked):
        if (place == 0) != isinstance(record, Session):
            raise ValueError("the first line, and no other, must be a session")
        if isinstance(record, Session):
            session_id = record.session_id
        if isinstance(record, Event):
            seq += 1
            if (record.session_id, record.seq) != (session_id, seq):
                raise ValueError(f"event {seq} of session {session_id!r} is missing")
        yield record


async def _read_new_blocks(store: Store, event: Event, written_ids: set[str]) -> list[Block]:
    """Read the blocks that an event refers to and that are not written yet."""
    new_blocks: dict[str, bytes] = {}

    async def collect_new(ids: Sequence[str]) -> None:
        missing = [block_id for block_id in ids if block_id not in written_ids]
        new_blocks.update(await store.read_blocks(event.session_id, missing))

    async def read_groups(ids: Sequence[str]) -> Mapping[str, bytes]:
        # The groups of packed ids are blocks themselves, so the file needs them too.
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
    written_ids.update(new_blocks)
    return [Block(block_id, data) for block_id, data in new_blocks.items()]


def _to_field_dict(value: Session | Event | Payload) -> dict[str, Json]:
    return {field.name: getattr(value, field.name) for field in fields(value)}


def _parse_session(line_value: dict[str, Json]) -> Session:
    if (line_value["format"], line_value.get("version")) != (_FORMAT_NAME, FORMAT_VERSION):
        raise ValueError(
            f"the format is {line_value['format']!r}, version {line_value.get('version')!r}; "
            f"this release reads {_FORMAT_NAME!r}, version {FORMAT_VERSION}"
        )
    session = Session(**line_value["session"])
    validate_session(session)
    return session


def _parse_block(line_value: dict[str, Json]) -> Block:
    data = (
        line_value["text"].encode()
        if "text" in line_value
        else base64.b64decode(line_value.get("base64", ""), validate=True)
    )
    block = Block.from_data(data)
    # The id is a hash of the data, so this notices a file that was edited or damaged.
    if block.block_id != line_value["block"]:
        raise ValueError(f"the data of block {line_value['block']!r} does not match its id")
    return block


def _encode_block_data(data: bytes) -> dict[str, str]:
    try:
        return {"text": data.decode()}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode("ascii")}


def _parse_event(event_value: dict[str, Json]) -> Event:
    event_fields = dict(event_value)
    payload_class = PAYLOAD_CLASSES.get(event_fields.pop("kind"))
    if payload_class is None:
        raise ValueError(f"the event kind {event_value['kind']!r} is unknown")
    player = event_fields.pop("player")
    payload = _parse_payload(payload_class, dict(event_fields.pop("payload")))
    path = event_fields.pop("agent_path", None)
    event = Event(
        **event_fields,
        payload=payload,
        player=Player(player) if player else None,
        agent_path=AgentPath(**path) if path else None,
    )
    validate_event(event)
    return event


def _parse_payload(payload_class: type[Payload], payload_fields: dict[str, Json]) -> Payload:
    if payload_class is TurnAsked:
        # JSON has no tuples, and events are compared by value.
        payload_fields["contents"] = tuple(tuple(level) for level in payload_fields["contents"])
    if payload_class is RunEnded:
        payload_fields["outcome"] = RunOutcome(payload_fields["outcome"])
    return payload_class(**payload_fields)
