"""What a person writes into a session: notes."""

from __future__ import annotations

from adk_agent_sim.server.sessions.row_api_models import Row, to_api_row
from adk_agent_sim.server.sessions.session_runs import SessionRuns
from adk_agent_sim.timeline.timeline import Timeline


class SessionActions:
    """Puts notes on rows of sessions."""

    def __init__(self, timeline: Timeline, runs: SessionRuns) -> None:
        self._timeline = timeline
        self._runs = runs

    async def note_row(self, session_id: str, index: int, text: str) -> Row:
        """Put a note on a row in place of the one that it has; a text without visible characters removes it.

        Raises:
            NotFound: The session has no such row.
        """
        await self._timeline.note_row(session_id, index, text.strip())
        (row,) = await self._timeline.read_rows(session_id, index, 1)
        return to_api_row(row, is_live=self._runs.is_playable(session_id))
