"""Copies sessions: events, with the blocks they refer to, into a new session, or a whole one into another store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import uuid4

from adk_agent_sim.timeline import jsonl
from adk_agent_sim.timeline.blocks import Block, split_ids
from adk_agent_sim.timeline.events import ArtifactSaved, Event, Session, TurnAsked
from adk_agent_sim.timeline.read_model.session_read_model import create_read_model
from adk_agent_sim.timeline.store import Store
from adk_agent_sim.timeline.timeline import Timeline


async def copy_events(timeline: Timeline, source_id: str, events: Sequence[Event], target_id: str) -> None:
    """Append copies of a session's events to another session, in one transaction.

    Args:
        timeline: The timeline of both sessions.
        source_id: The session that has the events.
        events: The events to copy; turns and calls keep their ids.
        target_id: The session that gets them.
    """
    if not events:
        return
    # An event id is unique in the whole store, so the copies need their own.
    drafts = [replace(event, event_id=str(uuid4()), session_id=target_id, seq=0) for event in events]
    block_ids = await _list_block_ids(timeline, source_id, events)
    data = await timeline.read_blocks(source_id, block_ids)
    await timeline.append_drafts(target_id, drafts, [Block(block_id, content) for block_id, content in data.items()])


async def _list_block_ids(timeline: Timeline, session_id: str, events: Sequence[Event]) -> list[str]:
    """Return the ids of all blocks that events refer to."""
    levels: dict[int, set[str]] = {0: set()}
    for event in events:
        match event.payload:
            case TurnAsked() as asked:
                levels[0] |= {asked.tools, asked.instruction, asked.config}
                for level, ids in enumerate(asked.contents):
                    levels.setdefault(level, set()).update(ids)
            case ArtifactSaved(block=block_id):
                levels[0].add(block_id)
            case _:
                pass
    # Consecutive requests share most of their groups, so each group is read once for all of them.
    for level in range(max(levels), 0, -1):
        groups = await timeline.read_blocks(session_id, list(levels[level]))
        levels[level - 1].update(block_id for group in groups.values() for block_id in split_ids(group))
    return list(set[str]().union(*levels.values()))


async def transfer_session(source: Store, session: Session, target: Store) -> None:
    """Copy a session with its events and blocks, under the same ids; raise SessionExists if the target has it."""
    events: list[Event] = []
    blocks: list[Block] = []
    async for record in jsonl.iter_records(source, session):
        match record:
            case Event():
                events.append(record)
            case Block():
                blocks.append(record)
            case Session():
                pass
    await target.create_session(session)
    if events:
        await target.append(events, blocks, create_read_model(session).with_events(events))
