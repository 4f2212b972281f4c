"""Redacts the records of a session's JSON Lines file: its events and its blocks, whose ids change with their data.

A block that is not UTF-8 text, such as an image, is kept as it is.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace

from adk_agent_sim.timeline.blocks import Block, pack_ids, unpack_ids
from adk_agent_sim.timeline.canonical_json import decode_json, encode_json
from adk_agent_sim.timeline.events import ArtifactSaved, Event, Session, TurnAsked
from adk_agent_sim.timeline.jsonl import TimelineRecord
from adk_agent_sim.timeline.redaction.redactor import Redactor
from adk_agent_sim.timeline.store import Store


async def iter_redacted_records(
    store: Store, session: Session, environment: Mapping[str, str] | None = None
) -> AsyncIterator[TimelineRecord]:
    """Yield the records of a session in file order, without secrets; the file can be restored like any other."""
    redactor = Redactor(environment)
    events = await store.read_events(session.session_id)
    writer = _BlockWriter(store, session.session_id, redactor)
    # All events are read before the first is written: a secret may be named only after it was used.
    for event in events:
        redactor.learn_event(event)
        await writer.learn_blocks(event)
    yield replace(session, description=redactor.redact_text(session.description))
    for event in events:
        clean = await writer.replace_blocks(redactor.redact_event(event))
        for block in writer.take_new_blocks():
            yield block
        yield clean


class _BlockWriter:
    """Redacts the blocks that events refer to, each once."""

    def __init__(self, store: Store, session_id: str, redactor: Redactor) -> None:
        self._store = store
        self._session_id = session_id
        self._redactor = redactor
        self._learned: set[str] = set()
        self._clean_ids: dict[str, str] = {}
        """The new id of each block by the old one."""
        self._written: set[str] = set()
        self._new: list[Block] = []

    async def learn_blocks(self, event: Event) -> None:
        """Learn the secrets in the blocks of an event."""
        new_ids = [block_id for block_id in await self._list_ids(event) if block_id not in self._learned]
        self._learned.update(new_ids)
        for data in (await self._read(new_ids)).values():
            if (text := _decode_text(data)) is not None:
                self._redactor.learn_secrets(text)

    async def replace_blocks(self, event: Event) -> Event:
        """Return the event with the ids of its redacted blocks."""
        ids = await self._list_ids(event)
        missing = [block_id for block_id in ids if block_id not in self._clean_ids]
        for block_id, data in (await self._read(missing)).items():
            block = self._redact_block(data)
            self._clean_ids[block_id] = block.block_id
            self._add_block(block)
        # A block that the store has lost keeps its id.
        clean = [self._clean_ids.get(block_id, block_id) for block_id in ids]
        match event.payload:
            case TurnAsked() as asked:
                *contents, tools, instruction, config = clean
                packed = pack_ids(contents, self._add_block)
                return replace(
                    event,
                    payload=replace(asked, contents=packed, tools=tools, instruction=instruction, config=config),
                )
            case ArtifactSaved() as saved:
                return replace(event, payload=replace(saved, block=clean[0]))
            case _:
                return event

    def take_new_blocks(self) -> list[Block]:
        """Return the blocks that were not written yet."""
        new, self._new = self._new, []
        return new

    async def _list_ids(self, event: Event) -> list[str]:
        match event.payload:
            case TurnAsked() as asked:
                contents = await unpack_ids(asked.contents, self._read)
                return [*contents, asked.tools, asked.instruction, asked.config]
            case ArtifactSaved(block=block_id):
                return [block_id]
            case _:
                return []

    async def _read(self, block_ids: Sequence[str]) -> Mapping[str, bytes]:
        return await self._store.read_blocks(self._session_id, block_ids)

    def _redact_block(self, data: bytes) -> Block:
        text = _decode_text(data)
        if text is None:
            return Block.from_data(data)
        try:
            value = decode_json(data)
        except (ValueError, RecursionError):
            return Block.from_data(self._redactor.redact_text(text).encode(errors="surrogatepass"))
        clean = self._redactor.redact_value(value)
        # Requests are stored as canonical JSON and read as such.
        return Block.from_data(data if clean == value else encode_json(clean))

    def _add_block(self, block: Block) -> None:
        if block.block_id not in self._written:
            self._written.add(block.block_id)
            self._new.append(block)


def _decode_text(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None
