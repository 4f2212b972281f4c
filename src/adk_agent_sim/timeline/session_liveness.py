"""The status of a session as people see it: what its log says, and whether a process is left that can go on with it.

SessionSummary.status (from the log) --+--> SessionLiveness.find_status --> CLI, web API, Python, filters of lists
SessionLiveness (of this process)    --+
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from adk_agent_sim.timeline.read_model.session_summary import SessionStatus, SessionSummary

ENDED_STATUSES: Final[Mapping[SessionStatus, SessionStatus]] = MappingProxyType(
    {
        SessionStatus.NEW: SessionStatus.CLOSED,
        SessionStatus.DONE: SessionStatus.CLOSED,
        SessionStatus.FAILED: SessionStatus.CLOSED,
        SessionStatus.STOPPED: SessionStatus.CLOSED,
        SessionStatus.WAITING: SessionStatus.INTERRUPTED,
        SessionStatus.RUNNING: SessionStatus.INTERRUPTED,
        SessionStatus.ABANDONED: SessionStatus.INTERRUPTED,
    }
)
"""The status of a session whose process has ended, by what its log says; all others stay as they are."""

PROCESS_ENDED = "the process that ran the agent has ended"
"""Why a session is over whose process did not close it."""


class OtherProcesses(StrEnum):
    """Which sessions other processes may go on with."""

    ANY = "any"
    """Any session: agents may connect, or a server has the database."""

    REMOTE = "remote"
    """Those of agents that connect to a server: none has the database, so the agents that ran inside of one ended."""

    NONE = "none"
    """No session: all agents run in this process, or ran in one that has ended."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionLiveness:
    """What a process knows about which sessions can go on."""

    own_ids: Collection[str] = ()
    """The sessions that go on in this process."""

    others: OtherProcesses = OtherProcesses.ANY

    def has_ended(self, summary: SessionSummary) -> bool:
        """Return whether the process of a session has ended without closing it."""
        if self.others is OtherProcesses.ANY or summary.is_closed or summary.is_broken:
            return False
        is_possible = self.others is OtherProcesses.NONE or summary.ran_in_server
        return is_possible and summary.session.session_id not in self.own_ids

    def find_status(self, summary: SessionSummary) -> SessionStatus:
        """Return the status of a session."""
        return ENDED_STATUSES.get(summary.status, summary.status) if self.has_ended(summary) else summary.status

    def can_go_on(self, session_id: str) -> bool:
        """Return whether a session can go on for all that is known without its log."""
        return self.others is not OtherProcesses.NONE or session_id in self.own_ids

    @property
    def queue_ids(self) -> Collection[str] | None:
        """The sessions whose requests can be answered; None if those of all can."""
        return self.own_ids if self.others is OtherProcesses.NONE else None


ANY_MAY_GO_ON = SessionLiveness()
"""What a process knows that has no sessions, and cannot say which others have: sessions are as their logs say."""


def list_stored_statuses(statuses: Collection[SessionStatus]) -> set[SessionStatus]:
    """Return what the logs of sessions with these statuses may say: a database can search only for that."""
    return {status for status in SessionStatus if status in statuses or ENDED_STATUSES.get(status) in statuses}
