"""Reads what is in a session: rows and what is behind them, the briefing, the request of a turn, the state."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any

from adk_agent_sim.adk.runs.user_message import get_input_schema
from adk_agent_sim.errors import NotFound
from adk_agent_sim.golden.session import compute_final_state
from adk_agent_sim.scenario.world.world import World
from adk_agent_sim.server.agents.agent_catalog import load_briefing_with_timeout
from adk_agent_sim.server.agents.api_models import Briefing, RequestInfo
from adk_agent_sim.server.scenarios.api_models import PlayedWorldInfo, WorldGraphInfo
from adk_agent_sim.server.scenarios.session_verdict import SessionVerdict, build_session_verdict
from adk_agent_sim.server.scenarios.world_graph import build_world_graph
from adk_agent_sim.server.sessions import request_view, row_details
from adk_agent_sim.server.sessions.row_api_models import RowDetail
from adk_agent_sim.server.sessions.session_api_models import StateNeeds
from adk_agent_sim.server.sessions.session_runs import SessionRuns
from adk_agent_sim.timeline.page_cursors import MAX_INTEGER
from adk_agent_sim.timeline.read_model.timeline_row import TimelineRow
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.timeline.world_events import VerdictReached


class SessionReader:
    """Reads sessions; nothing here changes one."""

    def __init__(self, timeline: Timeline, runs: SessionRuns) -> None:
        self._timeline = timeline
        self._runs = runs

    async def get_rows(self, session_id: str, start: int, count: int) -> list[TimelineRow]:
        """Return up to `count` rows from index `start` on."""
        return [
            self._runs.describe_row(session_id, row) for row in await self._timeline.read_rows(session_id, start, count)
        ]

    async def get_row_detail(self, session_id: str, index: int, *, full: bool) -> RowDetail:
        """Return the values and files of a row; long values are cut unless `full`."""
        row, row_events = await self._load_row_events(session_id, index)
        url = f"/api/sessions/{session_id}/rows/{index}/media"
        read_block = self._create_block_reader(session_id)
        return await row_details.build_row_detail(row, row_events, read_block, url=url, full=full)

    async def get_media_file(self, session_id: str, index: int, file_index: int) -> row_details.MediaContent:
        """Return an image or file of a row."""
        _, row_events = await self._load_row_events(session_id, index)
        files = await row_details.load_media(row_events, self._create_block_reader(session_id))
        if not 0 <= file_index < len(files):
            raise NotFound(f"Row {index} has no file {file_index}.")
        return files[file_index]

    async def get_briefing(self, session_id: str, turn_id: str | None) -> Briefing:
        """Return the instruction and tools of a turn, or without `turn_id`, those that the next turn would have.

        If the agent does not run here, the next turn cannot be known: then those of the last turn are returned, or a
        note if there was none, as in a workflow without a model.
        """
        summary, run = await self._timeline.get_summary(session_id), self._runs.find(session_id)
        if turn_id is None and run is not None:
            return request_view.build_agent_briefing(await load_briefing_with_timeout(run))
        shown_id = summary.last_turn_id if turn_id is None else turn_id
        if not shown_id:
            return request_view.build_unknown_briefing(summary.agent_name)
        asked = await self._timeline.get_turn(session_id, shown_id)
        return request_view.build_turn_briefing(
            await self._timeline.read_request_settings(asked),
            asked.agent_name,
            input_schema=get_input_schema(run.root_agent) if run else None,
            has_own_model=run is not None,
            consent_tools=run.recorded_session.find_consent_tools() if run else (),
        )

    async def get_request_info(self, session_id: str, turn_id: str) -> RequestInfo:
        """Return the exact model request of a turn."""
        asked = await self._timeline.get_turn(session_id, turn_id)
        return request_view.build_request_info(await self._timeline.read_request(asked))

    async def get_state(self, session_id: str) -> dict[str, Any]:
        """Return the current session state without credentials; without a run as computed from the events."""
        await self._timeline.get_summary(session_id)
        if run := self._runs.find(session_id):
            return run.recorded_session.link.mask_state(await run.get_state())
        return compute_final_state(await self._timeline.read_events(session_id))

    async def get_state_needs(self, session_id: str) -> StateNeeds:
        """Return the keys that instructions need and the state does not have; none if the agent does not run here."""
        await self._timeline.get_summary(session_id)
        run = self._runs.find(session_id)
        return StateNeeds(missing_keys=await run.find_missing_keys() if run else [])

    def get_world(self, session_id: str) -> PlayedWorldInfo:
        """Return the time of a session's world, its hints and its apps."""
        world = self._require_world(session_id)
        return PlayedWorldInfo(
            scenario_id=world.scenario.scenario_id,
            elapsed_seconds=world.elapsed,
            now=world.now,
            status=world.status,
            hints=[each.content for each in world.hints()],
            apps=list(world.apps),
            is_played_by_person=self._runs.is_played_by_person(session_id),
        )

    async def get_world_graph(self, session_id: str) -> WorldGraphInfo:
        """Return what has become of the scenario's events in a session; for a person who plays, without the answer."""
        build = partial(
            build_world_graph,
            self._require_world(session_id).scenario,
            await self._timeline.read_events(session_id),
            is_over=session_id not in self._runs.world_ids,
            is_played_by_person=self._runs.is_played_by_person(session_id),
        )
        return await asyncio.to_thread(build)

    def get_world_state(self, session_id: str, app_name: str) -> Any:
        """Return the state of an app in a session's world."""
        world = self._require_world(session_id)
        if app_name not in world.apps:
            raise NotFound(f"There is no app {app_name[:100]!r} in this world.")
        return world.apps[app_name].state()

    def _require_world(self, session_id: str) -> World:
        run = self._runs.worlds.get(session_id)
        if run is None:
            raise NotFound(f"The session {session_id[:100]!r} has no world on this server.")
        return run.world

    async def get_verdict(self, session_id: str, index: int) -> SessionVerdict:
        """Return the verdict that a row shows, with the rows of the events that were judged.

        Raises:
            NotFound: The row shows no verdict.
        """
        row, row_events = await self._load_row_events(session_id, index)
        reached = row_events[0][0].payload
        if not isinstance(reached, VerdictReached) or reached.verdict is None:
            raise NotFound(f"Row {index} shows no verdict.")
        events = [each for each in await self._timeline.read_events(session_id) if each.seq < row.seq]
        rows = await self._timeline.read_rows(session_id, 0, index)
        return build_session_verdict(reached, events, rows)

    async def _load_row_events(self, session_id: str, index: int) -> tuple[TimelineRow, Sequence[row_details.RowEvent]]:
        rows = await self._timeline.read_rows(session_id, index, 1) if 0 <= index < MAX_INTEGER else ()
        if not rows:
            count = (await self._timeline.get_summary(session_id)).row_count
            raise NotFound(f"There is no row {index}; the session has {count} rows.")
        row_events: list[row_details.RowEvent] = []
        for source in rows[0].sources:
            events = await self._timeline.read_events(session_id, source.seq - 1, 1)
            row_events.append((events[0], source.part_index))
        return rows[0], row_events

    def _create_block_reader(self, session_id: str) -> row_details.ReadBlock:
        return lambda block_id: self._timeline.read_block(session_id, block_id)
