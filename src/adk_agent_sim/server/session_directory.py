"""The sessions of one timeline as a list: list, describe, create, rename, close and delete them.

It does not read what is in a session (`SessionReader`) or play in it (`SessionActions`, `TurnActions`).
"""

from __future__ import annotations

from collections.abc import Callable

from adk_agent_sim.errors import MalformedValue
from adk_agent_sim.server.api_models import SessionInfo
from adk_agent_sim.server.export_records import ExportRecords
from adk_agent_sim.server.line_summary import REPLACEMENT_CHARACTER, summarize_text
from adk_agent_sim.server.session_describer import SessionDescriber
from adk_agent_sim.server.session_runs import SessionRuns
from adk_agent_sim.server.session_view import SessionView
from adk_agent_sim.server.session_views import SessionViews
from adk_agent_sim.timeline.session_progress import SessionSummary
from adk_agent_sim.timeline.timeline import Timeline


class SessionDirectory:
    """Lists the sessions of a timeline and manages their life cycle."""

    def __init__(
        self, timeline: Timeline, runs: SessionRuns, views: SessionViews, export_records: ExportRecords
    ) -> None:
        self.on_change: Callable[[str], object] = lambda session_id: None
        """Called with the id of a session after a change that is not an event on its timeline, such as its name."""
        self._timeline = timeline
        self._runs = runs
        self._views = views
        self._export_records = export_records
        self._describer = SessionDescriber(runs, export_records)

    async def create(self, agent_key: str) -> SessionInfo:
        """Start a session of an agent."""
        return await self.get_info(await self._runs.start(agent_key))

    async def list_sessions(self, start: int = 0, count: int = 200) -> list[SessionInfo]:
        """Returns sessions, newest first."""
        summaries = (await self._timeline.list_summaries(limit=start + count))[start:]
        return [await self._describe_summary(summary) for summary in summaries]

    async def count_your_turns(self) -> int:
        """Returns how many turns wait for a person, over all sessions that can be played here."""
        waiting = [asked.session_id for asked in await self._timeline.get_turn_queue()]
        return sum(self._runs.is_playable(session_id) for session_id in waiting)

    async def get_info(self, session_id: str) -> SessionInfo:
        """Returns a session without its rows.

        Raises:
            SessionNotFound: There is no such session.
        """
        return self._describer.describe_view(await self._views.get(session_id))

    def describe_view(self, view: SessionView) -> SessionInfo:
        """Returns the info of a view, which matches the rows that the view holds now."""
        return self._describer.describe_view(view)

    async def rename(self, session_id: str, name: str) -> SessionInfo:
        """Give a session another name.

        Raises:
            MalformedValue: The name has no visible character.
        """
        view = await self._views.get(session_id)
        shown = summarize_text(name)
        if not shown.strip(f"{REPLACEMENT_CHARACTER} "):
            raise MalformedValue("The name", "it is empty")
        self._describer.set_name(session_id, shown)
        await self._timeline.rename_session(session_id, shown)
        self.on_change(session_id)
        return self._describer.describe_view(view)

    async def close_session(self, session_id: str) -> SessionInfo:
        """Close a session: it can still be read and exported."""
        await self._views.get(session_id)
        if not await self._runs.close_run(session_id) and self._runs.allow_remote_agents:
            await self._timeline.close_session(session_id, "closed in the browser")
        return await self.get_info(session_id)

    async def delete(self, session_id: str) -> None:
        """Close a session and delete it with its events; exported files stay."""
        await self.close_session(session_id)
        await self._timeline.delete_session(session_id)
        for cache in (self._views, self._describer, self._export_records):
            cache.remove(session_id)
        self.on_change(session_id)

    async def _describe_summary(self, summary: SessionSummary) -> SessionInfo:
        session_id = summary.session.session_id
        # Reading a log costs: only sessions that are open anyway, or wait for a person, are described from theirs.
        if session_id in self._views or session_id in self._runs or summary.snapshot.pending_count:
            return await self.get_info(session_id)
        return self._describer.describe_summary(summary)
