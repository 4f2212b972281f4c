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
from adk_agent_sim.server.sessions.row_details import RowDetail
from adk_agent_sim.server.sessions.session_api_models import StateNeeds
from adk_agent_sim.server.sessions.session_services import ServedSession
from adk_agent_sim.timeline.read_model.timeline_row import TimelineRow
from adk_agent_sim.timeline.session_queries import MAX_INTEGER
from adk_agent_sim.timeline.world_events import VerdictReached


async def get_rows(session: ServedSession, start: int, count: int) -> list[TimelineRow]:
    """Return up to `count` rows from index `start` on."""
    rows = await session.timeline.read_rows(session.session_id, start, count)
    return [session.services.runs.describe_row(session.session_id, row) for row in rows]


async def get_row_detail(session: ServedSession, index: int, *, full: bool) -> RowDetail:
    """Return the values and files of a row; long values are cut unless `full`."""
    row, row_events = await _load_row_events(session, index)
    url = f"/api/sessions/{session.session_id}/rows/{index}/media"
    return await row_details.build_row_detail(row, row_events, _create_block_reader(session), url=url, full=full)


async def get_media_file(session: ServedSession, index: int, file_index: int) -> row_details.MediaContent:
    """Return an image or file of a row."""
    row, row_events = await _load_row_events(session, index)
    return await row_details.load_media_file(row, row_events, _create_block_reader(session), file_index)


async def get_briefing(session: ServedSession, turn_id: str | None) -> Briefing:
    """Return the instruction and tools of a turn, or without `turn_id`, those that the next turn would have.

    If the agent does not run here, the next turn cannot be known: then those of the last turn are returned, or a
    note if there was none, as in a workflow without a model.
    """
    summary, run = await session.timeline.get_summary(session.session_id), session.run
    if turn_id is None and run is not None:
        return request_view.build_agent_briefing(await load_briefing_with_timeout(run))
    shown_id = summary.last_turn_id if turn_id is None else turn_id
    if not shown_id:
        return request_view.build_unknown_briefing(summary.agent_name)
    asked = await session.timeline.get_turn(session.session_id, shown_id)
    return request_view.build_turn_briefing(
        await session.timeline.read_request_settings(asked),
        asked.agent_name,
        input_schema=get_input_schema(run.root_agent) if run else None,
        has_own_model=run is not None,
        consent_tools=run.recorded_session.find_consent_tools() if run else (),
    )


async def get_request_info(session: ServedSession, turn_id: str) -> RequestInfo:
    """Return the exact model request of a turn."""
    asked = await session.timeline.get_turn(session.session_id, turn_id)
    return request_view.build_request_info(await session.timeline.read_request(asked))


async def get_state(session: ServedSession) -> dict[str, Any]:
    """Return the current session state without credentials; without a run as computed from the events."""
    if run := session.run:
        return run.recorded_session.link.mask_state(await run.get_state())
    return compute_final_state(await session.timeline.read_events(session.session_id))


async def get_state_needs(session: ServedSession) -> StateNeeds:
    """Return the keys that instructions need and the state does not have; none if the agent does not run here."""
    run = session.run
    return StateNeeds(missing_keys=await run.find_missing_keys() if run else [])


def get_world(session: ServedSession) -> PlayedWorldInfo:
    """Return the time of a session's world, its hints and its apps."""
    world = _require_world(session)
    return PlayedWorldInfo(
        scenario_id=world.scenario.scenario_id,
        elapsed_seconds=world.elapsed,
        now=world.now,
        status=world.status,
        hints=[each.content for each in world.hints()],
        apps=list(world.apps),
        is_played_by_person=session.is_played_by_person,
    )


async def get_world_graph(session: ServedSession) -> WorldGraphInfo:
    """Return what has become of the scenario's events in a session; for a person who plays, without the answer."""
    build = partial(
        build_world_graph,
        _require_world(session).scenario,
        await session.timeline.read_events(session.session_id),
        is_over=session.session_id not in session.services.runs.world_ids,
        is_played_by_person=session.is_played_by_person,
    )
    return await asyncio.to_thread(build)


def get_world_state(session: ServedSession, app_name: str) -> Any:
    """Return the state of an app in a session's world."""
    world = _require_world(session)
    if app_name not in world.apps:
        raise NotFound(f"There is no app {app_name[:100]!r} in this world.")
    return world.apps[app_name].state()


def _require_world(session: ServedSession) -> World:
    if session.world_run is None:
        raise NotFound(f"The session {session.session_id[:100]!r} has no world on this server.")
    return session.world_run.world


async def get_verdict(session: ServedSession, index: int) -> SessionVerdict:
    """Return the verdict that a row shows, with the rows of the events that were judged.

    Raises:
        NotFound: The row shows no verdict.
    """
    row, row_events = await _load_row_events(session, index)
    reached = row_events[0][0].payload
    if not isinstance(reached, VerdictReached) or reached.verdict is None:
        raise NotFound(f"Row {index} shows no verdict.")
    events = [each for each in await session.timeline.read_events(session.session_id) if each.seq < row.seq]
    rows = await session.timeline.read_rows(session.session_id, 0, index)
    return build_session_verdict(reached, events, rows)


async def _load_row_events(session: ServedSession, index: int) -> tuple[TimelineRow, Sequence[row_details.RowEvent]]:
    rows = await session.timeline.read_rows(session.session_id, index, 1) if 0 <= index < MAX_INTEGER else ()
    if not rows:
        count = (await session.timeline.get_summary(session.session_id)).row_count
        raise NotFound(f"There is no row {index}; the session has {count} rows.")
    row_events: list[row_details.RowEvent] = []
    for source in rows[0].sources:
        events = await session.timeline.read_events(session.session_id, source.seq - 1, 1)
        row_events.append((events[0], source.part_index))
    return rows[0], row_events


def _create_block_reader(session: ServedSession) -> row_details.ReadBlock:
    return lambda block_id: session.timeline.read_block(session.session_id, block_id)
