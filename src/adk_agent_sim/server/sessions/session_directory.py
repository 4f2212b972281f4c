"""The sessions of one timeline as a list and a queue: list, describe, create, rename, close and delete them.

Everything here reads summaries. What is in a session is read by `SessionReader`; the use cases act
in it.
"""

from __future__ import annotations

from dataclasses import replace

from adk_agent_sim.errors import MalformedValue
from adk_agent_sim.server.sessions.confirmations import load_confirmation
from adk_agent_sim.server.sessions.pauses import load_pause
from adk_agent_sim.server.sessions.served_session import ServedSessions
from adk_agent_sim.server.sessions.session_api_models import (
    NewSession,
    QueueItem,
    QueuePage,
    SessionDetail,
    SessionInfo,
    SessionPage,
)
from adk_agent_sim.server.sessions.session_describer import SessionDescriber
from adk_agent_sim.server.sessions.session_runs import SessionRuns
from adk_agent_sim.server.web.page_cursors import (
    format_queue_cursor,
    format_session_cursor,
    parse_queue_cursor,
)
from adk_agent_sim.timeline.read_model.line_summary import REPLACEMENT_CHARACTER, summarize_text
from adk_agent_sim.timeline.read_model.session_summary import SessionSummary
from adk_agent_sim.timeline.session_queries import SessionFilter
from adk_agent_sim.timeline.strict_json import parse_json_object_input
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.use_cases.record import OperationResult


class SessionDirectory:
    """Lists the sessions of a timeline and manages their life cycle."""

    def __init__(self, timeline: Timeline, runs: SessionRuns, sessions: ServedSessions) -> None:
        self._timeline = timeline
        self._runs = runs
        self._describer = SessionDescriber(runs)
        self._sessions = sessions

    async def create(self, new_session: NewSession) -> OperationResult:
        """Start a session of an agent.

        Raises:
            NotFound: There is no such agent.
            MalformedValue: The initial state is no JSON object.
        """
        state = parse_json_object_input(new_session.state, "The state") if new_session.state else {}
        return await self._runs.start(new_session.agent_key, state=state, user_id=new_session.user_id)

    async def list_sessions(self, wanted: SessionFilter, limit: int) -> SessionPage:
        """Return a page of sessions, newest first; agents are found by the names that lists show, too."""
        text = wanted.text.casefold()
        known = replace(
            wanted,
            live_ids=self._runs.live_ids,
            of_agents=self._runs.select_sessions(lambda name: name == wanted.agent),
            text_agents=self._runs.select_sessions(lambda name: text != "" and text in name.casefold()),
        )
        # One more than the page holds tells whether there is a next page.
        found = await self._timeline.list_summaries(known, limit + 1)
        shown = found[:limit]
        return SessionPage(
            sessions=[self._describer.describe(summary) for summary in shown],
            next_cursor=format_session_cursor(shown[-1].cursor) if len(found) > limit else None,
        )

    async def list_queue(self, cursor: str, limit: int) -> QueuePage:
        """Return a page of the requests that wait for a person, oldest first."""
        after = parse_queue_cursor(cursor)
        found = await self._timeline.list_pending(after, limit + 1, self._runs.live_ids)
        shown = found[:limit]
        return QueuePage(
            items=[
                QueueItem(
                    session_id=entry.summary.session.session_id,
                    session_name=entry.summary.name,
                    request=self._describer.describe_request(entry.request, entry.summary),
                )
                for entry in shown
            ],
            next_cursor=format_queue_cursor(shown[-1].cursor) if len(found) > limit else None,
            total=await self.count_pending(),
        )

    async def count_pending(self) -> int:
        """Return how many requests wait for a person, over all sessions that can be played here."""
        return await self._timeline.count_pending(self._runs.live_ids)

    def is_playable(self, session_id: str) -> bool:
        """Return whether a session can go on: its agent runs here, or may run in another process."""
        return self._runs.is_playable(session_id)

    async def get_info(self, session_id: str) -> SessionInfo:
        """Return what lists show of a session.

        Raises:
            SessionNotFound: There is no such session.
        """
        return self._describer.describe(await self._timeline.get_summary(session_id))

    async def get_detail(self, session_id: str) -> SessionDetail:
        """Return a session without its rows.

        Raises:
            SessionNotFound: There is no such session.
        """
        return await self.describe_summary(await self._timeline.get_summary(session_id))

    async def describe_summary(self, summary: SessionSummary) -> SessionDetail:
        """Return a session as its summary describes it."""
        info = self._describer.describe(summary)
        confirmation = await load_confirmation(self._timeline, summary) if info.pending else None
        pause = await load_pause(self._timeline, summary) if info.pending else None
        problem = self._sessions.open(summary.session.session_id).answer_problem
        is_paused = confirmation is not None or pause is not None
        return SessionDetail(
            **dict(info),
            confirmation=confirmation,
            pause=pause,
            answer_problem=problem if is_paused else "",
            has_control=not problem,
            time_travel=await self._sessions.describer.describe(summary),
        )

    async def rename(self, session_id: str, name: str) -> SessionDetail:
        """Give a session another name.

        Raises:
            MalformedValue: The name has no visible character.
        """
        await self._timeline.get_summary(session_id)
        shown = summarize_text(name)
        if not shown.strip(f"{REPLACEMENT_CHARACTER} "):
            raise MalformedValue("The name", "it is empty")
        await self._timeline.rename_session(session_id, shown)
        return await self.get_detail(session_id)

    async def close_session(self, session_id: str) -> SessionDetail:
        """Close a session: it can still be read and exported."""
        await self._timeline.get_summary(session_id)
        if not await self._runs.close_run(session_id) and self._runs.allow_remote_agents:
            await self._timeline.close_session(session_id, "closed in the browser")
        return await self.get_detail(session_id)

    async def delete(self, session_id: str) -> None:
        """Close a session and delete it with its events; exported files stay."""
        # The run is ended first: it could not append to a session that does not exist any more.
        await self.close_session(session_id)
        await self._timeline.delete_session(session_id)
