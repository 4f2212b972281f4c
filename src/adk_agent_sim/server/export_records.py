"""Which golden traces this process has written of each session; `SessionInfo` lists them."""

from __future__ import annotations

from adk_agent_sim.server.api_models import ExportRecord


class ExportRecords:
    """The exports of each session, oldest first. They are kept in memory only."""

    def __init__(self) -> None:
        self._records: dict[str, list[ExportRecord]] = {}

    def get(self, session_id: str) -> list[ExportRecord]:
        """Returns the exports of a session."""
        return self._records.get(session_id, [])

    def add(self, session_id: str, record: ExportRecord) -> None:
        """Record an export."""
        self._records.setdefault(session_id, []).append(record)

    def remove(self, session_id: str) -> None:
        """Drop the records of a session; the files stay."""
        self._records.pop(session_id, None)
