"""Copies a whole session from one store to another, as it is."""

from __future__ import annotations

from adk_agent_sim.timeline import jsonl
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.events import Event, Session
from adk_agent_sim.timeline.read_model.session_read_model import create_read_model
from adk_agent_sim.timeline.store import Store


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
