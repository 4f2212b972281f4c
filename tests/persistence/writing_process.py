"""A process that appends to a session with many concurrent producers, and prints each event after it was acknowledged.

python writing_process.py ADDRESS SESSION_ID PRODUCERS EVENTS_EACH
"""

from __future__ import annotations

import asyncio
import os
import sys
from uuid import uuid4

from adk_agent_sim.persistence.database_store import open_store
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.events import ArtifactSaved, Event
from adk_agent_sim.timeline.timeline import Timeline


async def _produce(timeline: Timeline, session_id: str, count: int) -> None:
    for number in range(count):
        block = Block.from_data(os.urandom(64))
        saved = ArtifactSaved(filename="f", version=number, mime_type="m", block=block.block_id)
        draft = Event(event_id=str(uuid4()), session_id=session_id, seq=0, timestamp=1.0, payload=saved)
        (event,) = await timeline.append_drafts(session_id, [draft], [block])
        os.write(1, f"{event.seq} {event.event_id}\n".encode())


async def _main(address: str, session_id: str, producers: str, events_each: str) -> None:
    async with open_store(address, lock_timeout=60) as store, asyncio.TaskGroup() as tasks:
        timeline = Timeline(store)
        for _ in range(int(producers)):
            tasks.create_task(_produce(timeline, session_id, int(events_each)))


if __name__ == "__main__":
    asyncio.run(_main(*sys.argv[1:]))
